/** One call of a detector for frames of one size: for a stream, or for a segment of it when it does not look over borders. */
import type { FrameTransform } from '../../../media/picture/transform.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import type { DetectionJob, Detector, Frame, FrameSource } from '../../sdk/detector.ts';
import type { StreamContext } from '../../sdk/work/stream-worker.ts';
import { placeDetection } from '../report.ts';
import type { FramePump } from './frame-pump.ts';
import type { LiveTracks } from './live-tracks.ts';
import type { LiveZones } from './live-zones.ts';
import type { MotionGate } from './motion-gate.ts';
import type { NewestPicture } from './newest-picture.ts';
import type { SegmentLine } from './segment-line.ts';
import type { LiveFrame } from './source.ts';
import { streamShaper } from './stream-shaper.ts';

export interface CourseParts {
  readonly detector: Detector;
  readonly work: StreamAssignment['work'];
  readonly context: StreamContext;
  readonly tracks: LiveTracks;
  readonly segments: SegmentLine;
  readonly pump: FramePump;
  readonly picture: NewestPicture;
  readonly warn: (message: string) => void;
  readonly first: LiveFrame;
  readonly transform: FrameTransform;
  readonly gate: MotionGate | undefined;
  /** Absent: nobody asked what happens in zones. */
  readonly zones: LiveZones | undefined;
  /** Frames a second that the stream announces; 0 when it does not. */
  readonly fps: number;
}

/** Time for a detector to close its tracks after the stream was stopped; then it is broken off (milliseconds). */
const CLOSING_MS = 300;

export class Course {
  readonly #parts: CourseParts;
  readonly #follows: boolean;
  readonly #abort = new AbortController();

  constructor(parts: CourseParts) {
    this.#parts = parts;
    this.#follows = parts.detector.followsStreams === true;
  }

  async run(): Promise<void> {
    const { detector, context, tracks, segments, zones } = this.#parts;
    this.#look();
    const onStop = () => setTimeout(() => this.#abort.abort(context.stop.reason), CLOSING_MS).unref();
    context.stop.addEventListener('abort', onStop, { once: true });
    try {
      for await (const track of detector.video!(this.#source(), this.#job())) segments.add(track);
    } catch (error) {
      // What it has found until it was broken off is told all the same.
      if (!this.#abort.signal.aborted) throw error;
    } finally {
      context.stop.removeEventListener('abort', onStop);
      segments.addAll(tracks.end(segments.last));
      tracks.leave();
      zones?.flush();
    }
  }

  /** From here on boxes are those of this course's pictures. */
  #look(): void {
    const { work, first, transform, tracks, segments, warn } = this.#parts;
    const shaper = streamShaper({
      trackType: work.trackType,
      properties: work.properties,
      width: first.width,
      height: first.height,
      at: (frame) => segments.clock.at(frame),
      warn,
    });
    segments.view = { transform, shaper };
    tracks.begin({
      size: { width: first.width, height: first.height },
      place: (detection) => placeDetection(detection, transform),
      counts: (detection) => {
        const { frame, confidence, properties } = detection;
        return shaper.counts({
          startFrame: frame,
          stopFrame: frame,
          confidence,
          properties,
          detections: [detection],
        });
      },
    });
  }

  #source(): FrameSource {
    const { transform, first, fps, segments } = this.#parts;
    return {
      width: transform.width,
      height: transform.height,
      fps,
      start: first.index,
      stop: this.#follows ? Number.MAX_SAFE_INTEGER : segments.stop,
      frames: () => this.#frames(),
    };
  }

  #job(): DetectionJob {
    const { work, tracks, warn } = this.#parts;
    const job = { properties: work.properties, signal: this.#abort.signal, warn };
    return this.#follows ? { ...job, live: tracks } : job;
  }

  async *#frames(): AsyncGenerator<Frame> {
    const { pump, first, transform, gate, segments, zones } = this.#parts;
    for (let frame = await pump.next(); frame !== undefined; frame = await pump.next()) {
      const isOther = frame.width !== first.width || frame.height !== first.height;
      if (isOther || (!this.#follows && frame.index > segments.stop)) return pump.hold(frame);
      segments.openFor(frame);
      const view = transform.apply(frame);
      if (gate === undefined || gate.isOpen(view)) {
        segments.processed++;
        yield view;
      } else segments.skipped++;
      zones?.flush(frame, segments.clock.at(frame.index));
      this.#show(frame);
      if (frame.index < segments.stop) continue;
      if (!this.#follows) return;
      segments.closePassed();
    }
  }

  #show(frame: LiveFrame): void {
    const { context, picture, tracks } = this.#parts;
    if (context.wantsFrame()) picture.offer(frame, tracks.shownIn(frame.index));
  }
}
