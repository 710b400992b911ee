/** Changes of a streaming job that several commands share. */
import type { Change, StreamingJobContext } from './context.ts';
import type { StreamingJobEffect } from './effects.ts';
import {
  NO_COUNTS,
  sumOf,
  type ENDED,
  type StreamingJobRecord,
  type StreamingJobState,
  type StreamingStatus,
} from './state.ts';
import { streamItem } from './work.ts';

export const quiet = (state: StreamingJobState): Change => ({ state });

/** Changes the status. Sends no report if the job already has this status. */
export function into(state: StreamingJobState, status: StreamingStatus, detail: string | null): Change {
  const told: readonly StreamingJobEffect[] =
    state.status === status ? [] : [{ type: 'health' }, { type: 'changed' }];
  return { state: { ...state, status, detail }, effects: told };
}

/** Adds effects to a change. */
export function withEffects(change: Change, ...more: readonly StreamingJobEffect[]): Change {
  return { ...change, effects: [...(change.effects ?? []), ...more] };
}

/** Orders the process that watches the stream to stop. Without a process, the stream ends at once. */
export function stop(state: StreamingJobState, context: StreamingJobContext): Change {
  if (state.retryAt !== null) return markCancelled(state, context);
  const work = { withdraw: [streamItem(context.record, state)] };
  return { ...into(state, 'CANCELLING', null), work, synced: true };
}

export function markCancelled(state: StreamingJobState, context: StreamingJobContext): Change {
  if (state.byShutdown)
    return over(state, 'CANCELLED_BY_SHUTDOWN', 'Cancelled because the server was shut down.', context);
  const change = over(state, 'CANCELLED', 'Cancelled by user', context);
  return state.doCleanup ? withEffects(change, { type: 'removeFiles' }) : change;
}

export function over(
  state: StreamingJobState,
  status: (typeof ENDED)[number],
  detail: string,
  { at, record }: StreamingJobContext,
): Change {
  const ended = { ...state, status, detail, endedAt: at, retryAt: null };
  const effects = [{ type: 'health' }, { type: 'changed' }, { type: 'ended' }] as const;
  return { state: ended, effects, work: { settle: [streamItem(record, state).id] } };
}

export function markBroken(state: StreamingJobState, message: string, context: StreamingJobContext): Change {
  const change = over(state, 'ERROR', message, context);
  return { ...change, effects: [{ type: 'errorReport', message }, ...(change.effects ?? [])] };
}

/** Requests another component after a pause, or ends the job after too many components without a segment. */
export function again(state: StreamingJobState, reason: string, context: StreamingJobContext): Change {
  const { at, rules, record } = context;
  const fruitless = state.fruitless + 1;
  if (fruitless >= rules.attempts) {
    const why = `the component ended ${fruitless} times in a row without a segment, at last because of this: ${reason}`;
    return markBroken({ ...state, fruitless }, `Error in component logic: ${why}`, context);
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
  const change = withEffects(into(paused, 'INITIALIZING', detail), { type: 'retryAt', at: retryAt });
  return { ...change, work: { settle: [streamItem(record, state).id] } };
}

/** Returns the start of the gap that a dead component leaves. Frames after its last segment are lost. */
export const missedSince = ({ segmentAt }: StreamingJobState, { createdAt }: StreamingJobRecord) =>
  segmentAt ?? createdAt;

/** Appends details to a text that the reference defines. */
export const sentence = (words: string, more: string) =>
  more === '' || words.includes(more) ? words : `${words.replace(/\.$/, '')}: ${more}`;
