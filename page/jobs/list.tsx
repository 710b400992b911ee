import { useState } from 'preact/hooks';
import type { Query } from '../kit/api.ts';
import { useEvents } from '../kit/events.ts';
import { useGet } from '../kit/load.ts';
import { Connection, Problem, Skeleton, Table } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { useSelection, type Selection } from '../kit/selection/use-selection.ts';
import { FirstMinute } from '../library/first-minute.tsx';
import { Causes } from './causes.tsx';
import { FILTERS, JobFilters } from './filters.tsx';
import { useFirstMedia } from './first-media.ts';
import { JobRow } from './row.tsx';
import { JobBar } from './job-bar.tsx';
import type { JobPage, JobsEvent, ListedJob } from './types.ts';
import { TEXT } from '../kit/text.ts';

const PAGE = 50;

/** The current list of jobs, newest first. */
export function JobList({ route: { query } }: { readonly route: Route }) {
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])),
  );
  const asked: Query = { limit: PAGE, ...filter, before: query.get('before') ?? undefined };
  const key = JSON.stringify(asked);
  const { page, problem, again, watching } = useJobs(asked, key);
  const places = (page?.jobs ?? []).map(({ jobId }) => ({ key: jobId, id: jobId }));
  const selection = useSelection(places, key);
  const isMore = page !== undefined && (page.next !== null || query.has('before'));
  const isNarrowed = Object.keys(filter).length > 0 || query.has('before');
  const isEmpty = page?.jobs.length === 0 && page.next === null;
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.jobs}</h1>
      </header>
      {(isNarrowed || !isEmpty) && <JobFilters query={query} />}
      <Connection {...watching} />
      {!isEmpty && <Causes chosen={query.get('failure')} />}
      {page === undefined &&
        (problem === undefined ? <Skeleton rows={8} /> : <Problem again={again}>{problem.message}</Problem>)}
      {page !== undefined && <JobBar of={selection} filter={isMore ? filter : undefined} />}
      {isEmpty && (isNarrowed ? <NothingMatches /> : <FirstMinute />)}
      {page !== undefined && page.jobs.length > 0 && <JobTable jobs={page.jobs} selection={selection} />}
      <Pages query={query} next={page?.next ?? null} />
    </>
  );
}

/** Loads a page of the list and keeps it up to date by events. */
function useJobs(asked: Query, key: string) {
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
  return { page, problem: first.error, again: first.again, watching };
}

/** Returns the page after an event. Jobs that the event does not contain are unchanged. */
function mergePage(known: readonly ListedJob[], { jobs, order, next }: JobsEvent): JobPage {
  const byId = new Map([...known, ...jobs].map((job) => [job.jobId, job]));
  return { jobs: order.map((id) => byId.get(id)).filter((job) => job !== undefined), next };
}

function NothingMatches() {
  return (
    <div class="empty">
      <h2>{TEXT.jobs.noJobMatchesTheseFilters}</h2>
      <p>
        <a href={hrefOf(['jobs'])}>{TEXT.jobs.showAllJobs}</a> {TEXT.common.or}{' '}
        <a href={hrefOf(['new'])}>{TEXT.common.startAnAnalysis}</a>.
      </p>
    </div>
  );
}

function JobTable({
  jobs,
  selection,
}: {
  readonly jobs: readonly ListedJob[];
  readonly selection: Selection;
}) {
  const media = useFirstMedia(jobs);
  return (
    <div {...selection.list}>
      <Table
        columns={[
          { name: TEXT.jobs.selected, isUnseen: true },
          TEXT.jobs.jobColumn,
          TEXT.common.found,
          TEXT.jobs.lookedFor,
          TEXT.jobs.status,
          TEXT.jobs.started,
          { name: TEXT.common.actions, isUnseen: true },
        ]}
      >
        {jobs.map((job) => (
          <JobRow key={job.jobId} job={job} medium={media.get(job.jobId)} selection={selection} />
        ))}
      </Table>
    </div>
  );
}

function Pages({ query, next }: { readonly query: URLSearchParams; readonly next: string | null }) {
  const rest = Object.fromEntries([...query].filter(([name]) => name !== 'before'));
  if (next === null && !query.has('before')) return null;
  return (
    <nav class="pages" aria-label={TEXT.common.pages}>
      {query.has('before') && <a href={hrefOf(['jobs'], rest)}>{TEXT.jobs.newest}</a>}
      {next !== null && (
        <button type="button" onClick={() => go(hrefOf(['jobs'], { ...rest, before: next }))}>
          {TEXT.jobs.olderJobs}
        </button>
      )}
    </nav>
  );
}
