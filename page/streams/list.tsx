import { get } from '../kit/api.ts';
import { counted, moment } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown, Status, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { NewStream } from './new-stream.tsx';
import type { StreamInfo } from './types.ts';

const EVERY_MS = 3_000;
/** The newest; each is asked for by itself. */
const MOST = 50;

async function streams(signal: AbortSignal): Promise<readonly StreamInfo[]> {
  const { jobIds } = await get<{ jobIds: readonly number[] }>(
    'rest/streaming/jobs',
    { isActive: false },
    signal,
  );
  const newest = jobIds.toSorted((a, b) => b - a).slice(0, MOST);
  const infos = newest.map((id) =>
    get<StreamInfo>(`rest/streaming/jobs/${id}`, { details: true }, signal).catch(() => undefined),
  );
  return (await Promise.all(infos)).filter((info) => info !== undefined);
}

/** Live streams, the newest first. */
export function StreamList() {
  const all = useLoaded(streams, [], EVERY_MS);
  return (
    <>
      <header class="bar">
        <h1>Streams</h1>
      </header>
      <NewStream />
      <Shown of={all}>
        {(infos) =>
          infos.length === 0 ? (
            <p class="hint">No camera is or was watched.</p>
          ) : (
            <Table columns={['Stream', 'Camera', 'Pipeline', 'Status', 'Seen', 'Started']}>
              {infos.map((info) => (
                <StreamRow key={info.jobId} info={info} />
              ))}
            </Table>
          )
        }
      </Shown>
    </>
  );
}

function StreamRow({ info }: { readonly info: StreamInfo }) {
  const { jobId, streamUri, pipelineName, jobStatus, jobStatusDetail, startDate, segments = 0 } = info;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf(['streams', jobId])}>{jobId}</a>
      </th>
      <td data-label="Camera">{streamUri}</td>
      <td data-label="Pipeline">{pipelineName}</td>
      <td data-label="Status">
        <Status of={jobStatus} />
        <small>{jobStatusDetail}</small>
      </td>
      <td data-label="Seen">{counted(segments, 'segment')}</td>
      <td data-label="Started">
        <time dateTime={startDate}>{moment(startDate)}</time>
      </td>
    </tr>
  );
}
