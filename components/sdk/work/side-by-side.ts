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
  /** Sub-jobs that it has at a time. */
  readonly places: number;
  /** Ends it; sub-jobs in hand are given back. */
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
/** Heartbeats that are on their way at a time. With more sub-jobs than that each beats less often, up to the third part as often. */
const BEATS_AT_ONCE = 16;
const MOST_ROUNDS = 3;
const FIRST_HEARTBEAT_MS = 1_000;

/** Claims and works until the signal; many sub-jobs side by side, for each waits for another host most of its time. */
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
   * One that the server does not hear of is made up for by the next. To wait is progress as well: each sub-job has time limits of its own for
   * the other host, and to lose one as silent would end the process with all others.
   */
  async #beat(running: Running): Promise<void> {
    const { assignment, done, total, stop } = running;
    const progress = { done: done + ++running.beats, total };
    const go = await this.#options.client.beat(assignment.token, progress).catch(() => 'on');
    if (go !== 'on') stop.abort(new Error('The sub-job was cancelled.'));
  }
}
