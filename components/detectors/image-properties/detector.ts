/** Measures pictures and video frames without a model. The same picture always gives the same numbers. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { dominantColour } from './dominant-colour.ts';
import { greyLevels, measure, perceptualHash } from './measure.ts';

/** Confidence of measurements, which have none. */
const NO_CONFIDENCE = -1;

/** Properties whose mean over all frames a track gets. */
const AVERAGED = ['BRIGHTNESS', 'CONTRAST', 'SHARPNESS', 'COLORFULNESS'] as const;

async function* image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
  job.signal.throwIfAborted();
  yield trackOf([detectionOf(frame)]);
}

/** Yields one track for all processed frames, with a detection for each. */
async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const detections: FoundDetection[] = [];
  for await (const frame of source.frames()) {
    job.signal.throwIfAborted();
    if (!frame.warmUp) detections.push(detectionOf(frame));
  }
  if (detections.length > 0) yield trackOf(detections);
}

function detectionOf(frame: Frame): FoundDetection {
  const { index, width, height, data } = frame;
  const levels = greyLevels(frame);
  const { brightness, contrast, sharpness, colorfulness, isGrayscale } = measure(frame, levels);
  const { hex, name } = dominantColour(data);
  const properties: Properties = {
    WIDTH: String(width),
    HEIGHT: String(height),
    BRIGHTNESS: roundNumber(brightness),
    CONTRAST: roundNumber(contrast),
    SHARPNESS: roundNumber(sharpness),
    COLORFULNESS: roundNumber(colorfulness),
    DOMINANT_COLOR: hex,
    DOMINANT_COLOR_NAME: name,
    IS_GRAYSCALE: isGrayscale ? 'TRUE' : 'FALSE',
    PERCEPTUAL_HASH: perceptualHash(levels, width, height),
  };
  return { frame: index, x: 0, y: 0, width, height, confidence: NO_CONFIDENCE, properties };
}

/** Returns the track. With one frame, it has the frame's properties. With several, it has those that apply to all frames. */
function trackOf(detections: readonly FoundDetection[]): FoundTrack {
  const all = detections.map(({ properties = {} }) => properties);
  if (all.length === 1) return { detections, confidence: NO_CONFIDENCE, properties: all[0]! };
  const means = AVERAGED.map((name): [string, string] => [
    name,
    roundNumber(all.reduce((sum, properties) => sum + Number(properties[name]), 0) / all.length),
  ]);
  const grey = all.every((properties) => properties['IS_GRAYSCALE'] === 'TRUE');
  const properties = { ...Object.fromEntries(means), IS_GRAYSCALE: grey ? 'TRUE' : 'FALSE' };
  return { detections, confidence: NO_CONFIDENCE, properties };
}

const roundNumber = (value: number): string => String(Math.round(value * 100) / 100);

export default async function loadImageProperties(): Promise<Detector> {
  return { image, video };
}
