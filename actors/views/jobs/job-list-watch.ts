import type { Logger } from '../../../config/logger.ts';
import type { Clock } from '../../basics/clock.ts';
import type { JobListQuery, JobPage } from './job-list.ts';
import { PollLoop } from './poll-loop.ts';

/** A watcher of a page of the job list. Its functions must not throw. */
export interface JobListWatcher {
  /** Called with the current page at first, and after every change. */
  onChange(page: JobPage): void;
  /** Called at the end: the server stops. */
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
  /** The last reported page. */
  last: { readonly page: JobPage; readonly text: string };
}

/**
 * Polls the watched pages of the job list and reports changes: one poll for each page, independent of the number of watchers. It reads the
 * store, as JobWatch does for a single job.
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

  /** Number of watched pages. */
  get size(): number {
    return this.#pages.size;
  }

  /** Reports the page at once, then after every change. The returned function ends the watch. */
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
    // Another watcher may have started meanwhile and have a newer page.
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
