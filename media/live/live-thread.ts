/** The thread of a live stream. It reads and decodes independently of the detector's thread, and returns a frame on request. */
import '../libav/promise-polyfill.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { RgbConverter } from '../picture/rgb.ts';
import { LiveCounters } from './counters.ts';
import { LiveReader } from './live-reader.ts';
import type { Recording } from './recording/recorded-camera.ts';
import type { FromThread, LiveThread, ToThread } from './thread-messages.ts';
import { WaitingFrames } from './waiting-frames.ts';

const { uri, options, counters } = workerData as LiveThread;
const port = parentPort!;
const waiting = new WaitingFrames();
const tell = (message: FromThread): void => port.postMessage(message);
let wanted = false;
let over = false;
let pixels: typeof import('../picture/rgb.ts');
let rgb: RgbConverter | undefined;

const recording = options.recording === undefined ? undefined : await startRecording(options.recording.uri);
const reader = new LiveReader(
  uri,
  options,
  { waiting, counters: new LiveCounters(counters) },
  {
    event: (event) => tell({ event }),
    onAnswer: loadPictures,
    waits: () => {
      if (wanted) handOut();
    },
    recorder: recording?.recorder,
  },
);

port.on('message', (message: ToThread) => {
  if (message === 'next') {
    wanted = true;
    handOut();
  } else {
    reader.stop();
    if (over) leave();
  }
});

/** Starts the recording: of the analyzed stream, or over a separate connection if another address is recorded. */
async function startRecording(recordedUri: string | undefined): Promise<Recording> {
  const { Recording } = await import('./recording/recorded-camera.ts');
  return new Recording(recordedUri, options, {
    fragment: (fragment, bytes) => tell({ fragment, bytes }),
    warn: (warning) => tell({ warning }),
  });
}

async function loadPictures(): Promise<void> {
  pixels = await import('../picture/rgb.ts');
}

/** Sends the next frame. Pixels are converted only now, so that dropped frames cost nothing. */
function handOut(): void {
  const frame = waiting.take();
  if (frame === undefined) {
    if (over) leave();
    return;
  }
  wanted = false;
  const { picture, index, time, at } = frame;
  const { width, height } = picture;
  const memory = memoryFor(width, height);
  rgb!.convert(picture);
  waiting.giveBack(picture);
  tell({ frame: { index, time, at, width, height, ...(memory === undefined ? {} : { memory }) } });
}

/** Returns new memory if the picture size has changed, otherwise undefined. */
function memoryFor(width: number, height: number): SharedArrayBuffer | undefined {
  if (rgb?.width === width && rgb.height === height) return undefined;
  rgb?.close();
  const memory = new SharedArrayBuffer(pixels.rgbBytes(width, height));
  rgb = new pixels.RgbConverter(width, height, memory);
  return memory;
}

function leave(): void {
  waiting.close();
  rgb?.close();
  port.close();
}

const end = await reader.run();
await recording?.close();
tell({ end });
over = true;
// Frames from before the end can still be fetched, unless the stream was cancelled.
if (end.reason === 'cancelled') leave();
else if (wanted) handOut();
