/** Converts decoded pictures of any pixel format to tightly packed RGB. */
import { Frame as AvFrame, SoftwareScaleContext } from 'node-av/lib';
import {
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_RGB,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  SWS_BILINEAR,
} from 'node-av/constants';
import type { AVColorSpace } from 'node-av/constants';
import { MediumError } from '../medium-error.ts';

/** Colour matrices that the plain path converts correctly. Others (HD and HDR) need explicit settings of the scaler. */
const PLAIN_COLOURS: readonly AVColorSpace[] = [
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_RGB,
];
/** The scaler may write a few bytes past the last row. */
const SLACK = 64;

/** Bytes that a converter needs for pictures of this size. */
export const rgbBytes = (width: number, height: number): number => width * height * 3 + SLACK;

/** Converts pictures into one buffer, which each call overwrites. */
export class RgbConverter {
  readonly width: number;
  readonly height: number;
  /** The last converted picture. */
  readonly data: Buffer;
  readonly #planes: Buffer[];
  readonly #strides: number[];
  #scaler: SoftwareScaleContext | undefined;
  #source = '';
  #coloured: ColouredScaler | undefined;

  /** `memory`: shared memory of `rgbBytes` bytes for the pixels, if another thread needs them. */
  constructor(width: number, height: number, memory?: SharedArrayBuffer) {
    this.width = width;
    this.height = height;
    const whole = memory === undefined ? Buffer.alloc(rgbBytes(width, height)) : Buffer.from(memory);
    this.data = whole.subarray(0, width * height * 3);
    this.#planes = [whole];
    this.#strides = [width * 3];
  }

  convert(frame: AvFrame): void {
    const plainRange = frame.colorRange !== AVCOL_RANGE_JPEG || frame.format !== AV_PIX_FMT_YUV420P;
    if (plainRange && PLAIN_COLOURS.includes(frame.colorSpace)) this.#plain(frame);
    else this.#withColours(frame);
  }

  /** Fast path, which converts directly into the buffer. */
  #plain(frame: AvFrame): void {
    const source = `${frame.width}x${frame.height}:${frame.format}`;
    if (this.#scaler === undefined || source !== this.#source) {
      this.#scaler?.freeContext();
      this.#scaler = new SoftwareScaleContext();
      this.#scaler.getContext(
        frame.width,
        frame.height,
        pixelFormat(frame),
        this.width,
        this.height,
        AV_PIX_FMT_RGB24,
        SWS_BILINEAR,
      );
      this.#source = source;
    }
    const planes = frame.data;
    const rows =
      planes === null
        ? -1
        : this.#scaler.scaleSync(planes, frame.linesize, 0, frame.height, this.#planes, this.#strides);
    if (rows < 0) throw unconvertible(frame);
  }

  /** Converts with the frame's own colour matrix and range. */
  #withColours(frame: AvFrame): void {
    const { scaler, target } = (this.#coloured ??= colouredScaler(this.width, this.height, this.#planes));
    if (scaler.scaleFrameSync(target, frame) < 0) throw unconvertible(frame);
  }

  close(): void {
    this.#scaler?.freeContext();
    this.#coloured?.scaler.freeContext();
    this.#coloured?.target.free();
    this.#scaler = undefined;
    this.#coloured = undefined;
  }
}

/** A scaler that reads size, format and colours from each frame. */
interface ColouredScaler {
  readonly scaler: SoftwareScaleContext;
  readonly target: AvFrame;
}

/** Creates a scaler that writes packed rows directly into the buffer, so nothing is copied. The target's memory belongs to JavaScript. */
function colouredScaler(width: number, height: number, [buffer]: readonly Buffer[]): ColouredScaler {
  const scaler = new SoftwareScaleContext();
  scaler.allocContext();
  const format = AV_PIX_FMT_RGB24;
  const target = AvFrame.fromVideoBuffer(buffer!, { width, height, format, timeBase: { num: 1, den: 1 } });
  return { scaler, target };
}

function pixelFormat(frame: AvFrame) {
  if (!frame.isVideo()) throw unconvertible(frame);
  return frame.format as typeof AV_PIX_FMT_YUV420P;
}

function unconvertible(frame: AvFrame): MediumError {
  return new MediumError(
    'COULD_NOT_READ_MEDIA',
    `A picture of ${frame.width}x${frame.height} pixels could not be converted to RGB.`,
  );
}
