import type { Logger } from '../../../config/logger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobProgressEvent } from './job-info.ts';
import { PollLoop } from './poll-loop.ts';

/** State of a job, or of anything else that has a number and ends. */
interface Watchable {
  readonly terminal: boolean;
}

/** A watcher of a job. Its functions must not throw. */
export interface JobWatcher<E extends Watchable = JobProgressEvent> {
  /** Called with the current state at first, and after every change. */
  onChange(event: E): void;
  /** Called at the end: the job has ended or was deleted, or the server stops. */
  onEnd(): void;
}

export interface JobWatchDeps<E extends Watchable> {
  /** Current states in the same order. Undefined for a job that does not exist. */
  readonly views: { progressEvents(numbers: readonly number[]): Promise<readonly (E | undefined)[]> };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between two looks. */
  readonly pollMs: number;
}

interface Watched<E extends Watchable> {
  readonly watchers: Set<JobWatcher<E>>;
  /** The last reported state, and the number of the look that read it. */
  last: string;
  look: number;
}

/** Number of jobs after which the loop yields to the event loop. */
const BATCH = 25;

/**
 * Reads the watched jobs and reports changes: one read for each job, however many clients watch it, and none without a watcher. It reads
 * the store, so no change is lost.
 */
export class JobWatch<E extends Watchable = JobProgressEvent> {
  readonly #deps: JobWatchDeps<E>;
  readonly #jobs = new Map<number, Watched<E>>();
  readonly #pollLoop: PollLoop;
  /** Number of looks. A look that began before the last reported one is ignored. */
  #looks = 0;
  #closed = false;

  constructor(deps: JobWatchDeps<E>) {
    this.#deps = deps;
    const { clock, logger, pollMs: everyMs } = deps;
    this.#pollLoop = new PollLoop({
      clock,
      everyMs,
      isWanted: () => this.#jobs.size > 0,
      look: () => this.#look(),
      onFailure: (err) => logger.warn({ err }, 'could not read the watched jobs'),
    });
  }

  /** Number of watched jobs. */
  get size(): number {
    return this.#jobs.size;
  }

  /**
   * Reports the state at once, then every change until the job has ended. The returned function ends the watch. Returns undefined if there
   * is no such job.
   */
  async watch(number: number, watcher: JobWatcher<E>): Promise<(() => void) | undefined> {
    const look = ++this.#looks;
    const [event] = await this.#deps.views.progressEvents([number]);
    if (event === undefined) return undefined;
    this.#compare(number, event, look);
    watcher.onChange(event);
    if (event.terminal || this.#closed) {
      watcher.onEnd();
      return () => undefined;
    }
    const watched = this.#jobs.get(number) ?? { watchers: new Set(), last: JSON.stringify(event), look };
    this.#jobs.set(number, watched);
    watched.watchers.add(watcher);
    this.#pollLoop.plan();
    return () => this.#leave(number, watched, watcher);
  }

  /** Ends all watching, because the server stops. */
  close(): void {
    this.#closed = true;
    this.#pollLoop.close();
    for (const [number, watched] of this.#jobs) this.#end(number, watched);
  }

  #leave(number: number, watched: Watched<E>, watcher: JobWatcher<E>): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size === 0 && this.#jobs.get(number) === watched) this.#jobs.delete(number);
    if (this.#jobs.size === 0) this.#pollLoop.pause();
  }

  async #look(): Promise<void> {
    const numbers = [...this.#jobs.keys()];
    for (let i = 0; i < numbers.length; i += BATCH) {
      const batch = numbers.slice(i, i + BATCH);
      const look = ++this.#looks;
      const progressEvents = await this.#deps.views.progressEvents(batch);
      for (const [n, number] of batch.entries()) this.#compare(number, progressEvents[n], look);
      if (i + BATCH < numbers.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #compare(number: number, event: E | undefined, look: number): void {
    const watched = this.#jobs.get(number);
    if (watched === undefined || watched.look > look) return;
    watched.look = look;
    if (event === undefined) return this.#end(number, watched);
    const text = JSON.stringify(event);
    if (text !== watched.last) {
      watched.last = text;
      for (const watcher of watched.watchers) watcher.onChange(event);
    }
    if (event.terminal) this.#end(number, watched);
  }

  #end(number: number, watched: Watched<E>): void {
    this.#jobs.delete(number);
    for (const watcher of watched.watchers) watcher.onEnd();
    watched.watchers.clear();
  }
}
