/**
 * Reads a live stream until it ends: connects, decodes, detects stalls, reconnects. It is independent of threads: listeners receive events,
 * and frames wait until they are fetched.
 */
import type { StreamEnd, StreamEvent } from '../../protocol/streams.ts';
import type { LiveCounters } from './counters.ts';
import type { LiveDecoding } from './live-decoding.ts';
import type { PlaylistPlace } from './input/input.ts';
import { LiveError, networkError, type LiveFault } from './input/live-error.ts';
import { openInput } from './open-input.ts';
import { LIVE_DEFAULTS, type LiveOptions } from './options.ts';
import type { Recorder } from './recording/recorder.ts';
import { reconnectDelay, stallState } from './stall.ts';
import type { WaitingFrames } from './waiting-frames.ts';

export type LiveEvent = Extract<
  StreamEvent,
  { readonly type: 'opened' | 'stalled' | 'running' | 'reconnecting' }
>;

/** The end of a stream. `failed`: the stream cannot be opened, or a retry does not help; `fault` is the reason. */
export interface LiveEnd {
  readonly reason: StreamEnd['reason'] | 'failed';
  readonly fault?: LiveFault;
  /** A sentence for people, without passwords. */
  readonly detail: string;
}

export interface LiveListener {
  event(event: LiveEvent): void;
  /** Called when a sender answers for the first time. Its pictures wait until the promise resolves. */
  onAnswer(): Promise<void>;
  /** Called when another frame is available. */
  waits(): void;
  /** Records the stream; undefined without a recording. */
  readonly recorder?: Recorder | undefined;
}

/** Time in milliseconds for which a connection must give frames, so that the next pause is the shortest again. */
const STEADY_MS = 10_000;
/** Maximum number of pictures that a decoder holds back for reordering. With more packets and no frame, the video is damaged. */
const MOST_HELD_BACK = 32;
/** Faults for which a retry does not help. A camera locks a user after repeated wrong passwords. */
const LASTING: readonly LiveFault[] = ['UNAUTHORIZED'];

export class LiveReader {
  readonly #uri: string;
  readonly #options: LiveOptions & typeof LIVE_DEFAULTS;
  readonly #counters: LiveCounters;
  readonly #listener: LiveListener;
  readonly #random: () => number;
  readonly #waiting: WaitingFrames;
  /** Undefined until a sender answers. */
  #decoding: LiveDecoding | undefined;
  readonly #place: PlaylistPlace = {};
  readonly #began = performance.now();
  #connection = new AbortController();
  /** Start time of the current connection; undefined without a connection. */
  #connectedAt: number | undefined;
  #connections = 0;
  #framesComeFrom = 0;
  #size = '';
  /** True if this reader or an earlier one received frames. The stall rules apply from then on. */
  #seen: boolean;
  #stalled = false;
  /** Last known reason for missing frames. */
  #trouble: LiveError | undefined;
  #end: LiveEnd | undefined;
  #endPause: () => void = () => undefined;

  constructor(
    uri: string,
    options: LiveOptions,
    shared: { readonly waiting: WaitingFrames; readonly counters: LiveCounters },
    listener: LiveListener,
    random: () => number = Math.random,
  ) {
    this.#uri = uri;
    this.#options = withDefaults(options);
    this.#counters = shared.counters;
    this.#listener = listener;
    this.#random = random;
    this.#seen = options.seenBefore ?? false;
    this.#waiting = shared.waiting;
  }

  /** Ends the stream. `run` returns soon. */
  stop(): void {
    this.#finish({ reason: 'cancelled', detail: 'The stream was cancelled.' });
  }

