import { dateText, duration } from '../kit/format.ts';
import { Status, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { CheckField } from '../kit/selection/check-field.tsx';
import type { Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { pipelineTitle } from '../new/goals.ts';
import { cameraName, type StreamInfo } from './types.ts';

const COLUMNS = [
  { name: TEXT.jobs.selected, isUnseen: true },
  TEXT.streams.camera,
  TEXT.jobs.lookedFor,
  TEXT.jobs.status,
  TEXT.jobs.started,
] as const;

/** Streams that have ended, one per row. They have no picture. `total`: their number on all pages. */
export function EndedList({
  infos,
  total,
  selection,
}: {
  readonly infos: readonly StreamInfo[];
  readonly total: number;
  readonly selection: Selection;
}) {
  if (infos.length === 0) return null;
  return (
    <section class="ended" aria-label={TEXT.streams.ended}>
      <h2>{TEXT.streams.endedStreams(total)}</h2>
      <Table columns={COLUMNS}>
        {infos.map((info) => (
          <EndedRow key={info.jobId} info={info} selection={selection} />
        ))}
      </Table>
    </section>
  );
}

function EndedRow({ info, selection }: { readonly info: StreamInfo; readonly selection: Selection }) {
  const { jobId, streamUri, pipelineName, jobStatus, jobStatusDetail, startDate } = info;
  const name = cameraName(streamUri);
  return (
    <tr>
      <td class="choice">
        <CheckField of={selection} place={String(jobId)} label={TEXT.kit.select(name)} />
      </td>
      <th scope="row">
        <a class="title" href={hrefOf(['streams', jobId])} title={streamUri}>
          {name}
        </a>
        <small>{TEXT.streams.stream(jobId)}</small>
      </th>
      <td data-label={TEXT.jobs.lookedFor}>{pipelineTitle(pipelineName)}</td>
      <td data-label={TEXT.jobs.status}>
        <Status of={jobStatus} />
        <small>{jobStatusDetail}</small>
      </td>
      <td data-label={TEXT.jobs.started}>
        <time dateTime={startDate}>{dateText(startDate)}</time>
        <small>{lengthText(info)}</small>
      </td>
    </tr>
  );
}

const lengthText = ({ startDate, endDate }: StreamInfo) =>
  endDate === null ? '' : TEXT.jobs.endedAfter(duration(Date.parse(endDate) - Date.parse(startDate)));
