/** Encoders of written videos, and their settings. */
import '../libav/promise-polyfill.ts';
import { availableParallelism } from 'node:os';
import { Codec, CodecContext, FFmpegError, Log, Rational } from 'node-av/lib';
import type { AVPixelFormat, FFEncoderCodec } from 'node-av/constants';
import {
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_FLAG_QSCALE,
  AV_LOG_FATAL,
  AV_OPT_SEARCH_CHILDREN,
  AV_OPT_TYPE_STRING,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUVJ420P,
  FF_QP2LAMBDA,
} from 'node-av/constants';
import type { SoundContainer } from '../sound/sound-copy.ts';

Log.setLevel(AV_LOG_FATAL);

interface Kind {
  readonly container: SoundContainer;
  readonly encoder: string;
  readonly format: AVPixelFormat;
  readonly options: Readonly<Record<string, string>>;
}

/** Fast settings, because drawn videos are for viewing, not for archiving. */
export const VIDEO_ENCODERS = {
  vp9: {
    container: 'webm',
    encoder: 'libvpx-vp9',
    format: AV_PIX_FMT_YUV420P,
    options: {
      deadline: 'realtime',
      'cpu-used': '8',
      'row-mt': '1',
      'tile-columns': '2',
      'lag-in-frames': '0',
    },
  },
  h264: {
    container: 'mp4',
    encoder: 'libx264',
    format: AV_PIX_FMT_YUV420P,
    options: { preset: 'veryfast', crf: '23' },
  },
  mjpeg: { container: 'avi', encoder: 'mjpeg', format: AV_PIX_FMT_YUVJ420P, options: {} },
} as const satisfies Readonly<Record<string, Kind>>;
export type VideoEncoder = keyof typeof VIDEO_ENCODERS;

/** Quality of MJPEG, from 2 (best) to 31 (worst). */
const MJPEG_QUALITY = 4;
/** Maximum interval of key frames, which limits how much a viewer decodes after a jump. */
const KEY_FRAME_SECONDS = 4;

export interface EncodingOptions {
  readonly width: number;
  readonly height: number;
  readonly encoder: VideoEncoder;
  /** Seconds per tick as a fraction. The timestamps of `write` are in ticks. */
  readonly tick: { readonly num: number; readonly den: number };
  /** Frames per second; the average if it varies. */
  readonly frameRate: number;
  /** Width of a pixel divided by its height; 1:1 if undefined. */
  readonly pixelAspect?: { readonly num: number; readonly den: number } | undefined;
  /** Quality of VP9, 0 (best) to 63. */
  readonly crf?: number | undefined;
}

/** Opens an encoder. The caller frees it. Error messages are sentences with FFmpeg's reason. */
export function openEncoder(options: EncodingOptions): CodecContext {
  const { encoder: name } = VIDEO_ENCODERS[options.encoder];
  const codec = Codec.findEncoderByName(name as FFEncoderCodec);
  if (codec === null) throw new Error(`The encoder ${name} is not available.`);
  const context = new CodecContext();
  context.allocContext3(codec);
  try {
    describePictures(context, options);
    setUp(context, options);
    check(context.open2Sync(codec, null));
    return context;
  } catch (error) {
    context.freeContext();
    throw error;
  }
}

function describePictures(context: CodecContext, options: EncodingOptions): void {
  const { width, height } = evenSize(options);
  const { num, den } = options.pixelAspect ?? { num: 1, den: 1 };
  context.width = width;
  context.height = height;
  context.pixelFormat = VIDEO_ENCODERS[options.encoder].format;
  context.sampleAspectRatio = new Rational(num, den);
  context.timeBase = new Rational(options.tick.num, options.tick.den);
  context.framerate = rateOf(options);
  // Matrix that the scaler uses. Otherwise, players guess another one for large pictures.
  context.colorSpace = AVCOL_SPC_SMPTE170M;
  context.colorRange = options.encoder === 'mjpeg' ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
}

function setUp(context: CodecContext, { encoder, frameRate, crf = 31 }: EncodingOptions): void {
  context.gopSize = Math.max(12, Math.round(Math.min(frameRate, 60) * KEY_FRAME_SECONDS));
  context.maxBFrames = 0;
  context.threadCount = Math.min(availableParallelism(), 8);
  context.bitRate = 0n;
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  if (encoder === 'mjpeg') {
    context.setFlags(AV_CODEC_FLAG_QSCALE);
    context.globalQuality = MJPEG_QUALITY * FF_QP2LAMBDA;
  }
  const quality = encoder === 'vp9' ? { crf: String(crf) } : {};
  // Not set by a dictionary for open2, because node-av frees it twice.
  for (const [name, value] of Object.entries({ ...VIDEO_ENCODERS[encoder].options, ...quality }))
    check(context.setOption(name, value, AV_OPT_TYPE_STRING, AV_OPT_SEARCH_CHILDREN));
}

/** Rounds the size down to even numbers, because colours are stored per square of two by two pixels. */
export function evenSize({ width, height }: EncodingOptions): { width: number; height: number } {
  return { width: Math.max(2, width & ~1), height: Math.max(2, height & ~1) };
}

/** Frame rate, exact if it is constant. */
export function rateOf({ frameRate, tick }: EncodingOptions): Rational {
  const perSecond = tick.den / tick.num;
  const exact = Math.abs(perSecond - frameRate) < 0.01;
  return exact ? new Rational(tick.den, tick.num) : new Rational(Math.round(frameRate * 1000), 1000);
}

export function check(code: number): void {
  if (code < 0) throw new Error(`The video could not be written: ${FFmpegError.strerror(code)}.`);
}
