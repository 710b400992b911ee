/** Starts another run of an ended job: a retry of what failed, or a full repeat. */
import { omit } from '../../../domain/omit.ts';
import { refuseWith, WRONG_STATE, type Refused } from '../../runtime/machine.ts';
import { noticeIds } from '../completion/notice-ids.ts';
import { ARCHIVE_ROWS } from '../completion/notices.ts';
import { hasNoRows, toStoredRows, withoutChange, type JobChange } from '../state/change.ts';
import type { JobRefusal, Retry } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { initialState } from '../state/initial-state.ts';

import {
  baseRunOf,
  type JobRecord,
  type PastRun,
  type RequestedMedium,
  type RetryRecord,
} from '../state/record.ts';
import type { JobState } from '../state/state.ts';
import { editsOf } from './change-job.ts';
import { byStage } from './fold.ts';
import { begin } from './progress.ts';
import { removalOfOutdated } from './recovery.ts';
import { planRetry, type RetryPlan } from './retry-rows.ts';

/** Maximum number of earlier runs that a record lists. */
const MOST_RUNS = 100;

/**
 * Removes the rows of failed work, and begins at the first stage with the remaining rows. Missing work is created as in every run. One
 * commit stores state, rows and record.
 */
export function retry(
  state: JobState,
  command: Retry,
  context: DecisionContext,
): JobChange | Refused<JobRefusal> {
  // Another run has started in the meantime.
  if (command.ended !== state.run) return WRONG_STATE;
  const plan = state.retryable === true ? planRetry(context.record, state, command) : undefined;
  if (plan === undefined) return refuseWith('NOTHING_FAILED');
  const record = retriedRecord(context.record, state, command, plan);
  const run = Math.max(state.run + 1, command.run ?? 0);
  const { timing, versions, pastOutput, pastStatus } = state;
  const fresh: JobState = {
    ...initialState(record, { ...command, run, at: context.at }),
    ...editsOf(state),
    ...{ timing, earlierTiming: timing, versions, pastOutput, pastStatus, outdated: state.run },
    baseRun: baseRunOf(state),
    laterRows: new Map(byStage(plan.rows)),
  };
  const begun = command.admitted ? begin(fresh, { ...context, record }) : withoutChange(fresh);
  const change = { ...afterRun(state, fresh, begun, context), record };
  if (hasNoRows(begun.state)) return change;
  return {
    ...change,
    putRows: [...toStoredRows(plan.moved), ...begun.putRows],
    removeRows: [...plan.gone, ARCHIVE_ROWS],
  };
}

/** Returns the first change of a new run, with its effects on the run before. */
export function afterRun(
  ended: JobState,
  fresh: JobState,
  change: JobChange,
  { record }: DecisionContext,
): JobChange {
  // Notices of the earlier run are no longer sent, because their receivers get notices of the new run.
  const remove = noticeIds(record, ended.run, ['callback', 'archive']);
  return {
    ...change,
    effects: [...removalOfOutdated(fresh), ...change.effects],
    outbox: { put: change.outbox?.put ?? [], remove },
    synced: true,
  };
}

function retriedRecord(record: JobRecord, state: JobState, command: Retry, plan: RetryPlan): JobRecord {
  const { what, jobProperties } = command;
  const { open, known, mediaOfTask } = plan;
  const requested =
    record.retry?.requested ?? (jobProperties === undefined ? undefined : record.jobProperties);
  const changed =
    jobProperties === undefined ? {} : { jobProperties: { ...record.jobProperties, ...jobProperties } };
  const retryOf: RetryRecord = {
    ...{ what, open, known, mediaOfTask },
    ...(jobProperties === undefined ? {} : { jobProperties }),
    ...(requested === undefined ? {} : { requested }),
  };
  const media = retriedMedia(record, command, plan);
  return { ...record, ...changed, media, retry: retryOf, runs: runsWith(record, state) };
}

/** Returns the media of the request. A medium that is retrieved again while its results are kept must have the same hash. */
function retriedMedia(
  { media }: JobRecord,
  { rows, usable }: Retry,
  { open, rows: kept }: RetryPlan,
): readonly RequestedMedium[] {
  const hashes = new Map<number, string>();
  for (const { medium, prepared } of rows)
    if (prepared?.inspected === true) hashes.set(medium, prepared.facts.sha256);
  const expected = new Set(kept.map(({ medium }) => medium));
  for (const { medium, kind } of kept) if (kind === 'PREPARE') expected.delete(medium);
  const isOpen = new Set(open);
  return media.map((medium, n) => {
    if (!isOpen.has(n)) return medium;
    const sha256 = expected.has(n) ? (hashes.get(n) ?? medium.sha256 ?? '') : '';
    const rest = omit(medium, 'sha256', ...(usable.has(n) ? (['problem'] as const) : []));
    return { ...rest, ...(sha256 === '' ? {} : { sha256 }) };
  });
}

/** Returns the record of a run that repeats everything as first requested. */
export function resubmittedRecord(record: JobRecord, state: JobState): JobRecord {
  return {
    ...omit(record, 'retry'),
    media: record.media.map((medium) => (medium.sha256 === undefined ? medium : omit(medium, 'sha256'))),
    jobProperties: record.retry?.requested ?? record.jobProperties,
    runs: runsWith(record, state),
  };
}

const runsWith = (record: JobRecord, state: JobState): readonly PastRun[] =>
  [...(record.runs ?? []), pastRun(record, state)].slice(-MOST_RUNS);

function pastRun({ retry: of }: JobRecord, state: JobState): PastRun {
  const { run, status, startedAt, endedAt, failedMedia } = state;
  const { what = 'ALL', jobProperties } = of ?? {};
  return {
    ...{ run, what, status, startedAt, endedAt, failedMedia },
    ...(jobProperties === undefined ? {} : { jobProperties }),
  };
}
