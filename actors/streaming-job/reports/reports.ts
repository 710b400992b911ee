/** Reports of streaming jobs (specification 6.2, 6.3): their content, receivers, and the server that sends them. */
import { readFile } from 'node:fs/promises';
import { segmentFile } from '../../../results/layout.ts';
import { localIso } from '../../../results/local-iso.ts';
import { emptyReport } from '../../../results/check/segment-report.ts';
import type { ClusterLocks } from '../../../store/cluster-locks.ts';
import { allEntries, type Store } from '../../../store/store.ts';
import { storedStream, type StoredStream } from '../stored-stream.ts';
import { LIVE_STREAMS } from '../indexes.ts';
import { ReportFiles, type ReportFilesDeps } from './report-files.ts';
import { ReportQueues, type ReportOutcomes, type ReportQueuesDeps } from './report-queues.ts';
import type { ZonesState } from '../zones/record.ts';
import { isEnded, type StreamingJobRecord, type StreamingJobState } from '../state.ts';

export interface ReportDeps extends ReportQueuesDeps, ReportFilesDeps {
  readonly store: Store;
  /** For servers that share a store: one server posts the reports of a job in order, and one server posts the health of all jobs. */
  readonly locks: ClusterLocks;
  /** Requests the server with the lock of this job's reports to look for new ones. */
  tellOthers(job: number): void;
}

/** Time until the lock of a dead server expires. It is long because reports may wait for a slow receiver. */
const LOCK_MS = 600_000;
/** Maximum number of jobs whose last published segment is kept. */
const MOST_KNOWN = 1_000;
const lockOf = (job: number) => `stream-reports/${job}`;

export class StreamReports {
  readonly #deps: ReportDeps;
  readonly #queues: ReportQueues;
  readonly #files: ReportFiles;
  /** Segment reports that wait to be posted, by their file. */
  readonly #posting = new Set<string>();
  /** By job, the last segment whose report is published. All reports before it are published, too. */
  readonly #published = new Map<number, number>();
  /** Ended jobs whose folder may still exist. */
  readonly #over = new Set<number>();

  constructor(deps: ReportDeps) {
    this.#deps = deps;
    this.#queues = new ReportQueues(deps);
    this.#files = new ReportFiles(deps);
  }

  /** Stops all posts. Pending reports stay in their folder for the next start. */
  close(): void {
    this.#queues.close();
  }

  outcomes(job: number): ReportOutcomes | undefined {
    return this.#queues.outcomes(job);
  }

  /** Posts the health of one job. */
  health(record: StreamingJobRecord, state: StreamingJobState): void {
    const { healthReportCallbackUri: address } = record;
    if (address !== null) this.#health(address, [{ record, state }]);
  }

  /** Posts the health of a job to its address for stalls, unless that address gets every health report. */
  onStall(record: StreamingJobRecord, state: StreamingJobState): void {
    const { stallCallbackUri: address } = record;
    if (address !== null && address !== record.healthReportCallbackUri)
      this.#health(address, [{ record, state }]);
  }

  /** Posts the health of all live jobs: one report for each address, and for each secret that signs it. */
  async healthOfAll(): Promise<void> {
    const { store, locks } = this.#deps;
    if (!(await locks.claim('stream-health', LOCK_MS))) return;
    const byReceiver = new Map<string, { readonly address: string; readonly jobs: StoredStream[] }>();
    for await (const { id } of allEntries(store, LIVE_STREAMS)) {
      const job = await storedStream(store, Number(id));
      const address = job?.record.healthReportCallbackUri;
      if (job === undefined || address === null || address === undefined) continue;
      const receiver = [address, ...(job.record.callbackSecrets ?? [])].join(' ');
      const { jobs } = byReceiver.get(receiver) ?? { jobs: [] };
      byReceiver.set(receiver, { address, jobs: [...jobs, job] });
    }
    for (const { address, jobs } of byReceiver.values()) this.#health(address, jobs);
  }

