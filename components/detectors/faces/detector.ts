/** Finds human faces in pictures and follows them through videos. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { choiceOf, numberWithin, trackingRules } from '../../shared/tracking/settings.ts';
import { asTrack } from '../../shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../shared/tracking/tracker.ts';
import { decode, SIDE, suppress, type Face } from './decode.ts';
import { inFrame, letterbox } from '../../shared/networks/letterbox.ts';
import { loadFaceNetwork, type FaceNetwork } from './model.ts';
import { regionsOf } from './regions.ts';

/** Faces that share more than this are one. */
const SAME_FACE = 0.3;

interface Settings {
  readonly threshold: number;
  readonly trackThreshold: number;
  readonly minSize: number;
  /** What is looked at in parts as well. */
  readonly closely: 'NEVER' | 'IMAGES' | 'ALWAYS';
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  const threshold = numberWithin(properties, 'CONFIDENCE_THRESHOLD', 0.01, 0.999);
  const trackThreshold = numberWithin(properties, 'TRACK_CONFIDENCE_THRESHOLD', 0.01, 0.999);
  return {
    threshold,
    trackThreshold: Math.min(threshold, trackThreshold),
    minSize: numberWithin(properties, 'MIN_FACE_SIZE', 0, Infinity),
    closely: choiceOf(properties, 'FIND_SMALL_FACES', ['NEVER', 'IMAGES', 'ALWAYS']),
    rules: trackingRules(properties, threshold),
  };
}

class FaceDetector implements Detector {
  readonly followsStreams = true;
  readonly #network: FaceNetwork;
  readonly #square = new Float32Array(SIDE * SIDE * 3);

  constructor(network: FaceNetwork) {
    this.#network = network;
  }

  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    const tracker = new Tracker(settings.rules, job);
    job.live?.follow({ cut: () => tracker.cut().map(asTrack), end: () => tracker.finish().map(asTrack) });
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp) continue;
      const regions = regionsOf(frame.width, frame.height, settings.closely === 'ALWAYS');
      const found = await this.#find(frame, regions, settings.trackThreshold, settings.minSize);
      yield* tracker.next(frame.index, found).map(asTrack);
    }
    yield* tracker.finish().map(asTrack);
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    job.signal.throwIfAborted();
    const regions = regionsOf(frame.width, frame.height, settings.closely !== 'NEVER');
    const found = await this.#find(frame, regions, settings.threshold, settings.minSize);
    yield* found.map((face) => asTrack({ detections: [face] }));
  }

  async close(): Promise<void> {
    await this.#network.close();
  }

  async #find(
    frame: Frame,
    regions: readonly Box[],
    threshold: number,
    minSize: number,
  ): Promise<FoundDetection[]> {
    let faces: Face[] = [];
    for (const region of regions) faces.push(...(await this.#findIn(frame, region, threshold)));
    if (regions.length > 1)
      faces = suppress(
        faces.toSorted((a, b) => b.confidence - a.confidence),
        SAME_FACE,
      );
    return faces.flatMap((face) => {
      const box = clip(face, frame.width, frame.height);
      if (box === undefined || Math.min(box.width, box.height) < minSize) return [];
      return [{ frame: frame.index, ...box, confidence: face.confidence }];
    });
  }

  async #findIn(frame: Frame, region: Box, threshold: number): Promise<Face[]> {
    const place = letterbox(frame, region, this.#square, SIDE);
    const raw = await this.#network.run(this.#square);
    return suppress(decode(raw, threshold), SAME_FACE).map((face) => ({
      ...inFrame(face, place),
      confidence: face.confidence,
    }));
  }
}

export default async function loadFaceDetector(): Promise<Detector> {
  return new FaceDetector(await loadFaceNetwork());
}
