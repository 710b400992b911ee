/** The deliveries of a job: which are pending, which arrived, which were given up (specification 3.4). */
import type { Attempt, HttpNotice } from '../../delivery/notice.ts';
import type { FailedPost } from '../state/commands.ts';
import { archiveId, callbackId } from './notice-ids.ts';
import type { JobRecord } from '../state/record.ts';
import type { Delivery, JobState } from '../state/state.ts';
import { isTerminal } from '../state/status.ts';

const MAX_FAILURES = 20;
const MAX_TRIED = 20;

/** Returns the first state of deliveries. `open` has one bit for each pending delivery, by its number, so thousands fit in a short text. */
export const startDelivery = (numbers: readonly number[], failures: readonly string[] = []): Delivery => ({
  pending: numbers.length,
  open: numbers.reduce((bits, n) => bits | (1n << BigInt(n)), 0n).toString(16),
  slow: '0',
  failures,
  attempts: 0,
  lastError: null,
  nextAttempt: null,
  tried: [],
});

/** Returns a callback to deliver again, whatever its result so far. Its earlier attempts are kept. */
export const restartDelivery = ({ tried }: Delivery): Delivery => ({ ...startDelivery([0]), tried });

/** A pending notice, and the delivery to which it belongs. */
export interface OpenNotice {
  readonly kind: HttpNotice['kind'];
  readonly delivery: Delivery;
  readonly n: number;
}

/** Returns the pending delivery with this id. Returns undefined if it belongs to an earlier run, has arrived, or was given up. */
export function openNotice(
  record: JobRecord,
  { run, callback, archive }: Pick<JobState, 'run' | 'callback' | 'archive'>,
  id: string,
): OpenNotice | undefined {
  const isCallback = id === callbackId(record, run);
  const kind = isCallback ? 'callback' : 'archive';
  const delivery = isCallback ? callback : archive;
  const n = isCallback ? 0 : Number(id.slice(id.lastIndexOf('.') + 1));
  const known = isCallback || (n < record.media.length && id === archiveId(record, run, n));
  if (delivery === null || !known || ((bitsOf(delivery) >> BigInt(n)) & 1n) === 0n) return undefined;
  return { kind, delivery, n };
}

const bitsOf = ({ open }: Pick<Delivery, 'open'>) => BigInt(`0x${open}`);
const withBit = (bits: string, n: number) => (BigInt(`0x${bits}`) | (1n << BigInt(n))).toString(16);
const withoutBit = (bits: string, n: number) => (BigInt(`0x${bits}`) & ~(1n << BigInt(n))).toString(16);

/** Records an attempt of a callback. */
export function withAttempt(notice: OpenNotice, attempt: Attempt | undefined): OpenNotice {
  const { kind, delivery } = notice;
  if (kind !== 'callback' || attempt === undefined) return notice;
  return { ...notice, delivery: { ...delivery, tried: [...delivery.tried, attempt].slice(-MAX_TRIED) } };
}

/** Removes a delivery from the pending ones. */
export function markArrived({ delivery, n }: OpenNotice): Delivery {
  const pending = delivery.pending - 1;
  const [open, slow] = [withoutBit(delivery.open, n), withoutBit(delivery.slow, n)];
  return { ...delivery, pending, open, slow, nextAttempt: pending === 0 ? null : delivery.nextAttempt };
}

/** Records a failed attempt. If `nextAttempt` is null, it was the last attempt. `isSlow`: the next attempts are far apart. */
export function attemptFailed(
  notice: OpenNotice,
  reason: string,
  nextAttempt: number | null,
  isSlow: boolean,
): Delivery {
  const { delivery, n } = notice;
  const failed = { attempts: delivery.attempts + 1, lastError: reason };
  const slow = isSlow ? withBit(delivery.slow, n) : delivery.slow;
  if (nextAttempt !== null) return { ...delivery, ...failed, slow, nextAttempt };
  const failures = [...delivery.failures, reason].slice(0, MAX_FAILURES);
  return { ...markArrived(notice), ...failed, failures };
}

/**
 * Records that all posts to the archive were sent again. A failed post that is still pending is retried; any other failed one counts
 * as a failure.
 */
export function markReposted(
  record: JobRecord,
  state: Pick<JobState, 'run' | 'callback'> & { readonly archive: Delivery },
  ids: readonly string[],
  failed: readonly FailedPost[],
): Delivery {
  let archive = state.archive;
  for (const id of ids) {
    const notice = openNotice(record, { ...state, archive }, id);
    if (notice !== undefined) archive = markArrived(notice);
  }
  const given = failed.filter(({ id }) => openNotice(record, { ...state, archive }, id) === undefined);
  return { ...archive, failures: given.map(({ reason }) => reason).slice(0, MAX_FAILURES) };
}

/**
 * Returns the status by specification 3.4, as in SingleJobInfo. After its quick attempts, a delivery is shown as failed while slow attempts
 * continue, and as COMPLETE once it arrives. `trouble`: the reason why its receiver accepts nothing.
 */
export function deliveryStatus(
  wanted: boolean,
  status: JobState['status'],
  delivery: Delivery | null,
  trouble?: string,
): string {
  if (!wanted) return 'NOT REQUESTED';
  if (!isTerminal(status)) return 'JOB RUNNING';
  if (delivery === null) return 'IN PROGRESS';
  const { pending, slow, failures, lastError } = delivery;
  if (pending === 0) return failures.length > 0 ? errorOf(failures) : 'COMPLETE';
  if (slow !== '0' && lastError !== null) return errorOf([...failures, lastError]);
  return trouble === undefined ? 'IN PROGRESS' : errorOf([...failures, lastError ?? trouble]);
}

const errorOf = (reasons: readonly string[]) => `ERROR: ${reasons.join('\n\n')}`;
