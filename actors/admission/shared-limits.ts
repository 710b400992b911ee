import type { AdmissionTypes } from './model.ts';

/** Numbers of jobs of all servers that share a store, from the indexes. */
export interface SharedFigures {
  /** Jobs that have not ended, including those that wait for admission. */
  readonly unended: number;
  readonly waiting: number;
}

export interface SharedLimits {
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** Number of servers that admit jobs. */
  readonly servers: number;
}

/**
 * Decides whether a new run may begin at once. `coming`: number of runs that this server has accepted and that may be missing in the
 * indexes. A server does not know which runs others are accepting, so it uses only its share of the free places. When its share is used
 * up, a run waits. The indexes alone decide when waiting runs are admitted.
 */
export function sharedEntry(
  { unended, waiting }: SharedFigures,
  coming: number,
  { maxLive, maxWaiting, servers }: SharedLimits,
): 'live' | 'waiting' | AdmissionTypes['refusal'] {
  const left = maxLive - (unended - waiting);
  if (waiting === 0 && servers * (coming + 1) <= left) return 'live';
  return waiting < maxWaiting ? 'waiting' : 'FULL';
}

/** Number of waiting jobs that may begin. */
export const sharedRoom = ({ unended, waiting }: SharedFigures, coming: number, maxLive: number): number =>
  Math.max(0, maxLive - (unended - waiting) - coming);
