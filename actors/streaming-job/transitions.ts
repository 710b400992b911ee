import {
  refused,
  WRONG_STATE,
  type Machine,
  type Outcome,
  type Reply,
  type Transitions,
} from '../runtime/machine.ts';
import type { StreamingJobCommand, StreamingJobRefusal } from './commands.ts';
import type { StreamingJobEffect } from './effects.ts';
import { indexesOf } from './indexes.ts';
import {
  ENDED,
  INITIAL,
  MOST_WARNINGS,
  NO_COUNTS,
  STREAMING_STATUSES,
  sumOf,
  type StreamingJobRecord,
  type StreamingJobState,
  type StreamingStatus,
} from './state.ts';
import { streamItem } from './work.ts';

export interface StreamingJobRules {
  /** Components in a row that may end without having reported a segment. */
  readonly attempts: number;
  /** Pauses before another component is asked for: doubled from the first up to the longest, in milliseconds. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export interface StreamingJobContext {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly record: StreamingJobRecord;
  readonly rules: StreamingJobRules;
}

export interface StreamingJobTypes {
  readonly state: StreamingJobState;
  readonly command: StreamingJobCommand;
  readonly effect: StreamingJobEffect;
  readonly reply: never;
  readonly refusal: StreamingJobRefusal;
  readonly context: StreamingJobContext;
  /** NONE: there is no such job. */
  readonly status: StreamingStatus | 'NONE';
}
export type StreamingJobReply = Reply<StreamingJobTypes>;
type Change = Outcome<StreamingJobTypes>;

const WATCHING = ['INITIALIZING', 'IN_PROGRESS', 'STALLED'] as const;
const LIVE = [...WATCHING, 'CANCELLING'] as const;
/** Where it goes from each status when it stays where it is. */
const STAYS = Object.fromEntries(STREAMING_STATUSES.map((status) => [status, [status]])) as unknown as {
  readonly [Status in StreamingStatus]: readonly StreamingStatus[];
};
const STOPPED = ['CANCELLED', 'CANCELLED_BY_SHUTDOWN'] as const;
/** From a status in which the stream is watched, and from CANCELLING. */
const leads = (watching: readonly StreamingStatus[], cancelling: readonly StreamingStatus[]) => ({
  INITIALIZING: watching,
  IN_PROGRESS: watching,
  STALLED: watching,
  CANCELLING: cancelling,
});

const STALLED_TOO_LONG = 'Stream stalled for too long. It is no longer possible to read frames.';

