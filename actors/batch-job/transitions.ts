import { after, isTerminal, type BatchJobStatus } from './status.ts';
import type { JobCommand, JobRefusal, JobReply, WorkDone, WorkFailed } from './commands.ts';
import type { JobEffect } from './effects.ts';
import { oneChange, type Change } from './change.ts';
import type { DecisionContext } from './context.ts';
import { initialState } from './initial-state.ts';
import { KINDS } from './kinds/kinds.ts';
import type { JobState, SubJobRow } from './state.ts';
import { arrived, attemptFailed, noticeIds, openNotice, reposted } from './notices.ts';
import { advance, answered, archiveAnswered, begin, requeue, withArchiveAnswer } from './progress.ts';

/** What a command leads to. Nothing is stored for a refusal or when nothing changes. */
export interface JobOutcome {
  readonly reply: JobReply;
  readonly change?: Change;
}

type Of<T extends JobCommand['type']> = Extract<JobCommand, { type: T }>;
interface Transition<T extends JobCommand['type']> {
  /** States in which the command is carried out; in any other it is refused. */
  readonly from: readonly BatchJobStatus[];
  /** Where the status can be afterwards, for the diagram and its test. */
  readonly to: readonly BatchJobStatus[];
  apply(state: JobState, command: Of<T>, context: DecisionContext): Change | JobRefusal;
}

const WORKING = ['IN_PROGRESS', 'IN_PROGRESS_WARNINGS', 'IN_PROGRESS_ERRORS'] as const;
const LIVE = ['INITIALIZED', ...WORKING, 'CANCELLING'] as const;
const BUSY = [...WORKING, 'CANCELLING'] as const;
const ENDED = ['COMPLETE', 'COMPLETE_WITH_WARNINGS', 'CANCELLED', 'CANCELLED_BY_SHUTDOWN', 'ERROR'] as const;
const ALL_BUT_WAITING = [...BUSY, ...ENDED] as const;

