import { AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import type { FrameTimes, Issue } from '../pipeline/types.ts';
import { EventLoopBreather, NO_TIMESTAMP } from './container.ts';
import type { Container } from './container.ts';
import { cachedScan, frameTimes, presented } from './frame-numbers.ts';
import type { Findings, InspectOptions } from './inspect.ts';
import { MediumError } from './medium-error.ts';
import { openCursor } from './video-cursor.ts';

const ESTIMATED =
  'One or more presentation timestamp (PTS) values were missing from the video file. Some times in the output object will be estimated.';
/** A container that promises more frames than this share can give has lost its end. */
const WHOLE = 0.9;

interface Frames {
  readonly count: number;
  readonly times: FrameTimes;
}

/** Errors: MEDIA_INSPECTION when the end is missing, unless damage is let pass with a warning; FRAME_COUNT; COULD_NOT_OPEN_MEDIA and COULD_NOT_READ_MEDIA when nothing can be decoded. */
export async function inspectVideo(
  container: Container,
  stream: Stream,
  { signal, toleratesDamage = false }: Pick<InspectOptions, 'signal' | 'toleratesDamage'> = {},
): Promise<Findings> {
  const { count, times } = await framesOf(container.path, signal);
  if (count === 0) throw new MediumError('FRAME_COUNT', 'Failed to get frame count.');
  const warnings: Issue[] = [];
  if (times.estimated === true) warnings.push({ code: 'MEDIA_INSPECTION', message: ESTIMATED });
  const promised = Number(stream.nbFrames);
  if (count < promised * WHOLE) {
    const message = `The video is truncated or damaged: only ${count} of its ${promised} frames can be read.`;
    if (!toleratesDamage) throw new MediumError('MEDIA_INSPECTION', message);
    warnings.push({ code: 'MEDIA_INSPECTION', message });
  }
  const duration =
    container.duration ?? Math.ceil(times.fps > 0 ? times.startTime + (count * 1000) / times.fps : 0);
  const { rotation, flip } = orientationOf(stream);
  const metadata = {
    FRAME_COUNT: String(count),
    FRAME_WIDTH: String(stream.codecpar.width),
    FRAME_HEIGHT: String(stream.codecpar.height),
    FPS: decimal(times.fps),
    DURATION: String(duration),
    ROTATION: decimal(rotation),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
    ...(times.constantRate && times.estimated !== true ? { HAS_CONSTANT_FRAME_RATE: 'true' } : {}),
  };
  return { mediaType: 'VIDEO', length: count, frameTimes: times, metadata, warnings };
}

/** From the packets' timestamps; by decoding all frames when those are incomplete. */
async function framesOf(path: string, signal?: AbortSignal): Promise<Frames> {
  const cursor = await openCursor(path, 1, signal);
  try {
    const { firstPts, timeBase, container } = cursor;
    if (firstPts !== undefined) {
      const scan = await cachedScan(path, signal);
      const pts = presented(scan, firstPts);
      if (scan.complete && pts.length > 0)
        return { count: pts.length, times: frameTimes(pts, timeBase, container.origin, cursor.rates) };
    }
    return await countedFrames(cursor, new EventLoopBreather(signal));
  } finally {
    cursor.close();
  }
}

async function countedFrames(
  cursor: Awaited<ReturnType<typeof openCursor>>,
  breather: EventLoopBreather,
): Promise<Frames> {
  const pts: number[] = [];
  for (let frame = cursor.next(); frame !== 'end'; frame = cursor.next()) {
    if (frame !== 'more')
      pts.push(frame.bestEffortTimestamp === NO_TIMESTAMP ? NaN : Number(frame.bestEffortTimestamp));
    if (breather.due()) await breather.breathe();
  }
  const ascending = pts.every((value, i) => !Number.isNaN(value) && (i === 0 || value > (pts[i - 1] ?? 0)));
  const origin = (pts[0] ?? 0) * cursor.timeBase;
  const times = ascending
    ? frameTimes(Float64Array.from(pts), cursor.timeBase, origin, cursor.rates)
    : { fps: cursor.rates[0] ?? 0, constantRate: true, startTime: 0 };
  return { count: pts.length, times: { ...times, estimated: true } };
}

/**
 * From the display matrix [a b u, c d v, ...], which takes stored pixels to the screen: degrees clockwise that the picture
 * must be turned by, then whether it must be flipped horizontally.
 */
function orientationOf(stream: Stream): { rotation: number; flip: boolean } {
  const matrix = stream.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (matrix === null || matrix.length < 36) return { rotation: 0, flip: false };
  const a = matrix.readInt32LE(0);
  const b = matrix.readInt32LE(4);
  const c = matrix.readInt32LE(12);
  const d = matrix.readInt32LE(16);
  const flip = a * d - b * c < 0;
  const degrees = (Math.atan2(b, flip ? -a : a) * 180) / Math.PI;
  const rounded = Math.round(degrees * 100) / 100;
  return { rotation: ((rounded % 360) + 360) % 360, flip };
}

/** Always with a decimal point, as in 24.0 and 29.97002997002997. */
function decimal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
