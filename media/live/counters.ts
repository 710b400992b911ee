/** Counters since the stream was first opened, in memory that two threads share. One thread writes, the other reads. */
export const COUNTED = [
  'beats',
  'packets',
  'decoded',
  'skipped',
  'dropped',
  'damaged',
  'reconnects',
] as const;

/**
 * `beats`: iterations of the reader's loop, also without pictures; the reader hangs if they stop. `packets`: received coded pictures.
 * `decoded` frames are `skipped` (by frame interval or rate), `dropped` for newer ones, or delivered. `damaged`: packets that could not be
 * decoded. `reconnects`: connections with frames, after the first.
 */
export type LiveCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

export class LiveCounters {
  readonly #values: Float64Array<SharedArrayBuffer>;

  constructor(memory = new SharedArrayBuffer(COUNTED.length * Float64Array.BYTES_PER_ELEMENT)) {
    this.#values = new Float64Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#values.buffer;
  }

  add(what: (typeof COUNTED)[number]): void {
    const at = COUNTED.indexOf(what);
    this.#values[at] = (this.#values[at] ?? 0) + 1;
  }

  get counts(): LiveCounts {
    return Object.fromEntries(COUNTED.map((what, at) => [what, this.#values[at] ?? 0])) as LiveCounts;
  }
}
