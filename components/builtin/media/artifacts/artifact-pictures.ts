/** Reads the wanted frames of a medium once, in order, and cuts out pictures. */
import { readImage } from '../../../../media/picture/image-frame.ts';
import { regionOf } from '../../../../media/picture/region.ts';
import type { Picture } from '../../../../media/picture/write-png.ts';
import { groupBy } from '../../../../domain/grouping.ts';
import type { Detection } from '../../../../domain/types.ts';
import type { Frame } from '../../../sdk/detector.ts';
import type { WorkMedium } from '../../../../protocol/media-work.ts';
import type { PictureFiles } from './artifact-files.ts';
import { knownFrames } from '../../../../protocol/known-frames.ts';

/** A wanted picture and its outcome. */
export interface Wanted {
  /** Index among the detections of its track. */
  readonly detection: number;
  readonly frame: number;
  /** Detection to cut out; null for the whole frame, which all such detections share. */
  readonly cut: Omit<Detection, 'frame'> | null;
  readonly path: string;
  /** URI of the picture, or the error. */
  outcome?: string | Error;
}

export interface Taking {
  readonly signal: AbortSignal;
  /** Called with the number of finished pictures. */
  progress(pictures: number): void;
}

/** Takes the pictures and sets each outcome. Throws only if the signal aborts. */
export async function takePictures(
  medium: WorkMedium,
  wanted: readonly Wanted[],
  files: PictureFiles,
  { signal, progress }: Taking,
): Promise<void> {
  if (wanted.length === 0) return;
  const byFrame = groupBy(wanted, ({ frame }) => frame);
  let done = 0;
  const settle = (some: readonly Wanted[]) => (outcome: string | Error) => {
    for (const one of some) one.outcome = outcome;
    progress((done += some.length));
  };
  try {
    for await (const frame of framesOf(medium, [...byFrame.keys()], signal)) {
      signal.throwIfAborted();
      const sharing = groupBy(byFrame.get(frame.index) ?? [], ({ path }) => path);
      for (const some of sharing.values()) await take(some, frame, files, settle(some));
    }
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const one of wanted) one.outcome ??= reason;
  } finally {
    await files.waitUntilWritten();
  }
}

async function take(
  [first]: readonly Wanted[],
  frame: Frame,
  files: PictureFiles,
  done: (outcome: string | Error) => void,
): Promise<void> {
  const picture = first === undefined ? null : pictureOf(first.cut, frame);
  if (first === undefined || picture === null)
    done(new Error('The box of the detection lies outside of the picture.'));
  else if (first.cut === null) await files.writeOnce(first.path, picture, done);
  else await files.write(first.path, picture, done);
}

/** Returns the picture of a detection. Without a box (such as for a whole scene), it is the whole frame. */
function pictureOf(cut: Wanted['cut'], frame: Frame): Picture | null {
  const { width, height, data } = frame;
  if (cut === null || cut.width === 0 || cut.height === 0)
    return { width, height, data: Uint8Array.from(data) };
  const region = regionOf(cut, frame);
  return region === null ? null : { width: region.width, height: region.height, data: region.cut(data) };
}

/** Yields frames of a medium by number. For an image, yields its only frame. */
export async function* framesOf(
  medium: WorkMedium,
  numbers: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  if (medium.mediaType !== 'VIDEO') {
    yield await readImage(medium.path);
    return;
  }
  const frames = numbers.toSorted((a, b) => a - b);
  const { openVideo } = await import('../../../../media/video/video-frames.ts');
  const reader = await openVideo(medium.path, { frames, known: knownFrames(medium), signal });
  try {
    yield* reader.frames();
  } finally {
    reader.close();
  }
}
