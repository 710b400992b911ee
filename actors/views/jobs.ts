import { maskUri } from '../../domain/censor.ts';
import { pathOf } from '../../results/file-keys.ts';
import { mediumHref } from '../../results/hrefs.ts';
import { detectionFile, ownDocument } from '../../results/layout.ts';
import type { WorkStatus } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { archivedObject } from '../../domain/buckets.ts';
import type { BucketObject } from '../../domain/types.ts';
import { copyFailure } from '../batch-job/archive.ts';
import { wholeUris } from '../batch-job/data-uris.ts';
import { jobWide } from '../batch-job/effective-properties.ts';
import { BATCH_JOB } from '../batch-job/keys.ts';
import { deliveryStatus } from '../batch-job/deliveries.ts';
import { foldersOf, type JobRecord } from '../batch-job/record.ts';
import type { JobSnapshot } from '../batch-job/snapshot.ts';
import type { Delivery } from '../batch-job/state.ts';
import { isTerminal, type BatchJobStatus } from '../batch-job/status.ts';
import { destinationOf } from '../delivery/notice.ts';
import { failureText } from '../delivery/policy.ts';
import { localIso } from '../../results/local-iso.ts';
import { listedUri } from './listed-uri.ts';
import { readableJob, storedJob, type StoredJob } from './stored-job.ts';
import type { WaitingFor, WaitingReasons } from './waiting.ts';

export { jobNumber } from '../../domain/job-id.ts';

/** Specification 2.2, SingleJobInfo. */
export interface SingleJobInfo {
  readonly jobId: string;
  readonly jobPriority: number;
  readonly jobProgress: number;
  readonly jobStatus: BatchJobStatus;
  readonly terminal: boolean;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly mediaUris: readonly string[];
  readonly outputObjectPath: string | null;
  readonly pipelineName: string;
  readonly archiveStatus: string;
  readonly callbackStatus: string;
}

/** With what the specification does not list: strict readers get it only when they ask for it. */
export interface DetailedJobInfo extends SingleJobInfo {
  readonly externalId: string | null;
  /** For each medium what to ask for to get it; of a job that is told alone. */
  readonly mediaHrefs?: readonly (string | null)[];
  /** Attempts that failed, once there is one. */
  readonly callbackAttempts?: Attempts;
  readonly archiveAttempts?: Attempts;
  /** Why nothing of it runs; absent when something does, and when it has ended. */
  readonly waitingFor?: WaitingFor;
}

/** What changes while a job is under way, for those who watch it. */
export interface JobProgressEvent {
  readonly jobId: string;
  readonly jobStatus: BatchJobStatus;
  readonly jobProgress: number;
  readonly terminal: boolean;
  readonly stage: JobSnapshot['stage']['name'];
  /** The task that is under way. */
  readonly task: { readonly name: string; readonly number: number; readonly of: number } | null;
  readonly waitingFor: WaitingFor | null;
}

export interface Attempts {
  readonly attempts: number;
  readonly lastError: string | null;
  /** ISO 8601; null: none is planned. */
  readonly nextAttempt: string | null;
}

/** The detection document of another service's job. */
export interface ArchivedDocument {
  readonly uri: string;
  /** What it is in a bucket, when the job knows keys for that; null: asked for without any. */
  readonly object: BucketObject | null;
}

/** Whether a job has left a document. */
const hasEnded = ({ snapshot }: StoredJob) => snapshot.hasDocument && isTerminal(snapshot.status);

/** Where the document of the earlier job lies that stands for one that has ended. */
const pastDocument = ({ snapshot: { pastOutput, status } }: StoredJob) =>
  isTerminal(status) ? pastOutput : null;

const MAX_SHOWN = 10_000;
/** Media of a job that is read alone. */
const LARGE = 500;

/** Answers reads about jobs from the store, and the progress inside running sub-jobs from the work ledger. */
export class JobViews {
  readonly #store: Store;
  readonly #dataDir: string;
  readonly #waiting: WaitingReasons;
  /** Why a receiver takes nothing, once that lasts. */
  readonly #troubleOf: (destination: string) => string | undefined;
  /** Highest progress shown of each live job: what a lost lease takes back is not shown as a step back. */
  readonly #shown = new Map<string, number>();
  /** What is shown of jobs that have ended. */
  readonly #ended = new WeakMap<StoredJob, DetailedJobInfo>();

  constructor(
    store: Store,
    dataDir: string,
    waiting: WaitingReasons,
    troubleOf: (destination: string) => string | undefined,
  ) {
    this.#store = store;
    this.#dataDir = dataDir;
    this.#waiting = waiting;
    this.#troubleOf = troubleOf;
  }

