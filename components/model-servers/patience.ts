/** How a server that jobs name is asked: one that is away is waited for, one that answers with errors is asked again, one that answers nonsense is not. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Properties } from '../../domain/types.ts';
import type { Waiting } from '../onnx/runtime.ts';
import { countOf } from '../tracking/settings.ts';

/** What came of one request. `why` is part of a sentence. */
export type Outcome<T> =
  | { readonly kind: 'answer'; readonly body: T }
  | { readonly kind: 'final'; readonly why: string }
  /** `waitMs`: the server asks for a longer wait. */
  | { readonly kind: 'away' | 'failed'; readonly why: string; readonly waitMs?: number };

/** COMPONENT_HTTP_RETRY_*. */
export interface Retries {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

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

/**
 * The body of the answer. A server that is away is waited for, for `awayMs` at most.
 * Errors: what `failure` makes of the last outcome, and the reason of the signal.
 */
export async function patiently<T>(
  once: () => Promise<Outcome<T>>,
  { attempts: most, firstDelayMs, maxDelayMs, awayMs: longest }: Retries & { readonly awayMs: number },
  job: Waiting,
  failure: (why: string) => Error,
): Promise<T> {
  let [attempts, delay] = [0, firstDelayMs];
  let awaySince: number | undefined;
  for (;;) {
    job.signal.throwIfAborted();
    const outcome = await once();
    if (outcome.kind === 'answer') return outcome.body;
    if (outcome.kind === 'failed') attempts++;
    // It is there, if only to fail.
    awaySince = outcome.kind === 'away' ? (awaySince ?? performance.now()) : undefined;
    const awayMs = awaySince === undefined ? 0 : performance.now() - awaySince;
    if (outcome.kind === 'final' || attempts >= most || awayMs > longest) throw failure(outcome.why);
    // However long a server asks to be left alone: nobody waits longer than for one that is away.
    const left = Math.max(0, longest - awayMs);
    await waited(Math.max(delay, Math.min(outcome.waitMs ?? 0, left)), job);
    delay = Math.min(delay * 2, maxDelayMs);
  }
}

/** Does something that may take long, and tells meanwhile that it goes on. */
export async function telling<T>({ working }: Waiting, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => working?.(), TELL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function waited(ms: number, { signal, working }: Waiting): Promise<void> {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) {
    await sleep(Math.min(left, TELL_MS), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    working?.();
  }
}
