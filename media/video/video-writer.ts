/**
 * Encodes pictures into a video file. The caller draws each picture into `picture` and states its time. Encoding is synchronous and takes
 * some tens of milliseconds for a large picture.
 */
import { Frame, FormatContext, SoftwareScaleContext } from 'node-av/lib';
import type { CodecContext, Packet, Stream } from 'node-av/lib';
import { AV_PIX_FMT_RGB24, SWS_BILINEAR } from 'node-av/constants';
import { newPacket, once } from '../libav/container.ts';
import { SOUND_CODECS, copySound } from '../sound/sound-copy.ts';
import type { SoundCopy, SoundPart } from '../sound/sound-copy.ts';
import { VIDEO_ENCODERS, check, evenSize, openEncoder, rateOf } from './video-encoder.ts';
import type { EncodingOptions } from './video-encoder.ts';

/** Number of bytes that the scaler may access past the last row. */
const SLACK = 64;

export interface VideoWriterOptions extends EncodingOptions {
  /** A medium whose sound is copied if the container accepts its codec unchanged. */
  readonly soundOf?: string | undefined;
  /** Parts of the sound to copy; the whole sound if undefined. */
  readonly soundParts?: readonly SoundPart[] | undefined;
}

export interface VideoWriter {
  /** The next picture, tightly packed RGB of `width` x `height`. */
  readonly picture: Buffer;
  /** True if the file gets the sound. */
  readonly hasSound: boolean;
  /** Encodes `picture`, which is shown from tick `at` on. Ticks must ascend. */
  write(at: number): void;
  /** Completes the file. */
  finish(): void;
  /** Frees all resources. An unfinished file is unusable. */
  close(): void;
}

/** Opens a writer. Sizes are rounded down to even numbers. Error messages are sentences with FFmpeg's reason. */
export function openVideoWriter(path: string, options: VideoWriterOptions): VideoWriter {
  const opened: (() => void)[] = [];
  const close = once(() => {
    for (const free of opened.toReversed()) free();
  });
  try {
    const encoder = openEncoder(options);
    opened.push(() => encoder.freeContext());
    const muxer = new FormatContext();
    check(muxer.allocOutputContext2(null, VIDEO_ENCODERS[options.encoder].container, `file:${path}`));
    opened.push(() => muxer.freeContext());
    const stream = newStream(muxer, encoder, options);
    const sound =
      options.soundOf === undefined
        ? undefined
        : copySound(
            options.soundOf,
            muxer,
            SOUND_CODECS[VIDEO_ENCODERS[options.encoder].container],
            options.soundParts,
          );
    if (sound !== undefined) opened.push(() => sound.close());
    check(muxer.openOutputSync());
    opened.push(() => muxer.closeOutputSync());
    check(muxer.writeHeaderSync(null));
    const output = new Output(options, encoder, muxer, stream, sound);
    opened.push(() => output.free());
    const { picture } = output;
    return {
      picture,
      hasSound: sound !== undefined,
      write: (at) => output.write(at),
      finish: () => output.finish(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function newStream(muxer: FormatContext, encoder: CodecContext, options: VideoWriterOptions): Stream {
  const stream = muxer.newStream(null);
  stream.codecpar.fromContext(encoder);
  stream.timeBase = encoder.timeBase;
  stream.avgFrameRate = rateOf(options);
  stream.sampleAspectRatio = encoder.sampleAspectRatio;
  return stream;
}

/** Sends pictures to the encoder and writes its packets to the file. */
class Output {
  readonly picture: Buffer;
  readonly #options: VideoWriterOptions;
  readonly #encoder: CodecContext;
  readonly #muxer: FormatContext;
  readonly #stream: Stream;
  readonly #sound: SoundCopy | undefined;
  readonly #packet: Packet = newPacket();
  readonly #scaler = new SoftwareScaleContext();
  readonly #rgb: Buffer;
  /** Duration of a frame without a successor, in ticks. */
  readonly #usual: bigint;

  constructor(
    options: VideoWriterOptions,
    encoder: CodecContext,
    muxer: FormatContext,
    stream: Stream,
    sound: SoundCopy | undefined,
  ) {
    this.#options = options;
    this.#encoder = encoder;
    this.#muxer = muxer;
    this.#stream = stream;
    this.#sound = sound;
    const { width, height } = options;
    const even = evenSize(options);
    // An odd row or column is cut off. A single row or column is doubled.
    const [fromWidth, fromHeight] = [Math.min(width, even.width), Math.min(height, even.height)];
    this.#rgb = Buffer.alloc(width * height * 3 + SLACK);
    this.picture = this.#rgb.subarray(0, width * height * 3);
    const { format } = VIDEO_ENCODERS[options.encoder];
    this.#scaler.getContext(
      fromWidth,
      fromHeight,
      AV_PIX_FMT_RGB24,
      even.width,
      even.height,
      format,
      SWS_BILINEAR,
    );
    const { num, den } = options.tick;
    this.#usual = BigInt(Math.max(1, Math.round(den / num / Math.max(options.frameRate, 0.001))));
  }

  write(at: number): void {
    const { tick } = this.#options;
    const frame = this.#convertFrame();
    try {
      frame.pts = BigInt(at);
      frame.duration = this.#usual;
      check(this.#encoder.sendFrameSync(frame));
    } finally {
      frame.free();
    }
    this.#sound?.copyUntil((at * tick.num) / tick.den);
    this.#drain();
  }

  /** Converts into a new frame. Encoders with several threads still read the previous one while the next is drawn. */
  #convertFrame(): Frame {
    const { width, height } = this.#options;
    const frame = new Frame();
    frame.alloc();
    try {
      frame.width = this.#encoder.width;
      frame.height = this.#encoder.height;
      frame.format = this.#encoder.pixelFormat;
      check(frame.getBuffer());
      frame.colorRange = this.#encoder.colorRange;
      frame.colorSpace = this.#encoder.colorSpace;
      const planes = frame.data;
      const rows = Math.min(height, frame.height);
      if (
        planes === null ||
        this.#scaler.scaleSync([this.#rgb], [width * 3], 0, rows, planes, frame.linesize) < 0
      )
        throw new Error(`A picture of ${width}x${height} pixels could not be converted for encoding.`);
      return frame;
    } catch (error) {
      frame.free();
      throw error;
    }
  }

  finish(): void {
    check(this.#encoder.sendFrameSync(null));
    this.#drain();
    this.#sound?.copyUntil(Infinity);
    check(this.#muxer.writeTrailerSync());
  }

  #drain(): void {
    while (this.#encoder.receivePacketSync(this.#packet) >= 0) {
      this.#packet.streamIndex = this.#stream.index;
      if (this.#packet.duration === 0n) this.#packet.duration = this.#usual;
      this.#packet.rescaleTs(this.#encoder.timeBase, this.#stream.timeBase);
      check(this.#muxer.interleavedWriteFrameSync(this.#packet));
    }
  }

  free(): void {
    this.#packet.free();
    this.#scaler.freeContext();
  }
}
