/** The rules of leases: pure, and the same for every ledger. */
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
    // A live stream has no time limit.
    wholeUntil: item.kind === 'STREAM' ? Infinity : at + settings.wholeMs,
    done: 0,
    total: 0,
    cancelled: false,
    killAt: null,
  };
}

/** Cancels a lease. The component learns it with its next heartbeat. If it does not stop in time, its lease ends. */
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
    // The answer to this heartbeat tells the component to stop. Its time to do so starts now.
    killAt: lease.killAt === null ? null : Math.min(lease.killAt, at + settings.cancelGraceMs),
    begun: true,
  };
}

/**
 * Extends a lease because its worker sent a heartbeat for another of its items. `moved` is true if that item made progress. Progress
 * does not count for an item that the worker has not begun, because the worker may not know this item.
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

/** Bytes of an answer extend the lease and count as progress. */
export const noteArrival = (lease: Lease, at: number, { leaseMs, silenceMs }: LeaseSettings): Lease => ({
  ...lease,
  leaseUntil: at + leaseMs,
  silentUntil: at + silenceMs,
});

/** The answer is complete, so the lease expects no further progress. */
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
 * True if the worker may not know this lease: it makes progress with other items and has not begun this one. The response to its
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
