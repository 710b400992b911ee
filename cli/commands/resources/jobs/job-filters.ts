/** The options that select jobs, and their form in requests. */
import type { Command } from 'commander';
import { Failure } from '../../../terminal/failure.ts';
import { collectValues, date } from '../command.ts';

export interface FilterOptions {
  readonly status?: readonly string[];
  readonly pipeline?: string;
  readonly externalId?: string;
  readonly label?: readonly string[];
  readonly medium?: string;
  readonly failure?: string;
  readonly since?: string;
  readonly startedFrom?: string;
  readonly startedTo?: string;
  readonly endedFrom?: string;
  readonly endedTo?: string;
  readonly live?: boolean;
}

/** Filters by the names of the query of GET /rest/jobs. */
export interface JobFilter {
  readonly status?: string | undefined;
  readonly pipelineName?: string | undefined;
  readonly externalId?: string | undefined;
  readonly label?: string | undefined;
  readonly medium?: string | undefined;
  readonly failure?: string | undefined;
  readonly startedFrom?: string | undefined;
  readonly startedTo?: string | undefined;
  readonly endedFrom?: string | undefined;
  readonly endedTo?: string | undefined;
  readonly terminal?: boolean | undefined;
}

export const withFilters = (command: Command): Command =>
  command
    .option('--status <STATUS>', 'only jobs of this status; may be repeated', collectValues)
    .option('--pipeline <NAME>', 'only jobs of this pipeline')
    .option('--external-id <ID>', 'only jobs of this external id')
    .option('--label <LABEL>', 'only jobs with this label; may be repeated', collectValues)
    .option('--medium <TEXT>', 'only jobs with this in the URI of a medium')
    .option('--failure <GROUP>', 'only jobs of this group of troupe failures')
    .option('--since <TIME>', 'the same as --started-from', date)
    .option('--started-from <TIME>', 'only jobs that began then or later', date)
    .option('--started-to <TIME>', 'only jobs that began before it', date)
    .option('--ended-from <TIME>', 'only jobs that ended then or later', date)
    .option('--ended-to <TIME>', 'only jobs that ended before it', date)
    .option('--live', 'only jobs that have not ended');

export const filterOf = (options: FilterOptions): JobFilter => {
  const { externalId, medium, failure, startedTo, endedFrom, endedTo } = options;
  return {
    status: options.status?.join(',').toUpperCase(),
    pipelineName: options.pipeline,
    externalId,
    label: options.label?.join(','),
    medium,
    failure,
    startedFrom: options.startedFrom ?? options.since,
    ...{ startedTo, endedFrom, endedTo },
    terminal: options.live === true ? false : undefined,
  };
};

/** Checks that a command selects jobs. @throws Failure unless jobs are named either by ids or by filters */
export function requireJobs(ids: readonly string[], byFilter: boolean): void {
  if (ids.length > 0 && byFilter) throw new Failure('Name jobs by their ids or by filters, not by both.');
  if (ids.length === 0 && !byFilter)
    throw new Failure('Say which jobs: their ids, a filter such as --status ERROR, or --all.');
}
