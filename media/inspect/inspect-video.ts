import { AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants';
import type { Stream } from 'node-av/lib';
import { timeOfFrame } from '../../domain/frames/frame-times.ts';
import type { FrameTimes, Issue } from '../../domain/types.ts';
import { EventLoopYield } from '../libav/container.ts';
import type { Container } from '../libav/container.ts';
import { CountedTimes } from '../video/counted-times.ts';
import { frameTimes } from '../video/frame-numbers.ts';
import type { Findings, InspectOptions } from './inspection.ts';
import { MediumError } from '../medium-error.ts';
import { cachedScan, presentedTimes } from '../libav/packet-scan.ts';
import type { PacketScan } from '../libav/packet-scan.ts';
import { truncationMessage, truncationOf } from './truncation.ts';
import { openCursor } from '../video/video-cursor.ts';
import type { VideoCursor } from '../video/video-cursor.ts';

const ESTIMATED =
  'One or more presentation timestamp (PTS) values were missing from the video file. Some times in the output object will be estimated.';

export interface VideoTimes {
  /** Number of frames in the video. */
  readonly count: number;
  readonly times: FrameTimes;
  /** Display duration of the last frame in milliseconds; 0 if unknown. */
  readonly lastMs: number;
}

interface Frames extends VideoTimes {
  /** True if each frame has its own presentation timestamp. */
  readonly numbered: boolean;
  readonly scan: PacketScan;
}

/**
 * Inspects a video. Only the readable part of a truncated video counts. A warning states its duration, unless `ignoresDamage` is set.
 * @throws FRAME_COUNT; COULD_NOT_OPEN_MEDIA and COULD_NOT_READ_MEDIA if nothing can be decoded.
 */
export async function inspectVideo(
  container: Container,
  stream: Stream,
  { signal, ignoresDamage = false }: Pick<InspectOptions, 'signal' | 'ignoresDamage'> = {},
): Promise<Findings> {
  const frames = await framesOf(container.path, signal);
  const { count, times, numbered, scan } = frames;
  if (count === 0) throw new MediumError('FRAME_COUNT', 'Failed to get frame count.');
  const warnings: Issue[] = [];
  if (times.estimated === true) warnings.push({ code: 'MEDIA_INSPECTION', message: ESTIMATED });
  const truncation = truncationOf(container, stream, scan, times.fps);
  if (truncation !== undefined && !ignoresDamage)
    warnings.push({ code: 'MEDIA_INSPECTION', message: truncationMessage(truncation) });
  const duration = truncation?.readMs ?? durationOf(container, frames);
  const { rotation, flip } = streamOrientation(stream);
  const metadata = {
    FRAME_COUNT: String(count),
    FRAME_WIDTH: String(stream.codecpar.width),
    FRAME_HEIGHT: String(stream.codecpar.height),
    FPS: decimal(times.fps),
    DURATION: String(duration),
    ROTATION: decimal(rotation),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
    ...(times.constantRate && numbered ? { HAS_CONSTANT_FRAME_RATE: 'true' } : {}),
  };
  return { mediaType: 'VIDEO', length: count, frameTimes: times, metadata, warnings };
}

/** Returns the display times of a video's frames, as inspection finds them. Throws the errors of `inspectVideo` except FRAME_COUNT. */
export const videoTimes = (path: string, signal?: AbortSignal): Promise<VideoTimes> => framesOf(path, signal);

/** Reads the frames from the packets' timestamps. If these are incomplete, all frames are decoded. */
async function framesOf(path: string, signal?: AbortSignal): Promise<Frames> {
  const cursor = await openCursor(path, 1, signal);
  try {
    const { firstPts, timeBase, container } = cursor;
    const scan = await cachedScan(path, signal);
    const usualMs = 1000 / (cursor.rates[0] ?? Infinity);
    const pts = firstPts === undefined ? new Float64Array() : presentedTimes(scan, firstPts);
    if (scan.complete && pts.length > 0)
      return {
        count: pts.length,
        times: frameTimes(pts, cursor, { origin: container.origin, lastTicks: scan.lastTicks }),
        numbered: true,
        scan,
        lastMs: scan.lastTicks * timeBase * 1000 || usualMs,
      };
    const counted = await countedFrames(cursor, scan, new EventLoopYield(signal));
    return { ...counted, scan, lastMs: usualMs };
  } finally {
    cursor.close();
  }
}

async function countedFrames(
  cursor: VideoCursor,
  scan: PacketScan,
  eventLoop: EventLoopYield,
): Promise<Omit<Frames, 'scan' | 'lastMs'>> {
  const counted = new CountedTimes(cursor, scan);
  const ticks: number[] = [];
  for (let frame = cursor.next(); frame !== 'end'; frame = cursor.next()) {
    if (frame !== 'more') ticks.push(counted.next(frame.bestEffortTimestamp));
    if (eventLoop.yieldIsDue()) await eventLoop.yield();
  }
  const times = frameTimes(Float64Array.from(ticks), cursor, { origin: 0 });
  return {
    count: ticks.length,
    times: counted.estimated ? { ...times, estimated: true } : times,
    numbered: false,
  };
}

/** Duration in milliseconds, rounded up. It is the container's value, but at least the duration of the frames. */
function durationOf({ duration = 0 }: Container, { times, count, lastMs }: Frames): number {
  const last = timeOfFrame(times, count - 1);
  return last < duration ? duration : Math.ceil(last + lastMs);
}

/**
 * Reads the display matrix [a b u, c d v, ...], which maps stored pixels to the screen. Returns the clockwise rotation in degrees that the
 * picture needs, and whether it must be flipped horizontally.
 */
function streamOrientation(stream: Stream): { rotation: number; flip: boolean } {
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

/** Formats a number with a decimal point, as in 24.0 and 29.97002997002997. */
function decimal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
