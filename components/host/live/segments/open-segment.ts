/** The current segment: the lines of its tracks, and its frames. */
import type { Track } from '../../../../domain/types.ts';
import type { SegmentSummary, StreamCounts, StreamTrack } from '../../../../protocol/streams.ts';
import type { Annotations } from './annotations.ts';

/** Properties of a track's line besides its findings. */
interface FoundBy {
  readonly liveId: string;
  readonly open: boolean;
  /** Index of the action in the stream. */
  readonly action: number;
}

export class OpenSegment {
  readonly number: number;
  /** First and last frame of the segment. */
  readonly start: number;
  readonly stop: number;
  readonly #trackType: string;
  readonly #lines: { readonly liveId: string; readonly text: string }[] = [];
  /** Tracks that continue after the segment. */
  readonly open = new Set<string>();

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
    if (open) this.open.add(liveId);
    this.#lines.push({ liveId, text: JSON.stringify(line) });
  }

  /** Returns the segment as NDJSON. It ends with frame `stopFrame`. `at` returns the arrival time of a frame. */
  lines(
    stopFrame: number,
    counts: StreamCounts,
    at: (frame: number) => number,
    annotations: Annotations,
  ): string {
    const segment: SegmentSummary = {
      startFrame: this.start,
      stopFrame,
      startTime: at(this.start),
      stopTime: Math.max(at(this.start), at(stopFrame)),
      counts,
    };
    const tracks = this.#lines.map(({ liveId, text }) =>
      annotations.has(liveId) ? JSON.stringify(annotations.annotate(JSON.parse(text) as StreamTrack)) : text,
    );
    return `${[...tracks, JSON.stringify({ segment })].join('\n')}\n`;
  }
}
