import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, urlOf, type Query } from '../kit/api.ts';
import { trackHue } from '../kit/colours.ts';
import { clock, fileName, timeText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet, useLoaded, useSame, useSettled } from '../kit/load.ts';
import { Problem, Shown, Status } from '../kit/parts.tsx';
import { hrefOf, type Route } from '../kit/route.ts';
import { findingText, withPeople } from '../library/labels.ts';
import { CountsChart } from './timeline/chart.tsx';
import { Compare, ComparedTo, OTHER_LANE } from './compare.tsx';
import { DocumentText } from './document-text.tsx';
import { Downloads } from './downloads.tsx';
import type { PlayerHandle } from './drawing.ts';
import { FrameTable, type Run } from './frame-table.ts';
import { ShownHeat, type HeatMap } from './boxes/heat-layer.tsx';
import { PeopleLinks, usePeopleIn } from './findings/people.tsx';
import { TrackFilters, TrackList } from './findings/tracks.tsx';
import { Transcript } from './findings/transcript.tsx';
import { Keys } from './keys.tsx';
import { Lanes, type Span } from './timeline/lanes.tsx';
import { storedSize } from './boxes/overlay.ts';
import { pendingStretches } from './timeline/pending-stretches.ts';
import { PicturePlayer, stillUrl } from './picture.tsx';
import { SoundPlayer } from './sound.tsx';
import {
  nameOfTrack,
  type BoxHue,
  type Filter,
  type Lane,
  type MediaOfJob,
  type Medium,
  type Track,
  type TrackPage,
} from './types.ts';
import { TEXT } from '../kit/text.ts';

const TRACKS = 200;
/** Kinds of findings in the heading. */
const MOST_NAMED = 6;
/** Time for which something must stand still before others are told of it: milliseconds. */
const SETTLED_MS = 250;
/** Without tracks there is a time all the same. */
const SHORTEST_MS = 1_000;

/** Between two looks at a job that runs: milliseconds. */
const LIVE_MS = 2_000;

/** One medium of a job with what was found in it, also while the job runs. */
export function Viewer({
  job,
  mediaId,
  route,
}: {
  readonly job: string;
  readonly mediaId: string;
  readonly route: Route;
}) {
  const base = `rest/jobs/${encodeURIComponent(job)}/media/${encodeURIComponent(mediaId)}`;
  const [isLive, setLive] = useState(false);
  const path = `rest/jobs/${encodeURIComponent(job)}/media`;
  const media = useGet<MediaOfJob>(path, { mediaId }, isLive ? LIVE_MS : undefined);
  const lanes = useGet<readonly Lane[]>(`${base}/lanes`, {}, isLive ? LIVE_MS : undefined);
  const partial = media.value?.media[0]?.partial;
  const isRunning = partial !== undefined;
  useEffect(() => {
    // The last answers of a job that has ended are final.
    if (isLive && !isRunning) lanes.again();
    setLive(isRunning);
  }, [isRunning]);
  return (
    <Shown of={media} title={TEXT.viewer.mediumOfJob(mediaId, job)}>
      {({ media: [medium], total }) =>
        medium === undefined ? (
          <Problem>{TEXT.viewer.theJobHasNoSuch}</Problem>
        ) : (
          <>
            <ViewerHeader job={job} base={base} medium={medium} total={total} lanes={lanes.value ?? []} />
            {medium.issues.map(({ message }, k) => (
              <Problem key={k}>{message}</Problem>
            ))}
            {isInspected(medium) ? (
              <Shown of={lanes}>
                {(all) => (
                  <Found job={job} base={base} medium={medium} lanes={all} route={route} isLive={isLive} />
                )}
              </Shown>
            ) : (
              <p class="hint">{TEXT.viewer.theMediumIsBeingPrepared}</p>
            )}
          </>
        )
      }
    </Shown>
  );
}

