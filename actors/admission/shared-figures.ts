import type { Store } from '../../store/store.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';
import type { SharedFigures } from './shared-limits.ts';

/** Time for which figures are reused. During it, this server itself counts the jobs that it admits and that the indexes may lack. */
const RECENT_MS = 200;
/** Time within which a job that has to wait appears in the indexes. */
const COMING_MS = 2_000;

/** Counts of the jobs of all servers from the indexes, cached so that not every job needs a read. */
export class SharedFigureReader {
  readonly #store: Store;
  readonly #clock: Clock;
  #known: { readonly at: number; readonly figures: SharedFigures } | undefined;
  /** When this server last made a job wait. */
  #waitedAt = -Infinity;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Returns recent figures, or undefined if there are none. */
  get recent(): SharedFigures | undefined {
    const now = this.#clock.steady();
    const isRecent = this.#known !== undefined && now - this.#known.at < RECENT_MS;
    return isRecent && now - this.#waitedAt >= COMING_MS ? this.#known?.figures : undefined;
  }

  /** Notes a waiting job that may be missing in the indexes. */
  noteWaiting(): void {
    this.#waitedAt = this.#clock.steady();
  }

  async read(): Promise<SharedFigures> {
    const at = this.#clock.steady();
    const unended = await this.#store.count(LIVE_JOBS);
    const figures = { unended, waiting: await this.#store.count(WAITING_JOBS) };
    this.#known = { at, figures };
    return figures;
  }
}
