/** Finds persons, vehicles, animals and everyday objects in pictures and tracks them through videos. */
import type {
  DetectionJob,
  Detector,
  DetectorHost,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
  Waiting,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { joinRegions, type Seen } from '../../shared/networks/join-regions.ts';
import { confirm } from '../../shared/networks/second-look.ts';
import { inFrame, letterbox } from '../../shared/networks/letterbox.ts';
import { inVideos, tilesOf, tilingOf, type Tiling } from '../../shared/networks/tiles.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { numberWithin, trackingRules } from '../../shared/tracking/settings.ts';
import { asTrack, type TrackPart } from '../../shared/tracking/open-track.ts';
import { ClassTracks } from '../../shared/tracking/class-tracks.ts';
import type { TrackingRules } from '../../shared/tracking/tracker.ts';
import { classesOf } from '../../shared/networks/classes.ts';
import { decode, SAME_OBJECT, SIDE, suppress, type ObjectBox } from './decode.ts';
import { loadObjectNetwork, type ObjectNetwork } from './network.ts';
import { addTo } from '../../../domain/grouping.ts';

interface Settings {
  readonly threshold: number;
  readonly trackThreshold: number;
  readonly classes: ReadonlySet<string>;
  readonly tiling: Tiling;
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  const threshold = numberWithin(properties, 'CONFIDENCE_THRESHOLD', 0.01, 0.999);
  const trackThreshold = numberWithin(properties, 'TRACK_CONFIDENCE_THRESHOLD', 0.01, 0.999);
  return {
    threshold,
    trackThreshold: Math.min(threshold, trackThreshold),
    classes: classesOf(properties, 'CLASS_ALLOW_LIST'),
    tiling: tilingOf(properties),
    rules: trackingRules(properties, threshold),
  };
}

type Search = Pick<Settings, 'threshold' | 'classes' | 'tiling'>;

const INPUT = { width: SIDE, height: SIDE };

/** Detections of one frame by class. */
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
    const { trackThreshold: threshold, classes, tiling } = settings;
    const search = { threshold, classes, tiling: inVideos(tiling) };
    const tracks = new ClassTracks(settings.rules, job, ofClass);
    job.live?.follow(tracks);
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp) continue;
      const found = await this.#find(frame, search, job);
      yield* tracks.next(frame.index, found);
    }
    yield* tracks.end();
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    job.signal.throwIfAborted();
    const found = await this.#find(frame, settings, job);
    for (const detections of found.values())
      yield* detections.map((detection) => ofClass({ detections: [detection] }));
  }

  async close(): Promise<void> {
    await this.#network.close();
  }

  async #find(frame: Frame, { threshold, classes, tiling }: Search, job: Waiting): Promise<Found> {
    const found = new Map<string, FoundDetection[]>();
    for (const object of await this.#objectsIn(frame, threshold, tiling, job)) {
      const { classification, confidence } = object;
      const box = clip(object, frame.width, frame.height);
      if (box === undefined || !classes.has(classification)) continue;
      const properties = { CLASSIFICATION: classification };
      addTo(found, classification, { frame: frame.index, ...box, confidence, properties });
    }
    return found;
  }

  async #objectsIn(
    frame: Frame,
    threshold: number,
    tiling: Tiling,
    job: Waiting,
  ): Promise<readonly ObjectBox[]> {
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    const look = async (region: Box, least: number) => {
      job.signal.throwIfAborted();
      job.working?.();
      return (await this.#objectsOf(frame, region, least)).map((object) => seenIn(region, object));
    };
    const inWhole = await look(whole, threshold);
    const tiles = tilesOf(frame, INPUT, tiling);
    if (tiles.length === 0) return inWhole.map(({ what }) => what);
    const seen = [...inWhole];
    for (const tile of tiles) seen.push(...(await look(tile, threshold)));
    const joined = joinRegions(seen, { picture: frame, sameOverlap: SAME_OBJECT });
    const rules = { picture: frame, tiles, inWhole, threshold, sameOverlap: SAME_OBJECT, look };
    return suppress((await confirm(joined, rules)).map(({ box, what }) => ({ ...what, ...box })));
  }

  async #objectsOf(frame: Frame, region: Box, threshold: number): Promise<ObjectBox[]> {
    const place = letterbox(frame, region, this.#square, SIDE);
    const objects = suppress(decode(await this.#network.run(this.#square), threshold));
    return objects.map((object) => ({ ...object, ...inFrame(object, place) }));
  }
}

const seenIn = (region: Box, what: ObjectBox): Seen<ObjectBox> => ({
  box: what,
  region,
  kind: what.classification,
  confidence: what.confidence,
  what,
});

function ofClass(part: TrackPart): FoundTrack {
  return { ...asTrack(part), properties: part.detections[0]?.properties ?? {} };
}

export default async function loadObjectDetector({
  networks,
}: Partial<DetectorHost> = {}): Promise<Detector> {
  return new ObjectDetector(await loadObjectNetwork(networks));
}