/** The life of a batch job (specification 3.1), one entry a command. */
export const TRANSITIONS: { readonly [T in Exclude<JobCommand['type'], 'accept'>]: Transition<T> } = {
  admit: {
    from: ['INITIALIZED'],
    to: [...WORKING, ...ENDED],
    apply: (state, _, context) => begin({ ...state, status: after(state.status, 'start') }, context),
  },
  cancel: {
    from: ['INITIALIZED', ...WORKING],
    to: ['CANCELLING', 'CANCELLED'],
    apply: (state, _, context) => stop(state, 'USER', context),
  },
  resubmit: {
    from: ENDED,
    to: ['INITIALIZED', ...WORKING, ...ENDED],
    apply(state, command, context) {
      const run = state.run + 1;
      const initial = initialState(context.record, { ...command, run, at: context.at });
      // The old outputs go only now that the new run is accepted: this effect follows the commit.
      const fresh = { ...initial, outdated: state.run, unnumbered: state.unnumbered };
      const old: JobEffect = { type: 'removeFiles', run: state.run, document: true };
      const change = command.admitted ? begin(fresh, context) : unchanged(fresh);
      // Notices of the run before are not sent any more: their receivers will hear of this one.
      const settled = noticeIds(context.record, state.run, ['callback', 'archive']);
      return { ...change, effects: [old, ...change.effects], settled, synced: true };
    },
  },
  workDone: {
    from: ALL_BUT_WAITING,
    to: [...BUSY, ...ENDED],
    apply: takeAnswer,
  },
  workFailed: {
    from: ALL_BUT_WAITING,
    to: [...BUSY, ...ENDED],
    apply: takeAnswer,
  },
  workAnswered: {
    from: ALL_BUT_WAITING,
    to: [...BUSY, ...ENDED],
    apply: takeAnswers,
  },
  workLost: {
    from: ALL_BUT_WAITING,
    to: [...BUSY, ...ENDED],
    apply: (state, command, context) =>
      withOutstanding(state, command.key, (row) => {
        if (state.status === 'CANCELLING' && !survivesCancel(row.kind))
          return dropped(state, [row.key], context);
        const attempts = row.attempts + 1;
        if (attempts !== command.attempt) return 'NOT_OUTSTANDING';
        if (attempts < context.settings.attempts) return requeue(state, { ...row, attempts });
        const message = `The component was lost ${attempts} times on this sub-job: ${command.reason}`;
        return answered(
          state,
          { ...row, attempts, state: 'FAILED' },
          { code: 'DEAD_LETTER', message },
          0,
          context,
        );
      }),
  },
  workDropped: {
    from: ALL_BUT_WAITING,
    to: [...BUSY, ...ENDED],
    apply(state, command, context) {
      // What was answered before the news came stays: its row counts for the document.
      const keys = command.keys.filter((key) => state.outstanding.has(key));
      if (state.status !== 'CANCELLING' || keys.length === 0) return 'NOT_OUTSTANDING';
      return dropped(state, keys, context);
    },
  },
  archiveChecked: {
    from: WORKING,
    to: [...WORKING, ...ENDED],
    apply(state, command, context) {
      if (state.stage.name !== 'CHECK' || state.run !== command.run) return 'WRONG_STATE';
      return archiveAnswered(state, command.answer, context);
    },
  },
  noticeSent: {
    from: ENDED,
    to: ENDED,
    apply: (state, { id }, context) => {
      const notice = openNotice(context.record, state, id);
      if (notice === undefined) return 'NOT_OUTSTANDING';
      return { ...unchanged({ ...state, [notice.kind]: arrived(notice) }), settled: [id] };
    },
  },
  noticeFailed: {
    from: ENDED,
    to: ENDED,
    apply: (state, { id, reason, next, slow = false }, context) => {
      const notice = openNotice(context.record, state, id);
      if (notice === undefined) return 'NOT_OUTSTANDING';
      const delivery = attemptFailed(notice, reason, next?.due ?? null, slow);
      const failed = unchanged({ ...state, [notice.kind]: delivery });
      return next === null ? { ...failed, settled: [id] } : { ...failed, notices: [next] };
    },
  },
  archiveReposted: {
    from: ENDED,
    to: ENDED,
    apply: (state, { arrived: ids, failed }, context) => {
      const own = new Set(noticeIds(context.record, state.run, ['archive']));
      const posted = [...ids, ...failed.map(({ id }) => id)];
      // The job may have been run again while its old results were on their way: what it owes now is not settled by those.
      if (state.archive === null || !posted.every((id) => own.has(id))) return 'NOT_OUTSTANDING';
      const archive = reposted(context.record, { ...state, archive: state.archive }, ids, failed);
      return { ...unchanged({ ...state, archive }), settled: ids };
    },
  },
  remove: {
    from: ENDED,
    to: ENDED,
    // First the mark, then the files, then the job: whatever is interrupted is found again at the next start.
    apply: (state, _, context) => ({
      ...unchanged({ ...state, removed: true }),
      settled: noticeIds(context.record, state.run, ['callback', 'archive']),
      removed: [''],
      synced: true,
      effects: removal(state),
    }),
  },
  forget: {
    from: ENDED,
    to: ENDED,
    apply: (state) => (state.removed ? { ...unchanged(state), gone: true } : 'WRONG_STATE'),
  },
  resume: {
    from: [...LIVE, ...ENDED],
    to: [...LIVE, ...ENDED],
    apply: (state) => ({ ...unchanged(state), effects: recover(state), silent: true }),
  },
  shutdown: {
    from: ['INITIALIZED', ...WORKING],
    to: ['CANCELLING', 'CANCELLED_BY_SHUTDOWN'],
    apply: (state, _, context) => stop(state, 'SHUTDOWN', context),
  },
};

/** Decides what a command does to a job. Pure: same state, command and time, same outcome. */
export function decide(
  state: JobState | undefined,
  command: JobCommand,
  context: DecisionContext,
): JobOutcome {
  if (command.type === 'accept') {
    if (state !== undefined) return refused('EXISTS', state);
    const { priority } = command.record;
    const initial = initialState(command.record, { ...command, priority, run: 1, at: context.at });
    const fresh =
      typeof command.archive === 'string'
        ? { ...initial, checkArchive: command.archive === 'later' }
        : withArchiveAnswer(initial, command.archive);
    const change = command.admitted ? begin(fresh, { ...context, record: command.record }) : unchanged(fresh);
    return { reply: { kind: 'done' }, change: { ...change, synced: true } };
  }
  if (state === undefined || (state.removed && !CLEAN_UP.has(command.type)))
    return { reply: { kind: 'refused', reason: 'NO_SUCH_JOB', status: 'UNKNOWN' } };
  const transition = TRANSITIONS[command.type] as Transition<typeof command.type>;
  if (!transition.from.includes(state.status)) return refused('WRONG_STATE', state);
  const outcome = transition.apply(state, command, context);
  if (typeof outcome === 'string') return refused(outcome, state);
  return { reply: { kind: 'done' }, change: outcome.silent === true ? outcome : upToDate(outcome, state) };
}

