/** From coded pictures to numbered frames. Numbers and times continue after a reconnection. */
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
  /** Of the coded pictures as well; absent: nobody does. */
  readonly recorder?: Pick<Recorder, 'add' | 'noteDecoded' | 'endConnection'> | undefined;
  /** Each decoded frame; before it is handed out. `fps`: 0 when the sender does not tell. */
  onDecoded(size: { readonly width: number; readonly height: number }, fps: () => number): void;
  /** There is one more to be taken. */
  waits(): void;
}

/** So many pictures in a row that are too large end the connection. */
const MANY_TOO_LARGE = 5;
/** After so long (milliseconds) the consumer, timers and sockets get a turn. */
const BUSY_MS = 5;

export class LiveDecoding {
  /** By the clock that is never set back; undefined before the first. */
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
  /** Packets in a row. */
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

  /** To the end that the sender tells. `turn` is called for each packet, and may throw. Errors: LiveError. */
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

  /** A packet that the decoder refuses is a damaged one; the following may be whole. */
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
    // A damaged packet may seem to be of a large picture as well.
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

/** Milliseconds of the sender's clock; undefined when it tells none. */
function stampOf(picture: AvFrame, timeBase: number | undefined): number | undefined {
  const ticks = picture.bestEffortTimestamp;
  return timeBase === undefined || ticks === NO_TIMESTAMP ? undefined : Number(ticks) * timeBase * 1000;
}
