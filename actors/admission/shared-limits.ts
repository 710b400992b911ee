import type { AdmissionTypes } from './model.ts';

/** What the indexes say about the jobs of all servers that share a store. */
export interface SharedFigures {
  /** Jobs that are not over, those that wait for admission among them. */
  readonly unended: number;
  readonly waiting: number;
}

export interface SharedLimits {
  readonly maxLive: number;
  readonly maxWaiting: number;
  /** How many servers let jobs in. */
  readonly servers: number;
}

/**
 * Whether a new run may begin at once. `coming`: runs that this server has accepted and that may not be in the indexes yet. A server
 * does not know which runs others are accepting, so it uses only its share of the free places. When its share is used up, a run waits;
 * waiting runs are admitted by the indexes alone.
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

/** How many of the waiting jobs may begin. */
export const sharedRoom = ({ unended, waiting }: SharedFigures, coming: number, maxLive: number): number =>
  Math.max(0, maxLive - (unended - waiting) - coming);
