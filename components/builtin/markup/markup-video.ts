/** Draws into a video frame by frame. Each frame keeps its time. */
import { openContainer } from '../../../media/libav/container.ts';
import { uprightOf } from '../../../media/picture/upright.ts';
import { openVideo, type VideoReader } from '../../../media/video/video-frames.ts';
import {
  openVideoWriter,
  type VideoWriter,
  type VideoWriterOptions,
} from '../../../media/video/video-writer.ts';
import type { Issue } from '../../../domain/types.ts';
import { knownFrames } from '../../../protocol/known-frames.ts';
import type { Frame } from '../../sdk/detector.ts';
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { MarkupWork } from '../../../protocol/track-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { Drawing } from './draw.ts';
import { framesOf, partsInFrames, partsInTime, placesIn, soundOf, type Excerpt } from './excerpt.ts';
import type { Marks } from './marks.ts';
import type { MarkupSettings } from './settings.ts';

/** Frame rate used if neither the medium nor its inspection states one. */
const USUAL_RATE = 25;

/** Content of a copy: boxes. A concealed video that was only partly analysed also has an excerpt. */
export interface Drawn {
  readonly marks: Marks;
  readonly excerpt?: Excerpt | undefined;
}

/** Writes the copy to `path` and returns warnings. */
export async function markUpVideo(
  { medium }: MarkupWork,
  settings: MarkupSettings,
  { marks, excerpt }: Drawn,
  path: string,
  context: WorkContext,
): Promise<readonly Issue[]> {
  const frames = excerpt === undefined ? undefined : framesOf(excerpt);
  const known = knownFrames(medium);
  const reader = await openVideo(medium.path, { frames, known, signal: context.signal });
  try {
    const upright = uprightOf(medium.metadata, reader);
    const drawer = new Drawing(upright, settings);
    const timing = timingOf(medium, reader, settings, excerpt);
    const { width, height } = drawer;
    const { tick, frameRate, soundParts } = timing;
    const writer = openVideoWriter(path, {
      ...{ width, height, tick, frameRate },
      encoder: settings.encoder,
      crf: settings.crf,
      pixelAspect: pixelAspectOf(medium.path, upright.isSideways),
      soundOf: medium.path,
      soundParts,
    });
    try {
      await drawFrames(reader, writer, drawer, marks, timing, context, frames?.length ?? medium.length);
    } finally {
      writer.close();
    }
    return timing.warnings;
  } finally {
    reader.close();
  }
}

async function drawFrames(
  reader: VideoReader,
  writer: VideoWriter,
  drawer: Drawing,
  marks: Marks,
  { tickOf }: Timing,
  { signal, progress }: WorkContext,
  total: number,
): Promise<void> {
  const marksOf = marks.byFrame();
  let start: number | undefined;
  let done = 0;
  for await (const frame of reader.frames()) {
    signal.throwIfAborted();
    drawer.draw(frame, marksOf(frame.index), writer.picture);
    const at = tickOf(frame);
    // Pictures may begin after the sound. Without sound, the copy starts with the first picture.
    start ??= writer.hasSound ? 0 : at;
    writer.write(at - start);
    progress((done += 1), total);
  }
  writer.finish();
}

interface Timing extends Pick<VideoWriterOptions, 'tick' | 'frameRate' | 'soundParts'> {
  readonly warnings: readonly Issue[];
  tickOf(frame: Frame): number;
}

/** Chooses the time base. A constant rate counts frames, and a variable rate uses milliseconds. AVI supports only constant rates. */
function timingOf(
  medium: WorkMedium,
  reader: VideoReader,
  { encoder }: MarkupSettings,
  excerpt: Excerpt | undefined,
): Timing {
  const isConstant = knownFrames(medium)?.constantRate === true;
  const frameRate = [medium.fps, reader.fps].find((fps) => fps > 0) ?? USUAL_RATE;
  const inTime = !isConstant && encoder !== 'mjpeg';
  const tick = inTime ? { num: 1, den: 1000 } : frameTick(frameRate);
  const parts = excerpt && (inTime ? partsInTime(excerpt) : partsInFrames(excerpt));
  const soundParts = excerpt && parts && soundOf(excerpt, parts, tick.num / tick.den);
  const placeOf = parts && placesIn(parts);
  const timing = { tick, frameRate, soundParts };
  if (isConstant) {
    const tickOf = placeOf ? ({ index }: Frame) => placeOf(index) : countedFrom(tick);
    return { ...timing, warnings: [], tickOf };
  }
  let last = -1;
  if (inTime) {
    const tickOf = ({ time }: Frame): number =>
      (last = Math.max(last + 1, Math.round(placeOf?.(time) ?? time)));
    return { ...timing, warnings: [], tickOf };
  }
  const message =
    'AVI files have one frame rate: the marked-up video shows its frames at the average rate of the medium. Set MARKUP_VIDEO_ENCODER to vp9 or h264 to keep their times.';
  return { ...timing, warnings: [{ code: 'MARKUP', message }], tickOf: () => (last += 1) };
}

/** Returns frame times by number. The first frame may be shown after the start of the medium, which is that of its sound. */
function countedFrom({ num, den }: VideoWriterOptions['tick']): (frame: Frame) => number {
  let offset: number | undefined;
  return ({ index, time }) => {
    offset ??= Math.round((time * den) / num / 1000) - index;
    return index + Math.max(0, offset);
  };
}

/** Duration of a frame as a fraction of a second. Television rates are thousands divided by 1001. */
export function frameTick(frameRate: number): { num: number; den: number } {
  const isWhole = (value: number): boolean => value >= 1 && Math.abs(value - Math.round(value)) < 1e-3;
  if (isWhole(frameRate)) return { num: 1, den: Math.round(frameRate) };
  if (isWhole(frameRate * 1.001)) return { num: 1001, den: Math.round(frameRate * 1.001) * 1000 };
  return { num: 1000, den: Math.max(1, Math.round(frameRate * 1000)) };
}

function pixelAspectOf(path: string, isSideways: boolean): VideoWriterOptions['pixelAspect'] {
  const container = openContainer(path);
  try {
    const ratio = container.video?.codecpar.sampleAspectRatio;
    if (ratio === undefined || !(ratio.num > 0 && ratio.den > 0)) return undefined;
    return isSideways ? { num: ratio.den, den: ratio.num } : { num: ratio.num, den: ratio.den };
  } finally {
    container.close();
  }
}
