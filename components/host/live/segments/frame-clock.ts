/** Times of frames in the current segment: processed frames, and skipped frames between them. */
import { firstIndex } from '../../../../domain/first-index.ts';

interface Seen {
  readonly frame: number;
  readonly at: number;
}

/** Maximum setback of the clock that is hidden. A larger one is followed. Otherwise, time would stand still until the clock catches up. */
const MAX_SETBACK_MS = 10_000;

export class FrameClock {
  #seen: Seen[] = [];

  /** Notes the time of a frame. Frames ascend. If the clock is set back a little, later frames do not get earlier times. */
  noteFrame(frame: number, at: number): void {
    if (at < (this.#seen.at(-1)?.at ?? at) - MAX_SETBACK_MS) this.#seen = [];
    this.#seen.push({ frame, at: Math.max(at, this.#seen.at(-1)?.at ?? -Infinity) });
  }

  /** Returns the time of a frame in milliseconds since the epoch. */
  at(frame: number): number {
    const after = this.#firstFrom(frame);
    const next = this.#seen[after];
    const before = this.#seen[after - 1];
    if (next?.frame === frame || before === undefined) return next?.at ?? 0;
    if (next === undefined) return before.at;
    const share = (frame - before.frame) / (next.frame - before.frame);
    return Math.round(before.at + share * (next.at - before.at));
  }

  /** Deletes the times of frames before this one. */
  forgetBefore(frame: number): void {
    this.#seen = this.#seen.slice(Math.max(0, this.#firstFrom(frame) - 1));
  }

  #firstFrom(frame: number): number {
    return firstIndex(this.#seen.length, (index) => this.#seen[index]!.frame >= frame);
  }
}
