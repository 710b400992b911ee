/** Decodes pictures to numbered frames. Numbers and times continue after a reconnection. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Frame as AvFrame, Packet } from 'node-av/lib';
import { NO_TIMESTAMP, newPacket } from '../libav/container.ts';
import { FramePicker, createSampling } from '../video/sampling.ts';
import type { LiveCounters } from './counters.ts';
import { newFrame, openLiveDecoder, type LiveDecoder } from './decoder.ts';
import type { CodedVideo, LiveInput } from './input/input.ts';
import { LiveError } from './input/live-error.ts';
import { MediaClock } from './media-clock.ts';
import type { LIVE_DEFAULTS, LiveOptions } from './options.ts';
import type { Recorder } from './recording/recorder.ts';
import type { WaitingFrames } from './waiting-frames.ts';

export interface DecodingEvents {
  /** Recorder that also receives the coded pictures; undefined without a recording. */
  readonly recorder?: Pick<Recorder, 'add' | 'noteDecoded' | 'endConnection'> | undefined;
  /** Called for each decoded frame before it is delivered. `fps`: 0 if the sender does not state it. */
  onDecoded(size: { readonly width: number; readonly height: number }, fps: () => number): void;
  /** Called when another frame is available. */
  waits(): void;
}

/** Maximum number of consecutive pictures above the size limit before the connection ends. */
const MANY_TOO_LARGE = 5;
/** Time in milliseconds after which decoding lets the consumer, timers and sockets run. */
const BUSY_MS = 5;

export class LiveDecoding {
  /** Time of the last frame by the monotonic clock; undefined before the first one. */
  lastFrameAt: number | undefined;
  packetsSinceFrame = 0;
  damagedSinceFrame = 0;
  readonly #options: LiveOptions & typeof LIVE_DEFAULTS;
  readonly #waiting: WaitingFrames;
  readonly #counters: LiveCounters;
  readonly #events: DecodingEvents;
  readonly #picker: FramePicker;
  readonly #clock = new MediaClock();
  #next: number;
  /** Number of consecutive packets above the size limit. */
  #tooLarge = 0;

  constructor(
    options: LiveOptions & typeof LIVE_DEFAULTS,
    waiting: WaitingFrames,
    counters: LiveCounters,
    events: DecodingEvents,
  ) {
    this.#options = options;
    this.#waiting = waiting;
    this.#counters = counters;
    this.#events = events;
    this.#picker = new FramePicker(createSampling(options, undefined));
    this.#next = options.firstFrame ?? 0;
  }

  /** Reads until the sender ends the stream. `turn` is called for each packet, and may throw. Throws LiveError. */
  async readAll(input: LiveInput, turn: () => void): Promise<void> {
    const packet = newPacket();
    let decoder: LiveDecoder | undefined;
    let video: CodedVideo | undefined;
    this.#clock.newConnection();
    this.#tooLarge = 0;
    try {
      for (let since = performance.now(); ;) {
        const read = await input.read(packet);
        turn();
        if (read === undefined) break;
        if (decoder === undefined || read.id !== video?.id) {
          if (decoder !== undefined) await this.#decode(null, decoder, video!);
          decoder?.close();
          decoder = openLiveDecoder(read, this.#options);
          video = read;
        }
        this.#counters.add('packets');
        this.packetsSinceFrame++;
        this.#events.recorder?.add(packet, read);
        since = await this.#decode(packet, decoder, read, since);
      }
      if (decoder !== undefined) await this.#decode(null, decoder, video!);
    } finally {
      this.#events.recorder?.endConnection();
      decoder?.close();
      packet.free();
    }
  }

  /** Decodes a packet. Rejected packets are damaged, and later packets may be intact. */
  async #decode(
    packet: Packet | null,
    decoder: LiveDecoder,
    video: CodedVideo,
    since = performance.now(),
  ): Promise<number> {
    const outcome = decoder.send(packet);
    if (outcome !== 'taken') {
      this.#counters.add('damaged');
      this.damagedSinceFrame++;
    }
    this.#tooLarge = outcome === 'tooLarge' ? this.#tooLarge + 1 : 0;
    // A single damaged packet may also seem to be a large picture.
    if (this.#tooLarge >= MANY_TOO_LARGE) throw tooLarge(this.#options.maxPixels);
    for (;;) {
      const picture = this.#waiting.spare() ?? newFrame();
      if (!decoder.receive(picture)) {
        this.#waiting.giveBack(picture);
        return since;
      }
      this.#enter(picture, video, decoder);
      if (performance.now() - since < BUSY_MS) continue;
      await nextTurn();
      since = performance.now();
    }
  }

  #enter(picture: AvFrame, { timeBase, fps }: CodedVideo, decoder: LiveDecoder): void {
    const now = performance.now();
    const index = this.#next++;
    const time = this.#clock.next(stampOf(picture, timeBase), now);
    this.lastFrameAt = now;
    this.packetsSinceFrame = 0;
    this.damagedSinceFrame = 0;
    this.#counters.add('decoded');
    this.#events.recorder?.noteDecoded(picture.pts, index);
    this.#events.onDecoded(picture, () => fps || decoder.fps);
    if (!this.#picker.wants(index, picture.keyFrame === 1, time)) {
      this.#counters.add('skipped');
      return this.#waiting.giveBack(picture);
    }
    if (this.#waiting.push({ picture, index, time, at: Date.now() })) this.#counters.add('dropped');
    this.#events.waits();
  }
}

const tooLarge = (maxPixels: number): LiveError =>
  new LiveError(
    'UNSUPPORTED',
    `The pictures of the stream are too large: they have more than ${maxPixels} pixels.`,
  );

/** Milliseconds of the sender's clock; undefined without a timestamp. */
function stampOf(picture: AvFrame, timeBase: number | undefined): number | undefined {
  const ticks = picture.bestEffortTimestamp;
  return timeBase === undefined || ticks === NO_TIMESTAMP ? undefined : Number(ticks) * timeBase * 1000;
}
