/** Writes the coded pictures of fragments as MP4 files (ftyp, moov, moof, mdat) in memory, without decoding them. */
import { FFmpegError, FormatContext, IOContext, Rational } from 'node-av/lib';
import type { Packet } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { newPacket } from '../../libav/container.ts';
import type { CodedFormat } from './coded-format.ts';

export interface CodedPicture {
  readonly data: Buffer;
  /** When it is shown: ticks. Pictures come in the order in which they are decoded. */
  readonly time: number;
  readonly isKey: boolean;
}

const BUFFER_BYTES = 64 * 1024;
/** All pictures until a flush are one fragment. */
const OPTIONS = {
  movflags: '+empty_moov+default_base_moof+frag_custom+skip_trailer',
  use_editlist: '0',
};

/**
 * One muxer for all fragments of a format: the binding does not give back some 5 KB of each muxer. The places of pictures in a file do
 * not depend on the fragments before it, so fragments of a muxer may be left out.
 */
export class FragmentMuxer {
  readonly format: CodedFormat;
  readonly ticksPerSecond: number;
  readonly #io = new IOContext();
  readonly #muxer = new FormatContext();
  readonly #packet: Packet = newPacket();
  #pieces: Buffer[] = [];
  #init: Buffer | undefined;
  /** Ticks of the muxer at which the next fragment begins. */
  #next = 0;

  constructor(format: CodedFormat, ticksPerSecond: number) {
    this.format = format;
    this.ticksPerSecond = ticksPerSecond;
    const write = (bytes: Buffer): number => this.#pieces.push(Buffer.from(bytes)) && bytes.length;
    this.#io.allocContextWithCallbacks(BUFFER_BYTES, 1, null, write, null);
    check(this.#muxer.allocOutputContext2(null, 'mp4', null));
    this.#muxer.pb = this.#io;
    this.#declare();
  }

  #declare(): void {
    const { format, ticksPerSecond } = this;
    const stream = this.#muxer.newStream(null);
    const { codecpar } = stream;
    codecpar.codecType = AVMEDIA_TYPE_VIDEO;
    codecpar.codecId = format.codec;
    codecpar.width = format.width;
    codecpar.height = format.height;
    if (format.sets !== undefined) codecpar.extradata = format.sets;
    stream.timeBase = new Rational(1, ticksPerSecond);
    // Not by a dictionary: the header frees it, and the binding does so once more.
    for (const [name, value] of Object.entries(OPTIONS)) check(this.#muxer.setOption(name, value));
    check(this.#muxer.setOption('video_track_timescale', String(ticksPerSecond)));
  }

  /** A file with these pictures. `lastTicks`: for how long the last one is shown. After an error the muxer is of no use any more. */
  async write(pictures: readonly CodedPicture[], lastTicks: number): Promise<Buffer> {
    if (this.#init === undefined) {
      check(await this.#muxer.writeHeader(null));
      this.#init = this.#takeBytes();
    }
    await this.#writeAll(pictures, lastTicks);
    check(await this.#muxer.writeFrame(null));
    return Buffer.concat([this.#init, this.#takeBytes()]);
  }

  /** Cameras tell when a picture is shown; a container wants to know as well when it is decoded, which is never later. */
  async #writeAll(pictures: readonly CodedPicture[], lastTicks: number): Promise<void> {
    const times = distinctTimes(pictures);
    const shown = times.toSorted((a, b) => a - b);
    const first = shown[0]!;
    const start = this.#next;
    const delay = times.reduce((most, time, n) => Math.max(most, shown[n]! - time), 0);
    const packet = this.#packet;
    for (const [n, { data, isKey }] of pictures.entries()) {
      packet.unref();
      packet.data = data;
      packet.streamIndex = 0;
      packet.dts = BigInt(start + shown[n]! - first);
      packet.pts = BigInt(start + times[n]! - first + delay);
      packet.duration = BigInt(n + 1 < shown.length ? shown[n + 1]! - shown[n]! : lastTicks);
      if (isKey) packet.setFlags(AV_PKT_FLAG_KEY);
      check(await this.#muxer.writeFrame(packet));
    }
    this.#next = start + shown.at(-1)! - first + lastTicks;
  }

  #takeBytes(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }

  async close(): Promise<void> {
    if (this.#init !== undefined) await this.#muxer.writeTrailer();
    // Otherwise it would be freed twice.
    this.#muxer.pb = null;
    this.#muxer.freeContext();
    this.#io.freeContext();
    this.#packet.free();
  }
}

/** No two pictures may be shown at one time: of equal ones, each later one comes a tick after the one before. */
function distinctTimes(pictures: readonly CodedPicture[]): readonly number[] {
  const order = pictures.map(({ time }, n) => ({ time, n })).toSorted((a, b) => a.time - b.time || a.n - b.n);
  const times = Array.from({ length: pictures.length }, () => 0);
  let last = -Infinity;
  for (const { time, n } of order) times[n] = last = Math.max(time, last + 1);
  return times;
}

function check(code: number): void {
  if (code < 0) throw new Error(FFmpegError.strerror(code));
}
