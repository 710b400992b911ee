import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../kit/api.ts';
import { useGet, useLoaded, useSame } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import type { Route } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { TrackFilters, TrackList } from './findings/tracks.tsx';
import { Transcript } from './findings/transcript.tsx';
import { FrameTable, type Run } from './frame-table.ts';
import { ViewerHeader } from './header.tsx';
import { Keys } from './keys.tsx';
import { usePlayback } from './playback/control.ts';
import { Stage } from './stage.tsx';
import type { Lane, MediaOfJob, Medium } from '../kit/findings/types.ts';
import { addressOf, LIVE_MS, onlyLaneOf, useAddress, useSameTrack, useTracks, useView } from './view.ts';

/** Minimum length of a timeline, for media without tracks. */
const SHORTEST_MS = 1_000;

/** One medium of a job with its results, also while the job is running. */
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
  const address = useRef('');
  const partial = media.value?.media[0]?.partial;
  const isRunning = partial !== undefined;
  useEffect(() => {
    // The final results of an ended job are loaded once more.
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
            <ViewerHeader {...{ job, base, medium, total, address }} lanes={lanes.value ?? []} />
            {medium.issues.map(({ message }, k) => (
              <Problem key={k}>{message}</Problem>
            ))}
            {isInspected(medium) ? (
              <Shown of={lanes}>
                {(all) => <Found {...{ job, base, medium, route, isLive, address }} lanes={all} />}
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

/** True if the medium is inspected. Before that, the kind of a running job's medium is unknown. */
const isInspected = ({ partial, mimeType }: Medium) => partial === undefined || mimeType !== '';

interface FoundProps {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  readonly lanes: readonly Lane[];
  readonly route: Route;
  /** True while the job is running. */
  readonly isLive: boolean;
  /** Receives the address of the current view. */
  readonly address: RefObject<string>;
}

function Found({ job, base, medium: seen, lanes, route: { query }, isLive, address }: FoundProps) {
  const { partial, ...rest } = seen;
  // The object stays the same while only counts change, so that the shown medium does not change.
  const medium = useSame({ ...rest, status: '', tracks: 0, detections: 0, findings: [], issues: [] });
  const table = useLoaded((signal) => framesOf(base, medium, signal), [base]);
  const lengthMs = lengthOf(medium, lanes);
  const view = useView(query, lengthMs);
  const tracks = useTracks(base, view, onlyLaneOf(lanes, view.filter), isLive);
  useSameTrack(tracks, view);
  address.current = addressOf(['jobs', job, 'media', medium.mediaId], view);
  useAddress(address.current);
  const playback = usePlayback(medium, table.value, view);
  const { selected, positionMs } = view;
  const next = (direction: 1 | -1) => {
    const list = (tracks.value?.tracks ?? []).filter(({ lane }) => !view.filter.hidden.has(lane));
    const found = list.findIndex((track) => track.n === selected);
    const track = list[found === -1 ? 0 : found + direction];
    if (track !== undefined) playback.open(track);
  };
  return (
    <div class="viewer">
      <Stage
        {...{ job, base, medium, partial, lanes, lengthMs, table, tracks, view, playback }}
        keys={<Keys player={playback.player} next={next} leave={() => view.select(undefined)} />}
      />
      <aside class="side">
        <div class="found">
          <TrackFilters
            filter={view.filter}
            change={(what) => view.setFilter((before) => ({ ...before, ...what }))}
          />
          <TrackList
            {...{ job, base, medium, tracks, lanes, selected, positionMs }}
            isGrid={view.isGrid}
            setGrid={view.setGrid}
            open={playback.open}
            toFrame={playback.toFrame}
          />
        </div>
        {(medium.mediaType === 'VIDEO' || medium.mediaType === 'AUDIO') && (
          <Transcript
            {...{ base, lanes, positionMs, isLive }}
            span={view.settledSpan}
            open={playback.openLine}
          />
        )}
      </aside>
    </div>
  );
}

const framesOf = async (base: string, medium: Medium, signal: AbortSignal): Promise<FrameTable> => {
  if (medium.mediaType !== 'VIDEO') return new FrameTable([[0, 0, 1]]);
  const { runs } = await get<{ readonly runs: readonly Run[] }>(`${base}/frames`, {}, signal);
  return new FrameTable(runs);
};

/** Returns the length of a medium: milliseconds. */
const lengthOf = ({ metadata }: Medium, lanes: readonly Lane[]) =>
  Math.max(
    SHORTEST_MS,
    Number(metadata['DURATION'] ?? 0) || 0,
    ...lanes.map(({ binMs, bins }) => binMs * bins.length),
  );
