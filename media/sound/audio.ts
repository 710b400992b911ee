/** The sound of an audio file or a video, as mono floats at 16 kHz. Each sample keeps its place on the medium's timeline. */
import type { Frame as AvFrame, Stream } from 'node-av/lib';
import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import type { AudioSource } from '../../protocol/media-sources.ts';
import {
  EventLoopYield,
  NO_TIMESTAMP,
  newPacket,
  once,
  openContainer,
  openDecoder,
  readPacket,
} from '../libav/container.ts';
import type { Container, StreamDecoder } from '../libav/container.ts';
import { MediumError } from '../medium-error.ts';
import { Resampler, SAMPLE_RATE } from './resampler.ts';

export { SAMPLE_RATE };

/** Maximum number of samples in a chunk. */
const CHUNK = 8_000;
/** Minimum gap in the timestamps (samples) that is filled with silence, so that later sound keeps its time. */
const HOLE = 800;
/** Maximum gap (samples) that is filled. Longer gaps are damaged timestamps. */
const LONGEST_HOLE = SAMPLE_RATE * 3600;
/** Seconds before `startMs` at which decoding begins, because codecs need a lead-in. */
const RUN_UP = 1;

export interface AudioOptions {
  /** Milliseconds of the medium, inclusive; the whole sound if undefined. */
  readonly startMs?: number | undefined;
  readonly stopMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the sound of a medium.
 * @throws COULD_NOT_OPEN_MEDIA if the format is unknown or has no audio stream. Reading throws COULD_NOT_READ_MEDIA if nothing can be
 * decoded.
 */
export function openAudio(path: string, options: AudioOptions = {}): Promise<AudioReader> {
  return Promise.resolve().then(() => {
    const container = openContainer(path);
    try {
      if (container.audio === undefined)
        throw new MediumError('COULD_NOT_OPEN_MEDIA', 'The medium has no audio stream.');
      return new AudioReader(container, container.audio, openDecoder(container.audio), options);
    } catch (error) {
      container.close();
      throw error;
    }
  });
}

export class AudioReader implements AudioSource {
  readonly startTime: number;
  readonly close: () => void;
  readonly #container: Container;
  readonly #decoder: StreamDecoder;
  readonly #resampler = new Resampler();
  readonly #eventLoop: EventLoopYield;
  /** Range of wanted samples on the medium's timeline, at 16 kHz: the first one, and the first one after it. */
  readonly #from: number;
  readonly #until: number;
  /** Timeline position of the next decoded sample. */
  #position: number | undefined;
  #decoded = 0;

  constructor(container: Container, stream: Stream, decoder: StreamDecoder, options: AudioOptions) {
    this.#container = container;
    this.#decoder = decoder;
    this.#eventLoop = new EventLoopYield(options.signal);
    const begin =
      stream.startTime === NO_TIMESTAMP ? 0 : toSeconds(stream, stream.startTime, container.origin);
    this.startTime = Math.max(options.startMs ?? 0, Math.max(0, Math.round(begin * 1000)));
    this.#from = (this.startTime * SAMPLE_RATE) / 1000;
    this.#until = options.stopMs === undefined ? Infinity : ((options.stopMs + 1) * SAMPLE_RATE) / 1000;
    this.close = once(() => {
      this.#resampler.close();
      decoder.close();
      container.close();
    });
  }

  /** Returns the chunks. May be called once per reader. Each chunk is a new array. */
  async *chunks(): AsyncGenerator<Float32Array, void, undefined> {
    const gatherer = new Gatherer();
    try {
      this.#seek();
      for await (const samples of this.#samples()) {
        gatherer.add(samples);
        while (gatherer.size >= CHUNK) yield gatherer.take(CHUNK);
        if ((this.#position ?? 0) >= this.#until) break;
      }
      if (this.#decoded === 0)
        throw new MediumError('COULD_NOT_READ_MEDIA', 'No sound of the medium could be decoded.');
      if (gatherer.size > 0) yield gatherer.take(gatherer.size);
    } finally {
      this.close();
    }
  }

  #seek(): void {
    const { stream } = this.#decoder;
    const seconds = this.startTime / 1000 - RUN_UP;
    if (seconds <= RUN_UP || stream.startTime === NO_TIMESTAMP) return;
    const ticks = BigInt(Math.floor((seconds + this.#container.origin) / stream.timeBase.toDouble()));
    this.#container.format.seekFrameSync(stream.index, ticks, AVSEEK_FLAG_BACKWARD);
  }

  /** Yields resampled sound, with silence for gaps in the timeline, cut to the wanted range. */
  async *#samples(): AsyncGenerator<Float32Array, void, undefined> {
    const packet = newPacket();
    try {
      for (let more = true; more;) {
        more = readPacket(this.#container, packet);
        if (more && packet.streamIndex !== this.#decoder.stream.index) continue;
        this.#decoder.send(more ? packet : null);
        for (let frame = this.#decoder.receive(); frame !== undefined; frame = this.#decoder.receive()) {
          yield* this.#fillHole(frame);
          yield this.#cut(this.#resampler.resample(frame));
        }
        if (this.#eventLoop.yieldIsDue()) await this.#eventLoop.yield();
      }
      if (this.#decoded > 0) yield this.#cut(this.#resampler.resample(null));
    } finally {
      packet.free();
    }
  }

  *#fillHole(frame: AvFrame): Generator<Float32Array> {
    this.#decoded++;
    const { stream } = this.#decoder;
    const known = frame.bestEffortTimestamp !== NO_TIMESTAMP;
    const at = known
      ? Math.round(toSeconds(stream, frame.bestEffortTimestamp, this.#container.origin) * SAMPLE_RATE)
      : (this.#position ?? 0);
    this.#position ??= at;
    let hole = at - this.#position - this.#resampler.delay();
    if (hole < HOLE || hole > LONGEST_HOLE) return;
    for (; hole > 0; hole -= CHUNK) yield this.#cut(new Float32Array(Math.min(hole, CHUNK)));
  }

  #cut(samples: Float32Array): Float32Array {
    const at = this.#position ?? 0;
    this.#position = at + samples.length;
    const from = Math.min(Math.max(this.#from - at, 0), samples.length);
    const until = Math.min(Math.max(this.#until - at, from), samples.length);
    return samples.subarray(from, until);
  }
}

function toSeconds(stream: Stream, ticks: bigint, origin: number): number {
  return Number(ticks) * stream.timeBase.toDouble() - origin;
}

/** Joins pieces into chunks of an even size. */
class Gatherer {
  #pieces: Float32Array[] = [];
  size = 0;

  add(samples: Float32Array): void {
    if (samples.length > 0) this.#pieces.push(samples);
    this.size += samples.length;
  }

  take(length: number): Float32Array {
    const chunk = new Float32Array(length);
    let filled = 0;
    while (filled < length) {
      const piece = this.#pieces[0];
      if (piece === undefined) break;
      const part = piece.subarray(0, length - filled);
      chunk.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    this.size -= filled;
    return chunk;
  }
}
