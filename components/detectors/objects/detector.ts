/** Finds persons, vehicles, animals and everyday things in pictures and follows them through videos. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { letterbox } from '../../shared/networks/letterbox.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { countOf, numberWithin } from '../../shared/tracking/settings.ts';
import { asTrack, type TrackPart } from '../../shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../shared/tracking/tracker.ts';
import { classesOf } from '../../shared/networks/classes.ts';
import { decode, SIDE, suppress } from './decode.ts';
import { loadObjectNetwork, type ObjectNetwork } from './network.ts';

interface Settings {
  readonly threshold: number;
  readonly trackThreshold: number;
  readonly classes: ReadonlySet<string>;
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  const threshold = numberWithin(properties, 'CONFIDENCE_THRESHOLD', 0.01, 0.999);
  const trackThreshold = numberWithin(properties, 'TRACK_CONFIDENCE_THRESHOLD', 0.01, 0.999);
  return {
    threshold,
    trackThreshold: Math.min(threshold, trackThreshold),
    classes: classesOf(properties, 'CLASS_ALLOW_LIST'),
    rules: {
      minOverlap: numberWithin(properties, 'TRACKING_MIN_OVERLAP', 0, 1),
      maxDistance: numberWithin(properties, 'TRACKING_MAX_DISTANCE', 0, Infinity),
      maxGap: countOf(properties, 'TRACKING_MAX_GAP', 0),
      startConfidence: threshold,
    },
  };
}

/** What was found in one frame, by its class. */
type Found = ReadonlyMap<string, readonly FoundDetection[]>;

class ObjectDetector implements Detector {
  readonly followsStreams = true;
  readonly #network: ObjectNetwork;
  readonly #square = new Float32Array(SIDE * SIDE * 3);

  constructor(network: ObjectNetwork) {
    this.#network = network;
  }

  /** A track is of one class: each class is followed on its own. */
  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    const trackers = new Map<string, Tracker>();
    const ofAll = (parts: (tracker: Tracker) => readonly TrackPart[]): FoundTrack[] =>
      [...trackers.values()].flatMap((tracker) => parts(tracker).map(ofClass));
    job.live?.follow({ cut: () => ofAll((one) => one.cut()), end: () => ofAll((one) => one.finish()) });
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp) continue;
      const found = await this.#find(frame, settings.trackThreshold, settings.classes);
      for (const name of found.keys())
        if (!trackers.has(name)) trackers.set(name, new Tracker(settings.rules, job));
      for (const [name, tracker] of trackers)
        yield* tracker.next(frame.index, found.get(name) ?? []).map(ofClass);
    }
    yield* ofAll((tracker) => tracker.finish());
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    job.signal.throwIfAborted();
    const found = await this.#find(frame, settings.threshold, settings.classes);
    for (const detections of found.values())
      yield* detections.map((detection) => ofClass({ detections: [detection] }));
  }

  async close(): Promise<void> {
    await this.#network.close();
  }

  async #find(frame: Frame, threshold: number, classes: ReadonlySet<string>): Promise<Found> {
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    const { scaleX, scaleY, left, top } = letterbox(frame, whole, this.#square, SIDE);
    const found = new Map<string, FoundDetection[]>();
    for (const object of suppress(decode(await this.#network.run(this.#square), threshold))) {
      const { classification, confidence } = object;
      const scaled = {
        x: object.x * scaleX + left,
        y: object.y * scaleY + top,
        width: object.width * scaleX,
        height: object.height * scaleY,
      };
      const box = clip(scaled, frame.width, frame.height);
      if (box === undefined || !classes.has(classification)) continue;
      const properties = { CLASSIFICATION: classification };
      const detection = { frame: frame.index, ...box, confidence, properties };
      found.set(classification, [...(found.get(classification) ?? []), detection]);
    }
    return found;
  }
}

function ofClass(part: TrackPart): FoundTrack {
  return { ...asTrack(part), properties: part.detections[0]?.properties ?? {} };
}

export default async function loadObjectDetector(): Promise<Detector> {
  return new ObjectDetector(await loadObjectNetwork());
}
