/** What of a medium is shown: a span of time, what passes the filter, the selected track and the position. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Query } from '../kit/api.ts';
import { useLoaded, useSettled, type Loaded } from '../kit/load.ts';
import { hrefOf } from '../kit/route.ts';
import type { Span } from './timeline/lanes.tsx';
import type { Filter, Lane, TrackPage } from './types.ts';

const TRACKS = 200;
/** Time for which something must stand still before others are told of it: milliseconds. */
const SETTLED_MS = 250;
/** Between two looks at a job that runs: milliseconds. */
export const LIVE_MS = 2_000;

export type View = ReturnType<typeof useView>;

/** Begins with what the address says. */
export function useView(query: URLSearchParams, lengthMs: number) {
  const [span, setSpan] = useState<Span>({ fromMs: 0, toMs: lengthMs });
  const [filter, setFilter] = useState<Filter>({
    hidden: new Set(),
    minConfidence: Number(query.get('sure') ?? 0) || 0,
    text: query.get('text') ?? '',
  });
  const [selected, select] = useState<number | undefined>(numberIn(query, 'track'));
  const [positionMs, setPosition] = useState(numberIn(query, 't') ?? 0);
  return {
    span,
    setSpan,
    settledSpan: useSettled(span, SETTLED_MS),
    filter,
    setFilter,
    selected,
    select,
    /** Where the view begins. */
    startMs: numberIn(query, 't') ?? 0,
    positionMs,
    setPosition,
  };
}

/** The lane that is shown alone; undefined: several are. */
export const onlyLaneOf = (lanes: readonly Lane[], { hidden }: Filter): Lane | undefined =>
  lanes.length - hidden.size === 1 ? lanes.find(({ lane }) => !hidden.has(lane)) : undefined;

/** The tracks in the span that pass the filter. Those of a running job are loaded again and again, and once at its end. */
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

/** Keeps a track selected: tracks are numbered again when a running job has found more. */
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

/** Keeps the view in the address of the page, without an entry of its own: Back leads out of it at once. */
export function useAddress(
  place: readonly (string | number)[],
  { positionMs, selected, filter: { text, minConfidence } }: View,
): void {
  useEffect(() => {
    const at = {
      t: Math.round(positionMs),
      track: selected,
      text,
      ...(minConfidence > 0 && { sure: minConfidence }),
    };
    // Whoever has gone elsewhere meanwhile is left there; browsers take few changes a second.
    const timer = setTimeout(() => {
      if (location.hash.split('?')[0] === hrefOf(place)) history.replaceState(null, '', hrefOf(place, at));
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [positionMs, selected, text, minConfidence]);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