  async single(number: number): Promise<SingleJobInfo | undefined> {
    const info = await this.detailed(number);
    return info === undefined ? undefined : listed(info);
  }

  async detailed(number: number): Promise<DetailedJobInfo | undefined> {
    const job = await storedJob(this.#store, number);
    if (job === undefined) return undefined;
    const info = this.#ended.get(job) ?? (await this.infos([job]))[0];
    if (info === undefined) return undefined;
    // Read for each answer: to keep them would take as much memory as the media.
    const uris = await wholeUris(this.#dataDir, job.record);
    return { ...info, mediaUris: uris.map(maskUri), mediaHrefs: mediaHrefsOf(job) };
  }

  /** What is told of many jobs: of long data: URIs only what kind of data they have. */
  async infos(jobs: readonly StoredJob[]): Promise<readonly DetailedJobInfo[]> {
    const workStatuses = await this.#workStatuses(jobs);
    return Promise.all(jobs.map((job) => this.#info(job, workStatuses.get(String(job.record.number)))));
  }

  /** How these jobs stand now, in the same order; undefined for one that does not exist. */
  async progressEvents(numbers: readonly number[]): Promise<readonly (JobProgressEvent | undefined)[]> {
    const jobs: (StoredJob | undefined)[] = [];
    for (const number of numbers) {
      const job = await readableJob(this.#store, number);
      jobs.push(job);
      // To read a large request takes its time: others have the event loop in between.
      if ((job?.record.media.length ?? 0) > LARGE) await new Promise((resolve) => setImmediate(resolve));
    }
    const workStatuses = await this.#workStatuses(jobs.filter((job) => job !== undefined));
    return Promise.all(
      jobs.map(async (job) =>
        job === undefined ? undefined : this.#progressEvent(job, workStatuses.get(String(job.record.number))),
      ),
    );
  }

  async #progressEvent(job: StoredJob, work: WorkStatus | undefined): Promise<JobProgressEvent> {
    const { record, snapshot } = job;
    const { stage, status } = snapshot;
    const { tasks } = record.plan;
    const task = stage.name === 'TASK' ? tasks[stage.index] : undefined;
    return {
      jobId: record.jobId,
      jobStatus: status,
      jobProgress: this.#progress(job, work),
      terminal: isTerminal(status),
      stage: stage.name,
      task:
        stage.name === 'TASK' && task !== undefined
          ? { name: task.name, number: stage.index + 1, of: tasks.length }
          : null,
      waitingFor: (await this.#waiting.of(job, work)) ?? null,
    };
  }

  async #info(job: StoredJob, work: WorkStatus | undefined): Promise<DetailedJobInfo> {
    const known = this.#ended.get(job);
    if (known !== undefined) return known;
    const info = this.#infoOf(job, work, await this.#waiting.of(job, work));
    const { callback, archive } = job.snapshot;
    if (info.terminal && !isOwed(callback) && !isOwed(archive)) this.#ended.set(job, info);
    return info;
  }

  #infoOf(job: StoredJob, work: WorkStatus | undefined, waitingFor: WaitingFor | undefined): DetailedJobInfo {
    const { record, snapshot } = job;
    const terminal = isTerminal(snapshot.status);
    return {
      jobId: record.jobId,
      jobPriority: snapshot.priority,
      jobProgress: this.#progress(job, work),
      jobStatus: snapshot.status,
      terminal,
      startDate: localIso(snapshot.startedAt),
      endDate: terminal && snapshot.endedAt !== null ? localIso(snapshot.endedAt) : null,
      mediaUris: record.media.map(({ uri }) => listedUri(uri)),
      outputObjectPath: this.#documentOf(job),
      pipelineName: record.plan.name,
      archiveStatus: this.#archiveStatus(record, snapshot),
      callbackStatus: this.#callbackStatus(record, snapshot),
      externalId: record.externalId,
      ...attemptsOf('callbackAttempts', snapshot.callback),
      ...attemptsOf('archiveAttempts', snapshot.archive),
      ...(waitingFor === undefined ? {} : { waitingFor }),
    };
  }

  #callbackStatus({ callback: wanted }: JobRecord, { status, callback }: JobSnapshot): string {
    const url = wanted?.url;
    const reason = url !== undefined && isOwed(callback) ? this.#trouble(url) : undefined;
    const text = reason === undefined ? undefined : failureText({ kind: 'callback', ...wanted! }, reason);
    return deliveryStatus(wanted !== undefined, status, callback, text);
  }

  /** Specification 3.4; a job that an earlier one stands for says so. */
  #archiveStatus({ media }: JobRecord, { status, archive, pastOutput, issues }: JobSnapshot): string {
    if (pastOutput !== null) {
      const failure = copyFailure(issues);
      return failure === undefined ? 'PAST JOB FOUND' : `COPY ERROR: ${failure}`;
    }
    const urls = new Set(media.flatMap(({ archiveUrl }) => archiveUrl ?? []));
    const troubles = isOwed(archive)
      ? [...urls].flatMap((url) => {
          const reason = this.#trouble(url);
          return reason === undefined ? [] : [failureText({ kind: 'archive', method: 'POST', url }, reason)];
        })
      : [];
    return deliveryStatus(urls.size > 0, status, archive, troubles[0]);
  }

  #trouble(url: string): string | undefined {
    return URL.canParse(url) ? this.#troubleOf(destinationOf(url)) : undefined;
  }

