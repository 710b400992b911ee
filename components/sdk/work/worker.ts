import { cpuClock } from './cpu-time.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { failureOf, logStack, messageOf, ProtocolError } from '../failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { sendAnswer } from './stored-answer.ts';
import { IdleMemory } from './idle-memory.ts';
import type { MediaCache } from '../media/media-cache.ts';
import { DiskPause, OwnDiskError } from '../own-disk.ts';
import { stopWith } from '../../../egress/http/stop-with.ts';
import { isTransport } from '../connection/retry.ts';
import { runStream, type StreamWorkerOptions } from './stream-worker.ts';
import { MOST_IN_TURN, type SubJobAnswer } from '../../../protocol/worker-messages.ts';
import {
  ANSWER_FORMS,
  isViewKind,
  type Assignment,
  type SubJobAssignment,
  type ViewAssignment,
} from '../../../protocol/worker-protocol.ts';
import { contextOf } from './sub-job-context.ts';
import type { WorkContext } from './work-context.ts';

export interface WorkerOptions extends StreamWorkerOptions {
  readonly algorithms: readonly string[];
  /** Ends the loop. The current sub-job is given back. */
  readonly signal: AbortSignal;
  /** Cache for media that are not on this host; undefined if all media are. */
  readonly cache?: MediaCache;
  /** The second thread of this process, if it exists. */
  readonly thread?: Worker;
  /** Converts a sub-job to the body of its answer. Throws a DetectionError (or any error) to fail it. */
  handle(
    assignment: SubJobAssignment | ViewAssignment,
    context: WorkContext,
  ): AsyncIterable<string | Uint8Array>;
}

/** Maximum size of a result that is sent together with others. */
const SMALL_BYTES = 32 * 1024;
/** Total size of waiting answers from which they are sent. */
const MOST_BYTES = 512 * 1024;
const POLL_MS = 25_000;
const MAX_PAUSE_MS = 5_000;
/** Duration of the work that is fetched at a time, estimated from earlier sub-jobs. */
const AHEAD_MS = 400;
/** Maximum time for which answers wait, to be sent together. */
const TOGETHER_MS = AHEAD_MS / 2;
/** Duration of a sub-job from which the sub-jobs waiting behind it are given back. */
const HELD_UP_MS = 1_000;
/** Reason of the abort signal by verdict. */
const OVER = { CANCELLED: 'The sub-job was cancelled.', LEASE_LOST: 'The lease was lost.' } as const;
/** Weight of the last sub-job in the expected duration. */
const NEWS = 0.3;

interface Started {
  readonly at: number;
  /** CPU time since the start. */
  readonly cpuMs: () => number;
}

const timesSince = ({ at, cpuMs }: Started) => ({ ms: performance.now() - at, cpuMs: cpuMs() });

