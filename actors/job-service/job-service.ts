import { randomUUID } from 'node:crypto';
import { tooManyMedia } from '../../domain/plan/request-limits.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { JobTrace } from '../../domain/job/trace.ts';
import type { Issue } from '../../domain/types.ts';
import { ADMISSION } from '../admission/actor.ts';
import { freeBytes } from '../system-messages/disk-watch.ts';
import { DeliveryError } from '../basics/errors.ts';
import { isTerminal, type BatchJobStatus } from '../batch-job/state/status.ts';
import { readableJob, storedJob } from '../batch-job/state/stored-job.ts';
import { Acceptance, refuseOverload, startAt } from './acceptance.ts';
import { jobOfDelivery } from './delivered-job.ts';
import type { JobCommand, JobEdit, JobReply } from '../batch-job/state/commands.ts';
import type { JobServiceDeps, JobRequest } from './job-request.ts';
import { jobFacts } from '../batch-job/log-facts.ts';
import type { Repeatable } from '../requests/idempotency.ts';
import { checkedRequest, checkMedia, type PlannedJob } from './request-checks.ts';
import type { Overloaded, Refused, Submission } from '../requests/submission.ts';
import {
  liveJob,
  nothingFailed,
  retryFacts,
  unknownJob,
  type NoRetry,
  type RetryRequest,
} from './retry-checks.ts';

/** True if a job with this status holds a place in admission. */
const isLive = (status: string | undefined): status is string =>
  status !== undefined && status !== 'UNKNOWN' && !isTerminal(status as BatchJobStatus);

export interface Retried {
  readonly kind: 'retried';
  readonly jobId: string;
  /** Number of the new run. */
  readonly run: number;
}

/** The user who wants a retry, and the trace of the request. With `lastRun`, the retry starts only if this is still the job's last run. */
interface RetryOrigin {
  readonly by?: string;
  readonly trace?: JobTrace | undefined;
  readonly lastRun?: number;
}

/** `admitted` is known only after the run has requested its place. */
type WithoutPlace<C> = C extends unknown ? Omit<C, 'admitted' | 'objectId'> : never;

const DRAINING = 'An administrator drains this server: it takes no new jobs. Ask another server, or wait.';

/** Accepts job requests. Every refusal happens here, before anything is stored. */
export class JobService {
  readonly #deps: JobServiceDeps;
  readonly #acceptance: Acceptance;
  #closed = false;

  constructor(deps: JobServiceDeps) {
    this.#deps = deps;
    this.#acceptance = new Acceptance(deps);
  }

  /** Rejects new jobs from now on, because the server stops. */
  close(): void {
    this.#closed = true;
  }

  /** The reason to refuse this many media, before any of them is processed. */
  tooMany(media: number): string | undefined {
    const { limits } = this.#deps.settings;
    return media > limits.media ? tooManyMedia(media, limits) : undefined;
  }

  /** Accepts a job. A repeated request with the same Idempotency-Key gets the answer of the first. */
  submit(request: JobRequest, repeatable?: Repeatable): Promise<Submission> {
    this.#deps.arrivalRate.noteJob();
    const uris = request.media.map(({ uri }) => uri);
    return this.#deps.uploads.keepDuring(uris, () => this.#submit(request, repeatable));
  }

  /** The answer to an earlier request with the same Idempotency-Key. Returns undefined if there was none. */
  async answerBefore(repeatable: Repeatable): Promise<Submission | undefined> {
    const known = await this.#deps.repeats.find(repeatable);
    if (known === undefined) return undefined;
    if (known === 'conflict') return { kind: 'keyReused' };
    return known.answer ?? this.#acceptance.acceptedBefore(known.jobNumber);
  }

