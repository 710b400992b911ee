/** The state of the viewer: a span of time, the filter, the selected track, the position and the page of a document. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../kit/api.ts';
import { useLoaded, useSettled, type Loaded } from '../kit/load.ts';
import { hrefOf } from '../kit/route.ts';
import type { Span } from './timeline/lanes.tsx';
import type { Filter, Lane, TrackPage } from '../kit/findings/types.ts';

const TRACKS = 200;
/** Time without changes after which a value is passed on: milliseconds. */
const SETTLED_MS = 250;
/** Interval between two updates of a running job: milliseconds. */
export const LIVE_MS = 2_000;

export type View = ReturnType<typeof useView>;

/** Returns the state, with initial values from the address. */
export function useView(query: URLSearchParams, lengthMs: number) {
  const [span, setSpan] = useState<Span>({ fromMs: 0, toMs: lengthMs });
  const [filter, setFilter] = useState<Filter>({
    hidden: new Set(),
    minConfidence: Number(query.get('sure') ?? 0) || 0,
    text: query.get('text') ?? '',
  });
  const [selected, select] = useState<number | undefined>(numberIn(query, 'track'));
  const [positionMs, setPosition] = useState(numberIn(query, 't') ?? 0);
  const [page, setPage] = useState(numberIn(query, 'page'));
  const [isGrid, setGrid] = useState(query.get('found') === GRID);
  return {
    span,
    setSpan,
    settledSpan: useSettled(span, SETTLED_MS),
    filter,
    setFilter,
    selected,
    select,
    /** Start position of the view. */
    startMs: numberIn(query, 't') ?? 0,
    positionMs,
    setPosition,
    /** The page of a document that the reader sees. Undefined before the first one. */
    page,
    setPage,
    /** True if the findings are shown as pictures side by side. */
    isGrid,
    setGrid,
  };
}

/** Value of `found` in the address. */
const GRID = 'crops';

/** Returns the only visible lane. Returns undefined if several lanes are visible. */
export const onlyLaneOf = (lanes: readonly Lane[], { hidden }: Filter): Lane | undefined =>
  lanes.length - hidden.size === 1 ? lanes.find(({ lane }) => !hidden.has(lane)) : undefined;

/** Loads the tracks in the span that match the filter. For a running job, loads them repeatedly, and once more at its end. */
export function useTracks(
  base: string,
  { span, filter: { text, minConfidence } }: View,
  onlyLane: Lane | undefined,
  isLive: boolean,
): Loaded<TrackPage> {
  const asked: Query = {
    fromMs: Math.floor(span.fromMs),
    toMs: Math.ceil(span.toMs),
    limit: TRACKS,
    text,
    ...(minConfidence > 0 && { minConfidence }),
    ...(onlyLane !== undefined && { lane: onlyLane.lane }),
  };
  const wanted = useSettled(JSON.stringify(asked), SETTLED_MS);
  const tracks = useLoaded(
    (signal) => get<TrackPage>(`${base}/tracks`, JSON.parse(wanted) as Query, signal),
    [base, wanted],
    isLive ? LIVE_MS : undefined,
  );
  const wasLive = useRef(isLive);
  useEffect(() => {
    if (wasLive.current && !isLive) tracks.again();
    wasLive.current = isLive;
  }, [isLive]);
  return tracks;
}

/** Keeps a track selected when a running job has more findings and the tracks get new numbers. */
export function useSameTrack(tracks: Loaded<TrackPage>, { selected, select }: View): void {
  const chosenId = useRef<string | undefined>(undefined);
  useEffect(() => {
    const all = tracks.value?.tracks ?? [];
    const same = all.find(({ id }) => id === chosenId.current);
    if (same !== undefined && selected !== undefined && same.n !== selected) select(same.n);
  }, [tracks.value]);
  useEffect(() => {
    chosenId.current = tracks.value?.tracks.find(({ n }) => n === selected)?.id;
  }, [selected]);
}

/** Returns the address of exactly this view. */
export const addressOf = (
  place: readonly (string | number)[],
  { positionMs, selected, page, isGrid, filter: { text, minConfidence } }: View,
): string =>
  hrefOf(place, {
    ...{ t: Math.round(positionMs), page, track: selected, text },
    ...(isGrid && { found: GRID }),
    ...(minConfidence > 0 && { sure: minConfidence }),
  });

/** Keeps the view in the address of the page without a new history entry, so that Back leaves the view at once. */
export function useAddress(address: string): void {
  useEffect(() => {
    // If the reader has left the view, the address stays. Browsers allow only few changes per second.
    const timer = setTimeout(() => {
      if (placeOf(location.hash) === placeOf(address)) history.replaceState(null, '', address);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [address]);
}

const placeOf = (address: string) => address.split('?')[0];

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
