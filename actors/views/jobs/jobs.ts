import { maskUri } from '../../../domain/job/censor.ts';
import { mediumHref } from '../../../results/document/hrefs.ts';
import type { WorkStatus } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import { copyFailure } from '../../batch-job/completion/archive.ts';
import { wholeUris } from '../../batch-job/completion/data-uris.ts';
import { BATCH_JOB } from '../../batch-job/state/keys.ts';
import { mediaSucceeded } from '../../batch-job/log-facts.ts';
import { deliveryStatus } from '../../batch-job/completion/deliveries.ts';
import { externalIdOf, labelsOf, type JobRecord } from '../../batch-job/state/record.ts';
import type { JobSnapshot } from '../../batch-job/state/snapshot.ts';
import type { Delivery } from '../../batch-job/state/state.ts';
import { isTerminal } from '../../batch-job/state/status.ts';
import type { Clock } from '../../basics/clock.ts';
import { destinationOf } from '../../delivery/notice.ts';
import { failureText } from '../../delivery/policy.ts';
import { localIso } from '../../../results/local-iso.ts';
import {
  archivedDocument,
  documentFile,
  shownDocument,
  type ArchivedDocument,
} from '../../job-files/job-document.ts';
import {
  attemptsOf,
  listedJob,
  pipelineActionsOf,
  runsOf,
  type DetailedJobInfo,
  type JobProgressEvent,
  type SingleJobInfo,
} from './job-info.ts';
import { listedUri } from './listed-uri.ts';
import { RemainingTimes } from './remaining-times.ts';
import { ShownProgress } from './shown-progress.ts';
import { readableJob, storedJob, type StoredJob } from '../../batch-job/state/stored-job.ts';
import type { WaitingFor, WaitingReasons } from './waiting-reasons.ts';

/** Number of media above which a job is large, so that reading it takes long. */
const LARGE = 500;

/** Answers reads about jobs from the store, and the progress inside running sub-jobs from the work ledger. */
export class JobViews {
  readonly #store: Store;
  readonly #dataDir: string;
  readonly #waiting: WaitingReasons;
  /** Why a receiver accepts no deliveries, if that lasts. */
  readonly #troubleOf: (destination: string) => string | undefined;
  readonly #progress = new ShownProgress();
  readonly #remaining: RemainingTimes;
  /** Views of ended jobs. */
  readonly #ended = new WeakMap<StoredJob, DetailedJobInfo>();

  constructor(
    store: Store,
    dataDir: string,
    waiting: WaitingReasons,
    troubleOf: (destination: string) => string | undefined,
    clock: Clock,
  ) {
    this.#store = store;
    this.#dataDir = dataDir;
    this.#waiting = waiting;
    this.#troubleOf = troubleOf;
    this.#remaining = new RemainingTimes(clock);
  }

  async single(number: number): Promise<SingleJobInfo | undefined> {
    const info = await this.detailedJob(number);
    return info === undefined ? undefined : listedJob(info);
  }

