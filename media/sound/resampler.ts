import type { AVSampleFormat } from 'node-av/constants';
import {
  AV_CHANNEL_LAYOUT_MONO,
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CHANNEL_ORDER_UNSPEC,
  AV_SAMPLE_FMT_FLT,
} from 'node-av/constants';
import type { ChannelLayout, Frame as AvFrame } from 'node-av/lib';
import { Frame, SoftwareResampleContext } from 'node-av/lib';
import { MediumError } from '../medium-error.ts';

/** Sample rate of all decoded sound, in samples per second. */
export const SAMPLE_RATE = 16_000;

/** Converts sound of any format to mono floats at 16 kHz. The input format may change in between. */
export class Resampler {
  #context: SoftwareResampleContext | undefined;
  #input = '';
  readonly #out = new Frame();

  constructor() {
    this.#out.alloc();
  }

  /** Resamples a frame. Null returns the remaining samples. */
  resample(frame: AvFrame | null): Float32Array {
    if (frame !== null) this.#prepare(frame);
    const out = this.#out;
    out.unref();
    out.format = AV_SAMPLE_FMT_FLT;
    out.sampleRate = SAMPLE_RATE;
    out.channelLayout = AV_CHANNEL_LAYOUT_MONO;
    if (this.#context === undefined || this.#context.convertFrame(out, frame) < 0) return new Float32Array();
    const bytes = out.data?.[0];
    if (bytes === undefined || out.nbSamples === 0) return new Float32Array();
    const samples = new Float32Array(out.nbSamples);
    Buffer.from(samples.buffer).set(bytes.subarray(0, samples.byteLength));
    return samples;
  }

  /** Number of input samples that are not yet in the output. */
  delay(): number {
    return this.#context === undefined ? 0 : Number(this.#context.getDelay(BigInt(SAMPLE_RATE)));
  }

  #prepare(frame: AvFrame): void {
    const layout = layoutOf(frame);
    // The resampler compares the format of each frame with the one it was set up for.
    frame.channelLayout = layout;
    const input = `${frame.sampleRate}:${frame.format}:${layout.nbChannels}:${layout.mask}`;
    if (input === this.#input) return;
    this.#context?.free();
    this.#context = new SoftwareResampleContext();
    const format = frame.format as AVSampleFormat;
    this.#context.allocSetOpts2(
      AV_CHANNEL_LAYOUT_MONO,
      AV_SAMPLE_FMT_FLT,
      SAMPLE_RATE,
      layout,
      format,
      frame.sampleRate,
    );
    if (this.#context.init() < 0)
      throw new MediumError(
        'COULD_NOT_READ_MEDIA',
        `Sound of ${frame.sampleRate} Hz could not be resampled.`,
      );
    this.#input = input;
  }

  close(): void {
    this.#out.free();
    this.#context?.free();
    this.#context = undefined;
  }
}

/** Returns the channel layout. Files without one have the default layout for their number of channels. */
export function layoutOf(frame: AvFrame): ChannelLayout {
  const layout = frame.channelLayout;
  if (layout.order !== AV_CHANNEL_ORDER_UNSPEC) return layout;
  if (layout.nbChannels === 1) return AV_CHANNEL_LAYOUT_MONO;
  return layout.nbChannels === 2 ? AV_CHANNEL_LAYOUT_STEREO : layout;
}
