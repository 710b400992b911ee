/** The rules of leases: pure, the same for every ledger. */
import type { Lease, LeaseSettings, WorkItem } from './ledger.ts';

/** Why a lease ended without an answer. */
export type Expiry = 'lease' | 'silence' | 'whole' | 'cancelled';

export function newLease(
  token: string,
  item: WorkItem,
  worker: string,
  at: number,
  settings: LeaseSettings,
): Lease {
  return {
    token,
    item,
    worker,
    startedAt: at,
    leaseUntil: at + settings.leaseMs,
    silentUntil: at + settings.silenceMs,
    // A live stream goes on for as long as it is wanted.
    wholeUntil: item.kind === 'STREAM' ? Infinity : at + settings.wholeMs,
    done: 0,
    total: 0,
    cancelled: false,
    killAt: null,
  };
}

/** Cancels a lease. The component learns it with its next heartbeat; without one, it is killed soon after. */
export function markCancelled(lease: Lease, at: number, settings: LeaseSettings): Lease {
  return { ...lease, cancelled: true, killAt: lease.killAt ?? at + 2 * settings.cancelGraceMs };
}

/** Moves all deadlines of a lease by `ms`. */
export function postpone(lease: Lease, ms: number): Lease {
  return {
    ...lease,
    leaseUntil: lease.leaseUntil + ms,
    silentUntil: lease.silentUntil + ms,
    wholeUntil: lease.wholeUntil + ms,
    killAt: lease.killAt === null ? null : lease.killAt + ms,
  };
}

/**
 * A heartbeat extends the lease. Only growing progress extends the time without progress, because a component that hangs may still
 * send heartbeats.
 */
export function beat(
  lease: Lease,
  progress: { done: number; total: number },
  at: number,
  settings: LeaseSettings,
): Lease {
  const moved = progress.done > lease.done;
  return {
    ...lease,
    leaseUntil: at + settings.leaseMs,
    silentUntil: moved ? at + settings.silenceMs : lease.silentUntil,
    done: Math.max(lease.done, progress.done),
    total: Math.max(lease.total, progress.total),
    // The answer to this heartbeat tells the component to stop; from now on its time to do so runs.
    killAt: lease.killAt === null ? null : Math.min(lease.killAt, at + settings.cancelGraceMs),
    begun: true,
  };
}

/**
 * Its worker sent a heartbeat for another of its items, with progress or not (`moved`). Progress does not count for an item that the
 * worker has not begun, because it may not know of it.
 */
export const beatBeside = (
  lease: Lease,
  moved: boolean,
  at: number,
  { leaseMs, silenceMs }: LeaseSettings,
): Lease => ({
  ...lease,
  leaseUntil: at + leaseMs,
  silentUntil: moved && lease.begun === true ? at + silenceMs : lease.silentUntil,
});

/** Bytes of its answer are a sign of life, and progress. */
export const noteArrival = (lease: Lease, at: number, { leaseMs, silenceMs }: LeaseSettings): Lease => ({
  ...lease,
  leaseUntil: at + leaseMs,
  silentUntil: at + silenceMs,
});

/** The answer is complete, so there is no further progress to wait for. */
export const markAnswered = (lease: Lease, answer?: string): Lease => ({
  ...lease,
  silentUntil: Infinity,
  ...(answer === undefined ? {} : { answer }),
});

export function expiryOf(lease: Lease, at: number): Expiry | null {
  if (lease.killAt !== null && at >= lease.killAt) return 'cancelled';
  if (at >= lease.leaseUntil) return 'lease';
  if (at >= lease.silentUntil) return 'silence';
  if (at >= lease.wholeUntil) return 'whole';
  return null;
}

/**
 * Whether the worker may not know of this lease: it makes progress with others and has not begun this one, so the response to its
 * claim may be lost.
 */
export const isUnheardOf = (lease: Lease, besides: readonly Lease[], at: number): boolean =>
  lease.begun !== true &&
  expiryOf(lease, at) === 'silence' &&
  besides.some(({ leaseUntil, silentUntil }) => at < leaseUntil && at < silentUntil);

export function expiryReason(expiry: Expiry, settings: LeaseSettings): string {
  switch (expiry) {
    case 'lease':
      return `no heartbeat for ${settings.leaseMs} ms`;
    case 'silence':
      return `no progress for ${settings.silenceMs} ms`;
    case 'whole':
      return `not done after ${settings.wholeMs} ms`;
    case 'cancelled':
      return `did not stop within ${settings.cancelGraceMs} ms of being cancelled`;
  }
}
