/** A transport stream whose sound changes its rate and its channels on the way, as those of stations do between programmes. */
import '../../../media/libav/promise-polyfill.ts';
import { Codec, CodecContext, FFmpegError, FormatContext, Frame, Packet, Rational } from 'node-av/lib';
import type { Stream } from 'node-av/lib';
import type { FFEncoderCodec } from 'node-av/constants';
import { AV_CHANNEL_LAYOUT_MONO, AV_CHANNEL_LAYOUT_STEREO, AV_SAMPLE_FMT_FLTP } from 'node-av/constants';
import type { Tone } from './tone-file.ts';

export interface SoundForm {
  readonly rate: 48_000 | 44_100 | 32_000;
  readonly channels: 1 | 2;
  /** Of 1 kHz. */
  readonly tones: readonly Tone[];
}

/** Samples of a packet of AAC. */
const PACKET = 1_024;
/** Their places in the table of AAC. */
const RATE_NUMBERS = { 48_000: 3, 44_100: 4, 32_000: 5 } as const;

/** Writes AAC, one form after the other. */
export function writeChangingSound(file: string, forms: readonly SoundForm[]): void {
  const output = new FormatContext();
  check(output.allocOutputContext2(null, 'mpegts', file));
  const stream = output.newStream(null);
  let from = 0;
  for (const [place, form] of forms.entries()) {
    const encoder = openEncoder(form);
    if (place === 0) {
      stream.codecpar.fromContext(encoder);
      check(output.openOutputSync());
      check(output.writeHeaderSync(null));
    }
    encode(encoder, form, (packet) => send(output, stream, packet, { form, from }));
    encoder.freeContext();
    from += form.tones.reduce((sum, { seconds }) => sum + seconds, 0);
  }
  check(output.writeTrailerSync());
  output.closeOutputSync();
}

function openEncoder({ rate, channels }: SoundForm): CodecContext {
  const codec = Codec.findEncoderByName('aac' as FFEncoderCodec)!;
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  encoder.sampleRate = rate;
  encoder.channelLayout = layoutFor(channels);
  encoder.sampleFormat = AV_SAMPLE_FMT_FLTP;
  encoder.timeBase = new Rational(1, rate);
  encoder.bitRate = 128_000n;
  check(encoder.open2Sync(codec, null));
  return encoder;
}

const layoutFor = (channels: 1 | 2) => (channels === 1 ? AV_CHANNEL_LAYOUT_MONO : AV_CHANNEL_LAYOUT_STEREO);

function encode(encoder: CodecContext, form: SoundForm, take: (packet: Packet) => void): void {
  const samples = samplesOf(form);
  const packet = new Packet();
  packet.alloc();
  const drain = () => {
    while (encoder.receivePacketSync(packet) >= 0) {
      // The first only makes the encoder ready; there the form before it is still on.
      if (packet.pts >= 0n) take(packet);
      packet.unref();
    }
  };
  for (let at = 0; at + PACKET <= samples.length; at += PACKET) {
    const plane = Buffer.from(samples.slice(at, at + PACKET).buffer);
    const frame = Frame.fromAudioBuffer(Buffer.concat(Array.from({ length: form.channels }, () => plane)), {
      nbSamples: PACKET,
      format: AV_SAMPLE_FMT_FLTP,
      sampleRate: form.rate,
      channelLayout: layoutFor(form.channels),
      pts: BigInt(at),
      timeBase: { num: 1, den: form.rate },
    });
    check(encoder.sendFrameSync(frame));
    frame.free();
    drain();
  }
  check(encoder.sendFrameSync(null));
  drain();
  packet.free();
}

function samplesOf({ rate, tones }: SoundForm): Float32Array {
  const samples = tones.flatMap(({ seconds, level }) =>
    Array.from(
      { length: Math.round(seconds * rate) },
      (_, i) => 10 ** (level / 20) * Math.sin((2 * Math.PI * 1_000 * i) / rate),
    ),
  );
  return Float32Array.from(samples);
}

interface Part {
  readonly form: SoundForm;
  /** Seconds. */
  readonly from: number;
}

/** Each packet says itself of which form it is: the header of the stream tells that of the first. */
function send(output: FormatContext, stream: Stream, packet: Packet, { form, from }: Part): void {
  const data = packet.data!;
  const coded = new Packet();
  coded.alloc();
  coded.data = Buffer.concat([headerOf(form, data.length), data]);
  coded.pts = packet.pts + BigInt(Math.round(from * form.rate));
  coded.dts = coded.pts;
  coded.streamIndex = 0;
  coded.rescaleTs(new Rational(1, form.rate), stream.timeBase);
  check(output.interleavedWriteFrameSync(coded));
  coded.free();
}

/** Of ADTS. */
function headerOf({ rate, channels }: SoundForm, bytes: number): Buffer {
  const length = bytes + 7;
  return Buffer.from([
    0xff,
    0xf1,
    (1 << 6) | (RATE_NUMBERS[rate] << 2),
    (channels << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]);
}

const check = (code: number): void => FFmpegError.throwIfError(code, 'changing sound');
