/** Converts measures of single pictures to tracks. */
import type { Box } from '../../../domain/geometry/geometry.ts';
import type { Properties } from '../../../domain/types.ts';
import type { FoundTrack } from '../../sdk/detector.ts';

/** A processed picture. */
export interface Look {
  readonly frame: number;
  /** Milliseconds. */
  readonly time: number;
  readonly width: number;
  readonly height: number;
}

/** An open period. It lasts until `end` is called. */
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

  /** Ends the period. `last` is its last picture, and `until` the time of the next picture in milliseconds, if any. */
  *end(last: Look, until = last.time): Iterable<FoundTrack> {
    const since = this.#since;
    this.#since = undefined;
    if (since === undefined || until - since.time < this.#leastMs) return;
    const { width, height } = since;
    const DURATION = String(Math.round(until - since.time));
    yield trackOf(this.#quality, since, last, { x: 0, y: 0, width, height }, { DURATION });
  }
}

/** Returns a track with a single detection, because long periods would otherwise have thousands. */
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

/** Pictures of this number of recent milliseconds, because the start of a period may be detected late. */
export class RecentLooks {
  readonly #ms: number;
  #looks: Look[] = [];

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(look: Look): void {
    this.#looks.push(look);
    // One earlier picture is also kept, because times of pictures are rounded.
    while (this.#looks.length > 2 && look.time - this.#looks[1]!.time > this.#ms + 1) this.#looks.shift();
  }

  /** Returns the picture that was displayed at a time. */
  at(time: number): Look {
    const found = this.#looks.findLast((look) => look.time <= time + 1);
    return found ?? this.#looks[0]!;
  }
}
