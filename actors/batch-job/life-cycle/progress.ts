/** Continues a job: creates work up to the window, and moves from stage to stage to the end. */
import type { ArchiveFinding } from '../../../domain/types.ts';
import type { Notice } from '../../../store/store.ts';
import { List } from '../../basics/immutable.ts';
import { hasNoRows, toStoredRows, type JobChange } from '../state/change.ts';
import type { DecisionContext } from '../state/context.ts';
import type { JobEffect } from '../state/effects.ts';
import { baseRunOf } from '../state/record.ts';
import { firstUninspected, inspectingFrom } from '../state/media.ts';
import { isStopping, makeWork, workAfter } from './new-work.ts';
import { copyFailure } from '../completion/archive.ts';
import { planDeliveries } from '../completion/notices.ts';
import { planStage } from '../plan/plan-stages.ts';
import { withEarlierRows, withPlanned } from './earlier-rows.ts';
import { afterMatch, nextStage } from './stages.ts';
import type { JobState, Stage, SubJobRow } from '../state/state.ts';
import { after, BATCH_JOB_STATUSES, isTerminal } from '../state/status.ts';
import { weightOfAll } from '../state/units.ts';

/** Starts the first stage. */
export function begin(state: JobState, context: DecisionContext): JobChange {
  const failed = context.record.media.some(({ problem }) => problem !== undefined);
  const status = state.issues.length > 0 ? after(state.status, 'warning') : state.status;
  const started: JobState = {
    ...state,
    startedAt: context.at,
    status: failed ? after(status, 'error') : status,
  };
  // Work that an earlier job has already done is not repeated.
  const first: Stage = started.pastOutput === null ? { name: 'PREPARE' } : afterMatch(started, context);
  return advance(enter(started, first, context), context);
}

/** Handles the archive's answer. An earlier job with the same request replaces this job; otherwise the job continues. */
export function continueAfterArchive(
  state: JobState,
  answer: ArchiveFinding,
  context: DecisionContext,
): JobChange {
  const asked = withArchiveAnswer({ ...state, checkArchive: false }, answer);
  return continueFrom(asked, context);
}

export function withArchiveAnswer(state: JobState, answer: ArchiveFinding): JobState {
  switch (answer.kind) {
    case 'none':
      return state;
    case 'match':
      return { ...state, pastOutput: answer.match.outputUri, pastStatus: answer.match.jobStatus };
    case 'failed': {
      const message = `The archive could not be searched for an equal earlier job: ${answer.reason}`;
      const issue = { severity: 'warning', code: 'ARCHIVE_BEFORE_JOB_CHECK', message } as const;
      // A job that waits for admission keeps its status. It gets the warning when it begins.
      const status = state.status === 'INITIALIZED' ? state.status : after(state.status, 'warning');
      return { ...state, status, issues: [...state.issues, issue] };
    }
  }
}

/** Moves to the next stage. */
export const continueFrom = (state: JobState, context: DecisionContext): JobChange =>
  advance(enter(state, nextStage(state, context), context), context);

/** After an answer: creates the finishing of a complete unit and more work, or moves to the next stage. `row`: the answered row. */
export function continueAfter(state: JobState, row: SubJobRow, context: DecisionContext): JobChange {
  const follow = workAfter(state, row, context);
  const opened = follow === undefined ? [] : [follow.row];
  const next = advance(follow?.state ?? state, context);
  // The end removes every row. A row in the same commit would stay forever.
  const rows = hasNoRows(next.state) ? [] : toStoredRows([row, ...opened]);
  return {
    ...next,
    putRows: [...rows, ...next.putRows],
    effects: [...offer(opened), ...next.effects],
  };
}

/** Queues a sub-job again, for a retry or its next step. */
export function requeue(state: JobState, row: SubJobRow): JobChange {
  const outstanding = new Map(state.outstanding).set(row.key, row);
  return { state: { ...state, outstanding }, putRows: toStoredRows([row]), effects: offer([row]) };
}

/** Creates as much work as the window allows. A stage without more work is followed by the next one. */
export function advance(state: JobState, context: DecisionContext): JobChange {
  const rows: SubJobRow[] = [];
  let current = state;
  for (;;) {
    if (current.stage.name === 'ENDED') break;
    current = canBegin(current, context)
      ? enter(current, nextStage(current, context), context)
      : withPlanned(current, context);
    const made = makeWork(current, context);
    rows.push(...made.rows);
    current = made.state;
    const waits = current.stage.name === 'WAITING' || current.stage.name === 'CHECK';
    if (current.outstanding.size > 0 || (waits && !isStopping(current))) break;
    current = enter(current, nextStage(current, context), context);
  }
  if (current.stage.name === 'ENDED') return end(current, context);
  const asked: JobEffect[] =
    current.stage.name === 'CHECK' && state.stage.name !== 'CHECK' ? [{ type: 'checkArchive' }] : [];
  const strays: JobEffect[] =
    current.stage.name === 'DOCUMENT' && state.stage.name !== 'DOCUMENT' ? [{ type: 'removeStrays' }] : [];
  return { state: current, putRows: toStoredRows(rows), effects: [...offer(rows), ...asked, ...strays] };
}

