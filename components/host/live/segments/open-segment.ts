/** The current segment: the lines of its tracks, and its frames. */
import type { Track } from '../../../../domain/types.ts';
import type { SegmentSummary, StreamCounts, StreamTrack } from '../../../../protocol/streams.ts';

/** What a line says of a track besides what was found. */
interface FoundBy {
  readonly liveId: string;
  readonly open: boolean;
  /** Place of the action among those of the stream. */
  readonly action: number;
}

export class OpenSegment {
  readonly number: number;
  /** Its first and its last frame. */
  readonly start: number;
  readonly stop: number;
  readonly #trackType: string;
  readonly #lines: string[] = [];

  constructor(number: number, segmentSize: number, trackType: string) {
    this.number = number;
    this.start = number * segmentSize;
    this.stop = this.start + segmentSize - 1;
    this.#trackType = trackType;
  }

  add({ type, ...track }: Track, { liveId, open, action }: FoundBy): void {
    const line: StreamTrack = {
      liveId,
      ...(action > 0 ? { action } : {}),
      ...(open ? { open } : {}),
      ...(type === this.#trackType ? {} : { type }),
      ...track,
    };
    this.#lines.push(JSON.stringify(line));
  }

  /** NDJSON of the segment, which ends with frame `stopFrame`. `at`: when a frame came. */
  lines(stopFrame: number, counts: StreamCounts, at: (frame: number) => number): string {
    const segment: SegmentSummary = {
      startFrame: this.start,
      stopFrame,
      startTime: at(this.start),
      stopTime: Math.max(at(this.start), at(stopFrame)),
      counts,
    };
    return `${[...this.#lines, JSON.stringify({ segment })].join('\n')}\n`;
  }
}
