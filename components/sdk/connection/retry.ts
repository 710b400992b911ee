/** Retries requests while the server, or a proxy before it, is unreachable or busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AccessError, ProtocolError } from '../failure.ts';
import { OwnDiskError } from '../own-disk.ts';

const FIRST_MS = 200;
const LONGEST_MS = 3_000;
/** Maximum number of retries without an abort signal. */
const RETRIES = 6;

/** Status of a starting or busy server, or of a proxy before an unavailable one. */
const MAY_PASS: ReadonlySet<number> = new Set([502, 503, 504]);

/** True if the same request may succeed later: for all errors except refusals by the server. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ProtocolError ? MAY_PASS.has(error.status) : true;

/** Sends until there is an answer. `until` aborts when the answer is no longer needed. */
export async function patiently<T>(send: () => Promise<T>, until?: AbortSignal): Promise<T> {
  for (let attempt = 0, pause = FIRST_MS; ; attempt++, pause = Math.min(2 * pause, LONGEST_MS)) {
    try {
      return await send();
    } catch (error) {
      const isOver = until === undefined ? attempt === RETRIES : until.aborted;
      if (isOver || !mayPass(error)) throw error;
    }
    // Random, because many processes wait for the same server and must not all retry at once.
    await sleep(
      pause * (0.5 + Math.random() / 2),
      undefined,
      until === undefined ? {} : { signal: until },
    ).catch(() => undefined);
  }
}

/** Node's error codes of connections that broke or failed to open. */
const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Status codes: this process may not work, or not any longer; the lease is lost; the server's disk is full. */
const NOT_OURS: ReadonlySet<number> = new Set([401, 403, 409, 507]);

/**
 * True if another process can do the same work later: the server is unreachable, busy or full, the lease is lost, or the access or disk of
 * this host failed.
 */
export function isTransport(error: unknown): boolean {
  if (error instanceof OwnDiskError || error instanceof AccessError) return true;
  if (error instanceof ProtocolError) return NOT_OURS.has(error.status) || mayPass(error);
  return BROKEN_CONNECTION.has((error as { code?: unknown }).code);
}