/** True if the first task can start on some media while others are inspected. A question to an archive needs all media first. */
const canBegin = ({ stage, status, media, checkArchive }: JobState, { record }: DecisionContext): boolean =>
  stage.name === 'PREPARE' && status !== 'CANCELLING' && !checkArchive && firstUninspected(record, media) > 0;

/** Ends the job: removes rows and files, and sends notices. */
function end(state: JobState, { record, at, settings }: DecisionContext): JobChange {
  const { callback, archive, notices, rows } = planDeliveries(record, state, settings, at);
  const unindexed = settings.search && state.hasDocument;
  // `ended` is the first effect, because it frees the place of this run. A client may resubmit the job as soon as it sees the end.
  const retryable = isRetryable(state);
  const effects: JobEffect[] = [
    { type: 'ended' },
    // Before the files, because the removal of many files takes time.
    ...deliver(notices),
    ...(unindexed ? [{ type: 'index' } as const] : []),
    { type: 'removeFiles', run: baseRunOf(state), files: retryable ? 'MEDIA' : 'WORK' },
  ];
  // Synced, because the server deletes the files that a repeat of the work would need right after the commit.
  return {
    state: {
      ...state,
      ...{ callback, archive, unindexed, endedBy: settings.server, laterRows: new Map() },
      ...(retryable ? { retryable } : {}),
    },
    // Posts to the archive stay stored after the end, for a repost.
    putRows: rows,
    effects,
    removeRows: retryable ? [] : [''],
    synced: true,
    outbox: { put: notices },
  };
}

/**
 * True if a retry may find something to do, so that the results of the run are kept. A cancelled run cannot be retried, unless it is a
 * retry itself.
 */
function isRetryable({ firstError, issues, cancelledBy, baseRun, pastOutput }: JobState): boolean {
  if (cancelledBy !== null) return baseRun !== undefined;
  // An earlier job replaces this one, so only the copy can have failed.
  if (pastOutput !== null) return copyFailure(issues) !== undefined;
  return firstError !== null || issues.some(({ code }) => code === 'REMOTE_STORAGE_UPLOAD');
}

export function deliver(notices: readonly Notice[]): JobEffect[] {
  if (notices.length === 0) return [];
  return [{ type: 'deliver', destinations: [...new Set(notices.map(({ destination }) => destination))] }];
}

function enter(before: JobState, stage: Stage, context: DecisionContext): JobState {
  // A job that is being cancelled skips stages. Rows that a retry keeps from these stages still count.
  const state = isStopping(before) ? withEarlierRows({ ...before, stage, units: List() }, context) : before;
  const units = planStage(state, stage, context);
  // The units of PREPARE are media, in their order.
  const nextMedium = state.units.get(state.cursor)?.medium ?? context.record.media.length;
  const entered: JobState = {
    ...state,
    stage,
    units,
    weight: weightOfAll(units),
    cursor: 0,
    inspecting: isFirstTask(stage) ? inspectingFrom(context.record, state.media, nextMedium) : null,
  };
  if (stage.name === 'DOCUMENT') return { ...entered, endedAt: context.at };
  if (stage.name === 'ENDED')
    return {
      ...entered,
      endedAt: state.endedAt ?? context.at,
      status: finalStatus(state),
      failedMedia: failedMedia(state, context),
    };
  return withEarlierRows(entered, context);
}

/** Returns the number of failed media. Returns null for a cancelled or replaced job, because its media were not processed. */
function failedMedia(
  { media, cancelledBy, pastOutput }: JobState,
  { record }: Pick<DecisionContext, 'record'>,
): number | null {
  if (cancelledBy !== null || pastOutput !== null) return null;
  return media.take(record.media.length).count(({ failedIn }) => failedIn !== null);
}

const isFirstTask = (stage: Stage) => stage.name === 'TASK' && stage.index === 0;

/** Returns the status with which the job ends if its document is written without an error. */
function finalStatus(state: JobState): JobState['status'] {
  const past = BATCH_JOB_STATUSES.find((status) => status === state.pastStatus);
  // A copied result keeps the status of the earlier job.
  const copied = state.stage.name === 'COPY' && state.hasDocument && state.status !== 'CANCELLING';
  if (copied && past !== undefined && isTerminal(past)) return past;
  return after(state.status, state.cancelledBy === 'SHUTDOWN' ? 'shutdown' : 'complete');
}

/** Offers sub-jobs at once, except for transfers that are due later. */
export function offer(rows: readonly SubJobRow[]): JobEffect[] {
  const open = rows.filter(({ state }) => state === 'QUEUED');
  const later = open.filter(({ transfer }) => transfer !== undefined);
  const now = later.length === 0 ? open : open.filter(({ transfer }) => transfer === undefined);
  return [
    ...(now.length === 0 ? [] : [{ type: 'offer', rows: now } as const]),
    ...(later.length === 0 ? [] : [{ type: 'offerLater', rows: later } as const]),
  ];
}