/** Whatever is committed follows the removal of what an earlier run had left. */
function upToDate(change: Change, { outdated }: JobState): Change {
  if (outdated === null || change.state.outdated !== outdated) return change;
  return { ...change, state: { ...change.state, outdated: null } };
}

/** The effects that a live job's state stands for: performed after a load, when those of an earlier process are gone. */
export function recover(state: JobState): readonly JobEffect[] {
  const { outdated } = state;
  const old: JobEffect[] = outdated === null ? [] : [{ type: 'removeFiles', run: outdated, document: true }];
  return [...old, ...toGoOn(state)];
}

function toGoOn(state: JobState): readonly JobEffect[] {
  if (isTerminal(state.status)) return state.removed ? removal(state) : [];
  const rows = [...state.outstanding.values()];
  if (rows.length === 0) return state.stage.name === 'CHECK' ? [{ type: 'checkArchive' }] : [];
  const dropped = state.status === 'CANCELLING' ? rows.filter(({ kind }) => !survivesCancel(kind)) : [];
  const kept = rows.filter((row) => !dropped.includes(row));
  return [
    ...(kept.length > 0 ? [{ type: 'offer', rows: kept } as const] : []),
    ...(dropped.length > 0 ? [{ type: 'cancelWork', rows: dropped } as const] : []),
    ...(state.stage.name === 'DOCUMENT' ? [{ type: 'removeStrays' } as const] : []),
  ];
}

/** What a job that was removed still answers to. */
const CLEAN_UP: ReadonlySet<JobCommand['type']> = new Set(['resume', 'forget']);

/** Also of earlier runs: what could not be removed when they were over may be still there. */
const removal = ({ run }: JobState): JobEffect[] => [
  ...Array.from({ length: run }, (_, before) => before + 1).map((earlier): JobEffect => ({
    type: 'removeFiles',
    run: earlier,
    document: true,
  })),
  { type: 'forget' },
];

function takeAnswer(
  state: JobState,
  answer: WorkDone | WorkFailed,
  context: DecisionContext,
): Change | JobRefusal {
  const { key, token, ms } = answer;
  return withOutstanding(state, key, (row) =>
    answer.type === 'workDone'
      ? answered(state, { ...row, state: 'DONE', token, file: answer.file }, answer.result, ms, context)
      : answered(state, { ...row, state: 'FAILED', token }, answer, ms, context),
  );
}

/** One after the other, as if each had come alone; stored at once. */
function takeAnswers(
  state: JobState,
  { answers }: Of<'workAnswered'>,
  context: DecisionContext,
): Change | JobRefusal {
  let all: Change | undefined;
  for (const answer of answers) {
    const change = takeAnswer(all?.state ?? state, answer, context);
    if (typeof change !== 'string') all = all === undefined ? change : oneChange(all, change);
  }
  return all ?? 'NOT_OUTSTANDING';
}

/** Cancelled work that nobody holds any more. */
function dropped(state: JobState, keys: readonly string[], context: DecisionContext): Change {
  const outstanding = new Map(state.outstanding);
  for (const key of keys) outstanding.delete(key);
  const change = advance({ ...state, outstanding }, context);
  return { ...change, removed: [...keys, ...(change.removed ?? [])] };
}

/** Preparation and detection are stopped; what is being finished or written goes on. */
function stop(
  state: JobState,
  cancelledBy: 'USER' | 'SHUTDOWN',
  context: DecisionContext,
): Change | JobRefusal {
  // All is done and the document that says so is being written: too late.
  if (state.stage.name === 'DOCUMENT' || state.stage.name === 'UPLOAD') return 'WRONG_STATE';
  const stopping: JobState = { ...state, status: after(state.status, 'cancel'), cancelledBy };
  const rows = [...state.outstanding.values()].filter(({ kind }) => !survivesCancel(kind));
  const change = advance(stopping, context);
  return rows.length === 0
    ? change
    : { ...change, effects: [...change.effects, { type: 'cancelWork', rows }] };
}

/** A cancelled job still finishes what was found, writes its document and puts it where it belongs. */
const survivesCancel = (kind: SubJobRow['kind']) => KINDS[kind].survivesCancel === true;

function withOutstanding(
  state: JobState,
  key: string,
  apply: (row: SubJobRow) => Change | JobRefusal,
): Change | JobRefusal {
  const row = state.outstanding.get(key);
  return row === undefined ? 'NOT_OUTSTANDING' : apply(row);
}

const unchanged = (state: JobState): Change => ({ state, rows: [], effects: [] });
const refused = (reason: JobRefusal, state: JobState): JobOutcome => ({
  reply: { kind: 'refused', reason, status: state.status },
});
