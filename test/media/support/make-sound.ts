/** Generates sound files with any codec and container. */
import '../../../media/libav/promise-polyfill.ts';
import { Codec, CodecContext, FormatContext, Frame, Packet, Rational } from 'node-av/lib';
import type { AVSampleFormat, FFEncoderCodec } from 'node-av/constants';
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P } from 'node-av/constants';

const RATE = 16_000;
/** Samples per frame, for encoders that accept any number. */
const SAMPLES = 4_096;

/** Writes mono noise, which no codec can compress well. The extension of the path selects the container. */
export function makeSound(path: string, encoder: 'flac' | 'wavpack', seconds: number): void {
  const codec = Codec.findEncoderByName(encoder as FFEncoderCodec)!;
  const context = new CodecContext();
  context.allocContext3(codec);
  const format = encoder === 'wavpack' ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S16;
  const timeBase = new Rational(1, RATE);
  Object.assign(context, { sampleRate: RATE, channelLayout: AV_CHANNEL_LAYOUT_MONO, sampleFormat: format, timeBase }); // oxfmt-ignore
  check(context.open2Sync(codec, null));
  const muxer = new FormatContext();
  check(muxer.allocOutputContext2(null, null, path));
  const stream = muxer.newStream(null);
  stream.codecpar.fromContext(context);
  stream.timeBase = context.timeBase;
  check(muxer.openOutputSync());
  check(muxer.writeHeaderSync(null));
  encode(context, format, noise(seconds * RATE), (packet) => {
    packet.streamIndex = 0;
    packet.rescaleTs(context.timeBase, stream.timeBase);
    check(muxer.interleavedWriteFrameSync(packet));
  });
  check(muxer.writeTrailerSync());
  muxer.closeOutputSync();
  context.freeContext();
}

function encode(
  context: CodecContext,
  format: AVSampleFormat,
  samples: Int16Array,
  take: (packet: Packet) => void,
): void {
  const packet = new Packet();
  packet.alloc();
  const each = context.frameSize > 0 ? context.frameSize : SAMPLES;
  for (let at = 0; at <= samples.length; at += each) {
    const part = Buffer.from(samples.slice(at, at + each).buffer);
    const nbSamples = part.length / 2;
    const frame =
      nbSamples === 0
        ? null
        : Frame.fromAudioBuffer(part, {
            ...{ nbSamples, format, sampleRate: RATE, channelLayout: AV_CHANNEL_LAYOUT_MONO },
            ...{ pts: BigInt(at), timeBase: { num: 1, den: RATE } },
          });
    check(context.sendFrameSync(frame));
    frame?.free();
    while (context.receivePacketSync(packet) >= 0) take(packet);
  }
  context.sendFrameSync(null);
  while (context.receivePacketSync(packet) >= 0) take(packet);
  packet.free();
}

function noise(count: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >> 18;
  });
}

function check(code: number): void {
  if (code < 0) throw new Error(`making the test sound failed with ${code}`);
}
