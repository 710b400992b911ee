/**
 * Requests to a model server: waits for one that is unreachable, retries after errors, and fails at once after invalid
 * answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Properties } from '../../../domain/types.ts';
import { maskUri } from '../../../domain/job/censor.ts';
import { DetectionError, type Waiting } from '../../sdk/detector.ts';
import { countOf } from '../../shared/tracking/settings.ts';
import { withoutKey } from './answers.ts';
import type { Outcome } from './outcome.ts';

/** Settings of COMPONENT_HTTP_RETRY_*. */
export interface Retries {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** Maximum delay of timers. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;
/** Interval of activity reports during a wait. */
const TELL_MS = 1_000;

export function readRetries(properties: Properties): Retries {
  return {
    attempts: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_ATTEMPTS', 10, 1),
    firstDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS', 200, 0),
    maxDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_DELAY_MS', 30_000, 0),
  };
}

/** Reads a workflow property. A component that runs without a workflow does not receive it. */
function orDefault(properties: Properties, name: string, usual: number, least: number): number {
  return properties[name] === undefined ? usual : countOf(properties, name, least);
}

export interface AskedServer extends Retries {
  readonly uri: string;
  /** API key, which errors never contain; empty if the server needs none. */
  readonly token: string;
  /** Maximum wait for an unavailable server. */
  readonly awayMs: number;
}

/** Returns the body of the answer. Throws NETWORK_ERROR with advice, and the reason of the signal. */
export async function patiently<T>(
  once: () => Promise<Outcome<T>>,
  server: AskedServer,
  job: Waiting,
): Promise<T> {
  const { attempts: most, firstDelayMs, maxDelayMs, awayMs: longest } = server;
  let [attempts, delay] = [0, firstDelayMs];
  let awaySince: number | undefined;
  for (;;) {
    job.signal.throwIfAborted();
    const outcome = await tellMeanwhile(job, once);
    if (outcome.kind === 'answer') return outcome.body;
    if (outcome.kind === 'failed') attempts++;
    // A failure shows that the server is available.
    awaySince = outcome.kind === 'away' ? (awaySince ?? performance.now()) : undefined;
    const awayMs = awaySince === undefined ? 0 : performance.now() - awaySince;
    if (outcome.kind === 'final' || attempts >= most || awayMs > longest) throw unusable(server, outcome.why);
    // The wait that a server requests is limited to the maximum wait for an unavailable server.
    const left = Math.max(0, longest - awayMs);
    await wait(Math.max(delay, Math.min(outcome.waitMs ?? 0, left)), job);
    delay = Math.min(delay * 2, maxDelayMs);
  }
}

function unusable({ uri, token }: AskedServer, why: string): DetectionError {
  const message = `The model server ${maskUri(uri)} could not be used: ${why}.`;
  return new DetectionError('NETWORK_ERROR', withoutKey(message, token));
}

/** Runs long work, and reports progress meanwhile. */
async function tellMeanwhile<T>({ working }: Waiting, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => working?.(), TELL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function wait(ms: number, { signal, working }: Waiting): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) {
    await sleep(Math.min(left, TELL_MS), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    working?.();
  }
}
