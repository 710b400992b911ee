/** Converts frames to a network's input, and boxes back to the frame. */
import type { Box } from '../../../domain/geometry/geometry.ts';
import { draw, INTERLEAVED, type Placement } from '../../shared/networks/letterbox.ts';
import type { Colours, Target } from '../../shared/networks/target.ts';
import type { Frame } from '../../sdk/detector.ts';
import type { Preprocessing } from '../../shared/onnx-session/hints.ts';
import type { PictureInput } from '../../shared/onnx-session/inputs.ts';
import { takesBytes } from '../../shared/onnx-session/tensors.ts';

type Size = Pick<Box, 'width' | 'height'>;

/** Weights of red, green and blue in grey (ITU-R BT.601). */
const GREY = [0.299, 0.587, 0.114] as const;

/** Writes the input for one picture. */
export class PictureWriter {
  readonly #input: PictureInput;
  readonly #how: Preprocessing;
  /** Positions and scaling of colour values. */
  readonly #colours: Pick<Target, 'first' | 'step' | 'scale' | 'shift'>;
  /** Memory for the coloured picture, for networks with grey input. */
  readonly #coloured: Float32Array | undefined;

  constructor(input: PictureInput, how: Preprocessing) {
    this.#input = input;
    this.#how = how;
    this.#coloured = input.channels === 1 ? new Float32Array(input.width * input.height * 3) : undefined;
    this.#colours = this.#coloured === undefined ? coloursOf(input, how) : { ...INTERLEAVED, ...PLAIN };
  }

  /** Writes a region, which is in whole pixels and inside the frame. `values` are those of one picture in the input. */
  write(frame: Frame, region: Box, values: Float32Array): Placement {
    const target = placeOf(region, this.#input, this.#how);
    const drawn = this.#coloured ?? values;
    this.#pad(drawn, target);
    draw(frame, region, { ...target, ...this.#colours, values: drawn, row: this.#input.width });
    if (this.#coloured !== undefined) this.#toGrey(this.#coloured, values);
    const scaleX = region.width / target.width;
    const scaleY = region.height / target.height;
    return { scaleX, scaleY, left: region.x - target.padX * scaleX, top: region.y - target.padY * scaleY };
  }

  /** Fills the padding of a letterbox. */
  #pad(values: Float32Array, target: Size): void {
    const { width, height } = this.#input;
    if (target.width === width && target.height === height) return;
    const { first, step, scale, shift } = this.#colours;
    for (const [colour, start] of first.entries()) {
      const value = this.#how.padding * scale[colour]! + shift[colour]!;
      if (step === 1) values.fill(value, start, start + width * height);
      else for (let i = start; i < values.length; i += step) values[i] = value;
    }
  }

  #toGrey(coloured: Float32Array, values: Float32Array): void {
    const { factor, shift } = scaleOf(this.#input, this.#how, 0);
    for (let i = 0; i < values.length; i++) values[i] = greyAt(coloured, i * 3) * factor + shift;
  }
}

const PLAIN = { scale: [1, 1, 1], shift: [0, 0, 0] } as const;

function coloursOf(
  input: PictureInput,
  how: Preprocessing,
): Pick<Target, 'first' | 'step' | 'scale' | 'shift'> {
  const isPlanar = input.layout === 'NCHW';
  const channelOf = (colour: number) => (how.pixelFormat === 'BGR' ? 2 - colour : colour);
  const each = (value: (channel: number) => number): Colours =>
    [0, 1, 2].map((colour) => value(channelOf(colour))) as never;
  return {
    first: each((channel) => (isPlanar ? channel * input.width * input.height : channel)),
    step: isPlanar ? 1 : 3,
    scale: each((channel) => scaleOf(input, how, channel).factor),
    shift: each((channel) => scaleOf(input, how, channel).shift),
  };
}

/** Returns factor and shift of a channel. Byte inputs get the unchanged pixels. */
function scaleOf({ type }: PictureInput, { scale, mean, deviation }: Preprocessing, channel: number) {
  if (takesBytes(type)) return { factor: 1, shift: 0 };
  const deviate = deviation[channel] ?? deviation[0] ?? 1;
  return { factor: scale / deviate, shift: -(mean[channel] ?? mean[0] ?? 0) / deviate };
}

const greyAt = (pixels: Float32Array, i: number): number =>
  pixels[i]! * GREY[0] + pixels[i + 1]! * GREY[1] + pixels[i + 2]! * GREY[2];

function placeOf(
  region: Size,
  { width, height }: PictureInput,
  { resize, corner }: Preprocessing,
): Size & { readonly padX: number; readonly padY: number } {
  if (resize === 'STRETCH') return { width, height, padX: 0, padY: 0 };
  const scale = Math.min(width / region.width, height / region.height);
  const inner = {
    width: Math.max(1, Math.min(width, Math.round(region.width * scale))),
    height: Math.max(1, Math.min(height, Math.round(region.height * scale))),
  };
  if (corner) return { ...inner, padX: 0, padY: 0 };
  return { ...inner, padX: (width - inner.width) >> 1, padY: (height - inner.height) >> 1 };
}
