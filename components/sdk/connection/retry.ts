/** Retries requests while the server, or a proxy before it, is unreachable or busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AccessError, ProtocolError } from '../failure.ts';
import { OwnDiskError } from '../own-disk.ts';

const FIRST_MS = 200;
const LONGEST_MS = 3_000;
/** Without anybody who says when to give up. */
const RETRIES = 6;

/** A server that starts or is busy, and a proxy before one that is away. */
const MAY_PASS: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the same request may succeed later: all but what the server itself has refused. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ProtocolError ? MAY_PASS.has(error.status) : true;

/** Sends until there is an answer; `until` aborts when nobody needs the answer. */
export async function patiently<T>(send: () => Promise<T>, until?: AbortSignal): Promise<T> {
  for (let attempt = 0, pause = FIRST_MS; ; attempt++, pause = Math.min(2 * pause, LONGEST_MS)) {
    try {
      return await send();
    } catch (error) {
      const isOver = until === undefined ? attempt === RETRIES : until.aborted;
      if (isOver || !mayPass(error)) throw error;
    }
    // Many wait for the same server: they are not to come all at once.
    await sleep(
      pause * (0.5 + Math.random() / 2),
      undefined,
      until === undefined ? {} : { signal: until },
    ).catch(() => undefined);
  }
}

/** What Node says of a connection that broke, or did not come about. */
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

/** This process may not work, or not any longer; the lease is lost; the disk of the server is full. */
const NOT_OURS: ReadonlySet<number> = new Set([401, 403, 409, 507]);

/**
 * Whether the server is unreachable, busy or full, the lease lost, or the access or the disk of this host at fault, so
 * that another process may do the same work later.
 */
export function isTransport(error: unknown): boolean {
  if (error instanceof OwnDiskError || error instanceof AccessError) return true;
  if (error instanceof ProtocolError) return NOT_OURS.has(error.status) || mayPass(error);
  return BROKEN_CONNECTION.has((error as { code?: unknown }).code);
}
