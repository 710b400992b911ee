/**
 * Which presentation timestamp is which frame. Frames are numbered from 0 in presentation order; the table comes from
 * reading packets only (no decoding), so it is cheap, or from the rate alone when inspection found it constant.
 */
import { AV_CODEC_ID_VP8, AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import type { Packet, Stream } from 'node-av/lib';
import { stat } from 'node:fs/promises';
import type { FrameTimes } from '../domain/types.ts';
import { EventLoopYield, NO_TIMESTAMP, newPacket, openContainer, readPacket } from './container.ts';

/** What a scan of all packets of the video stream tells; timestamps in ticks of the stream, ascending. */
export interface PacketScan {
  readonly pts: Float64Array;
  /** True when every frame has a timestamp of its own, so that frames can be told apart without decoding from the start. */
  readonly complete: boolean;
  /** The time that packets of the picture stream cover, those included that show nothing new; of all streams together. */
  readonly video: TimeSpan;
  readonly all: TimeSpan;
}

/** Seconds of the container's clock; without a packet that tells its time, from Infinity to -Infinity. */
export interface TimeSpan {
  readonly begin: number;
  readonly end: number;
}

/** Both directions between frame numbers and timestamps (ticks of the stream). */
export interface FrameNumbers {
  /** -1 when no frame lies at this timestamp. */
  numberOf(pts: number): number;
  ptsOf(frame: number): number;
  /** Milliseconds from the start of the medium. */
  timeOf(frame: number): number;
  /** Frames of the video; undefined when not known. */
  readonly count: number | undefined;
}

/** A frame may lie this far (in frames) from where a constant rate puts it. */
const TOLERANCE = 0.3;

/** Reads all packets of the video stream. */
async function scanPackets(path: string, signal?: AbortSignal): Promise<PacketScan> {
  const container = openContainer(path);
  const packet = newPacket();
  const pts: number[] = [];
  let missing = false;
  const { video: stream, format } = container;
  // What a stream tells must be read while the container is open.
  const videoIndex = stream?.index;
  const spans = format.streams.map(({ timeBase }) => new SpanCounter(timeBase.toDouble()));
  try {
    const eventLoop = new EventLoopYield(signal);
    while (readPacket(container, packet)) {
      if (eventLoop.yieldIsDue()) await eventLoop.yield();
      spans[packet.streamIndex]?.add(packet);
      if (stream === undefined || packet.streamIndex !== videoIndex || !isPresented(packet, stream)) continue;
      if (packet.pts === NO_TIMESTAMP) missing = true;
      else pts.push(Number(packet.pts));
    }
  } finally {
    packet.free();
    container.close();
  }
  const sorted = Float64Array.from(pts).toSorted();
  const distinct = sorted.every((value, i) => i === 0 || value > (sorted[i - 1] ?? 0));
  return {
    pts: sorted,
    complete: !missing && distinct,
    video: union(spans.filter((_, index) => index === videoIndex)),
    all: union(spans),
  };
}

/** The time that the packets of one stream cover; a packet without presentation time counts by its decoding time. */
class SpanCounter implements TimeSpan {
  begin = Infinity;
  end = -Infinity;
  readonly #timeBase: number;
  constructor(timeBase: number) {
    this.#timeBase = timeBase;
  }

  add({ pts, dts, duration }: Packet): void {
    const at = pts === NO_TIMESTAMP ? dts : pts;
    if (at === NO_TIMESTAMP) return;
    const begin = Number(at) * this.#timeBase;
    this.begin = Math.min(this.begin, begin);
    this.end = Math.max(this.end, begin + Number(duration) * this.#timeBase);
  }
}

function union(spans: readonly TimeSpan[]): TimeSpan {
  return {
    begin: Math.min(...spans.map((span) => span.begin)),
    end: Math.max(...spans.map((span) => span.end)),
  };
}

/** Packets outside the edit list, repeats of the picture before (empty) and VP8's hidden reference frames show nothing. */
function isPresented(packet: Packet, stream: Stream): boolean {
  if (packet.size === 0 || packet.hasFlags(AV_PKT_FLAG_DISCARD)) return false;
  if (stream.codecpar.codecId !== AV_CODEC_ID_VP8) return true;
  return ((packet.data?.[0] ?? 0) & 0x10) !== 0;
}

const CACHED_SCANS = 8;
const scans = new Map<string, PacketScan>();

/** The same, remembered for the last few files of this process: the sub-jobs of a medium follow each other. */
export async function cachedScan(path: string, signal?: AbortSignal): Promise<PacketScan> {
  const { mtimeMs, size, ino } = await stat(path);
  const key = `${path}\n${mtimeMs}\n${size}\n${ino}`;
  const scan = scans.get(key) ?? (await scanPackets(path, signal));
  scans.delete(key);
  scans.set(key, scan);
  for (const oldest of scans.keys()) if (scans.size > CACHED_SCANS) scans.delete(oldest);
  return scan;
}

/** Frames that the decoder cannot show (leading pictures of a cut stream) come before its first one and have no number. */
export function presented(scan: PacketScan, firstPts: number): Float64Array {
  const first = scan.pts.indexOf(firstPts);
  return first < 0 ? new Float64Array() : scan.pts.subarray(first);
}

/** Numbers from a table of all timestamps. */
export function tabledNumbers(pts: Float64Array, times: FrameTimes): FrameNumbers {
  return {
    count: pts.length,
    numberOf: (value) => {
      const at = lowerBound(pts, value);
      return pts[at] === value ? at : -1;
    },
    ptsOf: (frame) => pts[Math.min(Math.max(frame, 0), pts.length - 1)] ?? 0,
    timeOf: (frame) => times.times?.[frame] ?? constantTime(times, frame),
  };
}

/** Numbers by arithmetic, for a rate that inspection has found to be constant. */
export function constantNumbers(
  firstPts: number,
  timeBase: number,
  origin: number,
  fps: number,
  count?: number,
): FrameNumbers {
  const startTime = milliseconds(firstPts * timeBase - origin);
  return {
    count,
    numberOf: (value) => {
      const exact = (value - firstPts) * timeBase * fps;
      const frame = Math.round(exact);
      return Math.abs(exact - frame) < TOLERANCE ? frame : -1;
    },
    ptsOf: (frame) => Math.round(firstPts + frame / fps / timeBase),
    timeOf: (frame) => constantTime({ startTime, fps }, frame),
  };
}

function constantTime({ startTime, fps }: Pick<FrameTimes, 'startTime' | 'fps'>, frame: number): number {
  return startTime + (fps > 0 ? Math.floor((frame * 1000) / fps) : 0);
}

/**
 * Times of frames that have no presentation timestamp of their own, in the order in which the decoder gives them: ticks of
 * the stream after the first frame, by the decoder's guess, which is the decoding timestamp. The last frames of a video come
 * without even that when the decoder is emptied: they follow at the mean rate.
 */
export class GuessedTimes {
  /** True when a frame in the middle, or every frame, had to be placed by the rate alone. */
  estimated = false;
  readonly #step: number;
  #first: number | undefined;
  #last: number | undefined;
  #known = false;
  #placedByRate = false;
  constructor(timeBase: number, fps: number) {
    this.#step = fps > 0 ? 1 / (fps * timeBase) : 0;
  }

  next(guess: bigint): number {
    const before = this.#last === undefined ? -this.#step : this.#last;
    const at = guess === NO_TIMESTAMP ? undefined : Number(guess);
    const placed = at === undefined ? undefined : at - (this.#first ?? at);
    this.#first ??= at;
    if (placed !== undefined && (placed > before || this.#last === undefined)) {
      this.#known = true;
      if (this.#placedByRate) this.estimated = true;
      this.#last = placed;
    } else {
      this.#placedByRate = true;
      if (!this.#known) this.estimated = true;
      this.#last = before + this.#step;
    }
    return this.#last;
  }
}

/** How frames become times, as the document and the merging of tracks need it. */
export function frameTimes(
  pts: Float64Array,
  timeBase: number,
  origin: number,
  rates: readonly number[],
): FrameTimes {
  const first = pts[0] ?? 0;
  const startTime = milliseconds(first * timeBase - origin);
  const constant = constantRate(pts, timeBase, rates);
  if (constant !== undefined) return { fps: constant, constantRate: true, startTime };
  const times = Array.from(pts, (value) => milliseconds(value * timeBase - origin));
  return { fps: rates[0] ?? 0, constantRate: false, startTime, times };
}

/**
 * Frames a second when the rate is constant: all steps between timestamps are the same number of ticks. It is the rate that
 * the container gives, when that puts the frames where they are, else the one that the steps give.
 */
function constantRate(pts: Float64Array, timeBase: number, rates: readonly number[]): number | undefined {
  const step = (pts[1] ?? 0) - (pts[0] ?? 0);
  if (pts.length < 2) return rates[0];
  if (!pts.every((value, frame) => frame === 0 || value - (pts[frame - 1] ?? 0) === step)) return undefined;
  return rates.find((fps) => isAtRate(pts, timeBase, fps)) ?? 1 / (step * timeBase);
}

/** No frame strays more than a tick or a millisecond (whichever is longer) from its place, nor from its number. */
function isAtRate(pts: Float64Array, timeBase: number, fps: number): boolean {
  const allowed = Math.min(Math.max(timeBase, 0.001) * 1.001, TOLERANCE / fps);
  const first = pts[0] ?? 0;
  return pts.every((value, frame) => Math.abs((value - first) * timeBase - frame / fps) <= allowed);
}

/** Whole milliseconds, rounded down; the summand undoes binary fractions such as 0.29 * 1000 = 289.99999. */
export function milliseconds(seconds: number): number {
  return Math.max(0, Math.floor(seconds * 1000 + 1e-6));
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
