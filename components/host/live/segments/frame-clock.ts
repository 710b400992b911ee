/** The times of the frames of the current segment: of processed frames and, between them, of skipped ones. */
import { firstIndex } from '../../../../domain/first-index.ts';

interface Seen {
  readonly frame: number;
  readonly at: number;
}

/** A clock that is set back by more is followed: otherwise no time would pass until it is where it was. */
const MAX_SETBACK_MS = 10_000;

export class FrameClock {
  #seen: Seen[] = [];

  /** Frames ascend. A clock that was set back a little does not let a later frame come earlier. */
  noteFrame(frame: number, at: number): void {
    if (at < (this.#seen.at(-1)?.at ?? at) - MAX_SETBACK_MS) this.#seen = [];
    this.#seen.push({ frame, at: Math.max(at, this.#seen.at(-1)?.at ?? -Infinity) });
  }

  /** Milliseconds since the epoch. */
  at(frame: number): number {
    const after = this.#firstFrom(frame);
    const next = this.#seen[after];
    const before = this.#seen[after - 1];
    if (next?.frame === frame || before === undefined) return next?.at ?? 0;
    if (next === undefined) return before.at;
    const share = (frame - before.frame) / (next.frame - before.frame);
    return Math.round(before.at + share * (next.at - before.at));
  }

  /** Nothing is asked of frames before this one any more. */
  forgetBefore(frame: number): void {
    this.#seen = this.#seen.slice(Math.max(0, this.#firstFrom(frame) - 1));
  }

  #firstFrom(frame: number): number {
    return firstIndex(this.#seen.length, (index) => this.#seen[index]!.frame >= frame);
  }
}
