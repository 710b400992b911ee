import { queueOf, readLane, type Lane } from '../../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import type { Lease, WorkStatus } from '../../../store/ledger.ts';
import { allEntries, type Store } from '../../../store/store.ts';
import { WAITING_JOBS } from '../../batch-job/state/indexes.ts';
import type { Clock } from '../../basics/clock.ts';
import type { StoredJob } from '../../batch-job/state/stored-job.ts';

/**
 * Reasons to wait: admission, an archive query, a transfer between hosts, a pause by an operator, a component that does not run, or earlier
 * work in the queue.
 */
export const WAIT_KINDS = ['ADMISSION', 'ARCHIVE', 'TRANSFER', 'PAUSED', 'COMPONENT', 'QUEUE'] as const;
type WaitKind = (typeof WAIT_KINDS)[number];

/** Why no sub-job of a live job runs. */
export interface WaitingFor {
  readonly kind: WaitKind;
  /** A sentence for users. */
  readonly reason: string;
  /** The queue of its next sub-job, as named in GET /rest/queues. */
  readonly queue?: string;
  /** Position in the queue, from 1. */
  readonly position?: number;
  /** The service of that queue. */
  readonly service?: string;
}

export interface WaitingDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The name under which clients know a queue. */
  nameOf(queue: string): string;
  /** Name of the service of a queue, if it is known. */
  serviceOf(queue: string): string | undefined;
  /** Why a queue is paused. Undefined if it is not. */
  pauseReason(queue: string): string | undefined;
  /** Why no component takes work from a queue. Undefined if one does. */
  idleReason(queue: string): string | undefined;
  /** Names of draining nodes and processes of a service. '' if there are none. */
  drainingFor(service: string | undefined): string;
}

/** Time for which the read order of jobs that wait for admission is reused. */
const LINE_MS = 500;

/** Finds why jobs wait. It reads what all jobs share (the queue for admission) only once. */
export class WaitingReasons {
  readonly #deps: WaitingDeps;
  #line: { readonly seen: number; readonly positions: Promise<ReadonlyMap<string, number>> } | undefined;

  constructor(deps: WaitingDeps) {
    this.#deps = deps;
  }

  /** Returns undefined for an ended job, and for a job with running sub-jobs. */
  async of({ record, snapshot }: StoredJob, work: WorkStatus | undefined): Promise<WaitingFor | undefined> {
    const stage = snapshot.stage.name;
    if (stage === 'ENDED') return undefined;
    if (stage === 'WAITING') return this.#forAdmission(String(record.number));
    if (stage === 'CHECK')
      return { kind: 'ARCHIVE', reason: 'The archive is searched for an equal earlier job.' };
    if (work === undefined) return undefined;
    return work.leases.length > 0 ? this.#forTransfers(work.leases) : this.#inQueue(work.ahead);
  }

  async #forAdmission(jobNumber: string): Promise<WaitingFor> {
    const reason = 'As many jobs as the server runs at a time (MAX_LIVE_JOBS) are in progress.';
    const position = (await this.#positions()).get(jobNumber);
    return { kind: 'ADMISSION', reason, ...(position === undefined ? {} : { position }) };
  }

  /** Returns undefined if other sub-jobs of the job run, too. */
  #forTransfers(leases: readonly Lease[]): WaitingFor | undefined {
    const lanes = leases.map(({ item }) => readLane(item.queue));
    const [first] = leases;
    const [lane] = lanes;
    if (first === undefined || lane === undefined || lanes.includes(undefined)) return undefined;
    return { kind: 'TRANSFER', reason: transferReason(lane, first), queue: this.#deps.nameOf(lane.queue) };
  }

  /** Of several queues, the one with the best position. */
  #inQueue(places: ReadonlyMap<string, number>): WaitingFor | undefined {
    const [first] = [...places].toSorted(([, a], [, b]) => a - b);
    if (first === undefined) return undefined;
    const [queue, ahead] = first;
    const known = queueOf(queue);
    const service = this.#deps.serviceOf(known);
    return {
      ...this.#reasonInQueue(queue, ahead, service),
      queue: this.#deps.nameOf(queue),
      position: ahead + 1,
      ...(service === undefined ? {} : { service }),
    };
  }

  #reasonInQueue(
    queue: string,
    ahead: number,
    service: string | undefined,
  ): Pick<WaitingFor, 'kind' | 'reason'> {
    const { pauseReason, idleReason, drainingFor } = this.#deps;
    const known = queueOf(queue);
    const paused = pauseReason(known);
    const idle = paused ?? idleReason(known);
    const draining = drainNote(drainingFor(service));
    if (idle !== undefined)
      return {
        kind: paused === undefined ? 'COMPONENT' : 'PAUSED',
        reason: `No component processes its sub-jobs now: ${idle}.${draining}`,
      };
    const lane = readLane(queue);
    const next = lane === undefined ? comesAfter(ahead) : transferReason(lane);
    return { kind: lane === undefined ? 'QUEUE' : 'TRANSFER', reason: `${next}${draining}` };
  }

  #positions(): Promise<ReadonlyMap<string, number>> {
    const now = this.#deps.clock.steady();
    if (this.#line === undefined || now - this.#line.seen > LINE_MS)
      this.#line = { seen: now, positions: this.#readLine() };
    return this.#line.positions;
  }

  async #readLine(): Promise<ReadonlyMap<string, number>> {
    const positions = new Map<string, number>();
    for await (const { id } of allEntries(this.#deps.store, WAITING_JOBS))
      positions.set(id, positions.size + 1);
    return positions;
  }
}

const drainNote = (draining: string) =>
  draining === '' ? '' : ` These are draining and take no new work: ${draining}.`;

function comesAfter(ahead: number): string {
  if (ahead === 0) return 'Its next sub-job is handed out as soon as a process of the component is free.';
  return ahead === 1
    ? '1 sub-job of another job is handed out before its next one.'
    : `${ahead} sub-jobs of other jobs are handed out before its next one.`;
}

const TRANSFERS: Readonly<Record<string, string>> = {
  [MEDIA_QUEUES.DOWNLOAD]: 'download from',
  [MEDIA_QUEUES.UPLOAD]: 'upload to',
  [MEDIA_QUEUES.COPY]: 'copy of the results to',
};

function transferReason({ queue, host }: Lane, { done, total } = { done: 0, total: 0 }): string {
  const far = total > 0 ? `: ${megabytes(Math.min(done, total))} of ${megabytes(total)} MB` : '';
  return `Waiting for the ${TRANSFERS[queue]} ${host}${far}.`;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
