/** A clip taken apart and put together again as cameras send it: with the time at which each piece is due. */
import '../../../media/libav/promise-polyfill.ts';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codec, CodecContext, FormatContext, Frame, Packet, Rational } from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO, AV_PIX_FMT_YUVJ420P } from 'node-av/constants';
import { openVideo } from '../../../media/video/video-frames.ts';

export interface TimedBytes {
  /** Milliseconds after the first. */
  readonly dueMs: number;
  readonly data: Buffer;
}

/** A coded picture of H.264 as its NAL units. */
export interface AccessUnit {
  readonly dueMs: number;
  readonly ptsMs: number;
  readonly nals: readonly Buffer[];
}

export interface CodedClip {
  readonly units: readonly AccessUnit[];
  readonly parameterSets: readonly Buffer[];
  /** Of one frame, milliseconds. */
  readonly frameMs: number;
}

/** The H.264 of an MP4 file. */
export function accessUnits(file: string): CodedClip {
  return withVideo(file, (format, stream) => {
    const tick = stream.timeBase.toDouble() * 1000;
    const units: AccessUnit[] = [];
    let first: number | undefined;
    eachPacket(format, stream, (packet) => {
      const due = Number(packet.dts) * tick;
      first ??= due;
      units.push({ dueMs: due - first, ptsMs: Number(packet.pts) * tick, nals: nalUnits(packet.data!) });
    });
    const frameMs = 1000 / stream.avgFrameRate.toDouble();
    return { units, parameterSets: setsOf(stream.codecpar.extradata!), frameMs };
  });
}

/** An MP4 file's video as MPEG-TS, a piece a picture. */
export function transportStream(file: string): TimedBytes[] {
  const into = path.join(tmpdir(), `stream-${process.pid}-${Math.random()}.ts`);
  const dues: number[] = withVideo(file, (format, stream) => remux(format, stream, into));
  const bytes = readFileSync(into);
  rmSync(into);
  const starts = [0];
  for (let at = 0; at < bytes.length; at += TS_PACKET) if (beginsPicture(bytes, at)) starts.push(at);
  // What comes before the first picture (tables) goes with it.
  starts.splice(1, 1);
  return starts.map((start, n) => ({
    dueMs: dues[n]! - dues[0]!,
    data: bytes.subarray(start, starts[n + 1] ?? bytes.length),
  }));
}

const TS_PACKET = 188;
const VIDEO_PID = 0x100;

const beginsPicture = (bytes: Buffer, at: number): boolean =>
  (bytes.readUInt16BE(at + 1) & 0x1fff) === VIDEO_PID && (bytes[at + 1]! & 0x40) !== 0;

/** An MP4 file's video as DASH: a manifest at `into`, and its segments beside it. */
export function dashManifest(file: string, into: string, options: Readonly<Record<string, string>>): void {
  withVideo(file, (format, stream) => remux(format, stream, into, 'dash', options));
}

function remux(
  input: FormatContext,
  stream: Stream,
  into: string,
  kind: string | null = null,
  options: Readonly<Record<string, string>> = {},
): number[] {
  const output = new FormatContext();
  check(output.allocOutputContext2(null, kind, into));
  for (const [name, value] of Object.entries(options)) check(output.setOption(name, value));
  const target = output.newStream(null);
  stream.codecpar.copy(target.codecpar);
  target.codecpar.codecTag = 0;
  // The muxer of DASH opens its files itself.
  if (kind === null) check(output.openOutputSync());
  check(output.writeHeaderSync(null));
  const dues: number[] = [];
  eachPacket(input, stream, (packet) => {
    dues.push(Number(packet.dts) * stream.timeBase.toDouble() * 1000);
    packet.rescaleTs(stream.timeBase, target.timeBase);
    packet.streamIndex = 0;
    check(output.interleavedWriteFrameSync(packet));
  });
  check(output.writeTrailerSync());
  if (kind === null) output.closeOutputSync();
  return dues;
}

/** The frames of a clip as JPEG pictures of usual Huffman tables. */
export async function jpegPictures(file: string, frameMs: number): Promise<TimedBytes[]> {
  const reader = await openVideo(file);
  const pictures: TimedBytes[] = [];
  for await (const { index, width, height, data } of reader.frames())
    pictures.push({ dueMs: index * frameMs, data: jpegOf(Buffer.from(data), width, height) });
  return pictures;
}

/** From RGB, of which only the green is taken as brightness: what it shows does not matter. */
export function jpegOf(rgb: Buffer, width: number, height: number): Buffer {
  const codec = Codec.findEncoderByName('mjpeg' as never)!;
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  Object.assign(encoder, { width, height, timeBase: new Rational(1, 25), pixelFormat: AV_PIX_FMT_YUVJ420P });
  encoder.setOption('huffman', 'default');
  check(encoder.open2Sync(codec, null));
  const planes = Buffer.alloc(width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2), 128);
  for (let n = 0; n < width * height; n++) planes[n] = rgb[n * 3 + 1] ?? 0;
  const frame = Frame.fromVideoBuffer(planes, {
    width,
    height,
    format: AV_PIX_FMT_YUVJ420P,
    timeBase: { num: 1, den: 25 },
    pts: 0n,
  });
  const packet = new Packet();
  packet.alloc();
  check(encoder.sendFrameSync(frame));
  check(encoder.receivePacketSync(packet));
  const jpeg = Buffer.from(packet.data!);
  packet.free();
  frame.free();
  encoder.freeContext();
  return jpeg;
}

function withVideo<T>(file: string, use: (format: FormatContext, stream: Stream) => T): T {
  const format = new FormatContext();
  check(format.openInputSync(file, null, null));
  check(format.findStreamInfoSync(null));
  try {
    return use(format, format.streams[format.findBestStream(AVMEDIA_TYPE_VIDEO)]!);
  } finally {
    format.closeInputSync();
  }
}

function eachPacket(format: FormatContext, stream: Stream, use: (packet: Packet) => void): void {
  const packet = new Packet();
  packet.alloc();
  const { index } = stream;
  for (; format.readFrameSync(packet) >= 0; packet.unref()) if (packet.streamIndex === index) use(packet);
  packet.free();
}

/** Of an MP4 file each NAL unit comes after its length. */
function nalUnits(data: Buffer): Buffer[] {
  const nals: Buffer[] = [];
  for (let at = 0; at + 4 <= data.length; at += 4 + data.readUInt32BE(at))
    nals.push(Buffer.from(data.subarray(at + 4, at + 4 + data.readUInt32BE(at))));
  return nals;
}

/** The parameter sets of an MP4 file (ISO 14496-15, 5.2.4.1). */
function setsOf(extradata: Buffer): Buffer[] {
  const sets: Buffer[] = [];
  let at = 6;
  const take = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const length = extradata.readUInt16BE(at);
      sets.push(Buffer.from(extradata.subarray(at + 2, at + 2 + length)));
      at += 2 + length;
    }
  };
  take(extradata[5]! & 0x1f);
  const pictures = extradata[at++]!;
  take(pictures);
  return sets;
}

function check(code: number): void {
  if (code < 0) throw new Error(`node-av answered ${code}`);
}
