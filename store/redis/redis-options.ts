import type { LeaseSettings } from '../ledger.ts';
import type { RedisLedgerDeps } from './ledger/ledger-deps.ts';

export interface RedisOptions {
  /** As `addressOf` takes it. */
  readonly url: string;
  /** Servers of one prefix share what is stored. */
  readonly prefix?: string;
  /** After so many milliseconds without an answer a call has failed; whether it was carried out is then not known. */
  readonly timeoutMs?: number;
  readonly ledger?: Partial<RedisLedgerDeps>;
  /** Redis has not answered for a second over a connection that is there, or answers again. */
  readonly onSilence?: (isSilent: boolean) => void;
  /** The connection is lost, or is there again. */
  readonly onConnection?: (isConnected: boolean, reason?: Error) => void;
}

const LEASES: LeaseSettings = {
  leaseMs: 15_000,
  silenceMs: 120_000,
  wholeMs: 86_400_000,
  cancelGraceMs: 5_000,
};
/** Servers look after leases each second. */
const GAP_MS = 5_000;
/**
 * What a server may need to find Redis again when its host has vanished: a connection fails after two calls without an answer, a try to
 * connect after one, and between tries are pauses of a second at most.
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