  async run(): Promise<LiveEnd> {
    const watch = setInterval(() => this.#watch(), this.#watchMs());
    try {
      for (let attempt = 1; ; attempt++) {
        const began = performance.now();
        const cause = await this.#connect();
        const end = this.#end ?? this.#endAfter(cause);
        if (end !== undefined || cause === 'ended') return end!;
        if ((this.#decoding?.lastFrameAt ?? 0) - began > STEADY_MS) attempt = 1;
        await this.#pause(attempt, cause);
        if (this.#end !== undefined) return this.#end;
      }
    } finally {
      clearInterval(watch);
    }
  }

  /** Interval of checks: a tenth of the shortest rule, and at most 250 ms. */
  #watchMs(): number {
    const { stall, firstPictureMs } = this.#options;
    const rules = [stall.alertMs, stall.timeoutMs, firstPictureMs].filter((ms) => ms > 0);
    return Math.min(250, Math.max(5, Math.min(...rules) / 10));
  }

  /** Runs one connection to its end. Returns 'ended' if the sender ended the stream, otherwise the error. */
  async #connect(): Promise<LiveError | 'ended'> {
    const connection = (this.#connection = new AbortController());
    this.#connectedAt = performance.now();
    this.#connections++;
    try {
      const input = await openInput(this.#uri, { ...this.#options, place: this.#place }, connection.signal);
      const turn = () => {
        this.#counters.add('beats');
        connection.signal.throwIfAborted();
      };
      try {
        this.#decoding ??= await this.#newDecoding();
        await this.#decoding.readAll(input, turn);
      } finally {
        await input.close();
      }
      return 'ended';
    } catch (error) {
      this.#trouble = networkError(connection.signal.aborted ? connection.signal.reason : error);
      return this.#trouble;
    } finally {
      this.#connectedAt = undefined;
    }
  }

  /** Loads the decoder only when a sender answers, because it is the largest cost of a refused stream. */
  async #newDecoding(): Promise<LiveDecoding> {
    const { LiveDecoding } = await import('./live-decoding.ts');
    await this.#listener.onAnswer();
    return new LiveDecoding(this.#options, this.#waiting, this.#counters, {
      onDecoded: (size, fps) => this.#noteDecoded(size, fps),
      waits: () => this.#listener.waits(),
      recorder: this.#listener.recorder,
    });
  }

  #endAfter(cause: LiveError | 'ended'): LiveEnd | undefined {
    if (cause === 'ended') return { reason: 'ended', detail: 'The sender has ended the stream.' };
    const { message, fault } = cause;
    if (!this.#seen || LASTING.includes(fault)) return { reason: 'failed', fault, detail: message };
    if (this.#options.stall.timeoutMs !== 0) return undefined;
    return { reason: 'stalled', detail: `${message} With a stallTimeout of 0, Troupe does not reconnect.` };
  }

  async #pause(attempt: number, { message }: LiveError): Promise<void> {
    this.#listener.event({ type: 'reconnecting', at: Date.now(), cause: message });
    const delay = reconnectDelay(attempt, this.#options.reconnect, this.#random);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #noteDecoded(
    { width, height }: { readonly width: number; readonly height: number },
    fps: () => number,
  ): void {
    const at = Date.now();
    if (this.#framesComeFrom !== this.#connections) {
      if (this.#framesComeFrom > 0) this.#counters.add('reconnects');
      this.#framesComeFrom = this.#connections;
      this.#seen = true;
      this.#trouble = undefined;
    }
    if (this.#stalled) this.#listener.event({ type: 'running', at });
    this.#stalled = false;
    if (this.#size !== `${width}x${height}`)
      this.#listener.event({ type: 'opened', at, width, height, fps: fps() });
    this.#size = `${width}x${height}`;
  }

  #watch(): void {
    this.#counters.add('beats');
    if (this.#end !== undefined) return;
    const now = performance.now();
    const { stall, firstPictureMs } = this.#options;
    const quietSince = this.#decoding?.lastFrameAt ?? this.#began;
    if (!this.#seen) {
      if (now - quietSince >= firstPictureMs) this.#connection.abort(this.#silence(firstPictureMs));
      return;
    }
    const state = stallState(now - quietSince, stall);
    if (state === 'running') return;
    const cause = this.#trouble ?? this.#silence(now - quietSince);
    if (state === 'over')
      return this.#finish({ reason: 'stalled', detail: `The stream stalled for too long. ${cause.message}` });
    if (!this.#stalled) this.#listener.event({ type: 'stalled', at: Date.now(), cause: cause.message });
    this.#stalled = true;
    // A connection that is silent for this time may be dead without an error.
    const connectedAt = this.#connectedAt;
    if (connectedAt !== undefined && now - Math.max(connectedAt, quietSince) >= stall.alertMs)
      this.#connection.abort(this.#silence(now - Math.max(connectedAt, quietSince)));
  }

  #silence(quietMs: number): LiveError {
    const time = quietMs < 1_000 ? `${Math.round(quietMs)} ms` : `${Math.round(quietMs / 1_000)} s`;
    const { packetsSinceFrame = 0, damagedSinceFrame = 0 } = this.#decoding ?? {};
    return damagedSinceFrame > 0 || packetsSinceFrame > MOST_HELD_BACK
      ? new LiveError('DAMAGED', `The video of the camera could not be decoded for ${time}.`)
      : new LiveError('SILENT', `No picture came from the camera for ${time}.`);
  }

  #finish(end: LiveEnd): void {
    this.#end ??= end;
    this.#connection.abort(new LiveError('LOST', end.detail));
    this.#endPause();
  }
}

function withDefaults(options: LiveOptions): LiveOptions & typeof LIVE_DEFAULTS {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.assign({ ...LIVE_DEFAULTS }, Object.fromEntries(given)) as LiveOptions & typeof LIVE_DEFAULTS;
}
