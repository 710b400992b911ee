import { maskUri } from '../../domain/job/censor.ts';
import type { Failure, Outcome } from '../../egress/request.ts';
import type { OutboxEntry } from '../../store/store.ts';
import type { HttpNotice, NoticeReport } from './notice.ts';
import { CLOSED, type Breaker } from './state.ts';

export interface DeliveryPolicy {
  /** Requests to one destination at a time. */
  readonly concurrency: number;
  /** Time before a notice is tried again; doubles with each failure. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Failed attempts of a notice after which it is shown as failed, though it is tried on. */
  readonly quickAttempts: number;
  /** A notice that is older is given up when an attempt fails, or when none can be made. */
  readonly giveUpMs: number;
  /** Failures in a row of a receiver in trouble, after which it is only probed. */
  readonly breakerFailures: number;
  /** Between two probes. */
  readonly breakerMaxDelayMs: number;
  /** Notices that are read at a time; more than `concurrency`. */
  readonly window: number;
}

/** Up to this share of a delay is taken off by chance, so that notices which failed together do not come back together. */
const JITTER = 0.2;

/** A broker that is back gets its messages after so long (milliseconds) at the latest: they say how things are now. */
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

/** When a delivery is given up: milliseconds since the epoch. */
export function expiryOf(entry: OutboxEntry, { giveUpMs }: DeliveryPolicy): number {
  return noticeOf(entry).createdAt + giveUpMs;
}

/** The report to the job about an attempt. `jitter` is from 0 to 1. */
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

/** The report to the job about a delivery that was given up by age while its receiver failed. */
export function givenUp(entry: OutboxEntry, at: number, { reason }: Breaker): NoticeReport {
  const body = noticeOf(entry);
  const age = `it could not be delivered within ${Math.round((at - body.createdAt) / 1_000)} s`;
  const why = reason === '' ? age : `${age}; of the last attempt at its receiver: ${reason}`;
  return { type: 'noticeFailed', id: entry.id, reason: failureText(body, why), next: null };
}

/** Milliseconds; whole, at most the longest delay, whatever the receiver wishes. */
function delayOf(attempts: number, { retryAfterMs = 0 }: Failure, jitter: number, policy: DeliveryPolicy) {
  const backOff = Math.min(policy.firstDelayMs * 2 ** attempts, policy.maxDelayMs) * (1 - JITTER * jitter);
  return Math.ceil(Math.min(Math.max(backOff, retryAfterMs), policy.maxDelayMs));
}

/** The texts of callbackStatus and archiveStatus after `ERROR: ` (specification 2.2). */
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
 * Why a receiver accepts nothing, after as many failed probes as a callback has quick attempts; undefined before that. Its callbacks wait,
 * most of them without attempts.
 */
export function lastingTrouble({ open, reason }: Breaker, policy: DeliveryPolicy): string | undefined {
  return open !== null && open.probes + 1 >= policy.quickAttempts ? reason : undefined;
}

/** The circuit breaker after an attempt. The failure of an attempt that began before the breaker opened does not count. */
export function breakerAfter(
  breaker: Breaker,
  probe: boolean,
  outcome: Outcome,
  at: number,
  { breakerFailures, firstDelayMs, breakerMaxDelayMs }: DeliveryPolicy,
): Breaker {
  if (outcome.kind === 'failed' && outcome.trouble === 'service') return breaker;
  // Whoever answers is well, whatever the answer to this one request is.
  if (outcome.kind === 'sent' || outcome.trouble === 'request') return CLOSED;
  const { reason } = outcome;
  const failures = breaker.failures + 1;
  if (breaker.open === null && failures < breakerFailures) return { failures, reason, open: null };
  if (breaker.open !== null && !probe) return { ...breaker, reason };
  const probes = breaker.open === null ? 0 : breaker.open.probes + 1;
  const probeAt = at + Math.min(firstDelayMs * 2 ** probes, breakerMaxDelayMs);
  return { failures, reason, open: { probeAt, probes } };
}
