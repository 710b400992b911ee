/**
 * Detects whether the end of a medium is missing. The check uses the time that readable packets cover. Index entries are not counted,
 * because some show nothing new (dropped frames of AVI).
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Stream } from 'node-av/lib';
import { NO_TIMESTAMP } from '../libav/container.ts';
import type { Container } from '../libav/container.ts';
import type { PacketScan, TimeSpan } from '../libav/packet-scan.ts';

export interface Truncation {
  /** Milliseconds that can be read, and milliseconds that the container states. */
  readonly readMs: number;
  readonly statedMs: number;
}

/** Containers whose header states the duration. For all others, FFmpeg derives it from the file's content. */
const STATING = new Set([
  'mov',
  'matroska',
  'avi',
  'flv',
  'asf',
  'mxf',
  'nut',
  'wav',
  'w64',
  'aiff',
  'caf',
  'au',
  'flac',
  'wv',
]);
/** Tolerance for inexact headers: this share of the duration, but at most MS milliseconds and at least this number of frames. */
const SHARE = 0.1;
const MS = 1000;
const FRAMES = 3;
/** Minimum WAV size that means "unknown": recorders write the largest value, or one close to it. */
const HUGE_WAV = 0x7f000000;

/** Returns undefined if the medium is complete or its container states no duration. `video` is the picture stream, if any. */
export function truncationOf(
  container: Container,
  video: Stream | undefined,
  scan: Pick<PacketScan, 'video' | 'all'>,
  fps = 0,
): Truncation | undefined {
  if (!statesTime(container)) return undefined;
  const ofVideo = video === undefined || video.duration === NO_TIMESTAMP ? undefined : video;
  const readMs = ofVideo === undefined ? lengthOf(scan.all, container.origin) : lengthOf(scan.video);
  const statedMs =
    ofVideo === undefined
      ? statedDuration(container)
      : statedTicks(container, ofVideo) * ofVideo.timeBase.toDouble() * 1000;
  const missing = statedMs - readMs;
  const allowed = Math.max(Math.min(statedMs * SHARE, MS), fps > 0 ? (FRAMES * 1000) / fps : 0);
  return missing > allowed ? { readMs: Math.ceil(readMs), statedMs: Math.ceil(statedMs) } : undefined;
}

/**
 * True if the header states the duration. An MP3 states it in a special first frame (Xing, Info). Without one, FFmpeg divides the file's
 * size by the bit rate.
 */
function statesTime({ format, path, audio, duration = 0 }: Container): boolean {
  const name = format.iformat?.name?.split(',')[0] ?? '';
  if (name !== 'mp3') return STATING.has(name);
  const bytesASecond = Number(audio?.codecpar.bitRate ?? 0) / 8;
  return (duration / 1000) * bytesASecond > statSync(path).size * (1 + SHARE);
}

/**
 * Returns the stated duration. A WAV header states the number of bytes, but FFmpeg counts the bytes in the file. Recorders that did not
 * update the header leave a huge number in it.
 */
function statedDuration({ format, path, duration = 0 }: Container): number {
  if (format.iformat?.name !== 'wav') return duration;
  const head = Buffer.alloc(8);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  const stated = head.toString('latin1', 0, 4) === 'RIFF' ? head.readUInt32LE(4) + head.length : 0;
  const { size } = statSync(path);
  return stated > size && stated < HUGE_WAV ? (duration * stated) / size : duration;
}

/**
 * Returns the stated ticks. In AVI, each entry of the header's count is a tick. Without an index, FFmpeg estimates from the file's size.
 */
function statedTicks({ format }: Container, { duration, nbFrames }: Stream): number {
  return format.iformat?.name === 'avi' ? Math.max(Number(duration), Number(nbFrames)) : Number(duration);
}

function lengthOf({ begin, end }: TimeSpan, from = begin): number {
  return Math.max(0, (end - from) * 1000 || 0);
}

/** Returns the text of the warning. */
export function truncationMessage({ readMs, statedMs }: Truncation): string {
  return `The medium is truncated or damaged: ${seconds(readMs)} of its ${seconds(statedMs)} seconds can be read. These are processed.`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
