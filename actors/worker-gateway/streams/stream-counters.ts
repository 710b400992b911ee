import type { StreamCounts } from '../../../protocol/streams.ts';
import { NO_COUNTS, sumOf } from '../../streaming-job/state.ts';

interface Counted {
  readonly attempt: number;
  /** The last counts that the current component has reported. */
  readonly last: StreamCounts;
  readonly total: StreamCounts;
}

/** Maximum number of streams in memory, because components may report counts after the end of their job. */
const MAX_KNOWN = 10_000;

/** Counters of live streams since the server started. They only grow, even when a component ends. */
export class StreamCounters {
  readonly #streams = new Map<number, Counted>();

  /** Notes that a component has claimed the stream. It counts from zero. */
  begins(job: number, attempt: number): void {
    if (this.#streams.get(job)?.attempt === attempt) return;
    this.#keep(job, { attempt, last: NO_COUNTS, total: this.of(job) });
  }

  /** Adds reported counts. A component that started under an earlier server has counted before, so its first report is the baseline. */
  addCounts(job: number, attempt: number, counts: StreamCounts): void {
    const known = this.#streams.get(job);
    const last = known?.attempt === attempt ? known.last : counts;
    this.#keep(job, { attempt, last: counts, total: sumOf(this.of(job), grownBy(last, counts)) });
  }

  of(job: number): StreamCounts {
    return this.#streams.get(job)?.total ?? NO_COUNTS;
  }

  /** Removes the counters of an ended job. */
  over(job: number): void {
    this.#streams.delete(job);
  }

  #keep(job: number, counted: Counted): void {
    this.#streams.set(job, counted);
    if (this.#streams.size > MAX_KNOWN) this.#streams.delete(this.#streams.keys().next().value!);
  }
}

/**
 * Returns the growth of the counts. A smaller count has restarted at zero, for example when another component takes over a returned stream.
 */
function grownBy(before: StreamCounts, now: StreamCounts): StreamCounts {
  const growthOf = (name: keyof StreamCounts) => (now[name] >= before[name] ? now[name] - before[name] : now[name]); // oxfmt-ignore
  return {
    read: growthOf('read'),
    processed: growthOf('processed'),
    dropped: growthOf('dropped'),
    skipped: growthOf('skipped'),
    reconnects: growthOf('reconnects'),
  };
}
