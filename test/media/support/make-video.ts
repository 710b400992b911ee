/** Generates videos in which every frame is different. */
import '../../../media/libav/promise-polyfill.ts';
import { Codec, CodecContext, Dictionary, FormatContext, Frame, Log, Packet, Rational } from 'node-av/lib';
import type { FFEncoderCodec } from 'node-av/constants';
import {
  AVCOL_RANGE_JPEG,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_FATAL,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PIX_FMT_YUV420P,
} from 'node-av/constants';

export interface VideoRecipe {
  readonly frames: number;
  readonly width?: number;
  readonly height?: number;
  readonly encoder?: string;
  readonly gop?: number;
  readonly bFrames?: number;
  /** Time of a frame in milliseconds; default: 25 frames per second. */
  readonly at?: (frame: number) => number;
  /**
   * Ticks per second of the encoder, and of the container if it allows a choice. Default: 1000 with `at`,
   * else 25.
   */
  readonly rate?: number;
  /** Omits the frame rate of 25 from the container. */
  readonly statesNoRate?: boolean;
  readonly encoderOptions?: Record<string, string>;
  readonly muxerOptions?: Record<string, string>;
}

/** Writes the video. The extension of the path selects the container. */
export function makeVideo(path: string, recipe: VideoRecipe): void {
  Log.setLevel(AV_LOG_FATAL);
  const { frames, width = 160, height = 96, at = (frame) => frame * 40 } = recipe;
  const rate = recipe.rate ?? (recipe.at === undefined ? 25 : 1000);
  const codec = encoderOf(recipe);
  const encoder = openEncoder(path, codec, recipe, width, height, rate);
  const muxer = new FormatContext();
  check(muxer.allocOutputContext2(null, null, path));
  const stream = muxer.newStream(null);
  stream.codecpar.fromContext(encoder);
  stream.timeBase = encoder.timeBase;
  if (recipe.statesNoRate !== true) stream.avgFrameRate = new Rational(25, 1);
  check(muxer.openOutputSync());
  const options = recipe.muxerOptions === undefined ? null : Dictionary.fromObject(recipe.muxerOptions);
  check(muxer.writeHeaderSync(options));
  const packet = new Packet();
  packet.alloc();
  const drain = (): void => {
    while (encoder.receivePacketSync(packet) >= 0) {
      packet.streamIndex = 0;
      packet.rescaleTs(encoder.timeBase, stream.timeBase);
      check(muxer.interleavedWriteFrameSync(packet));
    }
  };
  const picture = Buffer.alloc((width * height * 3) / 2);
  for (let number = 0; number < frames; number++) {
    paint(picture, width, height, number);
    const frame = Frame.fromVideoBuffer(picture, {
      width,
      height,
      format: AV_PIX_FMT_YUV420P,
      timeBase: { num: 1, den: rate },
      pts: BigInt(recipe.at === undefined ? number : Math.round((at(number) * rate) / 1000)),
    });
    check(encoder.sendFrameSync(frame));
    frame.free();
    drain();
  }
  check(encoder.sendFrameSync(null));
  drain();
  check(muxer.writeTrailerSync());
  muxer.closeOutputSync();
  packet.free();
  encoder.freeContext();
}

function encoderOf({ encoder = 'libx264' }: VideoRecipe): Codec {
  const codec = Codec.findEncoderByName(encoder as FFEncoderCodec);
  if (codec === null) throw new Error(`no encoder ${encoder}`);
  return codec;
}

function openEncoder(
  path: string,
  codec: Codec,
  recipe: VideoRecipe,
  width: number,
  height: number,
  rate: number,
): CodecContext {
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = width;
  context.height = height;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  if (recipe.encoder === 'mjpeg') context.colorRange = AVCOL_RANGE_JPEG;
  context.timeBase = new Rational(1, rate);
  if (recipe.statesNoRate !== true) context.framerate = new Rational(25, 1);
  context.gopSize = recipe.gop ?? 30;
  context.maxBFrames = recipe.bFrames ?? 0;
  context.bitRate = 400_000n;
  context.threadCount = 1;
  // A raw stream has its headers only in the frames.
  if (!path.endsWith('.h264')) context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  // Not passed as a dictionary to open2, because node-av frees that twice.
  for (const [name, value] of Object.entries(recipe.encoderOptions ?? {}))
    check(context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN));
  check(context.open2Sync(codec, null));
  return context;
}

/** Paints a gradient that moves with the frame number, and a block that moves in the opposite direction. */
function paint(picture: Buffer, width: number, height: number, number: number): void {
  for (let y = 0; y < height; y++) picture.fill((y * 2 + number * 5) & 255, y * width, (y + 1) * width);
  const left = width - 24 - ((number * 3) % (width - 32));
  for (let y = 20; y < 44; y++) picture.fill((number * 37) & 255, y * width + left, y * width + left + 24);
  picture.fill(128, width * height);
  picture.fill((number * 11) & 255, width * height, width * height + 600);
}

function check(code: number): void {
  if (code < 0) throw new Error(`making the test video failed with ${code}`);
}
