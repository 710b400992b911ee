/** Measures all channels of a sound with FFmpeg's filters: silence and loudness (EBU R 128). */
import type { Frame, Stream } from 'node-av/lib';
import { AVSEEK_FLAG_BACKWARD } from 'node-av/constants';
import {
  EventLoopYield,
  NO_TIMESTAMP,
  newPacket,
  openContainer,
  openDecoder,
  readPacket,
  type Container,
  type StreamDecoder,
} from '../libav/container.ts';
import { FilterChain, type Measures } from '../libav/filter-chain.ts';
import { MediumError } from '../medium-error.ts';
import { layoutOf } from './resampler.ts';
import { SHORTEST_TOLD, Silences, type Silence } from './silences.ts';

export interface SoundRules {
  /** Range in milliseconds of the medium, inclusive. Infinity means the end of the medium. */
  readonly startMs: number;
  readonly stopMs: number;
  /** Maximum level of silence in decibels relative to full scale (at most 0), and its minimum duration in milliseconds. */
  readonly silenceLevel: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  /** Called with the progress, in milliseconds from `startMs`. */
  heard(ms: number): void;
}

/** A finding, with times in milliseconds of the medium. */
export type SoundFinding =
  | { readonly type: 'silent'; readonly start: number; readonly stop: number }
  | {
      readonly type: 'loudness';
      readonly start: number;
      readonly stop: number;
      /** LUFS, LU and dBTP. Digital silence has a peak of -Infinity. */
      readonly integrated: number;
      readonly range: number;
      readonly peak: number;
    };

/** Seconds before the start at which decoding begins, because codecs need a lead-in. */
const RUN_UP = 1;

/** Measures the sound. Yields undefined if the medium has no sound. Throws COULD_NOT_OPEN_MEDIA, COULD_NOT_READ_MEDIA. */
export async function* measureSound(
  path: string,
  rules: SoundRules,
): AsyncGenerator<SoundFinding | undefined> {
  const container = openContainer(path);
  try {
    if (container.audio === undefined) {
      yield undefined;
      return;
    }
    const decoder = openDecoder(container.audio);
    const meter = new SoundMeter(decoder.stream, container.origin, rules);
    try {
      for await (const frame of framesOf(container, decoder, rules)) yield* meter.hear(frame);
      yield* meter.end();
    } finally {
      meter.close();
      decoder.close();
    }
  } finally {
    container.close();
  }
}

async function* framesOf(
  container: Container,
  decoder: StreamDecoder,
  { startMs, stopMs, signal }: SoundRules,
): AsyncGenerator<Frame> {
  const { stream } = decoder;
  const at = (frame: Frame) => msOf(stream, frame.bestEffortTimestamp, container.origin);
  const eventLoop = new EventLoopYield(signal);
  seek(container, stream, startMs);
  const packet = newPacket();
  try {
    for (let more = true; more;) {
      more = readPacket(container, packet);
      if (more && packet.streamIndex !== stream.index) continue;
      decoder.send(more ? packet : null);
      for (let frame = decoder.receive(); frame !== undefined; frame = decoder.receive()) {
        if (frame.bestEffortTimestamp === NO_TIMESTAMP || at(frame) < startMs) continue;
        if (at(frame) > stopMs) return;
        yield frame;
      }
      if (eventLoop.yieldIsDue()) await eventLoop.yield();
    }
  } finally {
    packet.free();
  }
}

function seek({ format, origin }: Container, stream: Stream, startMs: number): void {
  const seconds = startMs / 1_000 - RUN_UP;
  if (seconds <= RUN_UP || stream.startTime === NO_TIMESTAMP) return;
  const ticks = BigInt(Math.floor((seconds + origin) / stream.timeBase.toDouble()));
  format.seekFrameSync(stream.index, ticks, AVSEEK_FLAG_BACKWARD);
}

const msOf = (stream: Stream, ticks: bigint, origin: number): number =>
  (Number(ticks) * stream.timeBase.toDouble() - origin) * 1_000;

const silent = (silence: Silence): SoundFinding => ({ type: 'silent', ...silence });

