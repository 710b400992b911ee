/** Finds what moves in front of a still camera and follows it. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../sdk/detector.ts';
import type { Properties } from '../../domain/types.ts';
import { clip } from '../tracking/boxes.ts';
import { countOf, numberWithin } from '../tracking/settings.ts';
import { Tracker, type TrackingRules } from '../tracking/tracker.ts';
import { Background } from './background.ts';
import { BlobFinder } from './blobs.ts';
import { shrinker, type GreyPicture } from './shrink.ts';

interface Settings {
  readonly analysisSize: number;
  /** Share of the picture, 0 to 1. */
  readonly minArea: number;
  readonly minDetections: number;
  readonly restartShare: number;
  readonly learningFrames: number;
  readonly absorbFrames: number;
  readonly rules: TrackingRules;
}

function settingsOf(properties: Properties): Settings {
  return {
    analysisSize: countOf(properties, 'ANALYSIS_SIZE', 32),
    minArea: numberWithin(properties, 'MIN_OBJECT_AREA', 0, 100) / 100,
    minDetections: countOf(properties, 'MIN_DETECTIONS', 1),
    restartShare: numberWithin(properties, 'RESTART_AREA', 0, 100) / 100,
    learningFrames: countOf(properties, 'LEARNING_FRAMES', 1),
    absorbFrames: countOf(properties, 'ABSORB_FRAMES', 1),
    rules: {
      minOverlap: numberWithin(properties, 'TRACKING_MIN_OVERLAP', 0, 1),
      maxDistance: numberWithin(properties, 'TRACKING_MAX_DISTANCE', 0, Infinity),
      maxGap: countOf(properties, 'TRACKING_MAX_GAP', 0),
      startConfidence: 0,
    },
  };
}

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const settings = settingsOf(job.properties);
  const shrink = shrinker(source.width, source.height, settings.analysisSize);
  let watch: Watch | undefined;
  const tracker = new Tracker(settings.rules);
  const asTracks = (ended: readonly FoundDetection[][]): FoundTrack[] =>
    ended.flatMap((detections) => trackOf(detections, source.start, settings.minDetections));
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    const picture = shrink(frame);
    watch ??= new Watch(picture, settings);
    const found = watch.next(frame, picture);
    yield* asTracks(found === 'restarted' ? tracker.finish() : tracker.next(frame.index, found));
  }
  yield* asTracks(tracker.finish());
}

/** Looks at one frame after the other. */
class Watch {
  readonly #settings: Settings;
  readonly #background: Background;
  readonly #blobs: BlobFinder;

  constructor(picture: GreyPicture, settings: Settings) {
    this.#settings = settings;
    this.#background = new Background(picture.data.length, settings.absorbFrames);
    const reach = Math.max(1, Math.round(Math.max(picture.width, picture.height) / 80));
    this.#blobs = new BlobFinder(picture.width, picture.height, reach);
  }

  /** What moves in this frame; 'restarted' when the whole scene changed (a cut, the light) and is learned anew. */
  next(frame: Frame, picture: GreyPicture): FoundDetection[] | 'restarted' {
    const { restartShare, learningFrames, minArea } = this.#settings;
    const background = this.#background;
    if (background.next(picture.data) > restartShare) {
      background.restart(picture.data);
      return 'restarted';
    }
    if (background.pictures <= learningFrames) return [];
    const least = Math.max(1, minArea * picture.data.length);
    const scaleX = frame.width / picture.width;
    const scaleY = frame.height / picture.height;
    return this.#blobs.find(background.foreground, background.moving, least).flatMap((blob) => {
      const scaled = {
        x: blob.x * scaleX,
        y: blob.y * scaleY,
        width: blob.width * scaleX,
        height: blob.height * scaleY,
      };
      const box = clip(scaled, frame.width, frame.height);
      const confidence = blob.area / (blob.width * blob.height);
      return box === undefined ? [] : [{ frame: frame.index, ...box, confidence }];
    });
  }
}

/** A track of what lies in the range; detections before it count towards the least number, but are not reported. */
function trackOf(detections: readonly FoundDetection[], start: number, least: number): FoundTrack[] {
  const reported = detections.filter(({ frame }) => frame >= start);
  if (detections.length < least || reported.length === 0) return [];
  return [{ detections: reported, confidence: Math.max(...reported.map(({ confidence }) => confidence)) }];
}

export default async function loadMotionDetector(): Promise<Detector> {
  return { video };
}