function ViewerHeader({
  job,
  base,
  medium,
  total,
  lanes,
}: {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  readonly total: number;
  readonly lanes: readonly Lane[];
}) {
  const { n, uri, status } = medium;
  const people = usePeopleIn(job, medium);
  const findings =
    medium.findings.length > 0
      ? medium.findings.slice(0, MOST_NAMED)
      : lanes.map(({ type, tracks }) => ({ type, class: null, tracks }));
  const found = withPeople({ findings, people: medium.people }).map(findingText);
  return (
    <header class="bar">
      <div>
        <a class="up" href={hrefOf(['jobs', job])}>
          <Icon name="back" size={16} /> {job}
        </a>
        <h1 title={uri}>
          {fileName(uri)} {status !== 'COMPLETE' && <Status of={status} />}
        </h1>
        <p class="hint" aria-live="off">
          {[lengthText(medium), ...found, progressText(medium)].filter((text) => text !== '').join(' · ')}
        </p>
        <PeopleLinks people={people} />
      </div>
      <span class="buttons">
        {total > 1 && <Neighbours job={job} n={n} total={total} />}
        {medium.partial === undefined && <Downloads job={job} base={base} medium={medium} />}
      </span>
    </header>
  );
}

/** Links to the media before and after this one in the document. */
function Neighbours({ job, n, total }: { readonly job: string; readonly n: number; readonly total: number }) {
  const around = useGet<MediaOfJob>(`rest/jobs/${encodeURIComponent(job)}/media`, {
    limit: 3,
    offset: Math.max(0, n - 1),
  });
  const idAt = (place: number) => around.value?.media.find((one) => one.n === place)?.mediaId;
  const [before, after] = [idAt(n - 1), idAt(n + 1)];
  return (
    <nav aria-label={TEXT.viewer.mediaOfTheJob}>
      {before !== undefined && <a href={hrefOf(['jobs', job, 'media', before])}>{TEXT.viewer.previous}</a>}{' '}
      {TEXT.viewer.of(n + 1, total)}{' '}
      {after !== undefined && <a href={hrefOf(['jobs', job, 'media', after])}>{TEXT.viewer.next}</a>}
    </nav>
  );
}

/** Of a running job: until then nobody knows what the medium is. */
const isInspected = ({ partial, mimeType }: Medium) => partial === undefined || mimeType !== '';

function lengthText({ mediaType, metadata }: Medium): string {
  const ms = Number(metadata['DURATION'] ?? 0);
  return ms > 0 && (mediaType === 'VIDEO' || mediaType === 'AUDIO') ? timeText(ms) : '';
}

const progressText = ({ partial }: Medium) =>
  partial === undefined ? '' : TEXT.viewer.analyzed(Math.floor(partial.percent));

const framesOf = async (base: string, medium: Medium, signal: AbortSignal): Promise<FrameTable> => {
  if (medium.mediaType !== 'VIDEO') return new FrameTable([[0, 0, 1]]);
  const { runs } = await get<{ readonly runs: readonly Run[] }>(`${base}/frames`, {}, signal);
  return new FrameTable(runs);
};

/** The length of a medium: milliseconds. */
const lengthOf = ({ metadata }: Medium, lanes: readonly Lane[]) =>
  Math.max(
    SHORTEST_MS,
    Number(metadata['DURATION'] ?? 0) || 0,
    ...lanes.map(({ binMs, bins }) => binMs * bins.length),
  );

interface FoundProps {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  readonly lanes: readonly Lane[];
  readonly route: Route;
  /** The job runs. */
  readonly isLive: boolean;
}

