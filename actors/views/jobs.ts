import { maskUri } from '../../output/censor.ts';
import { detectionFile } from '../../output/layout.ts';
import type { Store } from '../../store/store.ts';
import { BATCH_JOB } from '../batch-job/actor.ts';
import type { JobRecord } from '../batch-job/record.ts';
import { jobSnapshotSchema, type JobSnapshot } from '../batch-job/snapshot.ts';
import { isTerminal } from '../batch-job/status.ts';
import { DISPATCHER } from '../dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply } from '../dispatcher/commands.ts';
import type { Family } from '../runtime/system.ts';

export { jobNumber } from '../../pipeline/job-id.ts';

/** Specification 2.2, SingleJobInfo. */
export interface SingleJobInfo {
  readonly jobId: string;
  readonly jobPriority: number;
  readonly jobProgress: number;
  readonly jobStatus: string;
  readonly terminal: boolean;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly mediaUris: readonly string[];
  readonly outputObjectPath: string | null;
  readonly pipelineName: string;
  readonly archiveStatus: string;
  readonly callbackStatus: string;
}

export interface StoredJob {
  readonly record: JobRecord;
  readonly snapshot: JobSnapshot;
}

/** A job as it is stored; no actor is woken for it. */
export async function storedJob(store: Store, number: number): Promise<StoredJob | undefined> {
  const stored = await store.load({ kind: BATCH_JOB, id: String(number) });
  if (stored === undefined) return undefined;
  const { state } = stored.snapshot.body as { state: unknown };
  return { record: stored.record as JobRecord, snapshot: jobSnapshotSchema.parse(state) };
}

const MAX_SHOWN = 10_000;

/** Answers reads about jobs from the store, and the progress inside running sub-jobs from the dispatcher. */
export class JobViews {
  readonly #store: Store;
  readonly #dispatcher: Family<DispatcherCommand, DispatcherReply>;
  readonly #dataDir: string;
  /** Highest progress shown of each live job: what a lost lease takes back is not shown as a step back. */
  readonly #shown = new Map<string, number>();

  constructor(store: Store, dispatcher: Family<DispatcherCommand, DispatcherReply>, dataDir: string) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#dataDir = dataDir;
  }

  async single(number: number): Promise<SingleJobInfo | undefined> {
    const job = await storedJob(this.#store, number);
    if (job === undefined) return undefined;
    const { record, snapshot } = job;
    const terminal = isTerminal(snapshot.status);
    return {
      jobId: record.jobId,
      jobPriority: snapshot.priority,
      jobProgress: terminal ? this.#forget(record, snapshot) : await this.#progress(record, snapshot),
      jobStatus: snapshot.status,
      terminal,
      startDate: localIso(snapshot.startedAt),
      endDate: terminal && snapshot.endedAt !== null ? localIso(snapshot.endedAt) : null,
      mediaUris: record.media.map(({ uri }) => maskUri(uri)),
      outputObjectPath: this.#documentOf(job),
      pipelineName: record.plan.name,
      archiveStatus: 'NOT REQUESTED',
      callbackStatus: 'NOT REQUESTED',
    };
  }

  /** Path of a job's detection document, or undefined when there is none. */
  async document(number: number): Promise<string | undefined> {
    const job = await storedJob(this.#store, number);
    return job === undefined ? undefined : (this.#documentOf(job) ?? undefined);
  }

  #documentOf({ record, snapshot }: StoredJob): string | null {
    return snapshot.hasDocument && isTerminal(snapshot.status)
      ? detectionFile(this.#dataDir, record.jobId)
      : null;
  }

  /** Committed progress and the done part of the sub-jobs that run now. */
  async #progress(record: JobRecord, { progress, run, stage }: JobSnapshot): Promise<number> {
    const key = `${record.jobId}.${run}`;
    const report =
      stage.name === 'TASK' ? await this.#dispatcher.ask(DISPATCHER, { type: 'report' }) : undefined;
    const leases = report?.kind === 'report' ? report.leases : [];
    const running = leases.filter(
      ({ subJob }) => subJob.jobId === String(record.number) && subJob.kind === 'DETECT',
    );
    const part = running.reduce(
      (sum, { done, total, subJob }) => sum + subJob.share * (total > 0 ? Math.min(1, done / total) : 0),
      0,
    );
    const shown = Math.min(99, Math.max(this.#shown.get(key) ?? 0, progress + part));
    this.#shown.set(key, shown);
    // Jobs that nobody looks at any more do not pile up here.
    if (this.#shown.size > MAX_SHOWN) this.#shown.delete(this.#shown.keys().next().value!);
    return Math.round(shown * 100) / 100;
  }

  #forget(record: JobRecord, { run }: JobSnapshot): number {
    this.#shown.delete(`${record.jobId}.${run}`);
    return 100;
  }
}

/** ISO 8601 with milliseconds and the offset of the server's zone. */
function localIso(time: number): string {
  const date = new Date(time);
  const offset = -date.getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
