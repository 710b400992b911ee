import { refuseWith, WRONG_STATE, type Machine, type Transitions } from '../runtime/machine.ts';
import { activityAfter, lastActive, segmentOf } from './activity.ts';
import {
  again,
  markBroken,
  markCancelled,
  withEffects,
  into,
  missedSince,
  over,
  quiet,
  sentence,
  stop,
} from './change.ts';
import type { StreamingJobCommand } from './commands.ts';
import type { Change, StreamingJobContext, StreamingJobTypes } from './context.ts';
import type { StreamingJobEffect } from './effects.ts';
import { indexesOf } from './indexes.ts';
import {
  ENDED,
  INITIAL,
  isEnded,
  MOST_WARNINGS,
  NO_COUNTS,
  STREAMING_STATUSES,
  sumOf,
  type StreamingJobState,
  type StreamingStatus,
} from './state.ts';
import { streamItem } from './work.ts';
import { afterNotice, afterZones, warningsAfterTracks, withLife } from './zones/zone-transitions.ts';

const WATCHING = ['INITIALIZING', 'IN_PROGRESS', 'STALLED'] as const;
const LIVE = [...WATCHING, 'CANCELLING'] as const;
/** Transitions from each status to itself. */
const STAYS = Object.fromEntries(STREAMING_STATUSES.map((status) => [status, [status]])) as unknown as {
  readonly [Status in StreamingStatus]: readonly StreamingStatus[];
};
const STOPPED = ['CANCELLED', 'CANCELLED_BY_SHUTDOWN'] as const;
/** Returns transitions from the statuses of a watched stream, and from CANCELLING. */
const leads = (watching: readonly StreamingStatus[], cancelling: readonly StreamingStatus[]) => ({
  INITIALIZING: watching,
  IN_PROGRESS: watching,
  STALLED: watching,
  CANCELLING: cancelling,
});

const HEALTH: StreamingJobEffect = { type: 'health' };
const STALLED_TOO_LONG = 'Stream stalled for too long. It is no longer possible to read frames.';

const ON: Transitions<StreamingJobTypes> = {
  create: {
    from: ['NONE'],
    to: ['INITIALIZING'],
    apply(_, { record }) {
      const state: StreamingJobState =
        record.actions === undefined ? { ...INITIAL } : { ...INITIAL, hasActions: true };
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
    apply: (state, { doCleanup, inherited }, context) =>
      stop({ ...state, doCleanup, ...(inherited === undefined ? {} : { inherited }) }, context),
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
      // The first component misses no frames.
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
      return withEffects(into(state, 'STALLED', detail), { type: 'stallReport' });
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
      const { warnings } = state;
      if (warnings.length >= MOST_WARNINGS || warnings.includes(message)) return refuseWith('REPEATED');
      return { state: { ...state, warnings: [...warnings, message] } };
    },
  },
  activity: {
    from: LIVE,
    to: STAYS,
    apply(state, { frame, frameAt }, { record: { segmentSize } }) {
      // Reported once for each segment, even if the component repeats it.
      if (segmentOf(frame, segmentSize) <= lastActive(state, segmentSize)) return refuseWith('REPEATED');
      const active = { ...state, activity: { frame, at: frameAt } };
      return { state: active, effects: [HEALTH, { type: 'changed' }] };
    },
  },
  segment: {
    from: LIVE,
    to: STAYS,
    apply(state, { segment, counts, firstTrack }, { at, record }) {
      const { segmentSize } = record;
      if (segment <= state.lastSegment) return refuseWith('REPEATED');
      const active = activityAfter(state, { segment, firstTrack }, segmentSize);
      const warnings = firstTrack === null ? state.warnings : warningsAfterTracks(state, record);
      const known = { ...state, ...active, counts, lastSegment: segment, segmentAt: at, warnings };
      const change = { state: { ...known, fruitless: 0, gapSince: null } };
      const untold = firstTrack !== null && lastActive(state, segmentSize) < segment;
      return withEffects(change, ...(untold ? [HEALTH] : []), { type: 'publish' }, { type: 'changed' });
    },
  },
  zones: {
    from: LIVE,
    to: STAYS,
    apply: (state, message, context) => afterZones(state, message, context) ?? refuseWith('REPEATED'),
  },
  notice: {
    from: STREAMING_STATUSES,
    to: STAYS,
    apply: (state, command) => afterNotice(state, command),
  },
  ended: {
    from: LIVE,
    to: leads(['TERMINATED', 'ERROR'], STOPPED),
    apply(state, { reason, detail }, context) {
      if (state.status === 'CANCELLING') return markCancelled(state, context);
      if (reason === 'ended')
        return over(state, 'TERMINATED', detail === '' ? 'The stream has ended.' : detail, context);
      // The job is not being cancelled, so the cancel was meant for another component.
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
      if (state.status === 'CANCELLING') return markCancelled(state, context);
      return final ? markBroken(state, message, context) : again(state, message, context);
    },
  },
  workLost: {
    from: LIVE,
    to: leads(['INITIALIZING', 'ERROR'], STOPPED),
    apply(state, { reason }, context) {
      if (state.status === 'CANCELLING') return markCancelled(state, context);
      return again(state, reason, context);
    },
  },
  workDropped: {
    from: ['CANCELLING'],
    to: STOPPED,
    apply: (state, _, context) => markCancelled(state, context),
  },
  retry: {
    from: WATCHING,
    to: STAYS,
    apply(state, _, { at, record }) {
      if (state.retryAt === null) return refuseWith('REPEATED');
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

/** The life cycle of a streaming job (specification 3.2). */
export const STREAMING_JOB_MACHINE: Machine<StreamingJobTypes> = {
  initial: INITIAL,
  on: ofThisAttempt(ON),
  statusOf: (state) => (state === INITIAL ? 'NONE' : state.status),
  refuse: (status, { type }) =>
    status === 'NONE' ? 'NO_SUCH_JOB' : type === 'create' ? 'EXISTS' : 'WRONG_STATE',
  conclude: (outcome, before, _, context) =>
    outcome.state === undefined || outcome.gone === true
      ? outcome
      : concludeChange(outcome, outcome.state, before, context),
};

function concludeChange(
  outcome: Change,
  now: StreamingJobState,
  before: StreamingJobState,
  { at, record }: StreamingJobContext,
): Change {
  const change = { ...outcome, index: indexesOf(record, now) };
  if (before === INITIAL) return withLife(change, record, true, at);
  return isEnded(now.status) && !isEnded(before.status) ? withLife(change, record, false, at) : change;
}

/** Refuses messages of a component that another one has replaced. */
function ofThisAttempt(on: Transitions<StreamingJobTypes>): Transitions<StreamingJobTypes> {
  const guarded = Object.entries(on).map(([name, transition]) => [
    name,
    {
      ...transition,
      apply: (state: StreamingJobState, command: never, context: StreamingJobContext) =>
        'attempt' in (command as StreamingJobCommand) &&
        (command as { attempt: number }).attempt !== state.attempt
          ? refuseWith('STALE')
          : transition.apply(state, command, context),
    },
  ]);
  return Object.fromEntries(guarded) as Transitions<StreamingJobTypes>;
}

/** Returns the effects to perform when a job is loaded in this state. */
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