  async #submit(request: JobRequest, repeatable: Repeatable | undefined): Promise<Submission> {
    const before = repeatable && (await this.answerBefore(repeatable));
    if (before !== undefined) return before;
    const planned = await this.plan(request);
    if (planned.kind !== 'planned') return planned;
    return this.#acceptance.accept(planned, repeatable, request.trace);
  }

  /** Runs all checks that precede storing a job, except the archive query. */
  async plan(request: JobRequest): Promise<PlannedJob | Overloaded | Refused> {
    const closed = await this.#noRoom();
    if (closed !== undefined) return { kind: 'overloaded', message: closed };
    await this.#deps.readCatalog?.();
    return checkedRequest(request, this.#deps);
  }

  /** Deletes an ended job with all its files. `by`: name of the user who wants it. */
  async remove(number: number, by?: string): Promise<'removed' | 'unknown' | 'live'> {
    const job = by === undefined ? undefined : await readableJob(this.#deps.store, number);
    const reply = await this.#deps.jobs.ask(String(number), { type: 'remove' });
    if (reply.kind === 'done') {
      if (job !== undefined) this.#deps.logger.info({ ...jobFacts(job.record), by }, 'a job was deleted');
      return 'removed';
    }
    return reply.reason === 'NO_SUCH_JOB' ? 'unknown' : 'live';
  }

  /** Changes the properties of a job that users may change. A job that waits for admission then waits with its new priority. */
  async change(number: number, edit: JobEdit): Promise<JobReply> {
    const { jobs, admission } = this.#deps;
    const reply = await jobs.ask(String(number), { type: 'change', ...edit });
    const { priority } = edit;
    if (reply.kind === 'done' && priority !== undefined)
      admission.tell(ADMISSION, { type: 'prioritize', jobNumber: number, priority });
    return reply;
  }

  /** Sends the callback of an ended job again. `id`: of the delivery. */
  async redeliver(id: string, by: string): Promise<'pending' | 'unknown' | 'live'> {
    const job = await jobOfDelivery(this.#deps.store, id);
    if (job === undefined) return 'unknown';
    const { record, snapshot } = job;
    const reply = await this.#deps.jobs.ask(String(record.number), { type: 'redeliver', run: snapshot.run });
    if (reply.kind === 'refused') return reply.reason === 'WRONG_STATE' ? 'live' : 'unknown';
    this.#deps.logger.info({ jobId: record.jobId, delivery: id, by }, 'a callback is sent once more');
    return 'pending';
  }

  /** Runs an ended job again. `trace`: trace of the request. With `lastRun`, only if this is still the job's last run. */
  async resubmit(
    number: number,
    priority: number | undefined,
    { trace, lastRun }: { readonly trace?: JobTrace | undefined; readonly lastRun?: number } = {},
  ): Promise<JobReply | Overloaded> {
    const job = await storedJob(this.#deps.store, number);
    const uris = (job?.record.media ?? []).map(({ uri }) => uri);
    const run =
      job === undefined ? {} : { run: await this.#deps.numbers.runAfter(job.record.jobId, job.snapshot.run) };
    const wanted = priority ?? this.#deps.settings.defaultPriority;
    const only = lastRun === undefined ? {} : { lastRun };
    return this.#deps.uploads.keepDuring(uris, () =>
      this.#runAgain(number, job?.record.owner, {
        type: 'resubmit',
        priority: wanted,
        ...run,
        ...only,
        trace,
      }),
    );
  }

  /** Starts a new run of an ended job for everything that failed; the rest stays. Of several simultaneous requests, one starts it. */
  async retry(
    number: number,
    request: RetryRequest,
    from: RetryOrigin = {},
  ): Promise<Retried | NoRetry | Overloaded> {
    const job = await storedJob(this.#deps.store, number);
    if (job === undefined) return unknownJob(number);
    const { record, snapshot } = job;
    const { by, trace, lastRun = snapshot.run } = from;
    if (snapshot.run !== lastRun) return liveJob(record.jobId, snapshot.status);
    const facts = await retryFacts(this.#deps, job, request);
    if ('kind' in facts) return facts;
    const { priority } = snapshot;
    const run = await this.#deps.numbers.runAfter(record.jobId, snapshot.run);
    const uris = record.media.map(({ uri }) => uri);
    const reply = await this.#deps.uploads.keepDuring(uris, () =>
      this.#runAgain(number, record.owner, { type: 'retry', ...request, ...facts, priority, run, trace }),
    );
    if (reply.kind === 'overloaded') return reply;
    if (reply.kind === 'refused') {
      if (reply.reason === 'NO_SUCH_JOB') return unknownJob(number);
      if (reply.reason === 'NOTHING_FAILED') return nothingFailed(record.jobId);
      // Another run has started and ended since the job was read.
      return isLive(reply.status) ? liveJob(record.jobId, reply.status) : this.retry(number, request, from);
    }
    const { what } = request;
    this.#deps.logger.info(
      { ...jobFacts(record), ...(by === undefined ? {} : { by }), what },
      'a job is retried',
    );
    return { kind: 'retried', jobId: record.jobId, run };
  }

  async #runAgain(
    number: number,
    owner: Owner | undefined,
    command: WithoutPlace<Extract<JobCommand, { type: 'resubmit' | 'retry' }>>,
  ): Promise<JobReply | Overloaded> {
    const closed = await this.#noRoom();
    if (closed !== undefined) return { kind: 'overloaded', message: closed };
    const { priority } = command;
    const enter = { type: 'enter', jobNumber: number, priority, owner } as const;
    const place = await this.#deps.admission.ask(ADMISSION, enter);
    if (place.kind === 'refused') return refuseOverload();
    const placed = { ...command, ...startAt(place), objectId: randomUUID() };
    const reply = await this.#deps.jobs.ask(String(number), placed).catch((error: unknown) => {
      if (!(error instanceof DeliveryError && error.reason === 'TIMEOUT')) this.#acceptance.leave(number);
      throw error;
    });
    // A live job keeps its place. A job that has ended or does not exist gives its place back.
    if (reply.kind === 'refused' && !isLive(reply.status)) this.#acceptance.leave(number);
    return reply;
  }

  /** The reasons why media cannot be used, one for each, as far as this is known without reading them. */
  checkMedia(uris: readonly string[]): Promise<readonly (Issue | undefined)[]> {
    return checkMedia(uris, this.#deps);
  }

  /** The reason why the server accepts no new jobs now. Undefined if it accepts them. */
  async closedFor(): Promise<'STOPPING' | 'DRAINING' | 'DISK_FULL' | undefined> {
    if (this.#closed) return 'STOPPING';
    if (this.#deps.isDraining()) return 'DRAINING';
    return (await this.#noDisk()) === undefined ? undefined : 'DISK_FULL';
  }

  /** The same as a sentence. */
  closedSentence(): Promise<string | undefined> {
    return this.#noRoom();
  }

  async #noRoom(): Promise<string | undefined> {
    if (this.#closed) return 'The server is shutting down; try again later.';
    if (this.#deps.isDraining()) return DRAINING;
    return (await this.#noDisk()) ?? this.#deps.store.full?.();
  }

  async #noDisk(): Promise<string | undefined> {
    const { dataDir, minFreeBytes } = this.#deps.settings;
    if ((await freeBytes(dataDir)) >= minFreeBytes) return undefined;
    const least = Math.ceil(minFreeBytes / 2 ** 20);
    return `The disk of the server is nearly full (MIN_FREE_BYTES: less than ${least} MiB are free in DATA_DIR); new jobs are not accepted until there is space.`;
  }
}
