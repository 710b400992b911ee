/**
 * Reports of streaming jobs (specification 6.2, 6.3): one try each. Every address has a queue of its own, so that a slow receiver
 * delays nobody else; a queue that is full loses its oldest report.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../config/logger.ts';
import type { Send } from '../../egress/request.ts';
import { maskUri } from '../../domain/censor.ts';
import { segmentFile, segmentsFolder, streamOutputFolder } from '../../results/layout.ts';
import { localIso } from '../../results/local-iso.ts';
import { emptyReport } from '../../results/segment-report.ts';
import { removeFile, removeFolder } from '../../results/spool.ts';
import type { Duties } from '../../store/duties.ts';
import { allEntries, type Store } from '../../store/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StreamMeter } from '../views/meter.ts';
import { storedStream, type StoredStream } from '../views/stored-stream.ts';
import { LIVE_STREAMS } from './indexes.ts';
import { isEnded, type StreamingJobRecord, type StreamingJobState } from './state.ts';

export interface ReportDeps {
  readonly store: Store;
  readonly send: Send;
  readonly meter: Pick<StreamMeter, 'reportEnded'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Reports that wait for one address. */
  readonly maxQueued: number;
  /** Milliseconds that one try may take. */
  readonly timeoutMs: number;
  /** Of servers that share a store one posts the reports of a job, in their order, and one tells the health of all. */
  readonly duties: Duties;
  /** The server whose duty it is to post the reports of this job looks for them. */
  tellOthers(job: number): void;
}

/** What became of the last report of a kind. */
export interface ReportOutcome {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why it was not taken; null: it was. */
  readonly error: string | null;
}
export interface ReportOutcomes {
  readonly health?: ReportOutcome;
  readonly summary?: ReportOutcome;
  /** Reports that were lost because their receiver was too slow. */
  readonly dropped: number;
}

type Kind = 'health' | 'summary';

interface Report {
  readonly kind: Kind;
  readonly jobs: readonly number[];
  text(): Promise<string>;
  /** When it was tried, or was lost. */
  done(): Promise<void>;
}

interface Queue {
  readonly waiting: Report[];
  sending: boolean;
}

/** As long as its server is there a duty is nobody else's; reports may wait for a slow receiver. */
const DUTY_MS = 600_000;
const dutyOf = (job: number) => `stream-reports/${job}`;

/** Jobs of which it is known what became of their last reports. */
const MAX_OUTCOMES = 1_000;

export class StreamReports {
  readonly #deps: ReportDeps;
  readonly #queues = new Map<string, Queue>();
  readonly #outcomes = new Map<number, ReportOutcomes>();
  /** Segment reports that wait to be posted, by their file. */
  readonly #posting = new Set<string>();
  /** Jobs that have ended, and whose folder may still be there. */
  readonly #over = new Set<number>();
  readonly #stop = new AbortController();

  constructor(deps: ReportDeps) {
    this.#deps = deps;
  }

  /** From now on nothing is posted any more; what waits lies in its folder for the next start. */
  close(): void {
    this.#stop.abort(new Error('the server is shutting down'));
  }

  outcomes(job: number): ReportOutcomes | undefined {
    return this.#outcomes.get(job);
  }

  /** No more segments come: their folder goes when the last report has gone. */
  async ended(record: StreamingJobRecord): Promise<void> {
    if (await this.#isOwn(record.number)) await this.#ended(record);
  }

  async #ended({ number }: StreamingJobRecord): Promise<void> {
    this.#over.add(number);
    await this.#removeFolder(number);
  }

