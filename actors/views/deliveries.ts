/** The callbacks of batch jobs with their delivery attempts, read from the jobs. */
import { maskUri } from '../../domain/job/censor.ts';
import { isSeen, type Sight } from '../../domain/users/owner.ts';
import { localIso } from '../../results/local-iso.ts';
import type { IndexEntry, Store } from '../../store/store.ts';
import { deliveryId } from '../batch-job/completion/notice-ids.ts';
import { jobOfDelivery } from '../job-service/delivered-job.ts';
import {
  deliveriesOf,
  DELIVERY_STATES,
  deliveryStateOf,
  type DeliveryState,
} from '../batch-job/state/indexes.ts';
import type { BatchJobStatus } from '../batch-job/state/status.ts';
import { readableJob, storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import { destinationOf } from '../delivery/notice.ts';

export { jobOfDeliveryId } from '../job-service/delivered-job.ts';

export interface ShownDelivery {
  /** The webhook-id of each attempt. */
  readonly id: string;
  readonly jobId: string;
  readonly state: DeliveryState;
  readonly method: 'GET' | 'POST';
  /** Without passwords and tokens. */
  readonly url: string;
  readonly jobStatus: BatchJobStatus;
  /** The end of the job: ISO 8601. */
  readonly createdAt: string;
  /** The last attempts, oldest first. */
  readonly attempts: readonly ShownAttempt[];
  /** ISO 8601. Null if no attempt is planned, or if the first one is due. */
  readonly nextAttempt: string | null;
}

interface ShownAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
}

export interface DeliveryQuery {
  /** Maximum number of deliveries in a page. */
  readonly limit: number;
  /** End of the previous page. */
  readonly before: DeliveryCursor | undefined;
  readonly state: DeliveryState | undefined;
  /** A host, with or without port, or an origin. */
  readonly receiver: string | undefined;
  /** The number of a job. */
  readonly job: number | undefined;
  /** The users whose jobs the reader sees. */
  readonly sight: Sight;
}

export interface DeliveryCursor {
  /** The end of the job, in milliseconds since the epoch. */
  readonly score: number;
  readonly number: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly ShownDelivery[];
  /** Null on the last page. */
  readonly next: DeliveryCursor | null;
}

/** Number of jobs after which a page ends, however few of them match. */
const MAX_SCANNED = 1_000;
/** Number of jobs after which the loop yields to the event loop. */
const TURN = 20;

/** A page of deliveries, the last ended jobs first. */
export async function listDeliveries(store: Store, query: DeliveryQuery): Promise<DeliveryPage> {
  const { job: number, limit } = query;
  if (number !== undefined) return { deliveries: shownIf(await storedJob(store, number), query), next: null };
  const wanted = query.receiver === undefined && query.sight === 'ALL' ? limit + 1 : MAX_SCANNED;
  const entries = await entriesOf(store, query, wanted);
  const deliveries: ShownDelivery[] = [];
  for (const [n, { id }] of entries.entries()) {
    if (deliveries.length === limit) return { deliveries, next: cursorOf(entries[n - 1]!) };
    if (n % TURN === TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    deliveries.push(...shownIf(await readableJob(store, Number(id)), query));
  }
  const last = entries.at(-1);
  return { deliveries, next: entries.length < wanted || last === undefined ? null : cursorOf(last) };
}

/** One delivery. Returns undefined if there is none with this id, or if the job has run again since. */
export async function deliveryOf(store: Store, id: string, sight: Sight): Promise<ShownDelivery | undefined> {
  const found = await jobOfDelivery(store, id);
  return found === undefined || !isSeen(found.record.owner, sight) ? undefined : shownDelivery(found);
}

/** The first entries of the indexes together, each job once. */
async function entriesOf(
  store: Store,
  { state, before }: DeliveryQuery,
  wanted: number,
): Promise<readonly IndexEntry[]> {
  const after = before === undefined ? {} : { after: { score: before.score, id: String(before.number) } };
  const names = (state === undefined ? DELIVERY_STATES : [state]).map(deliveriesOf);
  const pages = await Promise.all(
    names.map((name) => store.list(name, { limit: wanted, descending: true, ...after })),
  );
  const byJob = new Map(pages.flat().map((entry) => [entry.id, entry]));
  return [...byJob.values()].toSorted((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1)).slice(0, wanted);
}

const cursorOf = ({ score, id }: IndexEntry): DeliveryCursor => ({ score, number: Number(id) });

function shownIf(job: StoredJob | undefined, query: DeliveryQuery): readonly ShownDelivery[] {
  const isHidden = job === undefined || !isSeen(job.record.owner, query.sight);
  const shown = isHidden ? undefined : shownDelivery(job);
  return shown === undefined || !fits(shown, query) ? [] : [shown];
}

function fits({ state, url }: ShownDelivery, query: DeliveryQuery): boolean {
  if (query.state !== undefined && state !== query.state) return false;
  if (query.receiver === undefined) return true;
  const { host, hostname } = new URL(url);
  return [host, hostname, destinationOf(url)].includes(query.receiver.toLowerCase());
}

function shownDelivery({ record, snapshot }: StoredJob): ShownDelivery | undefined {
  const { callback, run, status, endedAt, startedAt } = snapshot;
  const state = deliveryStateOf(callback);
  if (record.callback === undefined || callback === null || state === undefined) return undefined;
  const { nextAttempt, tried } = callback;
  return {
    id: deliveryId(record, run),
    jobId: record.jobId,
    state,
    method: record.callback.method,
    url: maskUri(record.callback.url),
    jobStatus: status,
    createdAt: localIso(endedAt ?? startedAt),
    attempts: tried.map((attempt) => ({ ...attempt, at: localIso(attempt.at) })),
    nextAttempt: nextAttempt === null ? null : localIso(nextAttempt),
  };
}
