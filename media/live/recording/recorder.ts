/**
 * Cuts coded pictures of a live stream into fragments, at key pictures where possible. Only key pictures with new parameter sets are
 * decoded.
 */
import type { Packet } from 'node-av/lib';
import type { RecordedFragment } from '../../../protocol/stream-fragments.ts';
import { NO_TIMESTAMP } from '../../libav/container.ts';
import type { CodedVideo } from '../input/input.ts';
import { formatOf, isRecorded, type CodedFormat } from './coded-format.ts';
import { FragmentMuxer, type CodedPicture } from './fragment-muxer.ts';

export interface RecorderEvents {
  fragment(fragment: RecordedFragment, bytes: Uint8Array): void;
  /** A sentence for people. */
  warn(message: string): void;
}

/** Duration in milliseconds from which a fragment ends at the next key picture. */
const FRAGMENT_MS = 4_000;
/** Limits of a fragment in milliseconds, bytes and pictures. It ends there even without a key picture. */
const LONGEST_FRAGMENT_MS = 10_000;
const MAX_FRAGMENT_BYTES = 8 * 1024 * 1024;
const MAX_PICTURES = 2_000;
/** Maximum step between two pictures. A longer one is a jump of the camera's clock. */
const JUMP_MS = 10_000;
/**
 * Number of consecutive pictures without a later time after which the camera's clock has stopped. The local clock is then used until the
 * next connection.
 */
const MOST_STOPPED = 32;
/** Maximum time by which a picture is sent later than pictures that are shown after it. */
const REORDER_MS = 1_000;
/** Ticks per second for pictures without times. */
const OWN_TICKS = 1_000;
/** Maximum number of fragments that wait to be written. Further ones are left out. */
const MOST_WAITING = 4;

interface OpenFragment {
  readonly at: number;
  readonly format: CodedFormat;
  readonly ticksPerSecond: number;
  readonly pictures: CodedPicture[];
  bytes: number;
  earliest: number;
  latest: number;
}

export class Recorder {
  readonly #events: RecorderEvents;
  #run = '';
  #runs = 0;
  /** Start of the run in ticks. */
  #origin = 0;
  #format: CodedFormat | undefined;
  #videoId = -1;
  #open: OpenFragment | undefined;
  /** Number and time of a decoded picture. */
  #seen: { readonly ticks: number; readonly index: number } | undefined;
  #lastTicks: number | undefined;
  #latestTicks = -Infinity;
  /** Number of pictures since the last one with the latest time. */
  #notLater = 0;
  #isStopped = false;
  #hasTimes = true;
  #muxer: FragmentMuxer | undefined;
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();
  readonly #warned = new Set<string>();

  constructor(events: RecorderEvents) {
    this.#events = events;
  }

