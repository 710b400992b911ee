import { maskUri } from '../../domain/job/censor.ts';
import type { Failure, Outcome } from '../../egress/request.ts';
import type { OutboxEntry } from '../../store/store.ts';
import type { HttpNotice, NoticeReport } from './notice.ts';
import { CLOSED, type Breaker } from './state.ts';

export interface DeliveryPolicy {
  /** Most requests to one destination at a time. */
  readonly concurrency: number;
  /** Time before a notice is tried again. It doubles with each failure. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Failed attempts of a notice after which it is shown as failed, although attempts continue. */
  readonly quickAttempts: number;
  /** Age above which a notice is given up when an attempt fails or none is possible. */
  readonly giveUpMs: number;
  /** Failures of a receiver in a row after which it is only probed. */
  readonly breakerFailures: number;
  /** Most time between two probes. */
  readonly breakerMaxDelayMs: number;
  /** Number of notices that are read at a time; more than `concurrency`. */
  readonly window: number;
}

/** Largest random reduction of a delay, as a share of it, so that notices that failed together are not retried together. */
const JITTER = 0.2;

/** Longest delay (in milliseconds) for brokers, because their messages describe the current state. */
const BROKER_DELAY_MS = 10_000;

export function policyFor<P extends Pick<DeliveryPolicy, 'maxDelayMs' | 'breakerMaxDelayMs'>>(
  destination: string,
  policy: P,
): P {
  if (!/^mqtts?:/.test(destination)) return policy;
  return {
    ...policy,
    maxDelayMs: Math.min(BROKER_DELAY_MS, policy.maxDelayMs),
    breakerMaxDelayMs: Math.min(BROKER_DELAY_MS, policy.breakerMaxDelayMs),
  };
}

export const noticeOf = ({ body }: Pick<OutboxEntry, 'body'>) => body as HttpNotice;

/** Returns when a delivery is given up, in milliseconds since the epoch. */
export function expiryOf(entry: OutboxEntry, { giveUpMs }: DeliveryPolicy): number {
  return noticeOf(entry).createdAt + giveUpMs;
}

/** Returns the report to the job about an attempt. `jitter` is from 0 to 1. */
export function reportOf(
  entry: OutboxEntry,
  outcome: Outcome,
  at: number,
  jitter: number,
  policy: DeliveryPolicy,
): NoticeReport {
  const { actor: _, ...notice } = entry;
  const { status = null } = outcome;
  if (outcome.kind === 'sent')
    return { type: 'noticeSent', id: entry.id, attempt: { at, status, error: null } };
  const body = noticeOf(entry);
  const due = at + delayOf(body.attempts, outcome, jitter, policy);
  const attempts = body.attempts + 1;
  const givenUp = outcome.final || due >= expiryOf(entry, policy);
  const slow = !givenUp && attempts >= policy.quickAttempts;
  return {
    type: 'noticeFailed',
    id: entry.id,
    reason: failureText(body, outcome.reason),
    next: givenUp ? null : { ...notice, due, body: { ...body, attempts } },
    attempt: { at, status, error: outcome.reason },
    ...(slow ? { slow } : {}),
  };
}

/** Returns the report to the job about a delivery that was given up because of its age, while its receiver failed. */
export function givenUp(entry: OutboxEntry, at: number, { reason }: Breaker): NoticeReport {
  const body = noticeOf(entry);
  const age = `it could not be delivered within ${Math.round((at - body.createdAt) / 1_000)} s`;
  const why = reason === '' ? age : `${age}; of the last attempt at its receiver: ${reason}`;
  return { type: 'noticeFailed', id: entry.id, reason: failureText(body, why), next: null };
}

/** Returns a delay in whole milliseconds, at most the longest delay even if the receiver asks for more. */
function delayOf(attempts: number, { retryAfterMs = 0 }: Failure, jitter: number, policy: DeliveryPolicy) {
  const backOff = Math.min(policy.firstDelayMs * 2 ** attempts, policy.maxDelayMs) * (1 - JITTER * jitter);
  return Math.ceil(Math.min(Math.max(backOff, retryAfterMs), policy.maxDelayMs));
}

/** Returns the text of callbackStatus and archiveStatus after `ERROR: ` (specification 2.2). */
export function failureText(
  { kind, method, url }: Pick<HttpNotice, 'kind' | 'method' | 'url'>,
  reason: string,
): string {
  const address = maskUri(url);
  if (kind === 'mqtt') return `Publishing to the broker ${address} failed due to: ${reason}`;
  const what = kind === 'callback' ? `callback to "${address}"` : `to the archive (${address})`;
  return `Sending HTTP ${method} ${what} failed due to: ${reason}`;
}

/**
 * Returns why a receiver accepts no requests, after as many failed probes as a callback has quick attempts. Returns undefined before that.
 * Callbacks of such a receiver wait, most of them without attempts.
 */
export function lastingTrouble({ open, reason }: Breaker, policy: DeliveryPolicy): string | undefined {
  return open !== null && open.probes + 1 >= policy.quickAttempts ? reason : undefined;
}

/** Returns the circuit breaker after an attempt. The failure of an attempt that began before the breaker opened does not count. */
export function breakerAfter(
  breaker: Breaker,
  probe: boolean,
  outcome: Outcome,
  at: number,
  { breakerFailures, firstDelayMs, breakerMaxDelayMs }: DeliveryPolicy,
): Breaker {
  if (outcome.kind === 'failed' && outcome.trouble === 'service') return breaker;
  // Any response shows that the receiver works, even if it refused this request.
  if (outcome.kind === 'sent' || outcome.trouble === 'request') return CLOSED;
  const { reason } = outcome;
  const failures = breaker.failures + 1;
  if (breaker.open === null && failures < breakerFailures) return { failures, reason, open: null };
  if (breaker.open !== null && !probe) return { ...breaker, reason };
  const probes = breaker.open === null ? 0 : breaker.open.probes + 1;
  const probeAt = at + Math.min(firstDelayMs * 2 ** probes, breakerMaxDelayMs);
  return { failures, reason, open: { probeAt, probes } };
}
