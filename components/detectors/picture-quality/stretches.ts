/** From what is said of single pictures to tracks. */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Properties } from '../../../domain/types.ts';
import type { FoundTrack } from '../../sdk/detector.ts';

/** A picture that was looked at. */
export interface Look {
  readonly frame: number;
  /** Milliseconds. */
  readonly time: number;
  readonly width: number;
  readonly height: number;
}

/** An open stretch. It lasts until it is ended, or to the end of the video. */
export class Stretches {
  readonly #quality: string;
  readonly #leastMs: number;
  #since: Look | undefined;

  constructor(quality: string, leastMs: number) {
    this.#quality = quality;
    this.#leastMs = leastMs;
  }

  begin(look: Look): void {
    this.#since ??= look;
  }

  /** `last` is its last picture, `until` the time (ms) at which the next one was shown, which the video may not have. */
  *end(last: Look, until = last.time): Iterable<FoundTrack> {
    const since = this.#since;
    this.#since = undefined;
    if (since === undefined || until - since.time < this.#leastMs) return;
    const { width, height } = since;
    const DURATION = String(Math.round(until - since.time));
    yield trackOf(this.#quality, since, last, { x: 0, y: 0, width, height }, { DURATION });
  }
}

/** One detection stands for all: a long stretch is not to have thousands. */
export function trackOf(quality: string, first: Look, last: Look, box: Box, more: Properties): FoundTrack {
  const properties = { QUALITY: quality, ...more };
  return {
    startFrame: first.frame,
    stopFrame: Math.max(first.frame, last.frame),
    confidence: -1,
    properties,
    detections: [{ frame: first.frame, ...box, confidence: -1, properties }],
  };
}

/** The pictures of the last so many milliseconds: a stretch may be known late. */
export class RecentLooks {
  readonly #ms: number;
  #looks: Look[] = [];

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(look: Look): void {
    this.#looks.push(look);
    // The last one before them stays as well: times of pictures are rounded.
    while (this.#looks.length > 2 && look.time - this.#looks[1]!.time > this.#ms + 1) this.#looks.shift();
  }

  /** The picture that was on show at a time. */
  at(time: number): Look {
    const found = this.#looks.findLast((look) => look.time <= time + 1);
    return found ?? this.#looks[0]!;
  }
}
