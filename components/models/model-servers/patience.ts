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

/** COMPONENT_HTTP_RETRY_*. */
export interface Retries {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The longest that timers can wait. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;
/** How often somebody who waits tells that it goes on. */
const TELL_MS = 1_000;

export function readRetries(properties: Properties): Retries {
  return {
    attempts: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_ATTEMPTS', 10, 1),
    firstDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS', 200, 0),
    maxDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_DELAY_MS', 30_000, 0),
  };
}

/** Properties of the workflow, which a component that is asked by itself is not given. */
function orDefault(properties: Properties, name: string, usual: number, least: number): number {
  return properties[name] === undefined ? usual : countOf(properties, name, least);
}

export interface AskedServer extends Retries {
  readonly uri: string;
  /** Its key, which no error tells; empty: it wants none. */
  readonly token: string;
  /** How long one that is away is waited for. */
  readonly awayMs: number;
}

/** The body of the answer. Errors: NETWORK_ERROR with what to do, and the reason of the signal. */
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
    // It is there, if only to fail.
    awaySince = outcome.kind === 'away' ? (awaySince ?? performance.now()) : undefined;
    const awayMs = awaySince === undefined ? 0 : performance.now() - awaySince;
    if (outcome.kind === 'final' || attempts >= most || awayMs > longest) throw unusable(server, outcome.why);
    // However long a server asks to be left alone: nobody waits longer than for one that is away.
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
