/** `troupe jobs cancel|resubmit|retry|delete|label|priority`: one action on one job, or on many at once. */
import type { Command } from 'commander';
import type { OperationRequest } from '../../../../client/answers.ts';
import { fieldOf } from '../../../../client/answer-text.ts';
import { RefusedError } from '../../../../client/errors.ts';
import { jobPath } from '../../../../client/rest-client.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { property } from '../../../arguments/properties.ts';
import { askCommand, clientOf, collectValues, show, whole, withQuery, type RestOptions } from '../command.ts';
import { filterOf, requireJobs, withFilters, type FilterOptions } from './job-filters.ts';
import { retry, retryRequest, type RetryOptions } from './job-retry.ts';
import { unknownJob } from './job-show.ts';
import { operate } from './operate.ts';

interface ManyOptions extends RestOptions, FilterOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** An action with its parameters. */
type Deed = Omit<OperationRequest, 'filter' | 'ids' | 'dryRun'>;

export function jobActionCommands(jobs: Command, terminal: Terminal): void {
  many(jobs, 'cancel [ID...]', 'cancel jobs').action((ids: string[], options: ManyOptions) =>
    isSingle(ids, options)
      ? cancel(ids[0]!, options, terminal)
      : onMany({ action: 'cancel' }, ids, options, terminal),
  );
  many(jobs, 'resubmit [ID...]', 'run ended jobs again')
    .option('--priority <NUMBER>', 'from 0 (lowest) to 9', whole(0, 9))
    .action((ids: string[], options: ManyOptions & { readonly priority?: number }) =>
      isSingle(ids, options)
        ? resubmit(ids[0]!, options, terminal)
        : onMany({ action: 'resubmit', ...priorityOf(options) }, ids, options, terminal),
    );
  many(jobs, 'retry [ID...]', 'run again what failed in ended jobs')
    .option('--failed-media', 'run all work again on each medium with a failure')
    .option('--property <NAME=VALUE>', 'job property for what runs again; may be repeated', property)
    .action((ids: string[], options: ManyOptions & RetryOptions) =>
      isSingle(ids, options)
        ? retry(ids[0]!, options, terminal)
        : onMany({ action: 'retry', ...retryRequest(options) }, ids, options, terminal),
    );
  many(jobs, 'delete [ID...]', 'delete ended jobs with their files').action(
    (ids: string[], options: ManyOptions) =>
      isSingle(ids, options)
        ? remove(ids[0]!, options, terminal)
        : onMany({ action: 'delete' }, ids, options, terminal),
  );
  many(jobs, 'label [ID...]', 'add and remove labels of jobs')
    .option('--add <LABEL>', 'label that the jobs get; may be repeated', collectValues)
    .option('--remove <LABEL>', 'label that the jobs lose; may be repeated', collectValues)
    .action((ids: string[], options: ManyOptions & LabelOptions) => label(ids, options, terminal));
  many(jobs, 'priority <NUMBER> [ID...]', 'change the priority of live jobs').action(
    (given: string, ids: string[], options: ManyOptions) =>
      onMany({ action: 'priority', priority: whole(0, 9)(given) }, ids, options, terminal),
  );
}

interface LabelOptions {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

function many(jobs: Command, usage: string, about: string): Command {
  return withFilters(askCommand(jobs, usage, `${about}; by ids or filters`))
    .option('--all', 'all jobs, if you name neither ids nor filters')
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('--yes', 'do not ask before the change')
    .addHelpText('after', '\nExit code: 0 done for all jobs, 1 some jobs were refused, 2 nothing was done.');
}

const priorityOf = ({ priority }: { readonly priority?: number }) =>
  priority === undefined ? {} : { priority };

/** True if the command names one id and nothing else. Such a command needs no operation. */
const isSingle = (ids: readonly string[], options: ManyOptions) =>
  ids.length === 1 && options.dryRun !== true && !isFiltered(options);

const isFiltered = (options: ManyOptions) =>
  options.all === true || Object.values(filterOf(options)).some((value) => value !== undefined);

async function label(ids: string[], options: ManyOptions & LabelOptions, terminal: Terminal): Promise<void> {
  const { add, remove: gone } = options;
  if (add === undefined && gone === undefined)
    throw new Failure('Say which labels: --add LABEL, --remove LABEL, or both.');
  const deed: Deed = {
    action: 'label',
    ...(add === undefined ? {} : { add: [...add] }),
    ...(gone === undefined ? {} : { remove: [...gone] }),
  };
  await onMany(deed, ids, options, terminal);
}

async function onMany(
  deed: Deed,
  ids: readonly string[],
  options: ManyOptions,
  terminal: Terminal,
): Promise<void> {
  const byFilter = isFiltered(options);
  requireJobs(ids, byFilter);
  const filter = Object.fromEntries(
    Object.entries(filterOf(options)).filter(([, value]) => value !== undefined),
  );
  const request: OperationRequest = { ...deed, ...(byFilter ? { filter } : { ids: [...ids] }) };
  process.exitCode = await operate(request, { ...options, isAsked: byFilter }, terminal);
}

/**
 * Cancels a job. For an unknown job, the service answers with the text of the reference system. The tool replaces it by a shorter message.
 */
async function cancel(id: string, options: RestOptions, terminal: Terminal): Promise<void> {
  const call = { method: 'POST', path: `${jobPath(id)}/cancel` } as const;
  try {
    await show(terminal, options, call, { lines: () => [`Job ${id} is being cancelled.`] });
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 400) throw error;
    await (await clientOf(options, terminal)).job(id);
    throw error;
  }
}

function resubmit(
  id: string,
  options: RestOptions & { readonly priority?: number },
  terminal: Terminal,
): Promise<void> {
  const path = withQuery(`${jobPath(id)}/resubmit`, { jobPriority: options.priority });
  return show(terminal, options, { method: 'POST', path, once: 'job' }, { lines: createdLines });
}

function remove(id: string, options: RestOptions, terminal: Terminal): Promise<void> {
  const call = { method: 'DELETE', path: jobPath(id) } as const;
  const lines = () => [`Job ${id} is deleted.`];
  return show(terminal, options, call, { lines, refusals: { 404: unknownJob(id) } });
}

export function createdLines(created: unknown): readonly string[] {
  const id = String(fieldOf(created, 'jobId'));
  const match = fieldOf(created, 'outputObjectUri');
  return [
    `Job ${id} is accepted; troupe jobs watch ${id} shows its progress.`,
    ...(typeof match === 'string' ? [`The archive has the results of an earlier job: ${match}`] : []),
  ];
}
