import type { StreamCounts } from '../../../protocol/streams.ts';
import { NO_COUNTS, sumOf } from '../../streaming-job/state.ts';

interface Counted {
  readonly attempt: number;
  /** What the component at work has told last. */
  readonly last: StreamCounts;
  readonly total: StreamCounts;
}

/** Streams that are known; so what a component tells after the end of its job does not pile up. */
const MAX_KNOWN = 10_000;

/** Counters of live streams since the server started. They only grow, even when a component ends. */
export class StreamCounters {
  readonly #streams = new Map<number, Counted>();

  /** A component has claimed the stream: it counts from zero. */
  begins(job: number, attempt: number): void {
    if (this.#streams.get(job)?.attempt === attempt) return;
    this.#keep(job, { attempt, last: NO_COUNTS, total: this.of(job) });
  }

  /** A component that began under an earlier server has counted before: what it tells first is where its figures start from. */
  addCounts(job: number, attempt: number, counts: StreamCounts): void {
    const known = this.#streams.get(job);
    const last = known?.attempt === attempt ? known.last : counts;
    this.#keep(job, { attempt, last: counts, total: sumOf(this.of(job), grownBy(last, counts)) });
  }

  of(job: number): StreamCounts {
    return this.#streams.get(job)?.total ?? NO_COUNTS;
  }

  /** The job has ended. */
  over(job: number): void {
    this.#streams.delete(job);
  }

  #keep(job: number, counted: Counted): void {
    this.#streams.set(job, counted);
    if (this.#streams.size > MAX_KNOWN) this.#streams.delete(this.#streams.keys().next().value!);
  }
}

/** A count that has fallen began anew at zero, as when another component takes a stream over that was given back. */
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
