/** Runs operations: finds their jobs page by page, and processes them batch by batch. */
import type { Logger } from '../../config/logger.ts';
import { withLock, type ClusterLocks } from '../../store/cluster-locks.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { isTransient, DeliveryError } from '../basics/errors.ts';
import { jobIdOf } from '../../domain/job/job-id.ts';
import { readableJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import type { Family } from '../runtime/system.ts';
import { findJobs } from '../views/jobs/job-list.ts';
import { entryOf, NO_SUCH_JOB, type Acted, type ActionDeps, type Reason } from './actions.ts';
import { mayChange, maySee } from './rights.ts';
import {
  chunkKey,
  handledOf,
  isEnded,
  MAX_OPERATION_JOBS,
  OPERATION,
  type JobOutcome,
  type OperationCommand,
  type OperationReply,
  type OperationState,
  type PendingJob,
} from './state.ts';
import { storedOperation, type StoredOperation } from './stored-operation.ts';

export interface RunnerDeps extends ActionDeps {
  readonly store: Store;
  readonly operations: Family<OperationCommand, OperationReply>;
  readonly locks: ClusterLocks;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Number of jobs that an operation processes between two of its commits. */
  readonly batch: number;
  /** Host name in the job ids of this server. */
  readonly jobIdHost: string;
}

/** A batch is this many times larger in a dry run, which changes nothing. */
const DRY_FACTOR = 10;
/** Number of jobs processed at the same time. Their commits share one sync of the disk. */
const AT_A_TIME = 8;
/** Number of jobs in a page of a filter query. */
const PAGE = 1_000;
/** Time without a sign of life of the server that runs an operation, after which another server continues the operation. */
const LOCK_MS = 15_000;
/** Shortest and longest pause while the server accepts no more jobs. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Attempts per job, after which the job is refused, and per operation, after which it ends with ERROR. */
const ATTEMPTS = 5;

/** State of an operation that this server runs. */
interface Course {
  readonly stop: AbortController;
  /** The row read last. */
  row: { readonly chunk: number; readonly jobs: readonly number[] } | undefined;
  pauseMs: number;
  /** Number of failures by job. */
  readonly failures: Map<number, number>;
}

export class OperationRunner {
  readonly #deps: RunnerDeps;
  readonly #courses = new Map<number, Course>();
  /** Number of times each operation could not be continued. */
  readonly #failures = new Map<number, number>();
  #closed = false;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Runs the operation until it ends, unless it is already running here. After a failure, the next check continues it. */
  drive(number: number): void {
    if (this.#closed || this.#courses.has(number)) return;
    const { locks, clock, logger } = this.#deps;
    const course: Course = { stop: new AbortController(), row: undefined, pauseMs: 0, failures: new Map() };
    this.#courses.set(number, course);
    void withLock(locks, clock, `operation/${number}`, LOCK_MS, () => this.#carryOut(number, course))
      .catch((error: unknown) => this.#afterEnd(number, error))
      .catch((err: unknown) => logger.warn({ err, operation: number }, 'could not end an operation'))
      .finally(() => this.#courses.delete(number));
  }

  /** Stops the run after the current job, because the operation was cancelled. */
  stop(number: number): void {
    this.#courses.get(number)?.stop.abort();
  }

  /** The server stops. Running operations continue at the next start. */
  close(): void {
    this.#closed = true;
    for (const { stop } of this.#courses.values()) stop.abort();
  }

  /** The next check continues the operation. An operation that fails ATTEMPTS times for its own reasons ends with ERROR. */
  async #afterEnd(number: number, err: unknown): Promise<void> {
    if (this.#closed) return;
    this.#deps.logger.warn({ err, operation: number }, 'could not continue an operation');
    if (isTransient(err) || err instanceof DeliveryError) return;
    const failures = (this.#failures.get(number) ?? 0) + 1;
    this.#failures.set(number, failures);
    if (failures < ATTEMPTS) return;
    this.#failures.delete(number);
    const message = err instanceof Error ? err.message : String(err);
    await this.#ask(number, { type: 'fail', message: `The operation failed: ${message}` });
  }

  async #carryOut(number: number, course: Course): Promise<void> {
    while (!this.#closed) {
      const operation = await storedOperation(this.#deps.store, number);
      if (
        operation === undefined ||
        operation.state.status === 'RECEIVING' ||
        isEnded(operation.state.status)
      )
        return;
      if (operation.state.status === 'MATCHING') await this.#match(operation);
      else if (operation.state.pending.length > 0) await this.#handlePending(operation, course);
      else await this.#prepare(operation, course);
    }
  }

  #ask(number: number, command: OperationCommand): Promise<OperationReply> {
    return this.#deps.operations.ask(String(number), command, { deadlineMs: Infinity });
  }

  /** Stores one page of the jobs that match the filter. */
  async #match({ record, state }: StoredOperation): Promise<void> {
    const { matched, cursor } = state;
    const limit = Math.min(PAGE, MAX_OPERATION_JOBS + 1 - matched);
    const before = cursor === null ? undefined : { score: cursor.score, number: cursor.number };
    const { sight = 'ALL' } = record.startedBy;
    const { found, next } = await findJobs(this.#deps.store, { ...record.filter!, sight, limit, before });
    const jobs = found.map((job) => job.record.number);
    await this.#ask(record.number, { type: 'add', at: matched, jobs, cursor: next });
  }

  /** Stores which jobs come next, and their current state. */
  async #prepare({ record, state }: StoredOperation, course: Course): Promise<void> {
    const { batch } = this.#deps;
    const most = record.dryRun ? DRY_FACTOR * batch : batch;
    const { numbers, next } = await this.#nextJobs(record.number, state, most, course);
    const jobs: PendingJob[] = [];
    for (const number of numbers) {
      const job = await readableJob(this.#deps.store, number);
      const { run = 0, status = 'UNKNOWN' } = job?.snapshot ?? {};
      jobs.push({ number, run, status });
    }
    await this.#ask(record.number, { type: 'prepare', at: handledOf(state), jobs, next });
  }

  async #nextJobs(number: number, { next: { chunk, place } }: OperationState, most: number, course: Course) {
    if (course.row?.chunk !== chunk) {
      const actor = { kind: OPERATION, id: String(number) };
      const [row] = await this.#deps.store.rows(actor, { prefix: chunkKey(chunk), limit: 1 });
      if (row === undefined) throw new Error(`Operation ${number} has no row ${chunkKey(chunk)}.`);
      course.row = { chunk, jobs: row.body as readonly number[] };
    }
    const { jobs } = course.row;
    const numbers = jobs.slice(place, place + most);
    const isWhole = place + numbers.length >= jobs.length;
    return {
      numbers,
      next: isWhole ? { chunk: chunk + 1, place: 0 } : { chunk, place: place + numbers.length },
    };
  }

  /** Processes a few jobs at a time. Jobs that cannot be processed now are retried after a pause. */
  async #handlePending(operation: StoredOperation, course: Course): Promise<void> {
    const { pending, status } = operation.state;
    const outcomes: JobOutcome[] = [];
    let busy: string | null = null;
    const waiting = pending.values();
    const handleSome = async () => {
      for (const job of waiting) {
        if (this.#closed || busy !== null) return;
        const isCancelled = status === 'CANCELLING' || course.stop.signal.aborted;
        const acted = await this.#handle(operation, job, isCancelled, course);
        if (typeof acted !== 'string' && 'busy' in acted) busy = acted.busy;
        else if (acted !== 'left') outcomes.push(outcomeOf(job, acted, this.#deps.jobIdHost));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, handleSome));
    if (outcomes.length === 0 && this.#closed) return;
    await this.#ask(operation.record.number, { type: 'report', outcomes, message: busy });
    await this.#pause(busy !== null, course);
  }

  /** `left`: the operation was cancelled before this job. */
  async #handle(
    { record }: StoredOperation,
    before: PendingJob,
    isCancelled: boolean,
    { stop, failures }: Course,
  ): Promise<Acted | 'left' | HandledJob> {
    const { action, startedBy: by, dryRun } = record;
    const entry = entryOf(action);
    try {
      const job = await readableJob(this.#deps.store, before.number);
      if (!dryRun && entry.isDone(job, before)) return 'done';
      if (isCancelled) return 'left';
      if (job === undefined || !maySee(by, job)) return NO_SUCH_JOB;
      if (!mayChange(by, job)) return { job, refusal: NOT_YOURS };
      const refusal = entry.refusal(job, action);
      if (refusal !== undefined) return { job, refusal };
      if (dryRun) return 'done';
      const acted = await entry.act({ action, job, by, stopped: stop.signal }, this.#deps);
      if (typeof acted === 'string' || 'busy' in acted) return acted;
      // Another server may have processed the job, too.
      const now = await readableJob(this.#deps.store, before.number);
      return entry.isDone(now, before) ? 'done' : { job, refusal: acted };
    } catch (error) {
      return this.#afterFailure(error, before.number, failures);
    }
  }

  #afterFailure(error: unknown, number: number, failures: Map<number, number>): Acted {
    const message = error instanceof Error ? error.message : String(error);
    if (isTransient(error)) return { busy: message };
    const count = (failures.get(number) ?? 0) + 1;
    failures.set(number, count);
    if (error instanceof DeliveryError && count < ATTEMPTS) return { busy: message };
    return { reason: 'FAILED', message: `The job failed: ${message}` };
  }

  async #pause(isBusy: boolean, course: Course): Promise<void> {
    if (!isBusy) course.pauseMs = 0;
    else {
      course.pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * course.pauseMs));
      await stoppablePause(this.#deps.clock, course.pauseMs, course.stop.signal);
    }
  }
}

interface HandledJob {
  readonly job: StoredJob;
  readonly refusal: Reason;
}

const NOT_YOURS: Reason = {
  reason: 'NOT_YOURS',
  message: 'The job belongs to another user. Only its owner and administrators may change it.',
};

function outcomeOf({ number }: PendingJob, acted: 'done' | Reason | HandledJob, host: string): JobOutcome {
  if (acted === 'done') return { number };
  if ('refusal' in acted) return { number, refusal: { ...acted.refusal, jobId: acted.job.record.jobId } };
  return { number, refusal: { ...acted, jobId: jobIdOf(host, number) } };
}

function stoppablePause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
    function end() {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
