/** A detector that is quick to start and always answers the same: how bright each frame is. */
import type {
  DetectionJob,
  Detector,
  FoundDetection,
  FoundTrack,
  Frame,
  FrameSource,
} from '../../../../components/sdk/detector.ts';

function lightOf({ index, width, height, data }: Frame): FoundDetection {
  let sum = 0;
  for (const value of data) sum += value;
  const mean = sum / data.length;
  return {
    frame: index,
    x: 0,
    y: 0,
    width,
    height,
    confidence: round(mean / 255),
    properties: { MEAN: mean.toFixed(2) },
  };
}

function trackOf(
  detections: readonly FoundDetection[],
  { properties: { LABEL = '', CAPTION = '' } }: DetectionJob,
): FoundTrack {
  const confidence = round(
    detections.reduce((sum, detection) => sum + detection.confidence, 0) / detections.length,
  );
  return { detections, confidence, properties: { LABEL, CAPTION } };
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;

async function* video(source: FrameSource, job: DetectionJob): AsyncIterable<FoundTrack> {
  const detections: FoundDetection[] = [];
  for await (const frame of source.frames()) if (!frame.warmUp) detections.push(lightOf(frame));
  if (detections.length > 0) yield trackOf(detections, job);
}

async function* image(frame: Frame, job: DetectionJob): AsyncIterable<FoundTrack> {
  yield trackOf([await Promise.resolve(lightOf(frame))], job);
}

export default function loadLight(): Promise<Detector> {
  return Promise.resolve({ video, image });
}
