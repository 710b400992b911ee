/** A component that misbehaves as its properties tell it. */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DetectionError,
  type DetectionJob,
  type Detector,
  type FoundPart,
  type FoundTrack,
  type Frame,
  type FrameSource,
  type GenericSource,
} from '../../../../components/sdk/detector.ts';
import type { Properties } from '../../../../domain/types.ts';

const SLOW_FRAME_MS = 50;
/** A component that is slower than this has one sub-job at a time. */
const SLOW_IMAGE_MS = 1_000;
/** Longer than the lease of the test that asks for it. */
const BUSY_MS = 5_000;
/** One that computes without end for seconds rests for so long again and again, without a turn of its event loop. */
const REST_MS = 20;

/** Header of this process's own requests, to tell its token to a test. */
let authorization = '';
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  authorization = String(request.getHeader('authorization'));
});

async function* image(frame: Frame, { properties }: DetectionJob): AsyncIterable<FoundTrack> {
  const kind = troubleNow(properties);
  if (kind === 'slow') await sleep(SLOW_IMAGE_MS);
  yield* trouble(kind, frame, properties);
  yield trackOf(frame);
}

async function* video(source: FrameSource, { properties }: DetectionJob): AsyncIterable<FoundTrack> {
  const kind = troubleNow(properties);
  let first: Frame | undefined;
  for await (const frame of source.frames()) {
    if (kind === 'slow') await sleep(SLOW_FRAME_MS);
    first ??= frame;
  }
  if (first === undefined) return;
  yield* trouble(kind, first, properties);
  yield trackOf({ ...first, index: source.start });
}

/** Gives out the file TROUBLE_FILE as a derivative medium, or one that it has made where it may. */
async function* generic({ outputFolder }: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
  const { TROUBLE_FILE = '' } = job.properties;
  const made = path.join(outputFolder, 'made.txt');
  if (TROUBLE_FILE === '') writeFileSync(made, 'made by trouble');
  const properties = { DERIVATIVE_MEDIA_TEMP_PATH: TROUBLE_FILE === '' ? made : TROUBLE_FILE };
  yield await Promise.resolve({ type: 'MEDIA', confidence: -1, properties });
}

/** What it is to do in this run; with TROUBLE_RUNS only the first runs are trouble. */
function troubleNow({ TROUBLE = 'none', TROUBLE_FILE = '', TROUBLE_RUNS = '0' }: Properties): string {
  const limit = Number(TROUBLE_RUNS);
  if (limit === 0) return TROUBLE;
  appendFileSync(TROUBLE_FILE, 'x');
  return readFileSync(TROUBLE_FILE).length <= limit ? TROUBLE : 'none';
}

async function* trouble(
  kind: string,
  frame: Frame,
  { TROUBLE_FILE = '' }: Properties,
): AsyncGenerator<FoundTrack> {
  switch (kind) {
    case 'exit':
      process.exit(3);
      break;
    case 'leave':
      process.exit(0);
      break;
    case 'hang':
      await sleep(2 ** 30);
      break;
    case 'loop':
      for (;;) holdThread(REST_MS);
    case 'hold':
      for (;;) {
        compute(REST_MS / 10);
        holdThread(REST_MS);
      }
    case 'busy':
      holdThread(BUSY_MS);
      break;
    case 'freeze':
      process.kill(process.pid, 'SIGSTOP');
      break;
    case 'flood':
      for (;;) yield trackOf(frame);
    case 'garbage':
      yield { ...trackOf(frame), confidence: Number.NaN, properties: { WORDS: 7 } as unknown as Properties };
      break;
    case 'code':
      throw new DetectionError('GPU_ERROR', 'The card is on fire.');
    case 'throw':
      throw new TypeError('no such colour', { cause: new Error('the palette is empty') });
    case 'grow':
      for (const kept: Buffer[] = []; ;) {
        kept.push(Buffer.alloc(32 * 2 ** 20, 1));
        await sleep(20);
      }
    case 'wait':
      while (!existsSync(TROUBLE_FILE)) await sleep(10);
      break;
    case 'remove':
      rmSync(TROUBLE_FILE, { force: true });
      break;
    case 'tell-token':
      writeFileSync(TROUBLE_FILE, authorization);
      break;
    default:
  }
}

function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** The event loop stands still, as when the thread computes. */
function holdThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function trackOf({ index, width, height }: Frame): FoundTrack {
  return { detections: [{ frame: index, x: 0, y: 0, width, height, confidence: 0.5 }], confidence: 0.5 };
}

export default function loadTrouble(): Promise<Detector> {
  return Promise.resolve({ image, video, generic });
}
