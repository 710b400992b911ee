import type { Logger } from '../../../config/logger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobProgressEvent } from './job-info.ts';
import { PollLoop } from './poll-loop.ts';

/** How a job, or anything else that has a number and ends, stands. */
interface Watchable {
  readonly terminal: boolean;
}

/** Whoever watches a job. Neither may throw. */
export interface JobWatcher<E extends Watchable = JobProgressEvent> {
  /** The job as it is now: at first, and whenever something has changed. */
  onChange(event: E): void;
  /** Nothing follows: the job has ended or is gone, or the server stops. */
  onEnd(): void;
}

export interface JobWatchDeps<E extends Watchable> {
  /** How these stand now, in the same order; undefined for one that does not exist. */
  readonly views: { progressEvents(numbers: readonly number[]): Promise<readonly (E | undefined)[]> };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between two looks. */
  readonly pollMs: number;
}

interface Watched<E extends Watchable> {
  readonly watchers: Set<JobWatcher<E>>;
  /** What the watchers were told last, and the number of the look that saw it. */
  last: string;
  look: number;
}

/** Jobs looked at before others have the event loop. */
const BATCH = 25;

/**
 * Reads the watched jobs and reports changes: one read for each job, however many clients watch it, and none without a watcher. It
 * reads the store, so nothing can be missed.
 */
export class JobWatch<E extends Watchable = JobProgressEvent> {
  readonly #deps: JobWatchDeps<E>;
  readonly #jobs = new Map<number, Watched<E>>();
  readonly #pollLoop: PollLoop;
  /** Counts looks: one that began earlier but ends later tells nothing. */
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

  /** How many jobs are looked at. */
  get size(): number {
    return this.#jobs.size;
  }

  /**
   * Tells the watcher how the job stands, at once, then of every change until it has ended; the answer stops that.
   * Undefined when there is no such job.
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
