/** `troupe jobs list` and `stats`. */
import type { JobPage, ListedJob, PipelineStatistics, Statistics } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import { Table, type Column } from '../../../terminal/columns.ts';
import { Failure } from '../../../terminal/failure.ts';
import { baseName } from '../../../terminal/names.ts';
import type { RestClient } from '../../../../client/rest-client.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import {
  askCommand,
  clientOf,
  durationText,
  momentText,
  readAs,
  readCommand,
  whole,
  withQuery,
  type RestOptions,
} from '../command.ts';
import { filterOf, withFilters, type FilterOptions } from './job-filters.ts';

interface ListOptions extends RestOptions, FilterOptions {
  readonly limit: number;
  readonly all?: boolean;
}

/** Maximum page size of the service. */
const PAGE = 500;

const COLUMNS: readonly Column<ListedJob>[] = [
  { title: 'JOB', of: ({ jobId }) => jobId },
  { title: 'STATUS', of: ({ jobStatus }) => jobStatus },
  { title: '%', of: ({ jobProgress }) => String(Math.floor(jobProgress)), right: true },
  { title: 'PRIORITY', of: ({ jobPriority }) => String(jobPriority), right: true },
  { title: 'STARTED', of: ({ startDate }) => momentText(startDate) },
  { title: 'TOOK', of: ({ startDate, endDate }) => durationText(startDate, endDate), right: true },
  { title: 'PIPELINE', of: ({ pipelineName }) => pipelineName, flexible: true },
  { title: 'MEDIA', of: mediaText, flexible: true },
];

function mediaText({ mediaUris, mediaCount }: ListedJob): string {
  const [first = ''] = mediaUris;
  const name = baseName(first);
  return mediaCount > 1 ? `${name} and ${mediaCount - 1} more` : name;
}

export function jobListCommands(jobs: Command, terminal: Terminal): void {
  withFilters(askCommand(jobs, 'list', 'list jobs, the newest first'))
    .option('--limit <NUMBER>', 'jobs at most', whole(1, 1_000_000), 50)
    .option('--all', 'all jobs, however many')
    .action((options: ListOptions) => list(terminal, options));

  const about = 'count jobs and their times by pipeline';
  readCommand<Statistics>(jobs, terminal, 'stats', about, '/rest/jobs/stats', {
    lines: (found) => statisticsLines(found, terminal),
  });
}

async function list(terminal: Terminal, options: ListOptions): Promise<void> {
  const client = await clientOf(options, terminal);
  const print = options.json === true ? jsonPrinter(terminal) : tablePrinter(terminal);
  let left = options.all === true ? Infinity : options.limit;
  let next: string | null = null;
  do {
    const page = await pageOf(client, options, Math.min(left, PAGE), next);
    left -= page.jobs.length;
    next = page.next;
    readAs(client.url, () => print.jobs(page.jobs));
  } while (left > 0 && next !== null);
  print.end(next);
}

async function pageOf(
  client: RestClient,
  options: ListOptions,
  limit: number,
  before: string | null,
): Promise<JobPage> {
  const path = withQuery('/rest/jobs', { limit, before: before ?? undefined, ...filterOf(options) });
  const answer = await client.ask({ method: 'GET', path });
  const page = client.good(answer) as Partial<JobPage>;
  if (Array.isArray(page.jobs)) return page as JobPage;
  throw new Failure(`The service at ${client.url} did not return a list of jobs. Check its version.`);
}

interface Printer {
  jobs(jobs: readonly ListedJob[]): void;
  end(next: string | null): void;
}

function tablePrinter(terminal: Terminal): Printer {
  const table = new Table(COLUMNS, terminal.width);
  let any = false;
  return {
    jobs(jobs) {
      any ||= jobs.length > 0;
      if (jobs.length > 0) for (const line of table.lines(jobs)) terminal.print(line);
    },
    end(next) {
      if (!any) terminal.note('No job matches.');
      else if (next !== null) terminal.note('There are more: --limit or --all shows them.');
    },
  };
}

/** Prints all pages as one JSON answer, one page at a time. */
function jsonPrinter(terminal: Terminal): Printer {
  let separator = '{"jobs":[';
  return {
    jobs(jobs) {
      for (const job of jobs) {
        terminal.print(`${separator}${JSON.stringify(job)}`);
        separator = ',';
      }
    },
    end: (next) => terminal.print(`${separator === ',' ? '' : separator}],"next":${JSON.stringify(next)}}`),
  };
}

type PipelineRow = PipelineStatistics & { readonly name: string };

const timeOf = (ms: (row: PipelineRow) => number) => (row: PipelineRow) =>
  row.validCount === 0 ? '' : durationText(ms(row));
const STATISTICS: readonly Column<PipelineRow>[] = [
  { title: 'PIPELINE', of: ({ name }) => name },
  { title: 'JOBS', of: ({ count }) => String(count), right: true },
  { title: 'FASTEST', of: timeOf(({ minTime }) => minTime), right: true },
  { title: 'MEAN', of: timeOf(({ totalTime, validCount }) => totalTime / validCount), right: true },
  { title: 'SLOWEST', of: timeOf(({ maxTime }) => maxTime), right: true },
  {
    title: 'STATES',
    of: ({ states }) => Object.entries(states).map(([state, count]) => `${count} ${state}`).join(', '), // oxfmt-ignore
    flexible: true,
  },
];

function statisticsLines(
  { totalJobs, aggregatePipelineStatsMap: map }: Statistics,
  terminal: Terminal,
): readonly string[] {
  const rows = Object.entries(map).map(([name, row]) => ({ ...row, name }));
  if (rows.length === 0) return ['There are no jobs.'];
  return [
    ...new Table(STATISTICS, terminal.width).lines(rows),
    '',
    `${totalJobs} ${totalJobs === 1 ? 'job' : 'jobs'}; times are of those that are COMPLETE`,
  ];
}
