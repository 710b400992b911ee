/**
 * The reader of live streams, compared with plain node-av on the same streams, sent at the speed of the
 * reader. Frames are not processed.
 */
import '../../../media/libav/promise-polyfill.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Codec, CodecContext, Dictionary, FormatContext, Frame, Packet } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { openLive } from '../../../media/live/live-frames.ts';
import { RgbConverter } from '../../../media/picture/rgb.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { inMib, residentBytes } from '../memory.ts';
import { runInterleaved, round, type Figure } from '../measure.ts';

/** Frames of the clip, which is sent several times. */
const CLIP_FRAMES = 125;
const TIMES = 5;
const FRAMES = CLIP_FRAMES * TIMES;
const ROUNDS = 5;
const [WIDTH, HEIGHT] = [1280, 720];

interface Camera {
  readonly process: ChildProcess;
  readonly http: string;
  readonly rtsp: string;
}

export async function streams(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const file = path.join(folder, 'clip.mp4');
  makeVideo(file, { frames: CLIP_FRAMES, width: WIDTH, height: HEIGHT, gop: 50, bFrames: 2 });
  const camera = await startCamera(file);
  try {
    return [
      ...(await against('RTSP, H.264 720p', camera.rtsp)),
      ...(await against('MPEG-TS over HTTP, H.264 720p', camera.http)),
      ...(await memory(camera.rtsp)),
    ];
  } finally {
    camera.process.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startCamera(file: string): Promise<Camera> {
  const child = fork(fileURLToPath(new URL('./stream-camera.js', import.meta.url)), [file, String(TIMES)]);
  const [urls] = (await once(child, 'message')) as [Omit<Camera, 'process'>];
  return { process: child, ...urls };
}

/** The reader does not convert dropped frames, so the plain decoder converts the same share of frames. */
async function against(what: string, url: string): Promise<readonly Figure[]> {
  let share = 1;
  const wall: Record<string, number[]> = { reader: [], bare: [] };
  // A stream is opened once and then read for days, so the measurement begins with the first frame.
  const measureFirst = (name: string, work: (first: () => void) => Promise<void>) => async () => {
    let [began, before] = [performance.now(), process.cpuUsage()];
    await work(() => ([began, before] = [performance.now(), process.cpuUsage()]));
    wall[name]!.push(performance.now() - began);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const cpu = await runInterleaved(ROUNDS, {
    reader: measureFirst('reader', async (first) => void (share = await read(url, first))),
    bare: measureFirst('bare', (first) => decode(url, share, first)),
  });
  const best = (name: string): number => Math.min(...wall[name]!);
  const rate = (ms: number): string => round((FRAMES / ms) * 1_000);
  return [
    {
      what: `${what}: node-av alone`,
      value: `${rate(best('bare'))} frames a second; ${rate(cpu.bare)} a second of CPU time`,
    },
    {
      what: `${what}: the reader`,
      value:
        `${rate(best('reader'))} frames a second, ratio ${round(best('bare') / best('reader'), 2)}; ` +
        `${rate(cpu.reader)} a second of CPU time, ratio ${round(cpu.bare / cpu.reader, 2)}; ${round(share * 100)} % handed out`,
      aim: '>= 0.95',
    },
  ];
}

const OPTIONS = {
  allowPrivate: true,
  stall: { alertMs: 30_000, timeoutMs: 0 },
  reconnect: { firstMs: 1_000, longestMs: 1_000 },
};

/** Share of delivered frames. */
async function read(url: string, first: () => void): Promise<number> {
  const source = openLive(url, OPTIONS, new AbortController().signal, first);
  let seen = 0;
  for await (const frame of source.frames()) seen += frame.data.length > 0 ? 1 : 0;
  complete(source.counts.decoded);
  return seen / FRAMES;
}

async function decode(url: string, share: number, first: () => void): Promise<void> {
  const format = new FormatContext();
  check(await format.openInput(url, null, Dictionary.fromObject({ rtsp_transport: 'tcp' })));
  check(await format.findStreamInfo(null));
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
  const rgb = new RgbConverter(WIDTH, HEIGHT);
  let seen = 0;
  const drain = (): void => {
    for (; decoder.receiveFrameSync(frame) >= 0; seen++) {
      if (seen === 0) first();
      if (Math.floor((seen + 1) * share) > Math.floor(seen * share)) rgb.convert(frame);
    }
  };
  for (; (await format.readFrame(packet)) >= 0; packet.unref()) {
    if (packet.streamIndex !== stream.index) continue;
    decoder.sendPacketSync(packet);
    drain();
  }
  decoder.sendPacketSync(null);
  drain();
  rgb.close();
  frame.free();
  packet.free();
  decoder.freeContext();
  await format.closeInput();
  complete(seen);
}

/** Memory of a stream, and its growth over time. */
async function memory(url: string): Promise<readonly Figure[]> {
  const idle = residentBytes('self');
  const source = openLive(url, { ...OPTIONS, interval: 3 }, new AbortController().signal);
  const sizes: number[] = [];
  for await (const { index } of source.frames())
    if (index === 30 || index % 300 === 0) sizes.push(residentBytes('self'));
  const [early = idle, late = idle] = [sizes[1], sizes.at(-1)];
  return [
    {
      what: 'Memory of a process for one open stream of 720p',
      value: `${inMib(Math.max(...sizes) - idle)} more than without`,
    },
    { what: `The same, ${FRAMES - 300} frames later`, value: `${inMib(late - early)} more`, aim: '< 10 MiB' },
  ];
}

function complete(seen: number): void {
  if (Math.abs(seen - FRAMES) > 2) throw new Error(`${seen} of ${FRAMES} frames were read.`);
}

function check(code: number): void {
  if (code < 0) throw new Error(`node-av answered ${code}.`);
}
