import { get } from '../kit/api.ts';
import { count, dateText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown, Status } from '../kit/parts.tsx';
import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection } from '../kit/selection/use-selection.ts';
import { Icon } from '../kit/icons.tsx';
import { hrefOf, type Route } from '../kit/route.ts';
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
}

async function streams(offset: number, signal: AbortSignal): Promise<StreamPage> {
  const { jobIds } = await get<{ jobIds: readonly number[] }>(
    'rest/streaming/jobs',
    { isActive: false },
    signal,
  );
  const shown = jobIds.toSorted((a, b) => b - a).slice(offset, offset + PAGE);
  const infos = shown.map((id) =>
    get<StreamInfo>(`rest/streaming/jobs/${id}`, { details: true }, signal).catch(() => undefined),
  );
  return { infos: (await Promise.all(infos)).filter((info) => info !== undefined), total: jobIds.length };
}

/** The live streams, newest first. */
export function StreamList({ route: { query } }: { readonly route: Route }) {
  const offset = Math.max(0, Math.floor(Number(query.get('offset') ?? 0)) || 0);
  const all = useLoaded((signal) => streams(offset, signal), [offset], EVERY_MS);
  const places = (all.value?.infos ?? []).map(placeOf);
  const selection = useSelection(places, String(offset));
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.live}</h1>
      </header>
      <NewStream />
      <Shown of={all}>
        {({ infos, total }) => (
          <>
            <StreamBar of={selection} infos={infos} onEnd={all.again} />
            {infos.length === 0 ? (
              <p class="hint">
                {total === 0 ? TEXT.streams.noCameraIsConnectedEnter : TEXT.streams.theseAreAll}
              </p>
            ) : (
              <div class="grid wall" {...selection.list}>
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
            )}
            <Pages offset={offset} shown={infos.length} total={total} />
          </>
        )}
      </Shown>
    </>
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
        {isOver(info) ? (
          <span class="placeholder">
            <Icon name="live" size={36} /> {TEXT.streams.ended}
          </span>
        ) : (
          <LivePicture path={`rest/streaming/jobs/${jobId}/frame.jpg`} everyMs={PICTURE_MS} />
        )}
      </span>
      <span class="name">{cameraName(streamUri)}</span>
      <Status of={jobStatus === 'IN_PROGRESS' ? 'LIVE' : jobStatus} />
      <small>{jobStatusDetail ?? TEXT.streams.since(pipelineTitle(pipelineName), dateText(startDate))}</small>
    </a>
  );
}
