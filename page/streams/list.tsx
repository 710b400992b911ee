import { useRef } from 'preact/hooks';
import { get } from '../kit/api.ts';
import { count, dateText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown, Status } from '../kit/parts.tsx';
import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection, type Selection } from '../kit/selection/use-selection.ts';
import { hrefOf, type Route } from '../kit/route.ts';
import { EndedList } from './ended-list.tsx';
import { NewStream } from './new-stream.tsx';
import { LivePicture } from './live-picture.tsx';
import { StreamBar } from './stream-bar.tsx';
import { pipelineTitle } from '../new/goals.ts';
import { cameraName, isOver, type StreamInfo } from './types.ts';
import { TEXT } from '../kit/text.ts';

const EVERY_MS = 3_000;
/** Number of streams per page. Each one needs a request of its own. */
const PAGE = 25;

interface StreamPage {
  readonly infos: readonly StreamInfo[];
  readonly total: number;
  /** Number of streams on all pages that have ended. */
  readonly ended: number;
}

/** Loads a page of the streams: those that run, newest first, and then those that have ended. `known`: ended streams, which change no more. */
async function streams(
  offset: number,
  known: Map<number, StreamInfo>,
  signal: AbortSignal,
): Promise<StreamPage> {
  const idsOf = (isActive: boolean) =>
    get<{ jobIds: readonly number[] }>('rest/streaming/jobs', { isActive }, signal);
  const [active, all] = await Promise.all([idsOf(true), idsOf(false)]);
  const running = new Set(active.jobIds);
  const newest = all.jobIds.toSorted((a, b) => Number(running.has(b)) - Number(running.has(a)) || b - a);
  const shown = newest.slice(offset, offset + PAGE);
  const load = async (id: number) =>
    known.get(id) ??
    (await get<StreamInfo>(`rest/streaming/jobs/${id}`, { details: true }, signal).catch(() => undefined));
  const infos = await Promise.all(shown.map(load));
  const found = infos.filter((info) => info !== undefined);
  for (const info of found) if (isOver(info)) known.set(info.jobId, info);
  const total = newest.length;
  return { infos: found, total, ended: newest.filter((id) => !running.has(id)).length };
}

/** The cameras: live ones as pictures, and below them a list of those that have ended. */
export function StreamList({ route: { query } }: { readonly route: Route }) {
  const offset = Math.max(0, Math.floor(Number(query.get('offset') ?? 0)) || 0);
  const known = useRef(new Map<number, StreamInfo>());
  const all = useLoaded((signal) => streams(offset, known.current, signal), [offset], EVERY_MS);
  const infos = all.value?.infos ?? [];
  const [live, over] = [infos.filter((info) => !isOver(info)), infos.filter(isOver)];
  const selection = useSelection([...live, ...over].map(placeOf), String(offset));
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.live}</h1>
      </header>
      <NewStream />
      <Shown of={all}>
        {({ total, ended }) => (
          <>
            <StreamBar of={selection} infos={infos} onEnd={all.again} />
            {live.length === 0 && offset === 0 && (
              <p class="hint">
                {total === 0 ? TEXT.streams.noCameraIsConnectedEnter : TEXT.streams.noCameraIsLive}
              </p>
            )}
            {infos.length === 0 && total > 0 && <p class="hint">{TEXT.streams.theseAreAll}</p>}
            <div {...selection.list}>
              <Wall infos={live} selection={selection} />
              <EndedList infos={over} total={ended} selection={selection} />
            </div>
            <Pages offset={offset} shown={infos.length} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

function Wall({
  infos,
  selection,
}: {
  readonly infos: readonly StreamInfo[];
  readonly selection: Selection;
}) {
  if (infos.length === 0) return null;
  return (
    <div class="grid wall">
      {infos.map((info) => (
        <div key={info.jobId} class="item">
          <StreamTile info={info} />
          <CheckField
            of={selection}
            place={String(info.jobId)}
            label={TEXT.kit.select(cameraName(info.streamUri))}
          />
        </div>
      ))}
    </div>
  );
}

const placeOf = ({ jobId }: StreamInfo) => ({ key: String(jobId), id: String(jobId) });

function Pages({
  offset,
  shown,
  total,
}: {
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
}) {
  if (total <= PAGE && offset === 0) return null;
  return (
    <nav class="pages" aria-label={TEXT.common.pages}>
      {offset > 0 && (
        <a href={hrefOf(['streams'], { offset: Math.max(0, offset - PAGE) || undefined })}>
          {TEXT.streams.newerStreams}
        </a>
      )}
      <span>
        {TEXT.common.fromToOf(count(offset + Math.min(1, shown)), count(offset + shown), count(total))}
      </span>
      {offset + PAGE < total && (
        <a href={hrefOf(['streams'], { offset: offset + PAGE })}>{TEXT.streams.olderStreams}</a>
      )}
    </nav>
  );
}

/** Interval between two pictures of a camera on the wall: milliseconds. */
const PICTURE_MS = 1_500;

function StreamTile({ info }: { readonly info: StreamInfo }) {
  const { jobId, streamUri, pipelineName, jobStatus, jobStatusDetail, startDate } = info;
  return (
    <a class="tile" href={hrefOf(['streams', jobId])} title={streamUri}>
      <span class="shot">
        <LivePicture path={`rest/streaming/jobs/${jobId}/frame.jpg`} everyMs={PICTURE_MS} />
      </span>
      <span class="name">{cameraName(streamUri)}</span>
      <Status of={jobStatus === 'IN_PROGRESS' ? 'LIVE' : jobStatus} />
      <small>{jobStatusDetail ?? TEXT.streams.since(pipelineTitle(pipelineName), dateText(startDate))}</small>
    </a>
  );
}