  /** Path of a job's detection document (or of the earlier one of ours that stands for it), or undefined when there is none. */
  async document(number: number): Promise<string | undefined> {
    const job = await storedJob(this.#store, number);
    if (job === undefined) return undefined;
    if (hasEnded(job)) return pathOf(this.#dataDir, detectionFile(foldersOf(job.record, job.snapshot)));
    const past = pastDocument(job);
    return past === null ? undefined : ownDocument(this.#dataDir, past);
  }

  /** Where the document lies that stands for a job which an archive knew from another service; undefined otherwise. */
  async archivedDocument(number: number): Promise<ArchivedDocument | undefined> {
    const job = await storedJob(this.#store, number);
    const uri = job === undefined ? null : pastDocument(job);
    if (job === undefined || uri === null || !/^https?:/i.test(uri)) return undefined;
    return { uri, object: archivedObject(uri, jobWide(job.record)) };
  }

  /** Always a path where the document lies on this server, also when a bucket has it, too; else where an archive says it is. */
  #documentOf(job: StoredJob): string | null {
    if (hasEnded(job)) return pathOf(this.#dataDir, detectionFile(foldersOf(job.record, job.snapshot)));
    const past = pastDocument(job);
    return past === null ? null : (ownDocument(this.#dataDir, past) ?? past);
  }

  /** What the ledger has of the jobs that have or may have sub-jobs there. */
  async #workStatuses(jobs: readonly StoredJob[]): Promise<ReadonlyMap<string, WorkStatus>> {
    const ids = jobs
      .filter(({ snapshot: { stage } }) => stage.name !== 'WAITING' && stage.name !== 'ENDED')
      .map(({ record }) => String(record.number));
    const workStatuses = await this.#store.work.workStatus(ids.map((id) => ({ kind: BATCH_JOB, id })));
    return new Map(ids.map((id, n) => [id, workStatuses[n]!]));
  }

  /** Committed progress and the done part of the sub-jobs that run now. */
  #progress({ record, snapshot }: StoredJob, work: WorkStatus | undefined): number {
    const key = `${record.jobId}.${snapshot.run}`;
    if (isTerminal(snapshot.status)) {
      this.#shown.delete(key);
      return 100;
    }
    const running = (work?.leases ?? []).filter(({ item }) => item.share > 0);
    const part = running.reduce(
      (sum, { done, total, item }) => sum + item.share * (total > 0 ? Math.min(1, done / total) : 0),
      0,
    );
    const shown = Math.min(99, Math.max(this.#shown.get(key) ?? 0, snapshot.progress + part));
    this.#shown.set(key, shown);
    // Jobs that nobody looks at any more do not pile up here.
    if (this.#shown.size > MAX_SHOWN) this.#shown.delete(this.#shown.keys().next().value!);
    return Math.round(shown * 100) / 100;
  }
}

/** What the service fetches itself it has until the job ends. */
const mediaHrefsOf = ({ record, snapshot }: StoredJob): readonly (string | null)[] =>
  record.media.map(({ uri }, place) =>
    /^file:/i.test(uri) || !isTerminal(snapshot.status) ? mediumHref(place) : null,
  );

const isOwed = (delivery: Delivery | null) => delivery !== null && delivery.pending > 0;

function listed({
  externalId: _,
  callbackAttempts: _c,
  archiveAttempts: _a,
  mediaHrefs: _m,
  waitingFor: _w,
  ...info
}: DetailedJobInfo): SingleJobInfo {
  return info;
}

function attemptsOf(
  name: 'callbackAttempts' | 'archiveAttempts',
  delivery: Delivery | null,
): { readonly [N in typeof name]?: Attempts } {
  if (delivery === null || delivery.attempts === 0) return {};
  const { attempts, lastError, nextAttempt } = delivery;
  const next = nextAttempt === null ? null : localIso(nextAttempt);
  return { [name]: { attempts, lastError, nextAttempt: next } };
}
