/** The video reader, compared with plain node-av: the same frames, decoded and converted to RGB. */
import '../../../media/libav/promise-polyfill.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Codec, CodecContext, FormatContext, Frame, Packet, SoftwareScaleContext } from 'node-av/lib';
import { AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P, AVMEDIA_TYPE_VIDEO, SWS_BILINEAR } from 'node-av/constants';
import { openVideo } from '../../../media/video/video-frames.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { runInterleaved, round, type Figure } from '../measure.ts';

const FRAMES = 500;
const [WIDTH, HEIGHT] = [1280, 720];

export async function measureDecoding(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const recipe = { frames: FRAMES, width: WIDTH, height: HEIGHT, gop: 50, bFrames: 2 };
  const plain = path.join(folder, 'plain.mp4');
  const coloured = path.join(folder, 'bt709.mp4');
  makeVideo(plain, recipe);
  makeVideo(coloured, { ...recipe, encoderOptions: { colorspace: 'bt709' } });
  try {
    return [
      ...(await figures('720p', plain, scaleInto)),
      ...(await figures('720p with the colours of HD (BT.709)', coloured, scaleFrames)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function figures(what: string, file: string, scaler: () => Scaler): Promise<readonly Figure[]> {
  const times = await runInterleaved(11, {
    reader: () => cpuTime(() => read(file)),
    bare: () => cpuTime(() => Promise.resolve(decode(file, scaler()))),
  });
  const rate = (ms: number) => (FRAMES / ms) * 1_000;
  return [
    {
      what: `${what}: bare decoding and scaling`,
      value: `${round(rate(times.bare))} frames a second of CPU time`,
    },
    {
      what: `${what}: the reader`,
      value: `${round(rate(times.reader))} frames a second of CPU time, ratio ${round(times.bare / times.reader, 2)}`,
      aim: '>= 0.9',
    },
  ];
}

/** Processor time of all threads of this process in milliseconds, which excludes other processes. */
async function cpuTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function read(file: string): Promise<void> {
  const reader = await openVideo(file, {
    range: { start: 0, stop: FRAMES - 1 },
    known: { fps: 25, constantRate: true, length: FRAMES },
  });
  let seen = 0;
  for await (const frame of reader.frames()) seen += frame.data.length > 0 ? 1 : 0;
  complete(seen);
}

/** Converts a frame to RGB. */
type Scaler = (frame: Frame) => void;

function decode(file: string, scale: Scaler): void {
  const format = new FormatContext();
  check(format.openInputSync(file, null, null));
  check(format.findStreamInfoSync(null));
  const stream = format.streams[format.findBestStream(AVMEDIA_TYPE_VIDEO)]!;
  const codec = Codec.findDecoder(stream.codecpar.codecId)!;
  const decoder = new CodecContext();
  decoder.allocContext3(codec);
  decoder.parametersToContext(stream.codecpar);
  decoder.threadCount = 1;
  check(decoder.open2Sync(codec, null));
  const [packet, frame] = [new Packet(), new Frame()];
  packet.alloc();
  frame.alloc();
  let seen = 0;
  const drain = () => {
    for (; decoder.receiveFrameSync(frame) >= 0; seen++) scale(frame);
  };
  for (; format.readFrameSync(packet) >= 0; packet.unref()) {
    if (packet.streamIndex !== stream.index) continue;
    decoder.sendPacketSync(packet);
    drain();
  }
  decoder.sendPacketSync(null);
  drain();
  frame.free();
  packet.free();
  decoder.freeContext();
  format.closeInputSync();
  complete(seen);
}

/** With the default colours of the scaler, into one buffer. */
function scaleInto(): Scaler {
  const scaler = new SoftwareScaleContext();
  scaler.getContext(WIDTH, HEIGHT, AV_PIX_FMT_YUV420P, WIDTH, HEIGHT, AV_PIX_FMT_RGB24, SWS_BILINEAR);
  const target = [Buffer.alloc(WIDTH * HEIGHT * 3 + 64)];
  return (frame) => check(scaler.scaleSync(frame.data!, frame.linesize, 0, HEIGHT, target, [WIDTH * 3]));
}

/** With the colours of the frame, into a new frame. */
function scaleFrames(): Scaler {
  const scaler = new SoftwareScaleContext();
  scaler.allocContext();
  const target = new Frame();
  target.alloc();
  target.width = WIDTH;
  target.height = HEIGHT;
  target.format = AV_PIX_FMT_RGB24;
  check(target.getBuffer(1));
  return (frame) => check(scaler.scaleFrameSync(target, frame));
}

function complete(seen: number): void {
  if (seen !== FRAMES) throw new Error(`${seen} of ${FRAMES} frames were read.`);
}

function check(code: number): void {
  if (code < 0) throw new Error(`node-av answered ${code}.`);
}
