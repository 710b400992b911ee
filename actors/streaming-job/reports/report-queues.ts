import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../config/logger.ts';
import { maskUri } from '../../../domain/job/censor.ts';
import type { Outcome, OutgoingRequest, Send } from '../../../egress/request.ts';
import type { Clock } from '../../basics/clock.ts';
import type { StreamMeter } from '../../basics/meter.ts';

export interface ReportQueuesDeps {
  readonly send: Send;
  readonly meter: Pick<StreamMeter, 'reportEnded'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum number of pending reports for one address. */
  readonly maxQueued: number;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
}

export interface Report {
  readonly kind: 'health' | 'summary';
  readonly jobs: readonly number[];
  /** Secrets of the jobs, which sign the report. If undefined, the secrets of the receiver are used. */
  readonly secrets?: readonly string[] | undefined;
  /** Trace of the job. Undefined if there is none, or the report is about several jobs. */
  readonly traceparent?: string | undefined;
  text(): Promise<string>;
  /** Called after the attempt, or after the report was dropped. */
  done(): Promise<void>;
}

/** Result of the last report of a kind. */
export interface ReportOutcome {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Reason of the failure; null after success. */
  readonly error: string | null;
}
export interface ReportOutcomes {
  readonly health?: ReportOutcome;
  readonly summary?: ReportOutcome;
  /** Number of dropped reports, because their receiver was too slow. */
  readonly dropped: number;
}

interface Queue {
  readonly waiting: Report[];
  sending: boolean;
}

/** Maximum number of jobs whose results of reports are kept. */
const MAX_OUTCOMES = 1_000;

/**
 * Posts reports, with one attempt each. Every address has its own queue, so that a slow receiver delays no other receiver. A full queue
 * drops its oldest report.
 */
export class ReportQueues {
  readonly #deps: ReportQueuesDeps;
  readonly #queues = new Map<string, Queue>();
  readonly #outcomes = new Map<number, ReportOutcomes>();
  /** Functions that abort running posts. AbortSignal.any is not used, because it leaks memory with each post. */
  readonly #posts = new Set<(reason: Error) => void>();
  #isClosed = false;

  constructor(deps: ReportQueuesDeps) {
    this.#deps = deps;
  }

  /** Aborts running posts, and prevents new ones. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#posts) end(new Error('the server is shutting down'));
  }

  outcomes(job: number): ReportOutcomes | undefined {
    return this.#outcomes.get(job);
  }

  add(address: string, report: Report): void {
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
      this.#note(job, { ...rest, dropped: dropped + 1 });
    }
    void report.done().catch(() => undefined);
  }

  async #sendAll(address: string, queue: Queue): Promise<void> {
    queue.sending = true;
    for (let next = queue.waiting.shift(); next !== undefined; next = queue.waiting.shift()) {
      if (this.#isClosed) return;
      await this.#sendOne(address, next);
    }
    this.#queues.delete(address);
  }

  async #sendOne(address: string, report: Report): Promise<void> {
    const { meter, clock, logger } = this.#deps;
    const error = await this.#try(address, report);
    meter.reportEnded(report.kind, error === null ? 'sent' : 'failed');
    for (const job of report.jobs) {
      const before = this.#outcomes.get(job) ?? { dropped: 0 };
      this.#note(job, { ...before, [report.kind]: { at: clock.now(), error } });
    }
    if (error !== null)
      logger.warn(
        { address: maskUri(address), kind: report.kind, jobs: report.jobs, error },
        'a receiver did not accept a report of a stream',
      );
    await report.done().catch(() => undefined);
  }

  /** Reason of the failure; null after success. */
  async #try(url: string, report: Report): Promise<string | null> {
    const id = randomUUID();
    const { secrets, traceparent } = report;
    try {
      const request = {
        method: 'POST',
        url,
        body: null,
        text: await report.text(),
        headers: {
          'Content-Type': 'application/json',
          ...(traceparent === undefined ? {} : { traceparent }),
        },
        idempotencyKey: id,
        webhook: secrets === undefined ? { id } : { id, secrets },
        addToken: false,
      } as const;
      const outcome = await this.#post(request);
      return outcome.kind === 'sent' ? null : outcome.reason;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #post(request: OutgoingRequest): Promise<Outcome> {
    const { send, clock, timeoutMs } = this.#deps;
    const stop = new AbortController();
    const end = (reason: Error) => stop.abort(reason);
    const cancel = clock.after(timeoutMs, () => end(new Error(`no answer came in ${timeoutMs} ms`)));
    this.#posts.add(end);
    try {
      return await send(request, stop.signal);
    } finally {
      cancel();
      this.#posts.delete(end);
    }
  }

  #note(job: number, outcome: ReportOutcomes): void {
    this.#outcomes.delete(job);
    this.#outcomes.set(job, outcome);
    // Limits the number of jobs, because ended jobs get no more reports.
    if (this.#outcomes.size > MAX_OUTCOMES) this.#outcomes.delete(this.#outcomes.keys().next().value!);
  }
}
