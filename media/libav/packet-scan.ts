/** Information from the packets of a medium without decoding: presentation times, decoding times and covered time. */
import { AV_CODEC_ID_VP8, AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import type { Packet, Stream } from 'node-av/lib';
import { stat } from 'node:fs/promises';
import { EventLoopYield, NO_TIMESTAMP, newPacket, openContainer, readPacket } from './container.ts';

/** Result of a scan of all packets of the video stream. Timestamps are in ticks of the stream. */
export interface PacketScan {
  /** Presentation timestamps, ascending. */
  readonly pts: Float64Array;
  /** True if each frame has its own timestamp. Frames can then be identified without decoding from the start. */
  readonly complete: boolean;
  /** Decoding timestamps in the order of the packets, NaN where there is none; empty when `complete`. */
  readonly dts: Float64Array;
  /** Display duration of the frame with the last presentation timestamp; 0 if unknown. */
  readonly lastTicks: number;
  /** Time covered by packets of the picture stream, including packets that show nothing new; and by all streams together. */
  readonly video: TimeSpan;
  readonly all: TimeSpan;
}

/** Seconds of the container's clock; from Infinity to -Infinity if no packet has a time. */
export interface TimeSpan {
  readonly begin: number;
  readonly end: number;
}

/** Number of seconds by which a clock must fall to count as reset, for example where recordings were joined. */
export const RESTART_SECONDS = 0.5;

/** Reads all packets. */
async function scanPackets(path: string, signal?: AbortSignal): Promise<PacketScan> {
  const container = openContainer(path);
  const packet = newPacket();
  const { video: stream, format } = container;
  // Properties of a stream must be read while the container is open.
  const videoIndex = stream?.index;
  const frames = new FrameCounter(stream);
  const spans = format.streams.map(({ timeBase }) => new SpanCounter(timeBase.toDouble()));
  try {
    const eventLoop = new EventLoopYield(signal);
    while (readPacket(container, packet)) {
      if (eventLoop.yieldIsDue()) await eventLoop.yield();
      spans[packet.streamIndex]?.add(packet);
      if (packet.streamIndex === videoIndex) frames.add(packet);
    }
    return {
      ...frames.scanResult(),
      video: union(spans.filter((_, index) => index === videoIndex)),
      all: union(spans),
    };
  } finally {
    packet.free();
    container.close();
  }
}

/** Collects the timestamps of packets that show a frame. */
class FrameCounter {
  readonly #stream: Stream | undefined;
  readonly #pts: number[] = [];
  readonly #dts: number[] = [];
  readonly #restartTicks: number;
  #lastTicks = 0;
  #lastPts = -Infinity;
  #lastDts = -Infinity;
  #missing = false;
  /** True if a frame is shown long before an earlier packet was due. Its number then does not follow from its time. */
  #restarted = false;

  constructor(stream: Stream | undefined) {
    this.#stream = stream;
    this.#restartTicks = stream === undefined ? 0 : RESTART_SECONDS / stream.timeBase.toDouble();
  }

  add(packet: Packet): void {
    if (this.#stream === undefined || !isPresented(packet, this.#stream)) return;
    const dts = packet.dts === NO_TIMESTAMP ? NaN : Number(packet.dts);
    this.#dts.push(dts);
    if (packet.pts === NO_TIMESTAMP) this.#missing = true;
    else this.#addPts(Number(packet.pts), Number(packet.duration));
    if (dts > this.#lastDts) this.#lastDts = dts;
  }

  #addPts(pts: number, duration: number): void {
    this.#pts.push(pts);
    if (pts < this.#lastDts - this.#restartTicks) this.#restarted = true;
    if (pts <= this.#lastPts) return;
    this.#lastPts = pts;
    this.#lastTicks = duration;
  }

  scanResult(): Pick<PacketScan, 'pts' | 'dts' | 'complete' | 'lastTicks'> {
    const pts = Float64Array.from(this.#pts).toSorted();
    const distinct = pts.every((value, i) => i === 0 || value > (pts[i - 1] ?? 0));
    const complete = !this.#missing && !this.#restarted && distinct;
    return { pts, complete, dts: Float64Array.from(complete ? [] : this.#dts), lastTicks: this.#lastTicks };
  }
}

/** The time that the packets of one stream cover. A packet without a presentation time counts with its decoding time. */
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

/**
 * True if the packet shows a frame. Packets outside the edit list, empty packets (repeats) and VP8's hidden reference frames show nothing.
 */
function isPresented(packet: Packet, stream: Stream): boolean {
  if (packet.size === 0 || packet.hasFlags(AV_PKT_FLAG_DISCARD)) return false;
  if (stream.codecpar.codecId !== AV_CODEC_ID_VP8) return true;
  return ((packet.data?.[0] ?? 0) & 0x10) !== 0;
}

const CACHED_SCANS = 8;
const scans = new Map<string, PacketScan>();

/** Returns the scan of a file. The last few scans are cached in this process, because sub-jobs of a medium follow each other. */
export async function cachedScan(path: string, signal?: AbortSignal): Promise<PacketScan> {
  const { mtimeMs, size, ino } = await stat(path);
  const key = `${path}\n${mtimeMs}\n${size}\n${ino}`;
  const scan = scans.get(key) ?? (await scanPackets(path, signal));
  scans.delete(key);
  scans.set(key, scan);
  for (const oldest of scans.keys()) if (scans.size > CACHED_SCANS) scans.delete(oldest);
  return scan;
}

/** Returns the timestamps from the first decodable frame on. Earlier frames (leading pictures of a cut stream) have no number. */
export function presentedTimes(scan: PacketScan, firstPts: number): Float64Array {
  const first = scan.pts.indexOf(firstPts);
  return first < 0 ? new Float64Array() : scan.pts.subarray(first);
}
