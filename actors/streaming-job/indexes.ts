import { scopesOf } from '../../domain/users/owner.ts';
import type { Commit } from '../../store/store.ts';
import { isEnded, type StreamingJobRecord, type StreamingJobState } from './state.ts';

/** All streaming jobs, by number. */
export const ALL_STREAMS = 'streaming-jobs';
/** Streaming jobs that are active by specification 4.3: neither TERMINATED nor ERROR nor CANCELLED. */
export const ACTIVE_STREAMS = 'active-streams';
/** Streaming jobs that have not ended, by number. A server reads them at its start. */
export const LIVE_STREAMS = 'live-streams';
/** Streaming jobs that have ended, by the time of their end. */
export const ENDED_STREAMS = 'ended-streams';
/** Deleted streaming jobs whose files may still exist. */
export const REMOVED_STREAMS = 'removed-streams';

const INACTIVE: readonly string[] = ['TERMINATED', 'ERROR', 'CANCELLED'];

/** Returns the entries of a job in the indexes. */
export function indexesOf(
  { number, owner }: Pick<StreamingJobRecord, 'number' | 'owner'>,
  { status, endedAt, removed }: StreamingJobState,
): NonNullable<Commit['index']> {
  const ended = isEnded(status);
  const owned = {
    [ALL_STREAMS]: removed ? null : number,
    [ACTIVE_STREAMS]: removed || INACTIVE.includes(status) ? null : number,
    [LIVE_STREAMS]: ended ? null : number,
  };
  const scoped = scopesOf(owner).flatMap((scope) =>
    Object.entries(owned).map(([name, score]) => [scope + name, score] as const),
  );
  return {
    ...owned,
    ...Object.fromEntries(scoped),
    [ENDED_STREAMS]: ended && !removed ? (endedAt ?? 0) : null,
    [REMOVED_STREAMS]: removed ? number : null,
  };
}