  /** Adds the next coded picture and copies its data. */
  add(packet: Packet, video: CodedVideo): void {
    if (!isRecorded(video.codec)) return this.#warn(NOT_RECORDED);
    const data = packet.data;
    if (data === null || data.length === 0) return;
    if (video.id !== this.#videoId) this.#endRun();
    this.#videoId = video.id;
    this.#noteTime(packet);
    const timed = this.#isStopped ? { ...video, timeBase: undefined } : video;
    const ticksPerSecond = ticksOf(timed);
    this.#hasTimes = timed.timeBase !== undefined;
    const time = this.#timeOf(packet, timed, ticksPerSecond);
    if (this.#isJump(time, ticksPerSecond)) this.#endRun();
    if (packet.isKeyframe) this.#meetKey(packet, video, time);
    else if (this.#open !== undefined && isFull(this.#open, time)) this.#cut(time);
    this.#lastTicks = time;
    this.#append({ data: Buffer.from(data), time, isKey: packet.isKeyframe }, ticksPerSecond);
  }

  /** Notes the number of a decoded picture. `pts` is its packet's time; without a time, it is the last picture that arrived. */
  noteDecoded(pts: bigint, index: number): void {
    const ticks = this.#hasTimes && pts !== NO_TIMESTAMP ? Number(pts) : this.#lastTicks;
    if (ticks !== undefined) this.#seen = { ticks, index };
  }

  /** Ends the connection. Later pictures belong to another one. */
  endConnection(): void {
    this.#endRun();
    this.#videoId = -1;
    this.#isStopped = false;
    this.#latestTicks = -Infinity;
    this.#notLater = 0;
  }

  /** Resolves when all fragments are written. */
  async close(): Promise<void> {
    this.#endRun();
    await this.#writing;
    await this.#closeMuxer();
  }

  #noteTime({ pts, dts }: Packet): void {
    const stamp = pts === NO_TIMESTAMP ? dts : pts;
    if (this.#isStopped || stamp === NO_TIMESTAMP) return;
    const isLater = Number(stamp) > this.#latestTicks;
    this.#notLater = isLater ? 0 : this.#notLater + 1;
    if (isLater) this.#latestTicks = Number(stamp);
    if (this.#notLater < MOST_STOPPED) return;
    this.#isStopped = true;
    this.#endRun();
  }

  #timeOf(packet: Packet, { timeBase }: CodedVideo, ticksPerSecond: number): number {
    if (timeBase === undefined) return Date.now();
    const stamp = packet.pts === NO_TIMESTAMP ? packet.dts : packet.pts;
    if (stamp === NO_TIMESTAMP) return (this.#lastTicks ?? 0) + Math.round(ticksPerSecond / 25);
    const exact = 1 / timeBase;
    // Times are converted if a second is not a whole number of the sender's ticks.
    return Math.abs(exact - ticksPerSecond) < 1e-6 * exact ? Number(stamp) : Math.round(Number(stamp) * timeBase * ticksPerSecond); // oxfmt-ignore
  }

  #isJump(time: number, ticksPerSecond: number): boolean {
    if (this.#lastTicks === undefined) return false;
    const ms = ((time - this.#lastTicks) / ticksPerSecond) * 1_000;
    return ms > JUMP_MS || ms < -REORDER_MS;
  }

  #meetKey(packet: Packet, video: CodedVideo, time: number): void {
    const open = this.#open;
    const isDue = open === undefined || lengthMs(open, time) >= FRAGMENT_MS || isFull(open, time);
    const format = isDue || open.format.sets !== undefined ? formatOf(packet, video, this.#format) : open.format; // oxfmt-ignore
    if (isDue || format !== open.format) this.#cut(time);
    this.#format = format;
  }

  #append(picture: CodedPicture, ticksPerSecond: number): void {
    if (this.#open === undefined) {
      const format = this.#format;
      if (format === undefined || (this.#run === '' && !picture.isKey)) return;
      if (this.#run === '') this.#beginRun(picture.time);
      const { time } = picture;
      this.#open = { at: Date.now(), format, ticksPerSecond, pictures: [], bytes: 0, earliest: time, latest: time }; // oxfmt-ignore
    }
    const open = this.#open;
    open.pictures.push(picture);
    open.bytes += picture.data.length;
    open.earliest = Math.min(open.earliest, picture.time);
    open.latest = Math.max(open.latest, picture.time);
  }

  #beginRun(time: number): void {
    this.#run = (Date.now() * 1_000 + (this.#runs++ % 1_000)).toString(36);
    this.#origin = time;
  }

  #endRun(): void {
    this.#cut(undefined);
    this.#run = '';
    this.#lastTicks = undefined;
    this.#latestTicks = -Infinity;
    this.#seen = undefined;
  }

  /** Ends the fragment. `next`: time of the next picture; undefined if the run has no more pictures. */
  #cut(next: number | undefined): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if (this.#waiting >= MOST_WAITING)
      return this.#warn('A part of the recording is missing, because this host writes too slowly.');
    const { pictures, format, ticksPerSecond } = open;
    const step = Math.max(1, Math.round((open.latest - open.earliest) / Math.max(1, pictures.length - 1)));
    const last = next !== undefined && next > open.latest ? next - open.latest : step;
    const fragment = this.#describe(open, last);
    this.#waiting++;
    this.#writing = this.#writing
      .then(async () => (await this.#muxerFor(format, ticksPerSecond)).write(pictures, last))
      .then((bytes) => this.#events.fragment(fragment, bytes))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => void this.#waiting--);
  }

  async #muxerFor(format: CodedFormat, ticksPerSecond: number): Promise<FragmentMuxer> {
    const muxer = this.#muxer;
    if (muxer?.format === format && muxer.ticksPerSecond === ticksPerSecond) return muxer;
    await this.#closeMuxer();
    return (this.#muxer = new FragmentMuxer(format, ticksPerSecond));
  }

  async #closeMuxer(): Promise<void> {
    const muxer = this.#muxer;
    this.#muxer = undefined;
    await muxer?.close();
  }

  async #fail(error: unknown): Promise<void> {
    this.#warn(`A part of the stream could not be recorded: ${error instanceof Error ? error.message : ''}.`);
    await this.#closeMuxer();
  }

  #describe(open: OpenFragment, lastTicks: number): RecordedFragment {
    const { at, earliest, latest, pictures, ticksPerSecond } = open;
    return {
      at,
      run: this.#run,
      // Pictures that are shown before the first key picture would have a negative position.
      position: Math.max(0, earliest - this.#origin),
      durationMs: Math.round(((latest - earliest + lastTicks) / ticksPerSecond) * 1_000),
      firstFrame: this.#firstFrameOf(pictures),
      frames: pictures.length,
      isKey: pictures[0]!.isKey,
    };
  }

  /** Returns the number of the fragment's first frame, from a picture of the fragment that is already decoded. */
  #firstFrameOf(pictures: readonly CodedPicture[]): number | null {
    const seen = this.#seen;
    if (seen === undefined || !pictures.some(({ time }) => time === seen.ticks)) return null;
    const before = pictures.filter(({ time }) => time < seen.ticks).length;
    return Math.max(0, seen.index - before);
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#events.warn(message);
  }
}

const NOT_RECORDED =
  'The stream is not recorded: its codec does not fit into MP4. Let the camera send H.264, H.265, MPEG-4, JPEG, VP9 or AV1.';

function ticksOf({ timeBase }: CodedVideo): number {
  return timeBase === undefined ? OWN_TICKS : Math.max(1, Math.round(1 / timeBase));
}

const lengthMs = ({ earliest, ticksPerSecond }: OpenFragment, time: number): number =>
  ((time - earliest) / ticksPerSecond) * 1_000;

const isFull = (open: OpenFragment, time: number): boolean =>
  open.bytes >= MAX_FRAGMENT_BYTES ||
  open.pictures.length >= MAX_PICTURES ||
  lengthMs(open, time) >= LONGEST_FRAGMENT_MS;
