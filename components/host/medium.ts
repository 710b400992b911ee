/**
 * Runs a detector on a medium, or on a frame range of a video, without feed-forward. Media readers are loaded for the first medium of their
 * kind, because most detectors process one kind.
 */
import { frameTransform, type FrameTransform } from '../../media/picture/transform.ts';
import type { Properties, ReportedTrack } from '../../domain/types.ts';
import {
  DetectionError,
  type DetectionJob,
  type Detector,
  type Frame,
  type FrameSource,
} from '../sdk/detector.ts';
import type { DetectWork } from '../../protocol/detection-work.ts';
import type { WorkMedium } from '../../protocol/media-work.ts';
import type { WorkContext } from '../sdk/work/work-context.ts';
import { inDocument } from './document.ts';
import { imageTrack, pictureTrack } from './report.ts';
import { knownFrames } from '../../protocol/known-frames.ts';

/** The context of a detector, with warnings about parts that it could not process. */
export interface DetectContext extends WorkContext {
  warn(message: string): void;
}

export function inMedium(
  detector: Detector,
  work: DetectWork,
  context: DetectContext,
): AsyncIterable<ReportedTrack> {
  const { signal, warn, traceparent } = context;
  const job: DetectionJob = {
    properties: work.properties,
    signal,
    warn,
    ...(traceparent === undefined ? {} : { traceparent }),
    working: () => context.working?.(),
  };
  switch (methodFor(detector, work.medium)) {
    case 'video':
      return inVideo(detector, work, context, job);
    case 'image':
      return inImage(detector, work, context, job);
    case 'audio':
      return inAudio(detector, work, context, job);
    case 'generic': {
      let parts = 0;
      return inDocument(detector, work, job, () => context.progress((parts += 1), 0));
    }
  }
}

/** A container may be empty, or contain only subtitles. */
const unknownFile = (mimeType: string): string =>
  /^(image|video|audio)\//.test(mimeType)
    ? `The file (${mimeType}) has no pictures and no sound in it`
    : `The file is not a picture, video or sound (its content is ${mimeType})`;

/** Returns the detector's method for this type of medium. It uses the sound of a video only if the detector accepts no pictures. */
export function methodFor(
  detector: Detector,
  { mediaType, mimeType }: Pick<WorkMedium, 'mediaType' | 'mimeType'>,
): 'video' | 'image' | 'audio' | 'generic' {
  if (mediaType === 'VIDEO' && detector.video !== undefined) return 'video';
  if (mediaType === 'IMAGE' && detector.image !== undefined) return 'image';
  const hears = detector.audio !== undefined || detector.soundFile !== undefined;
  if ((mediaType === 'AUDIO' || mediaType === 'VIDEO') && hears) return 'audio';
  if (mediaType === 'UNKNOWN' && detector.generic !== undefined) return 'generic';
  if (mediaType === 'UNKNOWN')
    throw new DetectionError(
      'UNSUPPORTED_DATA_TYPE',
      `${unknownFile(mimeType)}: this component processes only ${knownTypes(detector)}.`,
    );
  throw new DetectionError(
    'UNSUPPORTED_DATA_TYPE',
    `This component does not process media of the type ${mediaType}, only ${knownTypes(detector)}.`,
  );
}

function knownTypes({ video, image, audio, soundFile, generic }: Detector): string {
  const hears = audio !== undefined || soundFile !== undefined;
  return [
    ...(video === undefined && !hears ? [] : ['VIDEO']),
    ...(image === undefined ? [] : ['IMAGE']),
    ...(hears ? ['AUDIO'] : []),
    ...(generic === undefined ? [] : ['UNKNOWN (documents)']),
  ].join(', ');
}

/** The first task of a pipeline has no feed-forward, whatever its FEED_FORWARD_TYPE says, so the search region applies. */
const withoutFeed = (properties: Properties): Properties => ({ ...properties, FEED_FORWARD_TYPE: 'NONE' });

async function* inVideo(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  const { medium, range, properties } = work;
  const { openVideo } = await import('../../media/video/video-frames.ts');
  const reader = await openVideo(medium.path, {
    range,
    contextFrames: work.contextFrames,
    continues: work.continues,
    interval: Math.max(1, Number(properties['FRAME_INTERVAL'] ?? 1) || 1),
    rateCap: Number(properties['FRAME_RATE_CAP'] ?? 0) || 0,
    keyFramesOnly: properties['USE_KEY_FRAMES']?.toUpperCase() === 'TRUE',
    known: knownFrames(medium),
    signal: context.signal,
  });
  try {
    const transform = frameTransform(withoutFeed(properties), medium.metadata, reader);
    const source: FrameSource = {
      width: transform.width,
      height: transform.height,
      fps: medium.fps > 0 ? medium.fps : reader.fps,
      start: range.start,
      stop: range.stop,
      frames: () => countFrames(reader, transform, work, context),
    };
    for await (const track of detector.video!(source, job)) yield pictureTrack(track, () => transform);
  } finally {
    reader.close();
  }
}

/** Yields upright frames and counts each as progress, including warm-up frames. */
async function* countFrames(
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
  const { readImage } = await import('../../media/picture/image-frame.ts');
  const picture = await readImage(work.medium.path);
  const transform = frameTransform(withoutFeed(work.properties), work.medium.metadata, picture);
  const frame = transform.apply(picture);
  for await (const track of detector.image!(frame, job)) yield imageTrack(track, transform);
  context.progress(1, 1);
}

async function* inAudio(
  detector: Detector,
  work: DetectWork,
  context: WorkContext,
  job: DetectionJob,
): AsyncGenerator<ReportedTrack> {
  if (work.time !== undefined) {
    const { inPieceOfSound } = await import('./sound-piece.ts');
    yield* inPieceOfSound(detector, { ...work, time: work.time }, context, job);
    return;
  }
  const { inSound } = await import('./sound.ts');
  const { shownFrames } = await import('./shown-frames.ts');
  const shown = await shownFrames(work.medium, job.signal);
  yield* inSound(detector, work, job, {
    // An empty range means the whole sound.
    stretches: [shown?.stretchOf(work.range) ?? {}],
    frames: work.range,
    heard: (ms) => context.progress(ms, Number(work.medium.metadata['DURATION'] ?? 0)),
  });
}
