import type { Logger } from '../../config/logger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { JobProgressEvent, JobViews } from './jobs.ts';

/** Whoever watches a job. Neither may throw. */
export interface JobWatcher {
  /** The job as it is now: at first, and whenever something has changed. */
  seen(event: JobProgressEvent): void;
  /** Nothing follows: the job has ended or is gone, or the server stops. */
  ended(): void;
}

export interface JobWatchDeps {
  readonly views: Pick<JobViews, 'progressEvents'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between two looks. */
  readonly pollMs: number;
}

interface Watched {
  readonly watchers: Set<JobWatcher>;
  /** What the watchers were told last, and the number of the look that saw it. */
  last: string;
  look: number;
}

/** Jobs looked at before others have the event loop. */
const BATCH = 25;
/** A round that took long is followed by a pause so many times as long: looking never takes more than a fifth of the server. */
const REST = 4;

/**
 * Looks at the jobs that somebody watches and tells of changes: one look a job however many watch it, none when nobody
 * does. It looks at the store, so that nothing has to be told to it and nothing can be missed.
 */
export class JobWatch {
  readonly #deps: JobWatchDeps;
  readonly #jobs = new Map<number, Watched>();
  #cancel: (() => void) | undefined;
  /** Counts looks: one that began earlier but ends later tells nothing. */
  #looks = 0;
  #looking = false;
  #closed = false;

  constructor(deps: JobWatchDeps) {
    this.#deps = deps;
  }

  /** How many jobs are looked at. */
  get size(): number {
    return this.#jobs.size;
  }

  /**
   * Tells the watcher how the job stands, at once, then of every change until it has ended; the answer stops that.
   * Undefined when there is no such job.
   */
  async watch(number: number, watcher: JobWatcher): Promise<(() => void) | undefined> {
    const look = ++this.#looks;
    const [event] = await this.#deps.views.progressEvents([number]);
    if (event === undefined) return undefined;
    this.#compare(number, event, look);
    watcher.seen(event);
    if (event.terminal || this.#closed) {
      watcher.ended();
      return () => undefined;
    }
    const watched = this.#jobs.get(number) ?? { watchers: new Set(), last: JSON.stringify(event), look };
    this.#jobs.set(number, watched);
    watched.watchers.add(watcher);
    this.#plan(this.#deps.pollMs);
    return () => this.#leave(number, watched, watcher);
  }

  /** Ends all watching, because the server stops. */
  close(): void {
    this.#closed = true;
    this.#cancel?.();
    for (const [number, watched] of this.#jobs) this.#end(number, watched);
  }

  #leave(number: number, watched: Watched, watcher: JobWatcher): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size === 0 && this.#jobs.get(number) === watched) this.#jobs.delete(number);
    if (this.#jobs.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #plan(ms: number): void {
    if (this.#cancel !== undefined || this.#looking || this.#closed || this.#jobs.size === 0) return;
    this.#cancel = this.#deps.clock.after(ms, () => {
      this.#cancel = undefined;
      this.#looking = true;
      const started = this.#deps.clock.steady();
      void this.#look()
        .catch((err: unknown) => this.#deps.logger.warn({ err }, 'could not look at the watched jobs'))
        .finally(() => {
          this.#looking = false;
          this.#plan(Math.max(this.#deps.pollMs, REST * (this.#deps.clock.steady() - started)));
        });
    });
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

  #compare(number: number, event: JobProgressEvent | undefined, look: number): void {
    const watched = this.#jobs.get(number);
    if (watched === undefined || watched.look > look) return;
    watched.look = look;
    if (event === undefined) return this.#end(number, watched);
    const text = JSON.stringify(event);
    if (text !== watched.last) {
      watched.last = text;
      for (const watcher of watched.watchers) watcher.seen(event);
    }
    if (event.terminal) this.#end(number, watched);
  }

  #end(number: number, watched: Watched): void {
    this.#jobs.delete(number);
    for (const watcher of watched.watchers) watcher.ended();
    watched.watchers.clear();
  }
}
