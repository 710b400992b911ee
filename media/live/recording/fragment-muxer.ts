/** Writes the coded pictures of fragments as MP4 files (ftyp, moov, moof, mdat) in memory, without decoding them. */
import { FFmpegError, FormatContext, IOContext, Rational } from 'node-av/lib';
import type { Packet } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO, AV_PKT_FLAG_KEY } from 'node-av/constants';
import { newPacket } from '../../libav/container.ts';
import type { CodedFormat } from './coded-format.ts';

export interface CodedPicture {
  readonly data: Buffer;
  /** Presentation time in ticks. Pictures are in decoding order. */
  readonly time: number;
  readonly isKey: boolean;
}

const BUFFER_BYTES = 64 * 1024;
/** All pictures up to a flush become one fragment. */
const OPTIONS = {
  movflags: '+empty_moov+default_base_moof+frag_custom+skip_trailer',
  use_editlist: '0',
};

/**
 * Writes all fragments of a format with one muxer, because the binding leaks about 5 KB per muxer. Picture positions in a file do not
 * depend on earlier fragments, so fragments of a muxer may be left out.
 */
export class FragmentMuxer {
  readonly format: CodedFormat;
  readonly ticksPerSecond: number;
  readonly #io = new IOContext();
  readonly #muxer = new FormatContext();
  readonly #packet: Packet = newPacket();
  #pieces: Buffer[] = [];
  #init: Buffer | undefined;
  /** Muxer time of the next fragment in ticks. */
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
    // Not set by a dictionary: writing the header frees the dictionary, and the binding frees it again.
    for (const [name, value] of Object.entries(OPTIONS)) check(this.#muxer.setOption(name, value));
    check(this.#muxer.setOption('video_track_timescale', String(ticksPerSecond)));
  }

  /** Returns a file with these pictures. `lastTicks`: duration of the last one. After an error, the muxer is unusable. */
  async write(pictures: readonly CodedPicture[], lastTicks: number): Promise<Buffer> {
    if (this.#init === undefined) {
      check(await this.#muxer.writeHeader(null));
      this.#init = this.#takeBytes();
    }
    await this.#writeAll(pictures, lastTicks);
    check(await this.#muxer.writeFrame(null));
    return Buffer.concat([this.#init, this.#takeBytes()]);
  }

  /** Writes all pictures. Cameras state only presentation times. A container also needs decoding times, which are never later. */
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
    // Otherwise the buffer would be freed twice.
    this.#muxer.pb = null;
    this.#muxer.freeContext();
    this.#io.freeContext();
    this.#packet.free();
  }
}

/** Returns distinct times. Each picture with an equal time is moved one tick after its predecessor. */
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
