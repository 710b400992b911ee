/**
 * Live video as frames: RTSP cameras, and MPEG-TS, multipart JPEG, fragmented MP4 or WebM over HTTP.
 * Reading and decoding happen in a thread of their own, so that a detector that blocks its thread for a second does not
 * delay the camera. At most two decoded frames wait for the consumer; the older one is dropped for a newer. Frames are
 * numbered by decoding, dropped ones included, over new connections, too.
 */
import { Worker } from 'node:worker_threads';
import type { Frame } from '../../protocol/media-sources.ts';
import type { RecordedFragment } from '../../protocol/stream-fragments.ts';
import { LiveCounters, type LiveCounts } from './counters.ts';
import type { LiveEnd, LiveEvent } from './live-reader.ts';
import type { LiveOptions } from './options.ts';
import type { FromThread, LiveThread, ToThread } from './thread-messages.ts';

/** What a recorded stream gives beside its frames. */
export interface RecordingListener {
  fragment(fragment: RecordedFragment, bytes: Uint8Array): void;
  warn(message: string): void;
}

export type { LiveCounts, LiveEnd, LiveEvent, LiveOptions };

/** `index`: its number in the stream; `time`: milliseconds since the first frame, by the sender's clock where that is even. */
export interface LiveFrame extends Frame {
  /** When it came: milliseconds since the epoch. */
  readonly at: number;
}

export interface LiveSource {
  /**
   * Once. The pixels of a frame are overwritten when the next one is asked for; a frame may have another size than the one before.
   * Ends when the stream ends; throws what the signal gives as its reason.
   */
  frames(): AsyncGenerator<LiveFrame, void, undefined>;
  readonly counts: LiveCounts;
  /** Why the stream ended. Rejects only when the thread of the stream has failed. */
  readonly ended: Promise<LiveEnd>;
  /** Ends the stream: resolves when connection and memory are given back. */
  close(): Promise<void>;
}

/** A thread that does not end by itself is ended by force after so long (milliseconds). */
const PARTING_MS = 2_000;

/** Events come in the order in which they happen, before the frames that follow them. */
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
  /** Who waits for a frame. */
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
    // Whoever looks at frames alone is told there.
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

  /** Undefined at the end: the thread is gone when all frames that came before were fetched. */
  async #next(): Promise<LiveFrame | undefined> {
    this.#signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
      if (this.#isGone) this.#finish(() => undefined);
      else this.#say('next');
    });
  }

  /** The thread is gone. `onAbruptEnd` is told when it went without a word. */
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