const ON: Transitions<StreamingJobTypes> = {
  create: {
    from: ['NONE'],
    to: ['INITIALIZING'],
    apply(_, { record }) {
      const state = { ...INITIAL };
      return {
        record,
        state,
        effects: [{ type: 'health' }, { type: 'changed' }],
        work: { offer: [streamItem(record, state)] },
        synced: true,
      };
    },
  },
  cancel: {
    from: WATCHING,
    to: ['CANCELLING', 'CANCELLED'],
    apply: (state, { doCleanup }, context) => stop({ ...state, doCleanup }, context),
  },
  shutdown: {
    from: WATCHING,
    to: ['CANCELLING', 'CANCELLED_BY_SHUTDOWN'],
    apply: (state, _, context) => stop({ ...state, byShutdown: true }, context),
  },
  claimed: {
    from: LIVE,
    to: STAYS,
    apply(state, _, { record }) {
      // The first one misses nothing.
      if (!state.opened || state.gapSince !== null) return {};
      const earlier = sumOf(state.earlier, state.counts);
      return { state: { ...state, gapSince: missedSince(state, record), earlier, counts: NO_COUNTS } };
    },
  },
  opened: {
    from: LIVE,
    to: leads(['IN_PROGRESS'], ['CANCELLING']),
    apply(state, { width, height, fps }) {
      const seen = { ...state, opened: true, picture: { width, height, fps } };
      return state.status === 'CANCELLING' ? quiet(seen) : into(seen, 'IN_PROGRESS', null);
    },
  },
  stalled: {
    from: ['INITIALIZING', 'IN_PROGRESS'],
    to: ['STALLED'],
    apply(state, { cause }) {
      const detail = `No frames are coming${cause === '' ? '' : `: ${cause}`}`;
      return followed(into(state, 'STALLED', detail), { type: 'stallReport' });
    },
  },
  running: {
    from: ['STALLED'],
    to: ['IN_PROGRESS'],
    apply: (state) => into(state, 'IN_PROGRESS', null),
  },
  warned: {
    from: LIVE,
    to: STAYS,
    apply(state, { message }) {
      const { warnings = [] } = state;
      if (warnings.length >= MOST_WARNINGS || warnings.includes(message)) return refused('REPEATED');
      return { state: { ...state, warnings: [...warnings, message] } };
    },
  },
  activity: {
    from: LIVE,
    to: STAYS,
    apply(state, { frame, frameAt }, { record: { segmentSize } }) {
      const segmentOf = (number: number) => Math.floor(number / segmentSize);
      // Told once a segment, however often the component says so.
      if (state.activity !== null && segmentOf(frame) <= segmentOf(state.activity.frame))
        return refused('REPEATED');
      const active = { ...state, activity: { frame, at: frameAt } };
      return { state: active, effects: [{ type: 'health' }, { type: 'changed' }] };
    },
  },
  segment: {
    from: LIVE,
    to: STAYS,
    apply(state, { segment, counts }, { at }) {
      if (segment <= state.lastSegment) return refused('REPEATED');
      const known = { ...state, counts, lastSegment: segment, segmentAt: at, fruitless: 0, gapSince: null };
      return { state: known, effects: [{ type: 'publish' }, { type: 'changed' }] };
    },
  },
  ended: {
    from: LIVE,
    to: leads(['TERMINATED', 'ERROR'], STOPPED),
    apply(state, { reason, detail }, context) {
      if (state.status === 'CANCELLING') return cancelled(state, context);
      if (reason === 'ended')
        return over(state, 'TERMINATED', detail === '' ? 'The stream has ended.' : detail, context);
      // Nobody here wants it to stop: what it was told was meant for another one.
      if (reason === 'cancelled') return WRONG_STATE;
      return state.opened
        ? over(state, 'TERMINATED', sentence(STALLED_TOO_LONG, detail), context)
        : over(state, 'ERROR', sentence('Unable to connect to stream', detail), context);
    },
  },
  failed: {
    from: LIVE,
    to: leads(['INITIALIZING', 'ERROR'], STOPPED),
    apply(state, { message, final }, context) {
      if (state.status === 'CANCELLING') return cancelled(state, context);
      return final ? broken(state, message, context) : again(state, message, context);
    },
  },
  workLost: {
    from: LIVE,
    to: leads(['INITIALIZING', 'ERROR'], STOPPED),
    apply(state, { reason }, context) {
      if (state.status === 'CANCELLING') return cancelled(state, context);
      return again(state, reason, context);
    },
  },
  workDropped: {
    from: ['CANCELLING'],
    to: STOPPED,
    apply: (state, _, context) => cancelled(state, context),
  },
  retry: {
    from: WATCHING,
    to: STAYS,
    apply(state, _, { at, record }) {
      if (state.retryAt === null) return refused('REPEATED');
      if (at < state.retryAt) return { effects: [{ type: 'retryAt', at: state.retryAt }] };
      const next = { ...state, retryAt: null, attempt: state.attempt + 1 };
      return { state: next, work: { offer: [streamItem(record, next)] } };
    },
  },
  resume: {
    from: STREAMING_STATUSES,
    to: STAYS,
    apply: (state) => ({ effects: recoverStreamingJob(state) }),
  },
  remove: {
    from: ENDED,
    to: STAYS,
    apply: (state) => ({
      state: { ...state, removed: true },
      effects: [{ type: 'removeFiles' }, { type: 'forget' }],
      synced: true,
    }),
  },
  forget: {
    from: ENDED,
    to: STAYS,
    apply: (state, _, __) => (state.removed ? { state, gone: true, work: { clear: true } } : WRONG_STATE),
  },
};

/** The life of a streaming job (specification 3.2). */
export const STREAMING_JOB_MACHINE: Machine<StreamingJobTypes> = {
  initial: INITIAL,
  on: ofThisAttempt(ON),
  statusOf: (state) => (state === INITIAL ? 'NONE' : state.status),
  refuse: (status, { type }) =>
    status === 'NONE' ? 'NO_SUCH_JOB' : type === 'create' ? 'EXISTS' : 'WRONG_STATE',
  conclude: (outcome, _, __, { record }) =>
    outcome.state === undefined || outcome.gone === true
      ? outcome
      : { ...outcome, index: indexesOf(record, outcome.state) },
};

/** What a component says whose place another one has taken comes too late. */
function ofThisAttempt(on: Transitions<StreamingJobTypes>): Transitions<StreamingJobTypes> {
  const guarded = Object.entries(on).map(([name, transition]) => [
    name,
    {
      ...transition,
      apply: (state: StreamingJobState, command: never, context: StreamingJobContext) =>
        'attempt' in (command as StreamingJobCommand) &&
        (command as { attempt: number }).attempt !== state.attempt
          ? refused('STALE')
          : transition.apply(state, command, context),
    },
  ]);
  return Object.fromEntries(guarded) as Transitions<StreamingJobTypes>;
}