  #health(address: string, jobs: readonly StoredStream[]): void {
    const at = this.#deps.clock.now();
    const text = JSON.stringify({ reportDate: localIso(at), reports: jobs.map(healthOf) });
    this.#queues.add(address, {
      kind: 'health',
      jobs: jobs.map(({ record }) => record.number),
      secrets: jobs[0]?.record.callbackSecrets,
      traceparent: jobs.length === 1 ? jobs[0]!.record.traceparent : undefined,
      text: () => Promise.resolve(text),
      done: () => Promise.resolve(),
    });
  }

  /** Publishes and posts the reports of segments that the job has accepted. */
  async publish(record: StreamingJobRecord, state: StreamingJobState): Promise<void> {
    if (await this.#isOwn(record.number)) await this.#publishAll(record, state);
  }

  /** Handles the message of another server that there are reports of this job to post. */
  async hear(job: number): Promise<void> {
    const { locks, store } = this.#deps;
    const stored = await storedStream(store, job);
    if (stored !== undefined && (await locks.claim(lockOf(job), LOCK_MS)))
      await this.#publishAll(stored.record, stored.state);
  }

  /** True if this server posts the reports of the job. Otherwise informs the other server that there is something to post. */
  async #isOwn(job: number): Promise<boolean> {
    const isOwn = await this.#deps.locks.claim(lockOf(job), LOCK_MS);
    if (!isOwn) this.#deps.tellOthers(job);
    return isOwn;
  }

  async #publishAll(
    record: StreamingJobRecord,
    { status, lastSegment: upTo }: StreamingJobState,
  ): Promise<void> {
    for (const segment of await this.#files.waitingSegments(record.number))
      if (segment <= upTo) await this.#publish(record, segment);
    if (isEnded(status)) await this.#removeFolderOf(record);
  }

  async #publish(record: StreamingJobRecord, segment: number): Promise<void> {
    const { number, summaryReportCallbackUri: address } = record;
    const file = segmentFile(this.#deps.dataDir, number, segment);
    // Two simultaneous calls publish a report once.
    if (this.#posting.has(file)) return;
    // The report is already published. Another server received the segment again and wrote its report again.
    if (segment <= (this.#published.get(number) ?? -1)) return this.#files.hasGone(file);
    this.#posting.add(file);
    const place = await this.#place(record, file).catch((error: unknown) => {
      this.#posting.delete(file);
      throw error;
    });
    this.#note(number, segment);
    if (address === null) {
      await this.#files.hasGone(file);
      return void this.#posting.delete(file);
    }
    this.#queues.add(address, {
      kind: 'summary',
      jobs: [number],
      ...ofJob(record),
      text: () => readFile(place, 'utf8'),
      done: async () => {
        this.#posting.delete(file);
        await this.#files.hasGone(file);
        await this.#removeFolder(number);
      },
    });
  }

  #note(job: number, segment: number): void {
    this.#published.delete(job);
    this.#published.set(job, segment);
    if (this.#published.size > MOST_KNOWN) this.#published.delete(this.#published.keys().next().value!);
  }

  /** Moves the report of a segment to its place, and returns the path to read until it is posted. */
  #place({ number, enableOutputToDisk }: StreamingJobRecord, file: string): Promise<string> {
    return enableOutputToDisk ? this.#files.keep(number, file) : Promise.resolve(file);
  }

  /** Posts a report without tracks that says why no more tracks follow. */
  async error(record: StreamingJobRecord, state: StreamingJobState, message: string): Promise<void> {
    const segmentId = state.lastSegment + 1;
    const { number, externalId, segmentSize, trackType } = record;
    const head = { jobId: number, externalId, segmentId, segmentSize, trackType };
    const report = emptyReport({ ...head, errorMessage: message, at: this.#deps.clock.now() });
    const text = `${JSON.stringify(report)}\n`;
    if (record.enableOutputToDisk) await this.#files.write(number, text);
    const { summaryReportCallbackUri: address } = record;
    if (address === null) return;
    const removeFolder = () => this.#removeFolder(number);
    this.#queues.add(address, {
      kind: 'summary',
      jobs: [number],
      ...ofJob(record),
      text: () => Promise.resolve(text),
      done: removeFolder,
    });
  }

  /** Removes the folder of an ended job after its last report is posted. If the store is unavailable now, a clean-up removes it later. */
  async onEnd(record: StreamingJobRecord): Promise<void> {
    try {
      if (await this.#isOwn(record.number)) await this.#removeFolderOf(record);
    } catch (err) {
      const { logger } = this.#deps;
      logger.debug({ err, jobId: record.number }, 'the folder of reports of a stream is removed later');
    }
  }

  async #removeFolderOf({ number }: StreamingJobRecord): Promise<void> {
    this.#over.add(number);
    await this.#removeFolder(number);
  }

  /** Removes the folder of an ended job, unless reports in it are being posted. Other files in it were never accepted. */
  async #removeFolder(job: number): Promise<void> {
    if (!this.#over.has(job)) return;
    const isGone = await this.#files.removeWaiting(job, (file) => this.#posting.has(file));
    if (isGone) this.#over.delete(job);
    if (!this.#over.has(job)) await this.#deps.locks.release(lockOf(job)).catch(() => undefined);
  }

  /** Returns false if files remain. */
  removeFiles({ number }: StreamingJobRecord): Promise<boolean> {
    return this.#files.removeAll(number);
  }
}

/** HealthReportData of specification 2.3. */
function healthOf({ record, state: { status, detail, activity, zones } }: StoredStream) {
  return {
    jobId: record.number,
    externalId: record.externalId,
    jobStatus: status,
    jobStatusDetail: detail,
    activityFrameId: activity === null ? null : String(activity.frame),
    activityTimestamp: activity === null ? null : localIso(activity.at),
    ...(zones === undefined || record.zones === undefined ? {} : { events: eventsHealth(zones) }),
  };
}

/** Returns our extension for streams with zones: the state of the delivery of their events. */
const eventsHealth = ({ pending, dropped, trouble }: ZonesState) => ({
  ...{ pending: Object.keys(pending).length, dropped, trouble },
});

const ofJob = ({ callbackSecrets: secrets, traceparent }: StreamingJobRecord) => ({ secrets, traceparent });
