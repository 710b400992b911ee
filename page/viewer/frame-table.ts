/** Times of frames, from the table of the server. They are never computed from a frame rate. */

/** A run of frames at a constant interval: time of the first in milliseconds, interval in milliseconds, number of frames. */
export type Run = readonly [startMs: number, deltaMs: number, count: number];

/** Maximum error of times that players round. */
const ROUNDING_MS = 0.5;

interface Stretch {
  readonly first: number;
  readonly startMs: number;
  readonly deltaMs: number;
  readonly count: number;
}

export class FrameTable {
  readonly count: number;
  readonly #stretches: readonly Stretch[];

  constructor(runs: readonly Run[]) {
    let first = 0;
    this.#stretches = runs
      .filter(([, , count]) => count > 0)
      .map(([startMs, deltaMs, count]) => {
        const stretch = { first, startMs, deltaMs, count };
        first += count;
        return stretch;
      });
    this.count = first;
  }

  /** Returns the time of a frame: milliseconds. */
  timeOf(frame: number): number {
    const within = Math.max(0, Math.min(frame, this.count - 1));
    const stretch = this.#stretches[this.#last((one) => one.first <= within)];
    return stretch === undefined ? 0 : stretch.startMs + (within - stretch.first) * stretch.deltaMs;
  }

  /** Returns the frame with the nearest time. Players report the time of a frame with their own rounding. */
  nearest(ms: number): number {
    const at = Math.max(
      0,
      this.#last((one) => one.startMs <= ms),
    );
    const stretch = this.#stretches[at];
    if (stretch === undefined) return 0;
    const { first, startMs, deltaMs, count } = stretch;
    const steps = deltaMs > 0 ? Math.round((ms - startMs) / deltaMs) : 0;
    const frame = first + Math.max(0, Math.min(count - 1, steps));
    const next = frame + 1;
    if (next >= this.count) return frame;
    return Math.abs(this.timeOf(next) - ms) < Math.abs(this.timeOf(frame) - ms) ? next : frame;
  }

  /** Returns the frame that is shown at a time: the last one that has begun. The rounding of players is taken into account. */
  shownAt(ms: number): number {
    const near = this.nearest(ms);
    return near > 0 && this.timeOf(near) > ms + ROUNDING_MS ? near - 1 : near;
  }

  /** Returns the index of the last stretch that fits. Returns -1 if there is none. */
  #last(fits: (stretch: Stretch) => boolean): number {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (fits(this.#stretches[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
