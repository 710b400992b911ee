/** Finds human faces in pictures and tracks them through videos. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
  Waiting,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { clip } from '../../shared/tracking/boxes.ts';
import { choiceOf, numberWithin, trackingRules } from '../../shared/tracking/settings.ts';
import { asTrack } from '../../shared/tracking/open-track.ts';
import { Tracker, type TrackingRules } from '../../shared/tracking/tracker.ts';
import { decode, SIDE, suppress, type Face } from './decode.ts';
import { joinRegions, type Seen } from '../../shared/networks/join-regions.ts';
import { inFrame, letterbox } from '../../shared/networks/letterbox.ts';
import { inVideos, NO_TILES, tilesOf, tilingOf, type Tiling } from '../../shared/networks/tiles.ts';
import { loadFaceNetwork, type FaceNetwork } from './model.ts';
import { regionsOf } from './regions.ts';

/** Minimum overlap of two faces that are the same. */
const SAME_FACE = 0.3;

interface Settings {
  readonly threshold: number;
  readonly trackThreshold: number;
  readonly minSize: number;
  /** Media in which parts of the picture are also searched. */
  readonly closely: 'NEVER' | 'IMAGES' | 'ALWAYS';
  readonly tiling: Tiling;
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  const threshold = numberWithin(properties, 'CONFIDENCE_THRESHOLD', 0.01, 0.999);
  const trackThreshold = numberWithin(properties, 'TRACK_CONFIDENCE_THRESHOLD', 0.01, 0.999);
  const closely = choiceOf(properties, 'FIND_SMALL_FACES', ['NEVER', 'IMAGES', 'ALWAYS']);
  const tiling = tilingOf(properties);
  return {
    threshold,
    trackThreshold: Math.min(threshold, trackThreshold),
    minSize: numberWithin(properties, 'MIN_FACE_SIZE', 0, Infinity),
    closely,
    // NEVER also disables automatic tiles.
    tiling: closely === 'NEVER' && tiling.size === 'AUTO' ? NO_TILES : tiling,
    rules: trackingRules(properties, threshold),
  };
}

interface Search extends Pick<Settings, 'threshold' | 'minSize' | 'tiling'> {
  /** True to search squares of half the picture, too. */
  readonly closely: boolean;
}

const INPUT = { width: SIDE, height: SIDE };

const joinedFaces = (seen: readonly Seen<Face>[], picture: Frame): readonly Face[] =>
  joinRegions(seen, { picture, sameOverlap: SAME_FACE }).map(({ box, confidence }) => ({
    ...box,
    confidence,
  }));

class FaceDetector implements Detector {
  readonly followsStreams = true;
  readonly #network: FaceNetwork;
  readonly #square = new Float32Array(SIDE * SIDE * 3);

  constructor(network: FaceNetwork) {
    this.#network = network;
  }

  async *video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    const { trackThreshold: threshold, minSize, closely, tiling } = settings;
    const search = { threshold, minSize, closely: closely === 'ALWAYS', tiling: inVideos(tiling) };
    const tracker = new Tracker(settings.rules, job);
    job.live?.follow({ cut: () => tracker.cut().map(asTrack), end: () => tracker.finish().map(asTrack) });
    for await (const frame of source.frames()) {
      job.signal.throwIfAborted();
      if (frame.warmUp) continue;
      const found = await this.#find(frame, search, job);
      yield* tracker.next(frame.index, found).map(asTrack);
    }
    yield* tracker.finish().map(asTrack);
  }

  async *image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
    const settings = settingsOf(job.properties);
    job.signal.throwIfAborted();
    const found = await this.#find(frame, { ...settings, closely: settings.closely !== 'NEVER' }, job);
    yield* found.map((face) => asTrack({ detections: [face] }));
  }

  async close(): Promise<void> {
    await this.#network.close();
  }

  async #find(frame: Frame, search: Search, job: Waiting): Promise<FoundDetection[]> {
    const faces = await this.#facesIn(frame, search, job);
    return faces.flatMap((face) => {
      const box = clip(face, frame.width, frame.height);
      if (box === undefined || Math.min(box.width, box.height) < search.minSize) return [];
      return [{ frame: frame.index, ...box, confidence: face.confidence }];
    });
  }

  async #facesIn(
    frame: Frame,
    { threshold, closely, tiling }: Search,
    job: Waiting,
  ): Promise<readonly Face[]> {
    const squares = regionsOf(frame.width, frame.height, closely);
    const tiles = tilesOf(frame, INPUT, tiling);
    const seen: Seen<Face>[] = [];
    for (const region of [...squares, ...tiles]) {
      job.signal.throwIfAborted();
      job.working?.();
      for (const what of await this.#findIn(frame, region, threshold))
        seen.push({ box: what, region, kind: 'face', confidence: what.confidence, what });
    }
    if (tiles.length > 0) return joinedFaces(seen, frame);
    const faces = seen.map(({ what }) => what);
    if (squares.length === 1) return faces;
    return suppress(
      faces.toSorted((a, b) => b.confidence - a.confidence),
      SAME_FACE,
    );
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
