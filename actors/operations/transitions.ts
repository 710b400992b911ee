import { refuseWith, type Machine, type Outcome, type Refused } from '../runtime/machine.ts';
import {
  chunkKey,
  handledOf,
  isEnded,
  MAX_OPERATION_JOBS,
  type OperationState,
  type OperationTypes,
  type Refusal,
  type RefusalGroup,
} from './state.ts';

/** Number of example jobs for each reason of a refusal, and number of distinct reasons. */
const EXAMPLES = 3;
const REASONS = 20;

const LIVE = ['RECEIVING', 'MATCHING', 'RUNNING', 'CANCELLING'] as const;
const ENDED = ['COMPLETE', 'CANCELLED', 'ERROR'] as const;

const NO_OPERATION: OperationState = {
  status: 'UNKNOWN',
  cursor: null,
  chunks: 0,
  matched: 0,
  next: { chunk: 0, place: 0 },
  pending: [],
  done: 0,
  refused: 0,
  refusals: [],
  message: null,
  endedAt: null,
};

type Changed = Outcome<OperationTypes> | Refused<OperationTypes['refusal']>;
type Of<N> = Extract<OperationTypes['command'], { readonly type: N }>;

/** The life cycle of an operation, with one entry for each command. */
export const OPERATION_MACHINE: Machine<OperationTypes> = {
  initial: NO_OPERATION,
  statusOf: ({ status }) => status,
  refuse: (status) => (status === 'UNKNOWN' ? 'NO_SUCH_OPERATION' : 'WRONG_STATE'),
  on: {
    start: {
      from: ['UNKNOWN'],
      to: ['RECEIVING', 'MATCHING'],
      apply: (state, { record, ids }) => ({
        record,
        state: { ...state, status: ids ? 'RECEIVING' : 'MATCHING' },
        effects: ids ? [] : [{ type: 'drive' }],
        synced: true,
      }),
    },
    add: {
      from: ['RECEIVING', 'MATCHING'],
      to: ['RECEIVING', 'MATCHING', 'RUNNING', 'COMPLETE', 'ERROR'],
      apply: addJobs,
    },
    prepare: {
      from: ['RUNNING'],
      to: ['RUNNING'],
      apply(state, { at, jobs, next }) {
        if (state.pending.length > 0 || handledOf(state) !== at) return refuseWith('OUTDATED');
        return { state: { ...state, pending: [...jobs], next } };
      },
    },
    report: {
      from: ['RUNNING', 'CANCELLING'],
      to: { RUNNING: ['RUNNING', 'COMPLETE'], CANCELLING: ['CANCELLING', 'CANCELLED'] },
      apply: report,
    },
    fail: {
      from: LIVE,
      to: ['ERROR'],
      apply: (state, { message }, { at }) => end({ ...state, message }, 'ERROR', at),
    },
    cancel: {
      from: ['MATCHING', 'RUNNING'],
      to: ['CANCELLING', 'CANCELLED'],
      apply(state, _, { at }) {
        if (state.pending.length === 0) return end(state, 'CANCELLED', at);
        return { state: { ...state, status: 'CANCELLING' }, effects: [{ type: 'stop' }], synced: true };
      },
    },
    resume: {
      from: ['RECEIVING', 'MATCHING', 'RUNNING', 'CANCELLING', ...ENDED],
      to: {
        RECEIVING: ['RECEIVING'],
        MATCHING: ['MATCHING'],
        RUNNING: ['RUNNING'],
        CANCELLING: ['CANCELLING'],
        COMPLETE: ['COMPLETE'],
        CANCELLED: ['CANCELLED'],
        ERROR: ['ERROR'],
      },
      apply: (state) => ({ effects: recoverOperation(state) }),
    },
    remove: {
      from: ['RECEIVING', ...ENDED],
      to: ['UNKNOWN'],
      apply: (state) => ({ state, gone: true }),
    },
  },
};

/** The effects to perform when an operation is loaded. */
export const recoverOperation = ({ status }: OperationState): OperationTypes['effect'][] =>
  status === 'RECEIVING' || isEnded(status) ? [] : [{ type: 'drive' }];

function addJobs(
  state: OperationState,
  { at, jobs, cursor }: Of<'add'>,
  context: { readonly at: number },
): Changed {
  if (state.matched !== at) return refuseWith('OUTDATED');
  const matched = at + jobs.length;
  if (matched > MAX_OPERATION_JOBS) return end({ ...state, message: TOO_MANY }, 'ERROR', context.at);
  const isLast = cursor === null;
  const chunks = state.chunks + (jobs.length > 0 ? 1 : 0);
  const next = { ...state, matched, chunks, cursor };
  if (isLast && matched === 0) return end(next, 'COMPLETE', context.at);
  return {
    state: isLast ? { ...next, status: 'RUNNING' } : next,
    putRows: jobs.length > 0 ? [{ key: chunkKey(state.chunks), body: jobs }] : [],
    effects: isLast ? [{ type: 'drive' }] : [],
    synced: isLast,
  };
}

const TOO_MANY = `More than ${MAX_OPERATION_JOBS.toLocaleString('en-US')} jobs match. Nothing was done: narrow the filter.`;

function report(
  state: OperationState,
  { outcomes, message }: Of<'report'>,
  { at }: { readonly at: number },
): Changed {
  const reported = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  const news = state.pending.flatMap(({ number }) => reported.get(number) ?? []);
  const isCancelling = state.status === 'CANCELLING';
  // After a cancel, jobs without an outcome count as not processed.
  const pending = isCancelling ? [] : state.pending.filter(({ number }) => !reported.has(number));
  if (news.length === 0 && !isCancelling)
    return message === state.message ? {} : { state: { ...state, message } };
  const refusals = news.flatMap(({ refusal }) => refusal ?? []);
  const next: OperationState = {
    ...state,
    pending,
    message,
    done: state.done + news.length - refusals.length,
    refused: state.refused + refusals.length,
    refusals: refusals.reduce(withRefusal, state.refusals),
  };
  if (isCancelling) return end(next, 'CANCELLED', at);
  return handledOf(next) === next.matched ? end(next, 'COMPLETE', at) : { state: next };
}

/** Deletes the rows of job numbers, so that little of an ended operation remains. */
function end(state: OperationState, status: 'COMPLETE' | 'CANCELLED' | 'ERROR', at: number): Changed {
  const message = status === 'ERROR' ? state.message : null;
  return {
    state: { ...state, status, message, pending: [], endedAt: at },
    removeRows: [''],
    effects: [{ type: 'stop' }, { type: 'ended' }],
    synced: true,
  };
}

/** Groups refusals by reason. Above the maximum number of reasons, a refusal counts for the last group. */
function withRefusal(groups: RefusalGroup[], { reason, message, jobId }: Refusal): RefusalGroup[] {
  const known = groups.findIndex((group) => group.reason === reason);
  const place = known === -1 && groups.length === REASONS ? REASONS - 1 : known;
  if (place === -1) return [...groups, { reason, message, count: 1, examples: [jobId] }];
  return groups.map((group, n) =>
    n === place
      ? { ...group, count: group.count + 1, examples: [...group.examples, jobId].slice(0, EXAMPLES) }
      : group,
  );
}
