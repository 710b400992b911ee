/** The frames of a medium that pictures are wanted of, read once in their order, and what is cut out of them. */
import { readImage } from '../../../../media/picture/image-frame.ts';
import { regionOf } from '../../../../media/picture/region.ts';
import type { Picture } from '../../../../media/picture/write-png.ts';
import { groupBy } from '../../../../domain/grouping.ts';
import type { Detection } from '../../../../domain/types.ts';
import type { Frame } from '../../../sdk/detector.ts';
import type { WorkMedium } from '../../../../protocol/media-work.ts';
import type { PictureFiles } from './artifact-files.ts';
import { knownFrames } from '../../../../protocol/known-frames.ts';

/** A picture that is to be made, and in the end what became of it. */
export interface Wanted {
  /** Index among the detections of its track. */
  readonly detection: number;
  readonly frame: number;
  /** What is cut out; null for the whole frame, which all that want it share. */
  readonly cut: Omit<Detection, 'frame'> | null;
  readonly path: string;
  /** The URI of the picture, or why there is none. */
  outcome?: string | Error;
}

export interface Taking {
  readonly signal: AbortSignal;
  /** Is told how many pictures are done. */
  progress(pictures: number): void;
}

/** Fills in every outcome. Throws only when the signal aborts. */
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

/** A detection without a box (of a whole scene, say) is shown by its whole frame. */
function pictureOf(cut: Wanted['cut'], frame: Frame): Picture | null {
  const { width, height, data } = frame;
  if (cut === null || cut.width === 0 || cut.height === 0)
    return { width, height, data: Uint8Array.from(data) };
  const region = regionOf(cut, frame);
  return region === null ? null : { width: region.width, height: region.height, data: region.cut(data) };
}

/** Frames of a medium by their numbers; of a picture the one that it has. */
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