/** What a job in this state stands for, when it is loaded. */
export function recoverStreamingJob(state: StreamingJobState): readonly StreamingJobEffect[] {
  const { status, lastSegment, retryAt, removed, doCleanup } = state;
  if (removed) return [{ type: 'removeFiles' }, { type: 'forget' }];
  if (doCleanup && status === 'CANCELLED') return [{ type: 'removeFiles' }];
  const publish: StreamingJobEffect = { type: 'publish' };
  if ((ENDED as readonly string[]).includes(status)) return [publish];
  const reports = lastSegment < 0 ? [] : [publish];
  if (status === 'CANCELLING') return [...reports, { type: 'withdraw' }];
  return [...reports, retryAt === null ? { type: 'offer' } : { type: 'retryAt', at: retryAt }];
}

const quiet = (state: StreamingJobState): Change => ({ state });

/** Nobody is told when the job stands there already. */
function into(state: StreamingJobState, status: StreamingStatus, detail: string | null): Change {
  const told: readonly StreamingJobEffect[] =
    state.status === status ? [] : [{ type: 'health' }, { type: 'changed' }];
  return { state: { ...state, status, detail }, effects: told };
}

/** The same, and then more. */
function followed(change: Change, ...more: readonly StreamingJobEffect[]): Change {
  return { ...change, effects: [...(change.effects ?? []), ...more] };
}

/** Whoever watches the stream is told to stop; where nobody does, it is over at once. */
function stop(state: StreamingJobState, context: StreamingJobContext): Change {
  if (state.retryAt !== null) return cancelled(state, context);
  const work = { withdraw: [streamItem(context.record, state)] };
  return { ...into(state, 'CANCELLING', null), work, synced: true };
}

function cancelled(state: StreamingJobState, context: StreamingJobContext): Change {
  if (state.byShutdown)
    return over(state, 'CANCELLED_BY_SHUTDOWN', 'Cancelled because the server was shut down.', context);
  const change = over(state, 'CANCELLED', 'Cancelled by user', context);
  return state.doCleanup ? followed(change, { type: 'removeFiles' }) : change;
}

function over(
  state: StreamingJobState,
  status: (typeof ENDED)[number],
  detail: string,
  { at, record }: StreamingJobContext,
): Change {
  const ended = { ...state, status, detail, endedAt: at, retryAt: null };
  const effects = [{ type: 'health' }, { type: 'changed' }, { type: 'ended' }] as const;
  return { state: ended, effects, work: { settle: [streamItem(record, state).id] } };
}

function broken(state: StreamingJobState, message: string, context: StreamingJobContext): Change {
  const change = over(state, 'ERROR', message, context);
  return { ...change, effects: [{ type: 'errorReport', message }, ...(change.effects ?? [])] };
}

/** Another component is asked for after a pause, unless too many have come to nothing. */
function again(state: StreamingJobState, reason: string, context: StreamingJobContext): Change {
  const { at, rules, record } = context;
  const fruitless = state.fruitless + 1;
  if (fruitless >= rules.attempts) {
    const why = `the component ended ${fruitless} times in a row without a segment, at last because of this: ${reason}`;
    return broken({ ...state, fruitless }, `Error in component logic: ${why}`, context);
  }
  const retryAt = at + Math.min(rules.firstPauseMs * 2 ** (fruitless - 1), rules.longestPauseMs);
  const paused: StreamingJobState = {
    ...state,
    fruitless,
    retryAt,
    gapSince: state.gapSince ?? (state.opened ? missedSince(state, record) : null),
    earlier: sumOf(state.earlier, state.counts),
    counts: NO_COUNTS,
  };
  const detail = `The component is started again, because it ended: ${reason}`;
  const change = followed(into(paused, 'INITIALIZING', detail), { type: 'retryAt', at: retryAt });
  return { ...change, work: { settle: [streamItem(record, state).id] } };
}

/** What came after the last segment was seen by nobody who could still tell it. */
const missedSince = ({ segmentAt }: StreamingJobState, { createdAt }: StreamingJobRecord) =>
  segmentAt ?? createdAt;

/** Where more is known than the words of the reference say, it follows them. */
const sentence = (words: string, more: string) =>
  more === '' || words.includes(more) ? words : `${words.replace(/\.$/, '')}: ${more}`;
