import type { AdmissionTypes } from './model.ts';

/** What the indexes say of the jobs of all servers that share a store. */
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
 * Whether a new run may begin at once. `coming`: runs that this server has just let in and that may not be in the indexes yet. Each
 * server takes its part of the places that are left, for it does not know whom the others are letting in; when that is used up the run
 * waits, and those that wait are let in by the indexes alone.
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

/** How many of those that wait may begin. */
export const sharedRoom = ({ unended, waiting }: SharedFigures, coming: number, maxLive: number): number =>
  Math.max(0, maxLive - (unended - waiting) - coming);
