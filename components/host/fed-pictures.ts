/** Runs a detector on the regions of fed tracks in a video or an image. */
import { readImage } from '../../media/picture/image-frame.ts';
import { openVideo } from '../../media/video/video-frames.ts';
import type { ReportedTrack } from '../../domain/types.ts';
import type { DetectionJob, Detector, Frame, FrameSource } from '../sdk/detector.ts';
import type { DetectWork, FedTrack, FeedForward } from '../../protocol/detection-work.ts';
import { knownFrames } from '../../protocol/known-frames.ts';
import { imageTrack, pictureTrack } from './report.ts';
import { framesOf, viewsOf, withMargin, type Views } from './views.ts';

/** Work on tracks that one call of the detector processes together. */
export interface FedWork {
  readonly work: DetectWork;
  readonly type: FeedForward['type'];
  readonly tracks: readonly FedTrack[];
  readonly job: DetectionJob;
  /** Called for each picture that the detector has processed. */
  onLooked(): void;
}

function withMargins({ type, tracks }: FedWork, margin = 0): readonly FedTrack[] {
  if (margin === 0 || type !== 'REGION') return tracks;
  return tracks.map((track) => ({
    ...track,
    detections: track.detections.map((one) => withMargin(one, margin)),
  }));
}

/** Runs the detector on a video. Reads only the frames that the tracks need. */
export async function* inFedVideo(detector: Detector, fed: FedWork): AsyncGenerator<ReportedTrack> {
  const { medium, properties } = fed.work;
  const { signal } = fed.job;
  const frames = framesOf(fed.tracks);
  const reader = await openVideo(medium.path, { frames, known: knownFrames(medium), signal });
  try {
    const tracks = withMargins(fed, detector.fedMargin);
    const views = viewsOf(tracks, fed.type, { properties, metadata: medium.metadata, size: reader });
    const [start, stop] = [views.frames[0], views.frames.at(-1)];
    if (start === undefined || stop === undefined) return;
    const source: FrameSource = {
      width: views.width,
      height: views.height,
      fps: medium.fps > 0 ? medium.fps : reader.fps,
      start,
      stop,
      frames: () => seePictures(reader, views, fed),
    };
    for await (const track of detector.video!(source, fed.job))
      yield pictureTrack(track, (frame) => views.of(frame));
  } finally {
    reader.close();
  }
}

async function* seePictures(
  reader: FrameSource,
  views: Views,
  { job, onLooked }: FedWork,
): AsyncGenerator<Frame> {
  const wanted = new Set(views.frames);
  for await (const frame of reader.frames()) {
    job.signal.throwIfAborted();
    if (!wanted.has(frame.index)) continue;
    yield views.of(frame.index).apply({ ...frame, warmUp: false });
    onLooked();
  }
}

/** Runs the detector on an image. `picture` returns the stored image each time. */
export async function* inFedImage(
  detector: Detector,
  fed: FedWork,
  picture: () => Promise<Frame>,
): AsyncGenerator<ReportedTrack> {
  const { medium, properties } = fed.work;
  const stored = await picture();
  const tracks = withMargins(fed, detector.fedMargin);
  const views = viewsOf(tracks, fed.type, { properties, metadata: medium.metadata, size: stored });
  const [frame] = views.frames;
  if (frame === undefined) return;
  const view = views.of(frame);
  for await (const track of detector.image!(view.apply(stored), fed.job)) yield imageTrack(track, view);
  fed.onLooked();
}

/** Returns a function that reads the image at `path` when it is first called. */
export function imageAt(path: string): () => Promise<Frame> {
  let picture: Promise<Frame> | undefined;
  return () => (picture ??= readImage(path));
}