  async detailedJob(number: number): Promise<DetailedJobInfo | undefined> {
    const job = await storedJob(this.#store, number);
    if (job === undefined) return undefined;
    const info = this.#ended.get(job) ?? (await this.infos([job]))[0];
    if (info === undefined) return undefined;
    // Read for each answer. Keeping the URIs would take as much memory as the media.
    const uris = await wholeUris(this.#dataDir, job.record);
    return { ...info, mediaUris: uris.map(maskUri), mediaHrefs: mediaHrefsOf(job), runs: runsOf(job) };
  }

  /** Views for a list of jobs. Long data: URIs are cut to their type. */
  async infos(jobs: readonly StoredJob[]): Promise<readonly DetailedJobInfo[]> {
    const workStatuses = await this.#workStatuses(jobs);
    return Promise.all(jobs.map((job) => this.#info(job, workStatuses.get(String(job.record.number)))));
  }

  /** Current states of these jobs in the same order. Undefined for a job that does not exist. */
  async progressEvents(numbers: readonly number[]): Promise<readonly (JobProgressEvent | undefined)[]> {
    const jobs: (StoredJob | undefined)[] = [];
    for (const number of numbers) {
      const job = await readableJob(this.#store, number);
      jobs.push(job);
      // Reading a large request takes long, so the loop yields to the event loop.
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
    const jobProgress = this.#progress.of(job, work);
    const task = stage.name === 'TASK' ? tasks[stage.index] : undefined;
    return {
      jobId: record.jobId,
      jobStatus: status,
      jobProgress,
      terminal: isTerminal(status),
      stage: stage.name,
      task:
        stage.name === 'TASK' && task !== undefined
          ? { name: task.name, number: stage.index + 1, of: tasks.length }
          : null,
      waitingFor: (await this.#waiting.of(job, work)) ?? null,
      remaining: this.#remaining.of(job, work?.leases ?? [], jobProgress) ?? null,
    };
  }

  async #info(job: StoredJob, work: WorkStatus | undefined): Promise<DetailedJobInfo> {
    const known = this.#ended.get(job);
    if (known !== undefined) return known;
    const info = this.#infoOf(job, work, await this.#waiting.of(job, work));
    const { callback, archive } = job.snapshot;
    if (info.terminal && !isPending(callback) && !isPending(archive)) this.#ended.set(job, info);
    return info;
  }

  #infoOf(job: StoredJob, work: WorkStatus | undefined, waitingFor: WaitingFor | undefined): DetailedJobInfo {
    const { record, snapshot } = job;
    const terminal = isTerminal(snapshot.status);
    const jobProgress = this.#progress.of(job, work);
    const remaining = this.#remaining.of(job, work?.leases ?? [], jobProgress);
    return {
      jobId: record.jobId,
      jobPriority: snapshot.priority,
      jobProgress,
      jobStatus: snapshot.status,
      terminal,
      startDate: localIso(snapshot.startedAt),
      endDate: terminal && snapshot.endedAt !== null ? localIso(snapshot.endedAt) : null,
      mediaUris: record.media.map(({ uri }) => listedUri(uri)),
      outputObjectPath: shownDocument(this.#dataDir, job),
      pipelineName: record.plan.name,
      archiveStatus: this.#archiveStatus(record, snapshot),
      callbackStatus: this.#callbackStatus(record, snapshot),
      ...(record.owner === undefined ? {} : { owner: record.owner }),
      externalId: externalIdOf(record, snapshot),
      labels: labelsOf(record, snapshot),
      ...pipelineActionsOf(record),
      ...(terminal ? succeededOf(record, snapshot) : {}),
      ...attemptsOf('callbackAttempts', snapshot.callback),
      ...attemptsOf('archiveAttempts', snapshot.archive),
      ...(waitingFor === undefined ? {} : { waitingFor }),
      ...(remaining === undefined ? {} : { remaining }),
    };
  }

  #callbackStatus({ callback: wanted }: JobRecord, { status, callback }: JobSnapshot): string {
    const url = wanted?.url;
    const reason = url !== undefined && isPending(callback) ? this.#trouble(url) : undefined;
    const text = reason === undefined ? undefined : failureText({ kind: 'callback', ...wanted! }, reason);
    return deliveryStatus(wanted !== undefined, status, callback, text);
  }

  /** Specification 3.4. The status shows if the job reuses an earlier one. */
  #archiveStatus({ media }: JobRecord, { status, archive, pastOutput, issues }: JobSnapshot): string {
    if (pastOutput !== null) {
      const failure = copyFailure(issues);
      return failure === undefined ? 'PAST JOB FOUND' : `COPY ERROR: ${failure}`;
    }
    const urls = new Set(media.flatMap(({ archiveUrl }) => archiveUrl ?? []));
    const troubles = isPending(archive)
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

  /** Path of a job's detection document, or of the earlier document of this service that the job reuses. Undefined if there is none. */
  async document(number: number): Promise<string | undefined> {
    const job = await storedJob(this.#store, number);
    return job === undefined ? undefined : documentFile(this.#dataDir, job);
  }

  /** The id of a job as clients know it: `host-12`. */
  async jobId(number: number): Promise<string | undefined> {
    return (await storedJob(this.#store, number))?.record.jobId;
  }

  /** Address of the document of another service that an archive returned for this job. Otherwise undefined. */
  async archivedDocument(number: number): Promise<ArchivedDocument | undefined> {
    const job = await storedJob(this.#store, number);
    return job === undefined ? undefined : archivedDocument(job);
  }

  /** The state of these jobs in the ledger, for those that may have sub-jobs. */
  async #workStatuses(jobs: readonly StoredJob[]): Promise<ReadonlyMap<string, WorkStatus>> {
    const ids = jobs
      .filter(({ snapshot: { stage } }) => stage.name !== 'WAITING' && stage.name !== 'ENDED')
      .map(({ record }) => String(record.number));
    const workStatuses = await this.#store.work.workStatus(ids.map((id) => ({ kind: BATCH_JOB, id })));
    return new Map(ids.map((id, n) => [id, workStatuses[n]!]));
  }
}

/** Fetched media are available until the job ends. */
const mediaHrefsOf = ({ record, snapshot }: StoredJob): readonly (string | null)[] =>
  record.media.map(({ uri, mediaId }) =>
    /^file:/i.test(uri) || !isTerminal(snapshot.status) ? mediumHref(mediaId) : null,
  );

const isPending = (delivery: Delivery | null) => delivery !== null && delivery.pending > 0;

function succeededOf(record: JobRecord, snapshot: JobSnapshot): Pick<DetailedJobInfo, 'mediaSucceeded'> {
  const count = mediaSucceeded(record, snapshot);
  return count === undefined ? {} : { mediaSucceeded: count };
}
