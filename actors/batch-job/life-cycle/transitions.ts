import { refuseWith, WRONG_STATE, type Machine, type Transitions } from '../../runtime/machine.ts';
import { after, TERMINAL_STATUSES } from '../state/status.ts';
import type { JobCommand } from '../state/commands.ts';
import { withoutChange, type JobTypes } from '../state/change.ts';
import { initialState, NO_JOB } from '../state/initial-state.ts';
import {
  markArrived,
  attemptFailed,
  openNotice,
  markReposted,
  restartDelivery,
  withAttempt,
} from '../completion/deliveries.ts';
import { callbackNotice } from '../completion/notices.ts';
import { noticeIds } from '../completion/notice-ids.ts';
import { baseRunOf } from '../state/record.ts';
import { acceptAnswer, acceptAnswers, loseWork } from './answers.ts';
import { changeJob, editsOf } from './change-job.ts';
import { begin, continueAfterArchive, deliver, withArchiveAnswer } from './progress.ts';
import { adoptDocument, offerDue, recover, removal } from './recovery.ts';
import { afterRun, resubmittedRecord, retry } from './retry.ts';
import { dropWork, stop } from './stop-job.ts';

const WORKING = ['IN_PROGRESS', 'IN_PROGRESS_WARNINGS', 'IN_PROGRESS_ERRORS'] as const;
const BUSY = [...WORKING, 'CANCELLING'] as const;
const ENDED = TERMINAL_STATUSES;
/** Final statuses of a job that was not cancelled. */
const OWN_ENDS = ['COMPLETE', 'COMPLETE_WITH_WARNINGS', 'ERROR'] as const;
const STOPPED = ['CANCELLED', 'CANCELLED_BY_SHUTDOWN'] as const;

/** Statuses that can follow an answer. A job with results copied from an earlier job ends with the status of that job. */
const ANSWERED = {
  IN_PROGRESS: [...WORKING, ...OWN_ENDS],
  IN_PROGRESS_WARNINGS: ['IN_PROGRESS_WARNINGS', 'IN_PROGRESS_ERRORS', ...OWN_ENDS],
  IN_PROGRESS_ERRORS: ['IN_PROGRESS_ERRORS', ...OWN_ENDS],
  CANCELLING: ['CANCELLING', ...STOPPED],
} as const;
/** An ended job keeps its status. */
const STAYS_ENDED = {
  COMPLETE: ['COMPLETE'],
  COMPLETE_WITH_WARNINGS: ['COMPLETE_WITH_WARNINGS'],
  CANCELLED: ['CANCELLED'],
  CANCELLED_BY_SHUTDOWN: ['CANCELLED_BY_SHUTDOWN'],
  ERROR: ['ERROR'],
} as const;

const STAYS = {
  ...STAYS_ENDED,
  INITIALIZED: ['INITIALIZED'],
  IN_PROGRESS: ['IN_PROGRESS'],
  IN_PROGRESS_WARNINGS: ['IN_PROGRESS_WARNINGS'],
  IN_PROGRESS_ERRORS: ['IN_PROGRESS_ERRORS'],
  CANCELLING: ['CANCELLING'],
} as const;

