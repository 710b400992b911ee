import type { LeaseSettings } from '../ledger.ts';
import type { RedisLedgerDeps } from './ledger/ledger-deps.ts';

export interface RedisOptions {
  /** URL in the forms of `addressOf`. */
  readonly url: string;
  /** Prefix of all keys. Servers with the same prefix share their data. */
  readonly prefix?: string;
  /** Timeout of a call in milliseconds. Redis may have executed a call that timed out. */
  readonly timeoutMs?: number;
  readonly ledger?: Partial<RedisLedgerDeps>;
  /** Reports that Redis has not answered for a second over an open connection, or answers again. */
  readonly onSilence?: (isSilent: boolean) => void;
  /** Reports that the connection is lost or restored. */
  readonly onConnection?: (isConnected: boolean, reason?: Error) => void;
}

const LEASES: LeaseSettings = {
  leaseMs: 15_000,
  silenceMs: 120_000,
  wholeMs: 86_400_000,
  cancelGraceMs: 5_000,
};
/** Time without a check of leases after which all leases are extended. Servers check leases each second. */
const GAP_MS = 5_000;
/**
 * A server may need these times to connect again after the host of Redis has vanished. A connection fails after two calls without an
 * answer and an attempt to connect after one. Pauses between attempts are at most one second.
 */
const CALLS_TO_RETURN = 3;
const PAUSES_MS = 2_000;

export const ledgerDefaults = (timeoutMs: number): Omit<RedisLedgerDeps, 'server'> => ({
  settings: LEASES,
  now: () => performance.now(),
  gapMs: GAP_MS,
  lostMs: timeoutMs,
  returnMs: CALLS_TO_RETURN * timeoutMs + PAUSES_MS,
});
