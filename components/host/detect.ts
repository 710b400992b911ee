import { openAudio } from '../../media/audio.ts';
import { readImage } from '../../media/image-frame.ts';
import { openVideo } from '../../media/video-frames.ts';
import { frameTransform, type FrameTransform } from '../../media/transform.ts';
import type { MediaType, Properties, ReportedDetection, ReportedTrack } from '../../pipeline/types.ts';
import {
  DetectionError,
  type DetectionJob,
  type Detector,
  type FoundDetection,
  type FoundSound,
  type FoundTrack,
  type Frame,
  type FrameSource,
} from '../sdk/detector.ts';
import type { DetectWork } from '../sdk/protocol.ts';
import type { WorkContext } from '../sdk/worker.ts';

/** Runs a detector over what a DETECT sub-job names and turns what it finds into lines of the answer. */
export async function* detect(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
): AsyncGenerator<string> {
  const job: DetectionJob = { properties: work.properties, signal: context.signal };
  for await (const track of found(detector, work, context, job)) yield `${JSON.stringify(track)}\n`;
}

function found(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncIterable<ReportedTrack> {
  const { mediaType } = work.medium;
  if (mediaType === 'VIDEO' && detector.video !== undefined) return inVideo(detector, work, context, job);
  if (mediaType === 'IMAGE' && detector.image !== undefined) return inImage(detector, work, context, job);
  if ((mediaType === 'AUDIO' || mediaType === 'VIDEO') && detector.audio !== undefined)
    return inSound(detector, work, context, job);
  throw unsupported(mediaType);
}

const unsupported = (mediaType: MediaType) =>
  new DetectionError(
    'UNSUPPORTED_DATA_TYPE',
    `This component does not process media of the type ${mediaType}.`,
  );

async function* inVideo(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  const { medium, range, properties } = work;
  const constantRate = medium.metadata['HAS_CONSTANT_FRAME_RATE'] === 'true';
  const reader = await openVideo(medium.path, {
    range,
    contextFrames: work.contextFrames,
    interval: Math.max(1, Number(properties['FRAME_INTERVAL'] ?? 1) || 1),
    keyFramesOnly: properties['USE_KEY_FRAMES']?.toUpperCase() === 'TRUE',
    // What a client says of its medium is not good enough to number frames by.
    known: medium.inspected ? { fps: medium.fps, constantRate, length: medium.length } : undefined,
    signal: context.signal,
  });
  const transform = frameTransform(properties, medium.metadata, reader);
  const source: FrameSource = {
    width: transform.width,
    height: transform.height,
    fps: medium.fps > 0 ? medium.fps : reader.fps,
    start: range.start,
    stop: range.stop,
    frames: () => counted(reader, transform, work, context),
  };
  try {
    for await (const track of detector.video!(source, job)) yield toReported(track, transform);
  } finally {
    reader.close();
  }
}

/** Upright frames, each of them told as progress, those of the warm-up included. */
async function* counted(
  reader: FrameSource,
  transform: FrameTransform,
  { range, contextFrames }: Pick<DetectWork, 'range' | 'contextFrames'>,
  context: WorkContext,
): AsyncGenerator<Frame> {
  const first = range.start - contextFrames;
  for await (const frame of reader.frames()) {
    context.signal.throwIfAborted();
    yield transform.apply(frame);
    context.progress(frame.index - first + 1, range.stop - first + 1);
  }
}

async function* inImage(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  const picture = await readImage(work.medium.path);
  const transform = frameTransform(work.properties, work.medium.metadata, picture);
  const frame = transform.apply(picture);
  for await (const track of detector.image!(frame, job)) yield toReported(track, transform);
  context.progress(1, 1);
}

/** Sound counts in milliseconds; of a video, the frames that were on show are reported with them. */
async function* inSound(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  const { medium, range } = work;
  const isVideo = medium.mediaType === 'VIDEO' && medium.fps > 0;
  const frameAt = (ms: number) =>
    isVideo ? clamp(Math.floor((ms * medium.fps) / 1000), range.start, range.stop) : 0;
  const bounds = isVideo
    ? { startMs: (range.start * 1000) / medium.fps, stopMs: ((range.stop + 1) * 1000) / medium.fps }
    : {};
  const audio = await openAudio(medium.path, { ...bounds, signal: context.signal });
  const total = Number(medium.metadata['DURATION'] ?? 0);
  const chunks = async function* () {
    let samples = 0;
    for await (const chunk of audio.chunks()) {
      context.signal.throwIfAborted();
      samples += chunk.length;
      yield chunk;
      context.progress(Math.round(samples / 16), total);
    }
  };
  for await (const sound of detector.audio!({ startTime: audio.startTime, chunks }, job))
    yield soundTrack(sound, frameAt);
}

function soundTrack(
  { startTime, stopTime, confidence, properties = {} }: FoundSound,
  frameAt: (ms: number) => number,
): ReportedTrack {
  const [startFrame, stopFrame] = [frameAt(startTime), frameAt(stopTime)];
  const detection: ReportedDetection = {
    frame: startFrame,
    time: startTime,
    x: 0,
    y: 0,
    width: 0,
    height: 0,
    confidence,
    properties,
  };
  return { startFrame, stopFrame, startTime, stopTime, confidence, properties, detections: [detection] };
}

function toReported(track: FoundTrack, transform: FrameTransform): ReportedTrack {
  const first = track.detections[0]!;
  const last = track.detections.at(-1)!;
  return {
    startFrame: track.startFrame ?? first.frame,
    stopFrame: track.stopFrame ?? last.frame,
    confidence: track.confidence,
    properties: track.properties ?? {},
    detections: track.detections.map((detection) => inMedium(detection, transform)),
  };
}

/** A box back in the pixels of the stored medium; where that is turned or mirrored, the detection says so. */
function inMedium(detection: FoundDetection, transform: FrameTransform): ReportedDetection {
  const { frame, confidence, properties } = detection;
  const { x, y, width, height, rotation, flip } = transform.toMedium(detection);
  const orientation: Properties = {
    ...(rotation === 0 ? {} : { ROTATION: String(rotation) }),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
  };
  return { frame, x, y, width, height, confidence, properties: { ...properties, ...orientation } };
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
