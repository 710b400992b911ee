/** Runs a live stream: its end, its last report and its lease. */
import type { StreamCounts, StreamEnd } from '../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import { WorkerClient } from '../connection/client.ts';
import { failureOf, logStack } from '../failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { RecordingSender } from '../connection/recording-sender.ts';
import { StreamReport } from './stream-report.ts';

/** Reason why a component stops a stream: the server ends it, the lease is lost, or this process ends. */
export type StreamStop = 'cancelled' | 'lost' | 'leaving';

export interface StreamContext {
  readonly report: StreamReport;
  /** Receives the recording of the stream. */
  readonly recordings: Pick<RecordingSender, 'add'>;
  /** Aborts with a `StreamStopped`. Findings until then must still be reported. */
  readonly stop: AbortSignal;
  /** Must be called with a growing number while the stream is watched, also without frames. */
  progress(done: number): void;
  /** Registers the source of the newest counts. */
  onCounts(counts: () => StreamCounts): void;
  /** True if the stream currently has viewers. */
  wantsFrame(): boolean;
  log(message: string): void;
}

export class StreamStopped extends Error {
  readonly why: StreamStop;
  constructor(why: StreamStop) {
    super(`The stream is not watched any longer: ${why}.`);
    this.name = 'StreamStopped';
    this.why = why;
  }
}

/** Watches until the stream ends (and returns why) or `stop` aborts. Rejects if the stream cannot be opened or watched. */
export type WatchStream = (assignment: StreamAssignment, context: StreamContext) => Promise<StreamEnd>;

export interface StreamWorkerOptions {
  readonly client: WorkerClient;
  /** Aborts when this process must end. */
  readonly signal: AbortSignal;
  watchStream?: WatchStream;
  log(message: string): void;
}

/** Maximum time in milliseconds for the last reports of an ending process. */
const LEAVING_MS = 1_000;
/** Maximum wait in milliseconds for the last recorded fragments. */
const FLUSH_MS = 10_000;
const NONE: StreamCounts = { read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 };

export async function runStream(
  assignment: StreamAssignment,
  options: StreamWorkerOptions,
  heartbeat: Heartbeat,
): Promise<void> {
  const course = new Course(assignment, options);
  heartbeat.begin(assignment, (why) => course.stop(why === 'LEASE_LOST' ? 'lost' : 'cancelled'));
  try {
    await course.run(heartbeat);
  } finally {
    heartbeat.end();
    course.close();
  }
}

class Course {
  readonly #assignment: StreamAssignment;
  readonly #options: StreamWorkerOptions;
  readonly #stop = new AbortController();
  readonly #report: StreamReport;
  readonly #recordings: RecordingSender;
  readonly #leave = () => this.stop('leaving');
  #counts: () => StreamCounts = () => NONE;
  #wantsFrame = false;

  constructor(assignment: StreamAssignment, options: StreamWorkerOptions) {
    this.#assignment = assignment;
    this.#options = options;
    const { client, log, signal } = options;
    this.#report = new StreamReport({
      client,
      token: assignment.token,
      log,
      counts: () => this.#counts(),
      onOver: (error) => {
        log(`${assignment.id}: ${error.message}`);
        this.stop('lost');
      },
      onAnswer: ({ go, wantsFrame = false }) => {
        this.#wantsFrame = wantsFrame;
        if (go === 'cancelled') this.stop('cancelled');
      },
    });
    this.#recordings = new RecordingSender({ client, token: assignment.token, log });
    signal.addEventListener('abort', this.#leave);
    if (signal.aborted) this.#leave();
  }

  stop(why: StreamStop): void {
    this.#stop.abort(new StreamStopped(why));
  }

  async run(heartbeat: Heartbeat): Promise<void> {
    try {
      const end = await this.#watch(heartbeat);
      await this.#finish(end);
    } catch (error) {
      await this.#fail(error);
    }
  }

  close(): void {
    this.#options.signal.removeEventListener('abort', this.#leave);
    this.#report.close();
    this.#recordings.close();
  }

  async #watch(heartbeat: Heartbeat): Promise<StreamEnd> {
    const { watchStream, log } = this.#options;
    if (watchStream === undefined) throw new Error('This component does not watch live streams.');
    return watchStream(this.#assignment, {
      report: this.#report,
      recordings: this.#recordings,
      stop: this.#stop.signal,
      progress: (done) => heartbeat.progress(done, 0),
      onCounts: (counts) => (this.#counts = counts),
      wantsFrame: () => this.#wantsFrame,
      log,
    });
  }

  /** Reason of the stop; undefined if the stream was not stopped. */
  get #why(): StreamStop | undefined {
    const { reason } = this.#stop.signal as { reason: unknown };
    return reason instanceof StreamStopped ? reason.why : undefined;
  }

  async #finish(end: StreamEnd): Promise<void> {
    if (this.#why === 'leaving') return this.#release();
    await this.#report.flush();
    await this.#recordings.flush(FLUSH_MS);
    await this.#report.end(end);
  }

  /** Releases the stream. The next component that claims it continues after the last segment that arrived. */
  async #release(): Promise<void> {
    await Promise.all([this.#report.flush(LEAVING_MS), this.#recordings.flush(LEAVING_MS)]);
    await this.#options.client
      .release(this.#assignment.token)
      .catch((error: unknown) => this.#options.log(`${this.#assignment.id}: ${String(error)}`));
  }

  async #fail(error: unknown): Promise<void> {
    const why = this.#why;
    if (why === 'lost') return;
    if (why === 'leaving') return this.#release();
    const { client, log } = this.#options;
    logStack(error, this.#assignment.id, log);
    await this.#report.flush();
    await client
      .failure(this.#assignment.token, failureOf(error))
      .catch((failed: unknown) => log(`${this.#assignment.id}: ${String(failed)}`));
  }
}
