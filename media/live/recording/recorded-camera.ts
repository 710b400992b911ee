/** The recording of a live stream: of the analyzed stream, or of another address of the camera over a separate connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stopWith } from '../../../egress/http/stop-with.ts';
import { newPacket } from '../../libav/container.ts';
import type { PlaylistPlace } from '../input/input.ts';
import { LiveError } from '../input/live-error.ts';
import { openInput } from '../open-input.ts';
import { LIVE_DEFAULTS, type LiveOptions } from '../options.ts';
import { reconnectDelay } from '../stall.ts';
import { Recorder, type RecorderEvents } from './recorder.ts';

export class Recording {
  /** Recorder of the analyzed stream; undefined if another address is recorded. */
  readonly recorder: Recorder | undefined;
  readonly #stop = new AbortController();
  readonly #own: Promise<void> | undefined;

  constructor(uri: string | undefined, options: LiveOptions, events: RecorderEvents) {
    if (uri === undefined) this.recorder = new Recorder(events);
    else this.#own = new RecordedCamera(uri, options, events, this.#stop.signal).run();
  }

  /** Resolves when all fragments are written. */
  async close(): Promise<void> {
    this.#stop.abort(new LiveError('LOST', 'The recording has ended.'));
    await this.recorder?.close();
    await this.#own;
  }
}

/** A camera connection that is only recorded. Errors are reported and retried; they never end the stream. */
class RecordedCamera {
  readonly #uri: string;
  readonly #options: LiveOptions;
  readonly #events: RecorderEvents;
  readonly #recorder: Recorder;
  readonly #place: PlaylistPlace = {};
  readonly #signal: AbortSignal;

  constructor(uri: string, options: LiveOptions, events: RecorderEvents, signal: AbortSignal) {
    this.#uri = uri;
    this.#options = options;
    this.#events = events;
    this.#recorder = new Recorder(events);
    this.#signal = signal;
  }

  async run(): Promise<void> {
    for (let attempt = 1; !this.#signal.aborted; attempt++) {
      if (await this.#record()) attempt = 1;
      this.#recorder.endConnection();
      await this.#pause(reconnectDelay(attempt, this.#options.reconnect, Math.random));
    }
    await this.#recorder.close();
  }

  /** Runs one connection to its end. True if it gave pictures. */
  async #record(): Promise<boolean> {
    const { stop: connection, leave } = stopWith(this.#signal);
    const { signal } = connection;
    const { alertMs } = this.#options.stall;
    const silence = new LiveError('SILENT', `No picture came from it for ${Math.round(alertMs / 1_000)} s.`);
    const watch = setTimeout(() => connection.abort(silence), alertMs);
    const packet = newPacket();
    let pictures = 0;
    try {
      const { allowPrivate, transport } = this.#options;
      const { connectMs = LIVE_DEFAULTS.connectMs, maxPixels = LIVE_DEFAULTS.maxPixels } = this.#options;
      const connect = { allowPrivate, transport, connectMs, maxPixels, place: this.#place };
      const input = await openInput(this.#uri, connect, signal);
      try {
        for (let video = await input.read(packet); video !== undefined; video = await input.read(packet)) {
          signal.throwIfAborted();
          this.#recorder.add(packet, video);
          pictures++;
          watch.refresh();
        }
      } finally {
        await input.close();
      }
    } catch (error) {
      if (!this.#signal.aborted) this.#events.warn(`The camera cannot be recorded now: ${sentenceOf(error)}`);
    } finally {
      leave();
      clearTimeout(watch);
      packet.free();
    }
    return pictures > 0;
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#signal }).catch(() => undefined);
  }
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
