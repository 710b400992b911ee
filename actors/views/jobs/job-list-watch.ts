import type { Logger } from '../../../config/logger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobListQuery, JobPage } from './job-list.ts';
import { PollLoop } from './poll-loop.ts';

/** Whoever watches a page of the list of jobs. Neither may throw. */
export interface JobListWatcher {
  /** The page as it is now: at first, and whenever something in it has changed. */
  onChange(page: JobPage): void;
  /** Nothing follows: the server stops. */
  onEnd(): void;
}

export interface JobListWatchDeps {
  listJobs(query: JobListQuery): Promise<JobPage>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time between two looks. */
  readonly pollMs: number;
}

interface WatchedPage {
  readonly query: JobListQuery;
  readonly watchers: Set<JobListWatcher>;
  /** What the watchers were told last. */
  last: { readonly page: JobPage; readonly text: string };
}

/**
 * Polls the watched pages of the list of jobs and reports changes: one poll for each page, independent of the number of watchers. It reads
 * the store, as JobWatch does for a single job.
 */
export class JobListWatch {
  readonly #deps: JobListWatchDeps;
  readonly #pages = new Map<string, WatchedPage>();
  readonly #pollLoop: PollLoop;
  #closed = false;

  constructor(deps: JobListWatchDeps) {
    this.#deps = deps;
    const { clock, logger, pollMs: everyMs } = deps;
    this.#pollLoop = new PollLoop({
      clock,
      everyMs,
      isWanted: () => this.#pages.size > 0,
      look: () => this.#look(),
      onFailure: (err) => logger.warn({ err }, 'could not read the watched lists of jobs'),
    });
  }

  /** How many pages are looked at. */
  get size(): number {
    return this.#pages.size;
  }

  /** Tells the watcher what the page has at once, then of every change; the answer stops that. */
  async watch(query: JobListQuery, watcher: JobListWatcher): Promise<() => void> {
    const key = JSON.stringify(query);
    const page = this.#pages.get(key)?.last.page ?? (await this.#deps.listJobs(query));
    watcher.onChange(page);
    if (this.#closed) {
      watcher.onEnd();
      return () => undefined;
    }
    const watched = this.#pages.get(key) ?? {
      query,
      watchers: new Set(),
      last: { page, text: JSON.stringify(page) },
    };
    // While this one was reading, another may have begun to watch, and have seen more.
    if (watched.last.page !== page) watcher.onChange(watched.last.page);
    this.#pages.set(key, watched);
    watched.watchers.add(watcher);
    this.#pollLoop.plan();
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0 && this.#pages.get(key) === watched) this.#pages.delete(key);
      if (this.#pages.size === 0) this.#pollLoop.pause();
    };
  }

  /** Ends all watching, because the server stops. */
  close(): void {
    this.#closed = true;
    this.#pollLoop.close();
    for (const { watchers } of this.#pages.values()) for (const watcher of watchers) watcher.onEnd();
    this.#pages.clear();
  }

  async #look(): Promise<void> {
    for (const watched of this.#pages.values()) {
      const page = await this.#deps.listJobs(watched.query);
      const text = JSON.stringify(page);
      if (text === watched.last.text) continue;
      watched.last = { page, text };
      for (const watcher of watched.watchers) watcher.onChange(page);
    }
  }
}
