/**
 * Live video as frames: RTSP cameras, and MPEG-TS, multipart JPEG, fragmented MP4 or WebM over HTTP.
 * Reading and decoding run in a separate thread, so that a detector that blocks its thread for a second does not delay the camera. At most
 * two decoded frames wait for the consumer; a newer frame replaces the oldest. Frame numbers count all decoded frames, including dropped
 * ones, and continue after a reconnection.
 */
import { Worker } from 'node:worker_threads';
import type { Frame } from '../../protocol/media-sources.ts';
import type { RecordedFragment } from '../../protocol/stream-fragments.ts';
import { LiveCounters, type LiveCounts } from './counters.ts';
import type { LiveEnd, LiveEvent } from './live-reader.ts';
import type { LiveOptions } from './options.ts';
import type { FromThread, LiveThread, ToThread } from './thread-messages.ts';

/** Receives the recording of a stream, besides its frames. */
export interface RecordingListener {
  fragment(fragment: RecordedFragment, bytes: Uint8Array): void;
  warn(message: string): void;
}

export type { LiveCounts, LiveEnd, LiveEvent, LiveOptions };

/** A frame. `index`: its number in the stream; `time`: milliseconds since the first frame, by the sender's clock where that is even. */
export interface LiveFrame extends Frame {
  /** Time of arrival in milliseconds since the epoch. */
  readonly at: number;
}

export interface LiveSource {
  /**
   * Yields the frames. May be called once. The next frame overwrites the pixels of the previous one, and may have another size. Ends when
   * the stream ends. If the signal aborts, its reason is thrown.
   */
  frames(): AsyncGenerator<LiveFrame, void, undefined>;
  readonly counts: LiveCounts;
  /** Resolves with the reason when the stream ends. Rejects only if the stream's thread fails. */
  readonly ended: Promise<LiveEnd>;
  /** Ends the stream. Resolves when connection and memory are freed. */
  close(): Promise<void>;
}

/** Time in milliseconds after which a thread that does not end is terminated. */
const PARTING_MS = 2_000;

/** Opens a live stream. Events arrive in order, and before the frames that follow them. */
export function openLive(
  uri: string,
  options: LiveOptions,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void = () => undefined,
  onRecording?: RecordingListener,
): LiveSource {
  return new ThreadedSource(uri, options, signal, onEvent, onRecording);
}

interface Taker {
  resolve(frame: LiveFrame | undefined): void;
  reject(error: unknown): void;
}

class ThreadedSource implements LiveSource {
  readonly ended: Promise<LiveEnd>;
  readonly #counters = new LiveCounters();
  readonly #thread: Worker;
  readonly #signal: AbortSignal;
  readonly #gone: Promise<void>;
  #isGone = false;
  #pixels: Uint8Array = new Uint8Array();
  /** The pending request for a frame. */
  #taker: Taker | undefined;
  #failure: unknown;

  constructor(
    uri: string,
    options: LiveOptions,
    signal: AbortSignal,
    onEvent: (event: LiveEvent) => void,
    onRecording?: RecordingListener,
  ) {
    const workerData: LiveThread = { uri, options, counters: this.#counters.memory };
    this.#signal = signal;
    this.#thread = new Worker(new URL('./live-thread.js', import.meta.url), { workerData });
    const cancel = () => {
      this.#taker?.reject(signal.reason);
      void this.close();
    };
    this.#gone = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.#isGone = true;
        signal.removeEventListener('abort', cancel);
        resolve();
      });
    });
    this.ended = new Promise((resolve, reject) => {
      this.#thread.on('message', (message: FromThread) => {
        if ('event' in message) onEvent(message.event);
        else if ('fragment' in message) onRecording?.fragment(message.fragment, message.bytes);
        else if ('warning' in message) onRecording?.warn(message.warning);
        else if ('frame' in message) this.#taker?.resolve(this.#frame(message.frame));
        else resolve(message.end);
      });
      this.#thread.once('error', (error) => reject((this.#failure = error)));
      void this.#gone.then(() => this.#finish(reject));
    });
    // Consumers that only read frames receive the error there. This handler prevents an unhandled rejection.
    this.ended.catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
  }

  get counts(): LiveCounts {
    return this.#counters.counts;
  }

  async *frames(): AsyncGenerator<LiveFrame, void, undefined> {
    try {
      for (;;) {
        const frame = await this.#next();
        if (frame === undefined) return;
        yield frame;
      }
    } finally {
      await this.close();
    }
  }

  /** Returns undefined at the end. The thread exits only when all earlier frames were fetched. */
  async #next(): Promise<LiveFrame | undefined> {
    this.#signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
      if (this.#isGone) this.#finish(() => undefined);
      else this.#say('next');
    });
  }

  /** Handles the exit of the thread. `onAbruptEnd` rejects `ended`, unless the thread already reported its end. */
  #finish(onAbruptEnd: (error: Error) => void): void {
    onAbruptEnd(new Error('The thread of the stream has ended.'));
    if (this.#failure === undefined) this.#taker?.resolve(undefined);
    else this.#taker?.reject(this.#failure);
  }

  #frame({ memory, ...frame }: Extract<FromThread, { frame: unknown }>['frame']): LiveFrame {
    if (memory !== undefined) this.#pixels = new Uint8Array(memory, 0, frame.width * frame.height * 3);
    return { ...frame, data: this.#pixels, warmUp: false };
  }

  async close(): Promise<void> {
    if (this.#isGone) return;
    this.#say('close');
    const timer = setTimeout(() => void this.#thread.terminate(), PARTING_MS);
    await this.#gone;
    clearTimeout(timer);
  }

  #say(message: ToThread): void {
    this.#thread.postMessage(message);
  }
}