function Found({ job, base, medium: seen, lanes, route: { query }, isLive }: FoundProps) {
  const { partial, ...rest } = seen;
  // What is shown of the medium itself stays while counts change.
  const medium = useSame({ ...rest, status: '', tracks: 0, detections: 0, findings: [], issues: [] });
  const table = useLoaded((signal) => framesOf(base, medium, signal), [base]);
  const lengthMs = lengthOf(medium, lanes);
  const [span, setSpan] = useState<Span>({ fromMs: 0, toMs: lengthMs });
  const [filter, setFilter] = useState<Filter>({
    hidden: new Set(),
    minConfidence: Number(query.get('sure') ?? 0) || 0,
    text: query.get('text') ?? '',
  });
  const [selected, setSelected] = useState<number | undefined>(numberIn(query, 'track'));
  const [other, setOther] = useState<string>();
  const [opened, setOpened] = useState<ReadonlySet<Opened>>(new Set());
  const [positionMs, setPosition] = useState(numberIn(query, 't') ?? 0);
  const player = useRef<PlayerHandle>(null);
  const sound = useRef<HTMLAudioElement>(null);
  const { minConfidence, text, hidden } = filter;
  const onlyLane = lanes.length - hidden.size === 1 ? lanes.find(({ lane }) => !hidden.has(lane)) : undefined;
  const asked: Query = {
    fromMs: Math.floor(span.fromMs),
    toMs: Math.ceil(span.toMs),
    limit: TRACKS,
    text,
    ...(minConfidence > 0 && { minConfidence }),
    ...(onlyLane !== undefined && { lane: onlyLane.lane }),
  };
  const wanted = useSettled(JSON.stringify(asked), SETTLED_MS);
  const settledSpan = useSettled(span, SETTLED_MS);
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
  // Boxes have at least what the tracks before them had.
  const revision = JSON.stringify(tracks.value?.partial ?? null);
  const chosenId = useRef<string | undefined>(undefined);
  useEffect(() => {
    // Tracks are numbered anew when more are found.
    const all = tracks.value?.tracks ?? [];
    const same = all.find(({ id }) => id === chosenId.current);
    if (same !== undefined && selected !== undefined && same.n !== selected) setSelected(same.n);
  }, [tracks.value]);
  useEffect(() => {
    chosenId.current = tracks.value?.tracks.find(({ n }) => n === selected)?.id;
  }, [selected]);
  // The address is of exactly this view; Back leads out of it at once.
  useEffect(() => {
    const at = {
      t: Math.round(positionMs),
      track: selected,
      text,
      ...(minConfidence > 0 && { sure: minConfidence }),
    };
    const here = hrefOf(['jobs', job, 'media', medium.mediaId]);
    // Whoever has gone elsewhere meanwhile is left there; browsers take few changes a second.
    const timer = setTimeout(() => {
      if (location.hash.split('?')[0] === here)
        history.replaceState(null, '', hrefOf(['jobs', job, 'media', medium.mediaId], at));
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [positionMs, selected, text, minConfidence]);
  const seek = (ms: number) => {
    setPosition(ms);
    player.current?.toFrame(table.value?.nearest(ms) ?? 0);
    if (sound.current !== null) sound.current.currentTime = ms / 1_000;
  };
  // Of a video with pictures.
  const frames = storedSize(medium) === undefined ? undefined : table.value;
  const stillAt = frames && ((ms: number) => stillUrl(base, frames.shownAt(ms)));
  const open = (track: Track) => {
    setSelected(track.n);
    const frame = track.exemplarFrame ?? track.startFrame;
    if (medium.mediaType === 'VIDEO') player.current?.toFrame(frame);
    else seek(track.exemplarMs ?? track.startMs);
  };
  const openLine = (line: Track) => {
    setSelected(line.n);
    if (medium.mediaType === 'VIDEO') player.current?.toFrame(line.startFrame);
    else seek(line.startMs);
  };
  const hue = useCallback<BoxHue>(
    (box) => (box.lane === OTHER_LANE ? 'compared' : trackHue(nameOfTrack(lanes, box), box.track)),
    [lanes],
  );
  const onShown = useCallback((frame: number) => setPosition(table.value?.timeOf(frame) ?? 0), [table.value]);
  const heat = useLoaded(
    (signal) =>
      opened.has('heat')
        ? get<HeatMap>(`${base}/heat-map`, onlyLane === undefined ? {} : { lane: onlyLane.lane }, signal)
        : Promise.resolve(undefined),
    [base, opened.has('heat'), onlyLane?.lane],
  );
  const list = (tracks.value?.tracks ?? []).filter(({ lane }) => !hidden.has(lane));
  const hasLanes = lanes.length > 0 || partial !== undefined;
  const progress = lanes.length > 0 ? lanes.map((lane) => lane.partial) : partial?.actions.slice(0, 1);
  const pending = (progress ?? []).map((one) =>
    one === undefined
      ? []
      : pendingStretches(one, lengthMs, (frame) => timeAfter(table.value, frame, lengthMs)),
  );
  const next = (direction: 1 | -1) => {
    const found = list.findIndex((track) => track.n === selected);
    const track = list[found === -1 ? 0 : found + direction];
    if (track !== undefined) open(track);
  };
  const hasTime = medium.mediaType === 'VIDEO' || medium.mediaType === 'AUDIO';
  return (
    <div class="viewer">
      <div class="stage">
        {medium.mediaType === 'AUDIO' && (
          <SoundPlayer source={urlOf(base)} handle={sound} onShown={setPosition} startMs={positionMs} />
        )}
        {storedSize(medium) !== undefined && (
          <Shown of={table}>
            {(frames) => (
              <ComparedTo.Provider value={other}>
                <ShownHeat.Provider value={heat.value}>
                  <PicturePlayer
                    base={base}
                    medium={medium}
                    revision={revision}
                    table={frames}
                    filter={filter}
                    hue={hue}
                    selected={selected}
                    select={setSelected}
                    onShown={onShown}
                    firstFrame={frames.nearest(numberIn(query, 't') ?? 0)}
                    handle={player}
                  />
                </ShownHeat.Provider>
              </ComparedTo.Provider>
            )}
          </Shown>
        )}
        {medium.mediaType === 'UNKNOWN' && (
          <DocumentText base={base} medium={medium} tracks={tracks} selected={selected} open={open} />
        )}
        {hasTime && hasLanes && (
          <Lanes
            pending={pending}
            lanes={lanes}
            lengthMs={lengthMs}
            positionMs={positionMs}
            span={span}
            setSpan={setSpan}
            hidden={hidden}
            toggle={(lane) => setFilter({ ...filter, hidden: toggleLane(hidden, lane) })}
            seek={seek}
            still={stillAt}
          />
        )}
        <div class="below">
          <Where medium={medium} table={table.value} positionMs={positionMs} />
          <span class="buttons">
            {hasTime && lanes.length > 0 && (
              <Toggle name="chart" opened={opened} set={setOpened}>
                {TEXT.viewer.chart}
              </Toggle>
            )}
            {storedSize(medium) !== undefined && lanes.length > 0 && (
              <Toggle name="heat" opened={opened} set={setOpened}>
                {TEXT.viewer.heatMap}
              </Toggle>
            )}
            {lanes.length > 0 && (
              <Toggle name="compare" opened={opened} set={setOpened}>
                {TEXT.viewer.compare}
              </Toggle>
            )}
            <Keys player={player} next={next} leave={() => setSelected(undefined)} />
          </span>
        </div>
        {heat.error !== undefined && <Problem>{heat.error.message}</Problem>}
        {opened.has('compare') && <Compare job={job} medium={medium} base={base} choose={setOther} />}
        {hasTime && opened.has('chart') && <CountsChart base={base} lengthMs={lengthMs} seek={seek} />}
      </div>
      <aside class="side">
        <div class="found">
          <TrackFilters filter={filter} change={(what) => setFilter((before) => ({ ...before, ...what }))} />
          <TrackList
            job={job}
            medium={medium}
            tracks={tracks}
            lanes={lanes}
            selected={selected}
            positionMs={positionMs}
            open={open}
          />
        </div>
        {hasTime && (
          <Transcript
            base={base}
            lanes={lanes}
            span={settledSpan}
            positionMs={positionMs}
            isLive={isLive}
            open={openLine}
          />
        )}
      </aside>
    </div>
  );
}

type Opened = 'chart' | 'heat' | 'compare';

function Toggle({
  name,
  opened,
  set,
  children,
}: {
  readonly name: Opened;
  readonly opened: ReadonlySet<Opened>;
  readonly set: (opened: ReadonlySet<Opened>) => void;
  readonly children: string;
}) {
  const toggle = () => {
    const next = new Set(opened);
    if (!next.delete(name)) next.add(name);
    set(next);
  };
  return (
    <button type="button" class="plain" aria-pressed={opened.has(name)} onClick={toggle}>
      {children}
    </button>
  );
}

/** When a frame is shown; behind the last one, the end of the medium. */
const timeAfter = (table: FrameTable | undefined, frame: number, lengthMs: number) =>
  table === undefined || frame >= table.count ? lengthMs : table.timeOf(frame);

function toggleLane(hidden: ReadonlySet<number>, lane: number): ReadonlySet<number> {
  const next = new Set(hidden);
  if (!next.delete(lane)) next.add(lane);
  return next;
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function Where({
  medium: { mediaType },
  table,
  positionMs,
}: {
  readonly medium: Medium;
  readonly table: FrameTable | undefined;
  readonly positionMs: number;
}) {
  if (mediaType !== 'VIDEO' && mediaType !== 'AUDIO') return null;
  const frame =
    mediaType === 'VIDEO' && table !== undefined ? TEXT.viewer.frameAfterTime(table.nearest(positionMs)) : '';
  return (
    <p class="where">
      {clock(positionMs)}
      {frame}
    </p>
  );
}
