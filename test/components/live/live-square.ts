/** A fast detector for tests of live streams: it finds a bright object on a dark background. */
import type { Detector, FoundDetection, Frame } from '../../../components/sdk/detector.ts';
import { asTrack } from '../../../components/shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../../components/shared/tracking/tracker.ts';
import { paintVideo, type Painting } from '../visual.ts';
import { streamOf, type StreamOf } from './live-stream.ts';

const BRIGHT = 200;
const RULES: TrackingRules = { minOverlap: 0.1, maxDistance: 1, maxGap: 1, startConfidence: 0 };

/** The bounding box of all bright pixels. */
export function squareIn({ index, width, height, data }: Frame): FoundDetection[] {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let i = 0; i < width * height; i++) {
    if (data[i * 3]! < BRIGHT) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  }
  if (right < 0) return [];
  return [
    { frame: index, x: left, y: top, width: right - left + 1, height: bottom - top + 1, confidence: 0.9 },
  ];
}

export interface SquareOptions {
  /** Tracks with fewer detections are dropped. */
  readonly minDetections?: number;
  readonly followsStreams?: boolean;
  /** Called for each frame; may delay the detector. */
  readonly onLooked?: (frame: Frame, signal: AbortSignal) => Promise<void> | void;
}

export function squareDetector({
  followsStreams = true,
  onLooked,
  minDetections,
}: SquareOptions = {}): Detector {
  return {
    followsStreams,
    async *video(source, job) {
      const tracker = new Tracker(RULES, { live: job.live, minDetections });
      job.live?.follow({ cut: () => tracker.cut().map(asTrack), end: () => tracker.finish().map(asTrack) });
      for await (const frame of source.frames()) {
        job.signal.throwIfAborted();
        await onLooked?.(frame, job.signal);
        yield* tracker.next(frame.index, squareIn(frame)).map(asTrack);
      }
      yield* tracker.finish().map(asTrack);
    },
  };
}

/** A square of 10 x 10 pixels at (20 + frame, 30) in the frames that contain it. */
export function square(
  painting: Painting,
  isThere: (frame: number) => boolean = () => true,
  moves = true,
): StreamOf {
  return streamOf(
    paintVideo({ width: 200, height: 80, ...painting }, (x, y, frame) => {
      const left = 20 + (moves ? frame % 100 : 0);
      const inside = x >= left && x < left + 10 && y >= 30 && y < 40;
      return inside && isThere(frame) ? [250, 250, 250] : [30, 30, 30];
    }),
  );
}