class SoundMeter {
  readonly #stream: Stream;
  readonly #origin: number;
  readonly #rules: SoundRules;
  readonly #silences: Silences;
  #chains:
    | { readonly form: string; readonly silence: FilterChain; readonly loudness: FilterChain }
    | undefined;
  #loudness: Measures = {};
  #start: number | undefined;
  #stop = 0;

  constructor(stream: Stream, origin: number, rules: SoundRules) {
    this.#stream = stream;
    this.#origin = origin;
    this.#rules = rules;
    this.#silences = new Silences(rules.silenceMs);
  }

  *hear(frame: Frame): Iterable<SoundFinding> {
    frame.channelLayout = layoutOf(frame);
    frame.pts = frame.bestEffortTimestamp;
    const begins = msOf(this.#stream, frame.pts, this.#origin);
    this.#start ??= begins;
    this.#stop = begins + (frame.nbSamples * 1_000) / frame.sampleRate;
    const { silence, loudness } = this.#chainsFor(frame, begins);
    for (const said of silence.pass(frame)) yield* this.#silent(said);
    for (const said of loudness.pass(frame)) this.#addMeasures(said);
    this.#rules.heard(Math.round(this.#stop - this.#rules.startMs));
  }

  *end(): Iterable<SoundFinding> {
    const [start, stop] = [this.#start, this.#stop];
    if (start === undefined)
      throw new MediumError('COULD_NOT_READ_MEDIA', 'No sound of the medium could be decoded.');
    for (const said of this.#chains?.loudness.pass(null) ?? []) this.#addMeasures(said);
    yield* [...this.#silences.end(stop)].map(silent);
    const number = (name: string) => Number(this.#loudness[`lavfi.r128.${name}`]);
    const [integrated, range, peak] = [number('I'), number('LRA'), number('true_peak')];
    // Loudness is undefined for a sound of less than 0.4 s.
    if (Number.isFinite(integrated))
      yield { type: 'loudness', start, stop, integrated, range, peak: 20 * Math.log10(peak) };
  }

  close(): void {
    this.#chains?.silence.close();
    this.#chains?.loudness.close();
  }

  /** Keeps the newest measures. The filter measures every 100 ms; frames in between, and those after the last measurement, have none. */
  #addMeasures(said: Measures): void {
    if (said['lavfi.r128.I'] !== undefined) this.#loudness = said;
  }

  *#silent(said: Measures): Iterable<SoundFinding> {
    const at = (seconds: string) => (Number(seconds) - this.#origin) * 1_000;
    const [begins, ends] = [said['lavfi.silence_start'], said['lavfi.silence_end']];
    if (begins !== undefined) yield* [...this.#silences.begins(at(begins))].map(silent);
    if (ends !== undefined) yield* [...this.#silences.ends(at(ends))].map(silent);
  }

  /**
   * Returns the filters for the format of a frame. When the format changes, measuring restarts, so the loudness is that of the last part.
   * `begins`: start time of the frame.
   */
  #chainsFor({ sampleRate, format, channelLayout, timeBase }: Frame, begins: number) {
    const base = this.#stream.timeBase ?? timeBase;
    const layout =
      channelLayout.mask > 0n ? `0x${channelLayout.mask.toString(16)}` : `${channelLayout.nbChannels}C`;
    const form = `sample_rate=${sampleRate}:sample_fmt=${format}:channel_layout=${layout}:time_base=${base.num}/${base.den}`;
    if (this.#chains?.form === form) return this.#chains;
    this.close();
    this.#silences.changes(begins);
    const { silenceLevel, silenceMs } = this.#rules;
    const detect = `noise=${silenceLevel}dB:duration=${Math.min(silenceMs, SHORTEST_TOLD)}ms`;
    const measure = 'metadata=1:peak=true:framelog=quiet';
    this.#chains = {
      form,
      silence: new FilterChain([['abuffer', form], ['silencedetect', detect], ['abuffersink', '']]), // oxfmt-ignore
      loudness: new FilterChain([['abuffer', form], ['ebur128', measure], ['abuffersink', '']]), // oxfmt-ignore
    };
    return this.#chains;
  }
}