/** The life cycle of a batch job (specification 3.1), with one entry for each command. */
const ON: Transitions<JobTypes> = {
  accept: {
    from: ['UNKNOWN'],
    to: ['INITIALIZED', ...WORKING, ...OWN_ENDS],
    apply(_, command, context) {
      const { record, archive } = command;
      const { priority } = record;
      const initial = initialState(record, { ...command, priority, run: 1, at: context.at });
      const fresh =
        typeof archive === 'string'
          ? { ...initial, checkArchive: archive === 'later' }
          : withArchiveAnswer(initial, archive);
      const change = command.admitted ? begin(fresh, { ...context, record }) : withoutChange(fresh);
      return { ...change, record, synced: true };
    },
  },
  admit: {
    from: ['INITIALIZED'],
    to: [...WORKING, ...OWN_ENDS],
    apply: (state, _, context) => begin({ ...state, status: after(state.status, 'start') }, context),
  },
  cancel: {
    from: ['INITIALIZED', ...WORKING],
    to: ['CANCELLING', 'CANCELLED'],
    apply: (state, _, context) => stop(state, 'USER', context),
  },
  resubmit: {
    from: ENDED,
    to: ['INITIALIZED', ...WORKING, ...OWN_ENDS],
    apply(state, command, context) {
      if ((command.lastRun ?? state.run) !== state.run) return WRONG_STATE;
      const run = Math.max(state.run + 1, command.run ?? 0);
      const record = resubmittedRecord(context.record, state);
      const initial = initialState(record, { ...command, run, at: context.at });
      const fresh = { ...initial, ...editsOf(state), outdated: baseRunOf(state) };
      const change = command.admitted ? begin(fresh, { ...context, record }) : withoutChange(fresh);
      return { ...afterRun(state, fresh, change, context), record, removeRows: [''] };
    },
  },
  retry: { from: ENDED, to: ['INITIALIZED', ...WORKING, ...OWN_ENDS], apply: retry },
  change: { from: ['INITIALIZED', ...BUSY, ...ENDED], to: STAYS, apply: changeJob },
  adoptDocument: { from: BUSY, to: [...BUSY, ...OWN_ENDS, ...STOPPED], apply: adoptDocument },
  workDone: { from: BUSY, to: ANSWERED, apply: acceptAnswer },
  workFailed: { from: BUSY, to: ANSWERED, apply: acceptAnswer },
  workAnswered: { from: BUSY, to: ANSWERED, apply: acceptAnswers },
  workLost: {
    from: BUSY,
    to: ANSWERED,
    apply: loseWork,
  },
  transfersDue: {
    from: BUSY,
    to: {
      IN_PROGRESS: ['IN_PROGRESS'],
      IN_PROGRESS_WARNINGS: ['IN_PROGRESS_WARNINGS'],
      IN_PROGRESS_ERRORS: ['IN_PROGRESS_ERRORS'],
      CANCELLING: ['CANCELLING'],
    },
    apply: (state, _, { at }) => ({ ...withoutChange(state), effects: offerDue(state, at) }),
  },
  workDropped: {
    from: ['CANCELLING'],
    to: ['CANCELLING', ...STOPPED],
    apply: dropWork,
  },
  archiveChecked: {
    from: WORKING,
    to: [...WORKING, ...OWN_ENDS],
    apply(state, command, context) {
      if (state.stage.name !== 'CHECK' || state.run !== command.run) return WRONG_STATE;
      return continueAfterArchive(state, command.answer, context);
    },
  },
  noticeSent: {
    from: ENDED,
    to: STAYS_ENDED,
    apply: (state, { id, attempt }, context) => {
      const notice = openNotice(context.record, state, id);
      if (notice === undefined) return refuseWith('NOT_OUTSTANDING');
      const delivery = markArrived(withAttempt(notice, attempt));
      return { ...withoutChange({ ...state, [notice.kind]: delivery }), outbox: { remove: [id] } };
    },
  },
  noticeFailed: {
    from: ENDED,
    to: STAYS_ENDED,
    apply: (state, { id, reason, next, attempt, slow = false }, context) => {
      const notice = openNotice(context.record, state, id);
      if (notice === undefined) return refuseWith('NOT_OUTSTANDING');
      const delivery = attemptFailed(withAttempt(notice, attempt), reason, next?.due ?? null, slow);
      const failed = withoutChange({ ...state, [notice.kind]: delivery });
      return next === null ? { ...failed, outbox: { remove: [id] } } : { ...failed, outbox: { put: [next] } };
    },
  },
  redeliver: {
    from: ENDED,
    to: STAYS_ENDED,
    apply(state, { run }, { record, settings, at }) {
      const notice = callbackNotice(record, state, settings, at);
      if (notice === null || state.callback === null || state.run !== run)
        return refuseWith('NOT_OUTSTANDING');
      const restarted = withoutChange({ ...state, callback: restartDelivery(state.callback) });
      return { ...restarted, effects: deliver([notice]), outbox: { put: [notice] }, synced: true };
    },
  },
  archiveReposted: {
    from: ENDED,
    to: STAYS_ENDED,
    apply: (state, { arrived: ids, failed }, context) => {
      const own = new Set(noticeIds(context.record, state.run, ['archive']));
      const posted = [...ids, ...failed.map(({ id }) => id)];
      // The job may run again while its old results are posted. These posts do not settle the posts of the new run.
      if (state.archive === null || !posted.every((id) => own.has(id))) return refuseWith('NOT_OUTSTANDING');
      const archive = markReposted(context.record, { ...state, archive: state.archive }, ids, failed);
      return { ...withoutChange({ ...state, archive }), outbox: { remove: ids } };
    },
  },
  indexed: {
    from: ENDED,
    to: STAYS_ENDED,
    apply: (state, { run }) =>
      state.unindexed && state.run === run
        ? withoutChange({ ...state, unindexed: false })
        : refuseWith('NOT_OUTSTANDING'),
  },
  remove: {
    from: ENDED,
    to: ['REMOVED'],
    // Sets the mark first, then deletes the files, then the job. The next start continues an interrupted removal.
    apply: (state, _, context) => ({
      ...withoutChange({ ...state, removed: true }),
      outbox: { remove: noticeIds(context.record, state.run, ['callback', 'archive']) },
      removeRows: [''],
      synced: true,
      effects: removal(state),
    }),
  },
  forget: { from: ['REMOVED'], to: ['UNKNOWN'], apply: (state) => ({ ...withoutChange(state), gone: true }) },
  resume: {
    from: ['INITIALIZED', ...BUSY, ...ENDED, 'REMOVED'],
    to: {
      ...STAYS,
      REMOVED: ['REMOVED'],
    },
    apply: (state) => ({ effects: recover(state) }),
  },
  shutdown: {
    from: ['INITIALIZED', ...WORKING],
    to: ['CANCELLING', 'CANCELLED_BY_SHUTDOWN'],
    apply: (state, _, context) => stop(state, 'SHUTDOWN', context),
  },
};

/** True if a command is about work. A late command reaches an ended job, and is not an error. */
const isAboutWork = ({ type }: JobCommand) =>
  type === 'workDone' ||
  type === 'workFailed' ||
  type === 'workAnswered' ||
  type === 'workLost' ||
  type === 'workDropped';

export const JOB_MACHINE: Machine<JobTypes> = {
  initial: NO_JOB,
  statusOf: ({ status, removed }) => (removed ? 'REMOVED' : status),
  on: ON,
  refuse(status, command) {
    if (command.type === 'accept') return 'EXISTS';
    // A removed job answers like an unknown job.
    if (status === 'UNKNOWN' || status === 'REMOVED')
      return { kind: 'refused', reason: 'NO_SUCH_JOB', status: 'UNKNOWN' };
    return isAboutWork(command) && status !== 'INITIALIZED' ? 'NOT_OUTSTANDING' : 'WRONG_STATE';
  },
  /** Clears the mark of the outdated run, because each commit follows the removal of that run's files. */
  conclude(outcome, { outdated }) {
    const { state } = outcome;
    if (state === undefined || outdated === null || state.outdated !== outdated) return outcome;
    return { ...outcome, state: { ...state, outdated: null } };
  },
};