  /** Whether this server posts the reports of the job; another one that does is told that there is something to post. */
  async #isOwn(job: number): Promise<boolean> {
    const isOwn = await this.#deps.duties.claim(dutyOf(job), DUTY_MS);
    if (!isOwn) this.#deps.tellOthers(job);
    return isOwn;
  }

  /** Another server has something to post of this job. */
  async hear(job: number): Promise<void> {
    const { duties, store } = this.#deps;
    const stored = await storedStream(store, job);
    if (stored !== undefined && (await duties.claim(dutyOf(job), DUTY_MS)))
      await this.#publishAll(stored.record, stored.state);
  }

  async #removeFolder(job: number): Promise<void> {
    if (!this.#over.has(job)) return;
    const folder = segmentsFolder(this.#deps.dataDir, job);
    // Reports that are still on their way keep it; what else lies there was never taken in.
    for (const name of await readdir(folder).catch(() => []))
      if (!this.#posting.has(path.join(folder, name))) await removeFile(path.join(folder, name));
    await rmdir(folder).then(
      () => this.#over.delete(job),
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT' && this.#over.delete(job),
    );
    if (!this.#over.has(job)) await this.#deps.duties.release(dutyOf(job)).catch(() => undefined);
  }

  #outcome(job: number, outcome: ReportOutcomes): void {
    this.#outcomes.delete(job);
    this.#outcomes.set(job, outcome);
    // Jobs that nobody reports of any more do not pile up here.
    if (this.#outcomes.size > MAX_OUTCOMES) this.#outcomes.delete(this.#outcomes.keys().next().value!);
  }

  /** How one job stands. */
  health(record: StreamingJobRecord, state: StreamingJobState): void {
    const { healthReportCallbackUri: address } = record;
    if (address !== null) this.#health(address, [{ record, state }]);
  }

  /** The same, to whoever wants to hear of stalls and does not hear of everything anyway. */
  stalled(record: StreamingJobRecord, state: StreamingJobState): void {
    const { stallCallbackUri: address } = record;
    if (address !== null && address !== record.healthReportCallbackUri)
      this.#health(address, [{ record, state }]);
  }

  /** How all live jobs stand: one report for each address. */
  async healthOfAll(): Promise<void> {
    const { store, duties } = this.#deps;
    if (!(await duties.claim('stream-health', DUTY_MS))) return;
    const byAddress = new Map<string, StoredStream[]>();
    for await (const { id } of allEntries(store, LIVE_STREAMS)) {
      const job = await storedStream(store, Number(id));
      const address = job?.record.healthReportCallbackUri;
      if (job === undefined || address === null || address === undefined) continue;
      byAddress.set(address, [...(byAddress.get(address) ?? []), job]);
    }
    for (const [address, jobs] of byAddress) this.#health(address, jobs);
  }

  #health(address: string, jobs: readonly StoredStream[]): void {
    const at = this.#deps.clock.now();
    const text = JSON.stringify({ reportDate: localIso(at), reports: jobs.map(healthOf) });
    this.#enqueue(address, {
      kind: 'health',
      jobs: jobs.map(({ record }) => record.number),
      text: () => Promise.resolve(text),
      done: () => Promise.resolve(),
    });
  }

  /** Brings the reports of segments that the job has taken in to their place, and posts them. */
  async publish(record: StreamingJobRecord, state: StreamingJobState): Promise<void> {
    if (await this.#isOwn(record.number)) await this.#publishAll(record, state);
  }

  async #publishAll(
    record: StreamingJobRecord,
    { status, lastSegment: upTo }: StreamingJobState,
  ): Promise<void> {
    const folder = segmentsFolder(this.#deps.dataDir, record.number);
    const names = await readdir(folder).catch(() => []);
    const segments = names.flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
    for (const segment of segments.sort((a, b) => a - b))
      if (segment <= upTo)
        await this.#publish(record, segmentFile(this.#deps.dataDir, record.number, segment));
    if (isEnded(status)) await this.#ended(record);
  }

  async #publish(record: StreamingJobRecord, file: string): Promise<void> {
    const { summaryReportCallbackUri: address } = record;
    // Two who have found it at a time publish it once.
    if (this.#posting.has(file)) return;
    this.#posting.add(file);
    const kept = await this.#place(record, file).catch((error: unknown) => {
      this.#posting.delete(file);
      throw error;
    });
    if (address === null) return void this.#posting.delete(file);
    this.#enqueue(address, {
      kind: 'summary',
      jobs: [record.number],
      text: () => readFile(kept ?? file, 'utf8'),
      done: async () => {
        this.#posting.delete(file);
        // Where it was kept elsewhere it may have come here a second time meanwhile, by another server.
        await removeFile(file);
        await this.#removeFolder(record.number);
      },
    });
  }

  /** Where the report of a segment lies from now on; undefined: where it was, until it has been posted, if it is to be. */
  async #place(
    { number, enableOutputToDisk, summaryReportCallbackUri: address }: StreamingJobRecord,
    file: string,
  ): Promise<string | undefined> {
    if (enableOutputToDisk) return this.#keep(number, file);
    if (address === null) await removeFile(file);
    return undefined;
  }

  async #keep(job: number, file: string): Promise<string> {
    const kept = await this.#outputFile(job);
    await rename(file, kept);
    return kept;
  }

  /** Its name tells when it was made; of two in one millisecond the later one waits for the next. */
  async #outputFile(job: number): Promise<string> {
    const folder = streamOutputFolder(this.#deps.dataDir, job);
    await mkdir(folder, { recursive: true });
    const taken = new Set(await readdir(folder));
    let at = this.#deps.clock.now();
    while (taken.has(nameAt(at))) at++;
    return path.join(folder, nameAt(at));
  }

  /** A report without tracks that says why there will be no more of them. */
  async error(record: StreamingJobRecord, state: StreamingJobState, message: string): Promise<void> {
    const segmentId = state.lastSegment + 1;
    const { number, externalId, segmentSize, trackType } = record;
    const head = { jobId: number, externalId, segmentId, segmentSize, trackType };
    const report = emptyReport({ ...head, errorMessage: message, at: this.#deps.clock.now() });
    const text = `${JSON.stringify(report)}\n`;
    if (record.enableOutputToDisk) await this.#writeOutput(number, text);
    const { summaryReportCallbackUri: address } = record;
    if (address === null) return;
    const done = () => this.#removeFolder(number);
    this.#enqueue(address, { kind: 'summary', jobs: [number], text: () => Promise.resolve(text), done });
  }

  async #writeOutput(job: number, text: string): Promise<void> {
    const file = await this.#outputFile(job);
    await writeFile(file, text, { mode: 0o600 });
  }

  /** False: files are left. */
  async removeFiles({ number }: StreamingJobRecord): Promise<boolean> {
    const { dataDir, logger } = this.#deps;
    let all = true;
    for (const folder of [segmentsFolder(dataDir, number), streamOutputFolder(dataDir, number)])
      await removeFolder(folder).catch((err: unknown) => {
        all = false;
        logger.warn({ err, folder }, 'could not remove files of a streaming job');
      });
    return all;
  }

  #enqueue(address: string, report: Report): void {
    const queue = this.#queues.get(address) ?? { waiting: [], sending: false };
    this.#queues.set(address, queue);
    queue.waiting.push(report);
    if (queue.waiting.length > this.#deps.maxQueued) this.#drop(queue.waiting.shift()!);
    if (!queue.sending) void this.#sendAll(address, queue);
  }

  #drop(report: Report): void {
    this.#deps.meter.reportEnded(report.kind, 'dropped');
    for (const job of report.jobs) {
      const { dropped = 0, ...rest } = this.#outcomes.get(job) ?? {};
      this.#outcome(job, { ...rest, dropped: dropped + 1 });
    }
    void report.done().catch(() => undefined);
  }

  async #sendAll(address: string, queue: Queue): Promise<void> {
    queue.sending = true;
    for (let next = queue.waiting.shift(); next !== undefined; next = queue.waiting.shift()) {
      if (this.#stop.signal.aborted) return;
      await this.#sendOne(address, next);
    }
    this.#queues.delete(address);
  }

  async #sendOne(address: string, report: Report): Promise<void> {
    const { send, meter, clock, logger, timeoutMs } = this.#deps;
    const error = await this.#try(send, address, report, AbortSignal.timeout(timeoutMs));
    meter.reportEnded(report.kind, error === null ? 'sent' : 'failed');
    for (const job of report.jobs) {
      const before = this.#outcomes.get(job) ?? { dropped: 0 };
      this.#outcome(job, { ...before, [report.kind]: { at: clock.now(), error } });
    }
    if (error !== null)
      logger.warn(
        { address: maskUri(address), kind: report.kind, jobs: report.jobs, error },
        'a report of a stream was not taken',
      );
    await report.done().catch(() => undefined);
  }

  /** Why it was not taken; null: it was. */
  async #try(send: Send, url: string, report: Report, timeout: AbortSignal): Promise<string | null> {
    try {
      const request = {
        method: 'POST',
        url,
        body: null,
        text: await report.text(),
        headers: { 'Content-Type': 'application/json' },
        idempotencyKey: randomUUID(),
        addToken: false,
      } as const;
      const outcome = await send(request, AbortSignal.any([timeout, this.#stop.signal]));
      return outcome.kind === 'sent' ? null : outcome.reason;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** HealthReportData of specification 2.3. */
function healthOf({ record, state: { status, detail, activity } }: StoredStream) {
  return {
    jobId: record.number,
    externalId: record.externalId,
    jobStatus: status,
    jobStatusDetail: detail,
    activityFrameId: activity === null ? null : String(activity.frame),
    activityTimestamp: activity === null ? null : localIso(activity.at),
  };
}

const nameAt = (at: number) => `summary-report ${localIso(at)}.json`;
