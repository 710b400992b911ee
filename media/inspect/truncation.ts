/**
 * Whether the end of a medium is missing: judged by the time that what can be read covers, not by counted entries, since an
 * index may have entries that show nothing new (dropped frames of AVI).
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Stream } from 'node-av/lib';
import { NO_TIMESTAMP } from '../libav/container.ts';
import type { Container } from '../libav/container.ts';
import type { PacketScan, TimeSpan } from '../libav/packet-scan.ts';

export interface Truncation {
  /** Milliseconds that can be read, and that the container says there are. */
  readonly readMs: number;
  readonly statedMs: number;
}

/** Containers whose header says how long the medium is; in all others FFmpeg goes by what is there. */
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
/** Less than this share missing, or less than this time, or less than these frames, is no more than a careless header. */
const SHARE = 0.1;
const MS = 1000;
const FRAMES = 3;
/** From so many bytes on the size in a WAV is the highest that fits, or close to it: nobody knew it. */
const HUGE_WAV = 0x7f000000;

/** Undefined when the medium is whole, or its container does not state a time. `video` is the picture stream, if there is one. */
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

/** An MP3 states its length in a first frame of its own (Xing, Info); without one FFmpeg divides the file's size by its bit rate. */
function statesTime({ format, path, audio, duration = 0 }: Container): boolean {
  const name = format.iformat?.name?.split(',')[0] ?? '';
  if (name !== 'mp3') return STATING.has(name);
  const bytesASecond = Number(audio?.codecpar.bitRate ?? 0) / 8;
  return (duration / 1000) * bytesASecond > statSync(path).size * (1 + SHARE);
}

/** A WAV says how many bytes it has, and FFmpeg goes by those that are there. Recorders that never came back to the header leave a huge number in it. */
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

/** In AVI an entry of the header's count is a tick; where the index is missing, FFmpeg goes by the size of the file instead. */
function statedTicks({ format }: Container, { duration, nbFrames }: Stream): number {
  return format.iformat?.name === 'avi' ? Math.max(Number(duration), Number(nbFrames)) : Number(duration);
}

function lengthOf({ begin, end }: TimeSpan, from = begin): number {
  return Math.max(0, (end - from) * 1000 || 0);
}

/** The warning's text. */
export function truncationMessage({ readMs, statedMs }: Truncation): string {
  return `The medium is truncated or damaged: ${seconds(readMs)} of its ${seconds(statedMs)} seconds can be read. These are processed.`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
