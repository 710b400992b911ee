import { useState } from 'preact/hooks';
import { type Query } from '../kit/api.ts';
import { useEvents } from '../kit/events.ts';
import { countText, duration, fileName, moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Connection, Problem, Progress, Status, Table } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { JobButtons } from './buttons.tsx';
import { FILTERS, JobFilters } from './filters.tsx';
import { isSelected, NOTHING, SelectionBar, toggle, type Selection } from './selection.tsx';
import type { JobPage, JobsEvent, ListedJob } from './types.ts';

const PAGE = 50;

/** The list of jobs, newest first, as it is now. */
export function JobList({ route: { query } }: { readonly route: Route }) {
  const asked: Query = {
    limit: PAGE,
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined])),
    before: query.get('before') ?? undefined,
  };
  const key = JSON.stringify(asked);
  const [chosen, setChosen] = useState<{ readonly key: string; readonly selection: Selection }>();
  // Another page or another filter: what was chosen there is not meant any more.
  const selection = chosen?.key === key ? chosen.selection : NOTHING;
  const choose = (next: Selection) => setChosen({ key, selection: next });
  const first = useGet<JobPage>('rest/jobs', asked);
  const [followed, setFollowed] = useState<{ readonly key: string; readonly page: JobPage }>();
  const watching = useEvents('rest/jobs/events', asked, {
    jobs: (data) =>
      setFollowed((last) => ({
        key,
        page: mergePage(last?.key === key ? last.page.jobs : [], data as JobsEvent),
      })),
  });
  const page = followed?.key === key ? followed.page : first.value;
  return (
    <>
      <header class="bar">
        <h1>Jobs</h1>
      </header>
      <JobFilters query={query} />
      <Connection {...watching} />
      {page === undefined && first.error !== undefined && (
        <Problem again={first.again}>{first.error.message}</Problem>
      )}
      {page !== undefined && (
        <SelectionBar
          selection={selection}
          shown={page.jobs}
          isMore={page.next !== null || query.has('before')}
          filter={Object.fromEntries(
            FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])),
          )}
          choose={choose}
        />
      )}
      {page !== undefined && <JobTable jobs={page.jobs} selection={selection} choose={choose} />}
      <Pages query={query} next={page?.next ?? null} />
    </>
  );
}

/** The page after an event: what it does not name as changed is as it was. */
function mergePage(known: readonly ListedJob[], { jobs, order, next }: JobsEvent): JobPage {
  const byId = new Map([...known, ...jobs].map((job) => [job.jobId, job]));
  return { jobs: order.map((id) => byId.get(id)).filter((job) => job !== undefined), next };
}

interface Choosing {
  readonly selection: Selection;
  readonly choose: (selection: Selection) => void;
}

function JobTable({ jobs, selection, choose }: { readonly jobs: readonly ListedJob[] } & Choosing) {
  if (jobs.length === 0)
    return (
      <p class="hint">
        No job matches. <a href={hrefOf(['jobs'])}>Show all</a>, or{' '}
        <a href={hrefOf(['new'])}>start an analysis</a>.
      </p>
    );
  return (
    <>
      <label class="select-all">
        <input
          type="checkbox"
          checked={jobs.every(({ jobId }) => isSelected(selection, jobId))}
          onChange={({ currentTarget: { checked } }) =>
            choose(checked ? new Set(jobs.map(({ jobId }) => jobId)) : NOTHING)
          }
        />{' '}
        Select all on this page
      </label>
      <Table
        columns={[
          { name: 'Selected', isUnseen: true },
          'Job',
          'Media',
          'Pipeline',
          'Status',
          'Progress',
          'Started',
          { name: 'Actions', isUnseen: true },
        ]}
      >
        {jobs.map((job) => (
          <JobRow
            key={job.jobId}
            job={job}
            isChosen={isSelected(selection, job.jobId)}
            onChoose={() => choose(toggle(selection, job.jobId, jobs))}
          />
        ))}
      </Table>
    </>
  );
}

function JobRow({
  job,
  isChosen,
  onChoose,
}: {
  readonly job: ListedJob;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const { jobId, jobStatus, jobProgress, terminal, startDate, endDate, externalId, labels, waitingFor } = job;
  const ran = new Date(endDate ?? Date.now()).getTime() - new Date(startDate).getTime();
  return (
    <tr data-job={jobId} class={isChosen ? 'chosen-row' : undefined}>
      <td>
        <input type="checkbox" checked={isChosen} aria-label={`Select ${jobId}`} onChange={onChoose} />
      </td>
      <th scope="row">
        <a href={hrefOf(['jobs', jobId])}>{jobId}</a>
        {externalId !== null && <small>{externalId}</small>}
        <Labels of={labels} />
      </th>
      <td data-label="Media">
        <MediaNames of={job} />
      </td>
      <td data-label="Pipeline">{job.pipelineName}</td>
      <td data-label="Status">
        <Status of={jobStatus} />
        {waitingFor !== undefined && <small>{waitingSentence(waitingFor)}</small>}
      </td>
      <td data-label="Progress">{!terminal && <Progress percent={jobProgress} label={jobId} />}</td>
      <td data-label="Started">
        <time dateTime={startDate}>{moment(startDate)}</time>
        {terminal && <small>took {duration(ran)}</small>}
      </td>
      <td class="actions">
        <JobButtons job={job} />
      </td>
    </tr>
  );
}

/** Each leads to the jobs that have it. */
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
}) => (position === undefined ? reason : `${reason} Its place in the queue is ${position}.`);

function MediaNames({ of: { mediaUris, mediaCount } }: { readonly of: ListedJob }) {
  const [first = ''] = mediaUris;
  return (
    <span title={first}>
      {fileName(first)}
      {mediaCount > 1 && <small>and {countText(mediaCount - 1, 'other')}</small>}
    </span>
  );
}

function Pages({ query, next }: { readonly query: URLSearchParams; readonly next: string | null }) {
  const rest = Object.fromEntries([...query].filter(([name]) => name !== 'before'));
  if (next === null && !query.has('before')) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {query.has('before') && <a href={hrefOf(['jobs'], rest)}>Newest</a>}
      {next !== null && (
        <button type="button" onClick={() => go(hrefOf(['jobs'], { ...rest, before: next }))}>
          Older jobs
        </button>
      )}
    </nav>
  );
}
