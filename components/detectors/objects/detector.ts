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
import { inFrame, letterbox } from '../../shared/networks/letterbox.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { numberWithin, trackingRules } from '../../shared/tracking/settings.ts';
import { asTrack, type TrackPart } from '../../shared/tracking/open-track.ts';
import { ClassTracks } from '../../shared/tracking/class-tracks.ts';
import type { TrackingRules } from '../../shared/tracking/tracker.ts';
import { classesOf } from '../../shared/networks/classes.ts';
import { decode, SIDE, suppress } from './decode.ts';
import { loadObjectNetwork, type ObjectNetwork } from './network.ts';
import { addTo } from '../../../domain/grouping.ts';

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
    rules: trackingRules(properties, threshold),
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

  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    const tracks = new ClassTracks(settings.rules, job, ofClass);
    job.live?.follow(tracks);
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp) continue;
      const found = await this.#find(frame, settings.trackThreshold, settings.classes);
      yield* tracks.next(frame.index, found);
    }
    yield* tracks.end();
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
    const place = letterbox(frame, whole, this.#square, SIDE);
    const found = new Map<string, FoundDetection[]>();
    for (const object of suppress(decode(await this.#network.run(this.#square), threshold))) {
      const { classification, confidence } = object;
      const box = clip(inFrame(object, place), frame.width, frame.height);
      if (box === undefined || !classes.has(classification)) continue;
      const properties = { CLASSIFICATION: classification };
      addTo(found, classification, { frame: frame.index, ...box, confidence, properties });
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