/** Claims and processes sub-jobs until the signal aborts: one at a time, but several small ones per message. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const heartbeat = new Heartbeat(options.client, options.thread);
  try {
    await new TurnWorker(options, heartbeat).run();
  } finally {
    await heartbeat.close();
  }
}

class TurnWorker {
  readonly #options: WorkerOptions;
  readonly #heartbeat: Heartbeat;
  readonly #pause = new DiskPause();
  readonly #memory = new IdleMemory();
  /** Claimed sub-jobs that have not started. */
  #todo: Assignment[] = [];
  #answers: SubJobAnswer[] = [];
  #bytes = 0;
  /** The message that is being sent; at most one. */
  #sending: Promise<void> | undefined;
  #sentAt = performance.now();
  /** Expected duration of the next sub-job in milliseconds. Large until some sub-jobs were quick. */
  #expectedMs = HELD_UP_MS;

  constructor(options: WorkerOptions, heartbeat: Heartbeat) {
    this.#options = options;
    this.#heartbeat = heartbeat;
  }

  async run(): Promise<void> {
    const { signal, log } = this.#options;
    let pause = 100;
    while (!signal.aborted) {
      try {
        await this.#fetch();
        pause = 100;
        await this.#workOff();
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof ProtocolError && (error.status === 401 || error.status === 403)) throw error;
        log(`cannot claim work: ${messageOf(error)}`);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
    await this.#letGo();
  }

  /** Waits for work while idle. */
  async #fetch(): Promise<void> {
    const { client, algorithms, signal } = this.#options;
    const claim = { algorithms, max: this.#atOnce, waitMs: POLL_MS, inTurn: true };
    const stopWaiting = this.#memory.startWaiting();
    try {
      this.#take(await client.claim(claim, signal));
    } finally {
      stopWaiting();
    }
  }

  /** Processes all claimed work, and the work that each message brings, until nothing is left and all is answered. */
  async #workOff(): Promise<void> {
    for (;;) {
      const next = this.#todo.shift();
      if (next?.kind === 'STREAM') {
        await this.#letGo();
        await runStream(next, this.#options, this.#heartbeat);
      } else if (next !== undefined) {
        await this.#work(next);
        if (next.last === true || this.#isDue) void this.#send();
      } else if (this.#sending !== undefined || this.#answers.length > 0) await this.#send();
      else return this.#heartbeat.end();
    }
  }

  /** Adds work. A sub-job that is the only one its job waits for comes first. */
  #take(work: readonly Assignment[]): void {
    this.#todo.unshift(...work.filter(({ last }) => last === true));
    this.#todo.push(...work.filter(({ last }) => last !== true));
  }

  get #atOnce(): number {
    return Math.min(MOST_IN_TURN, Math.max(1, Math.floor(AHEAD_MS / Math.max(1, this.#expectedMs))));
  }

  get #isDue(): boolean {
    return (
      this.#answers.length >= MOST_IN_TURN / 2 ||
      this.#bytes >= MOST_BYTES ||
      performance.now() - this.#sentAt >= TOGETHER_MS
    );
  }

  /** Sends the waiting answers and fetches as much work as fits. Does nothing while another message is being sent. */
  #send(fetches = true): Promise<void> {
    this.#sending ??= this.#exchange(fetches).finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #exchange(fetches: boolean): Promise<void> {
    const { client, algorithms, signal, log } = this.#options;
    const answers = this.#answers.splice(0, MOST_IN_TURN);
    this.#bytes = 0;
    this.#sentAt = performance.now();
    const max = fetches && !signal.aborted ? Math.max(0, this.#atOnce - this.#todo.length) : 0;
    try {
      const { refused, work } = await client.answers({ answers, algorithms, max }, signal);
      for (const reason of refused) if (reason !== null) log(`the server refused an answer: ${reason}`);
      this.#take(work);
    } catch (error) {
      log(`answers could not be sent: ${messageOf(error)}`);
      await Promise.all(answers.map(({ token }) => client.release(token).catch(() => undefined)));
    }
  }

  async #work(assignment: SubJobAssignment | ViewAssignment): Promise<void> {
    const { signal: ended, log } = this.#options;
    const { stop, leave } = stopWith(ended);
    const { signal } = stop;
    const started = { at: performance.now(), cpuMs: cpuClock() };
    const heldUp = setTimeout(() => void this.#letGo(), HELD_UP_MS);
    this.#heartbeat.begin(assignment, (why) => stop.abort(new Error(OVER[why])));
    try {
      signal.throwIfAborted();
      const body = this.#options.handle(
        assignment,
        contextOf(this.#options, this.#heartbeat, assignment, signal),
      );
      await this.#answer(assignment, body, signal, started);
      this.#pause.noteWork();
    } catch (error) {
      await this.#giveUp(assignment, error, signal, started).catch((failed: unknown) =>
        log(`${assignment.id}: ${messageOf(failed)}`),
      );
    } finally {
      leave();
      clearTimeout(heldUp);
      this.#memory.noteWork();
      this.#expectedMs += NEWS * (performance.now() - started.at - this.#expectedMs);
    }
  }

  /**
   * Answers a sub-job. Small answers wait for the next message, and larger ones are sent separately. A very large one is sent while it is
   * produced.
   */
  async #answer(
    { token, kind }: SubJobAssignment | ViewAssignment,
    body: AsyncIterable<string | Uint8Array>,
    signal: AbortSignal,
    started: Started,
  ): Promise<void> {
    const { cpuMs } = started;
    const whole = await sendAnswer(this.#options, token, body, { signal, cpuMs });
    if (whole === undefined) return;
    const { client } = this.#options;
    const size = whole.length;
    // A document becomes a file with a name, whatever its size.
    const isDocument = !isViewKind(kind) && ANSWER_FORMS[kind] === 'document';
    if (size > SMALL_BYTES || isDocument) return await client.result(token, whole, { until: signal, cpuMs });
    this.#bytes += size;
    this.#answers.push({ token, lines: whole.toString('utf8'), ...timesSince(started) });
  }

  /** Gives up a sub-job. Stopped work and answers that could not be sent are given back. Failed work is reported as failed. */
  async #giveUp(
    { token, id }: Pick<Assignment, 'token' | 'id'>,
    error: unknown,
    signal: AbortSignal,
    started: Started,
  ): Promise<void> {
    if (!signal.aborted && !isTransport(error)) {
      logStack(error, id, this.#options.log);
      this.#answers.push({ token, failure: failureOf(error), ...timesSince(started) });
      return;
    }
    const { client, signal: ended, log } = this.#options;
    await client.giveBack(token, ended);
    if (!(error instanceof OwnDiskError)) return;
    this.#heartbeat.end();
    await this.#letGo();
    await this.#pause.rest(ended, log, error);
  }

  /**
   * Sends answers and gives back work that has not started: at the end, and while one sub-job takes long, so that other components can
   * process the rest.
   */
  async #letGo(): Promise<void> {
    do {
      // A message that is being sent may bring more work.
      await this.#sending;
      this.#answers.push(...this.#todo.splice(0).map(({ token }) => ({ token })));
      if (this.#answers.length > 0) await this.#send(false);
    } while (this.#todo.length + this.#answers.length > 0);
  }
}
