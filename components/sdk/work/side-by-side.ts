import { setTimeout as sleep } from 'node:timers/promises';
import { stopWith } from '../../../egress/http/stop-with.ts';
import { MOST_IN_TURN } from '../../../protocol/worker-messages.ts';
import type { SubJobAssignment } from '../../../protocol/worker-protocol.ts';
import type { WorkerClient } from '../connection/client.ts';
import { isTransport } from '../connection/retry.ts';
import { failureOf, logStack, messageOf, ProtocolError } from '../failure.ts';
import { sendAnswer } from './stored-answer.ts';
import type { WorkContext } from './work-context.ts';

export interface SideWorkerOptions {
  readonly client: WorkerClient;
  readonly algorithms: readonly string[];
  /** Maximum number of concurrent sub-jobs. */
  readonly places: number;
  /** Ends the worker. Running sub-jobs are given back. */
  readonly signal: AbortSignal;
  log(message: string): void;
  /** Turns one sub-job into the body of its answer; throws a CodedError (or any error) to fail it. */
  handle(assignment: SubJobAssignment, context: WorkContext): AsyncIterable<string | Uint8Array>;
}

interface Running {
  readonly assignment: SubJobAssignment;
  readonly stop: AbortController;
  done: number;
  total: number;
  beats: number;
}

const POLL_MS = 25_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Maximum number of concurrent heartbeats. With more sub-jobs, each sends fewer, down to a third. */
const BEATS_AT_ONCE = 16;
const MOST_ROUNDS = 3;
const FIRST_HEARTBEAT_MS = 1_000;

/** Claims and processes sub-jobs until the signal aborts. Many run concurrently, because each mostly waits for another host. */
export class SideWorker {
  readonly #options: SideWorkerOptions;
  readonly #running = new Map<string, Running>();
  #heartbeatMs = FIRST_HEARTBEAT_MS;
  #placeIsFree = () => {};

  constructor(options: SideWorkerOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const beats = this.#beatAll();
    const { signal, log } = this.#options;
    const ends = new Set<Promise<void>>();
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        for (const assignment of await this.#claim()) {
          const end = this.#work(assignment).finally(() => ends.delete(end));
          ends.add(end);
        }
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof ProtocolError && (error.status === 401 || error.status === 403)) throw error;
        log(`cannot claim work: ${messageOf(error)}`);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
    }
    await Promise.all([...ends, beats]);
  }

  async #claim(): Promise<readonly SubJobAssignment[]> {
    const { client, algorithms, places, signal } = this.#options;
    if (this.#running.size >= places)
      await new Promise<void>((resolve) => {
        this.#placeIsFree = resolve;
      });
    signal.throwIfAborted();
    const max = Math.min(MOST_IN_TURN, places - this.#running.size);
    return (await client.claim({ algorithms, max, waitMs: POLL_MS }, signal)) as SubJobAssignment[];
  }

  async #work(assignment: SubJobAssignment): Promise<void> {
    const { client, signal: ended, log } = this.#options;
    const { token, id, heartbeatMs } = assignment;
    const { stop, leave } = stopWith(ended);
    const { signal } = stop;
    const running: Running = { assignment, stop, done: 0, total: 0, beats: 0 };
    this.#running.set(token, running);
    this.#heartbeatMs = heartbeatMs;
    try {
      const answer = this.#options.handle(assignment, this.#contextOf(running, signal));
      const text = await sendAnswer(this.#options, token, answer, { signal });
      if (text !== undefined) await client.result(token, text, { until: signal });
    } catch (error) {
      if (!signal.aborted && !isTransport(error)) logStack(error, id, log);
      const answered =
        signal.aborted || isTransport(error)
          ? client.giveBack(token, ended)
          : client.failure(token, failureOf(error), ended);
      await answered.catch((failed: unknown) => log(`${id}: ${messageOf(failed)}`));
    } finally {
      leave();
      this.#running.delete(token);
      this.#placeIsFree();
    }
  }

  #contextOf(running: Running, signal: AbortSignal): WorkContext {
    return {
      signal,
      progress: (done, total) => Object.assign(running, { done, total }),
      input: (path) => this.#options.client.input(path, signal),
    };
  }

  async #beatAll(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const rounds = Math.min(MOST_ROUNDS, Math.ceil(this.#running.size / BEATS_AT_ONCE));
      await sleep(this.#heartbeatMs * Math.max(1, rounds), undefined, { signal }).catch(() => undefined);
      const all = [...this.#running.values()];
      for (let at = 0; at < all.length && !signal.aborted; at += BEATS_AT_ONCE)
        await Promise.all(all.slice(at, at + BEATS_AT_ONCE).map((one) => this.#beat(one)));
    }
  }

  /**
   * Sends a heartbeat. If it is lost, the next one replaces it. Waiting counts as progress: each sub-job has its own timeouts for the other
   * host. If one counted as silent, the process with all others would be ended.
   */
  async #beat(running: Running): Promise<void> {
    const { assignment, done, total, stop } = running;
    const progress = { done: done + ++running.beats, total };
    const go = await this.#options.client.beat(assignment.token, progress).catch(() => 'on');
    if (go !== 'on') stop.abort(new Error('The sub-job was cancelled.'));
  }
}
