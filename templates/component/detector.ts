/** Finds stretches of dark frames: each is a track from its first to its last frame. */
import {
  numberProperty,
  type DetectionJob,
  type Detector,
  type FoundDetection,
  type FoundTrack,
  type Frame,
  type FrameSource,
} from '@troupe/sdk';

/** Undefined for a picture that is not dark. The box is the whole picture. */
function darknessOf({ index, data, width, height }: Frame, limit: number): FoundDetection | undefined {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  if (mean > limit) return undefined;
  const properties = { BRIGHTNESS: mean.toFixed(1) };
  return { frame: index, x: 0, y: 0, width, height, confidence: 1 - mean / 255, properties };
}

const trackOf = (detections: readonly FoundDetection[]): FoundTrack => ({
  detections,
  confidence: Math.max(...detections.map(({ confidence }) => confidence)),
});

async function* video(source: FrameSource, { properties }: DetectionJob): AsyncIterable<FoundTrack> {
  const limit = numberProperty(properties, 'MAX_BRIGHTNESS');
  let dark: FoundDetection[] = [];
  for await (const frame of source.frames()) {
    // Frames before the range of this sub-job only warm a detector up.
    const found = frame.warmUp ? undefined : darknessOf(frame, limit);
    if (found !== undefined) dark.push(found);
    else if (dark.length > 0) {
      yield trackOf(dark);
      dark = [];
    }
  }
  if (dark.length > 0) yield trackOf(dark);
}

async function* image(frame: Frame, { properties }: DetectionJob): AsyncIterable<FoundTrack> {
  const found = darknessOf(frame, numberProperty(properties, 'MAX_BRIGHTNESS'));
  if (found !== undefined) yield trackOf([found]);
}

/** Called once a process: load models here. */
export default async function load(): Promise<Detector> {
  return { video, image };
}
