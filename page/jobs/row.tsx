import { dateText, duration, fileName, countText, leftText } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { Progress, Status } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { CheckField } from '../kit/selection/check-field.tsx';
import type { Selection } from '../kit/selection/use-selection.ts';
import { withPeople } from '../library/labels.ts';
import { Chips, MediumPicture } from '../library/tile.tsx';
import type { LibraryMedium } from '../library/types.ts';
import { analysisTitle } from '../new/goals.ts';
import { JobButtons } from './buttons.tsx';
import type { ListedJob } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** Maximum number of chips in a row. The others are only counted. */
const CHIPS = 3;

/** A job in the list, with the picture of its first medium. */
export function JobRow({
  job,
  medium,
  selection,
}: {
  readonly job: ListedJob;
  readonly medium: LibraryMedium | undefined;
  readonly selection: Selection;
}) {
  const { jobId, jobProgress, terminal, startDate, pipelineName, waitingFor, remaining } = job;
  return (
    <tr data-job={jobId}>
      <td class="choice">
        <CheckField of={selection} place={jobId} label={TEXT.kit.select(jobId)} />
      </td>
      <th scope="row">
        <Name job={job} medium={medium} />
      </th>
      <td data-label={TEXT.common.found}>
        {medium !== undefined && hasResults(job) && <Chips of={withPeople(medium)} most={CHIPS} />}
      </td>
      <td data-label={TEXT.jobs.lookedFor} title={pipelineName}>
        {analysisTitle(job)}
      </td>
      <td data-label={TEXT.jobs.status}>
        <JobStatus job={job} />
        {!terminal && <Progress percent={jobProgress} label={jobId} />}
        {remaining !== undefined && <small>{leftText(remaining)}</small>}
        {waitingFor !== undefined && <small>{waitingSentence(waitingFor)}</small>}
      </td>
      <td data-label={TEXT.jobs.started}>
        <time dateTime={startDate}>{dateText(startDate)}</time>
        {terminal && <small>{lengthText(job)}</small>}
      </td>
      <td class="actions">
        <JobButtons job={job} compact />
      </td>
    </tr>
  );
}

type Outcome = Pick<ListedJob, 'jobStatus' | 'mediaSucceeded'>;

/** False if all media failed. */
const hasResults = ({ jobStatus, mediaSucceeded = 0 }: Outcome) =>
  jobStatus !== 'ERROR' || mediaSucceeded > 0;

/** The status of a job. If only some media failed, the status says so. */
export function JobStatus({ job }: { readonly job: Outcome }) {
  if (job.jobStatus !== 'ERROR' || !hasResults(job)) return <Status of={job.jobStatus} />;
  return <span class="status warn">{TEXT.jobs.someMediaFailed}</span>;
}

const lengthText = ({ startDate, endDate }: ListedJob) =>
  endDate === null ? '' : TEXT.jobs.endedAfter(duration(Date.parse(endDate) - Date.parse(startDate)));

function Name({ job, medium }: { readonly job: ListedJob; readonly medium: LibraryMedium | undefined }) {
  const { jobId, mediaUris, mediaCount, externalId, labels } = job;
  const [first = ''] = mediaUris;
  return (
    <>
      <a class="with-thumbnail" href={hrefOf(['jobs', jobId])} title={first}>
        <span class="thumbnail">
          {medium === undefined ? <Icon name="motion" /> : <MediumPicture medium={medium} />}
        </span>
        <span>
          <span class="title">{fileName(first) || jobId}</span>
          <small>
            {[
              jobId,
              mediaCount > 1 && TEXT.common.and(countText(mediaCount - 1, TEXT.common.other)),
              externalId,
            ]
              .filter((text) => text !== false && text !== null)
              .join(' · ')}
          </small>
        </span>
      </a>
      <Labels of={labels} />
    </>
  );
}

/** The labels of a job. Each one links to the jobs with this label. */
export function Labels({ of: labels }: { readonly of: readonly string[] }) {
  if (labels.length === 0) return null;
  return (
    <small class="labels">
      {labels.map((label) => (
        <a key={label} href={hrefOf(['jobs'], { label })}>
          {label}
        </a>
      ))}
    </small>
  );
}

export const waitingSentence = ({
  reason,
  position,
}: {
  readonly reason: string;
  readonly position?: number | undefined;
}) => (position === undefined ? reason : TEXT.jobs.itsPlaceInTheQueue(reason, position));
