/** Brings frames to the input of a network, and boxes back. */
import type { Box } from '../../domain/geometry.ts';
import { draw, type Placement } from '../networks/letterbox.ts';
import type { Frame } from '../sdk/detector.ts';
import type { Preprocessing } from './hints.ts';
import type { PictureInput } from './inputs.ts';
import { takesBytes } from './tensors.ts';

/** How much red, green and blue count for grey (ITU-R BT.601). */
const GREY = [0.299, 0.587, 0.114] as const;

/** Fills the input for one picture; keeps its room for the next. */
export class PictureWriter {
  readonly #input: PictureInput;
  readonly #how: Preprocessing;
  readonly #pixels: Float32Array;

  constructor(input: PictureInput, how: Preprocessing) {
    this.#input = input;
    this.#how = how;
    this.#pixels = new Float32Array(input.width * input.height * 3);
  }

  /** `values` are those of one picture in the input. */
  write(frame: Frame, values: Float32Array): Placement {
    const { width, height } = this.#input;
    const target = placeOf(frame, this.#input, this.#how);
    const isFilled = target.width === width && target.height === height;
    if (!isFilled) this.#pixels.fill(this.#how.padding);
    const whole = { x: 0, y: 0, width: frame.width, height: frame.height };
    draw(frame, whole, { ...target, values: this.#pixels, row: width, scale: 1, shift: 0 });
    this.#normalize(values);
    const scaleX = frame.width / target.width;
    const scaleY = frame.height / target.height;
    return { scaleX, scaleY, left: -target.padX * scaleX, top: -target.padY * scaleY };
  }

  #normalize(values: Float32Array): void {
    const { channels, layout, width, height, type } = this.#input;
    const { pixelFormat, mean, deviation, scale } = this.#how;
    const count = width * height;
    const pixels = this.#pixels;
    for (let channel = 0; channel < channels; channel++) {
      const deviate = deviation[channel] ?? deviation[0] ?? 1;
      // Inputs that hold bytes are given the pixels.
      const factor = takesBytes(type) ? 1 : scale / deviate;
      const shift = takesBytes(type) ? 0 : -(mean[channel] ?? mean[0] ?? 0) / deviate;
      const [first, step] = layout === 'NCHW' ? [channel * count, 1] : [channel, channels];
      const from = pixelFormat === 'BGR' ? 2 - channel : channel;
      if (channels === 1) for (let i = 0; i < count; i++) values[i] = greyAt(pixels, i * 3) * factor + shift;
      else
        for (let i = 0, to = first; i < count; i++, to += step)
          values[to] = pixels[i * 3 + from]! * factor + shift;
    }
  }
}

const greyAt = (pixels: Float32Array, i: number): number =>
  pixels[i]! * GREY[0] + pixels[i + 1]! * GREY[1] + pixels[i + 2]! * GREY[2];

function placeOf(
  frame: Pick<Frame, 'width' | 'height'>,
  { width, height }: PictureInput,
  { resize, corner }: Preprocessing,
): Pick<Box, 'width' | 'height'> & { readonly padX: number; readonly padY: number } {
  if (resize === 'STRETCH') return { width, height, padX: 0, padY: 0 };
  const scale = Math.min(width / frame.width, height / frame.height);
  const inner = {
    width: Math.max(1, Math.min(width, Math.round(frame.width * scale))),
    height: Math.max(1, Math.min(height, Math.round(frame.height * scale))),
  };
  if (corner) return { ...inner, padX: 0, padY: 0 };
  return { ...inner, padX: (width - inner.width) >> 1, padY: (height - inner.height) >> 1 };
}

/** A box of the network's input in pixels of the frame. */
export const inFrame = (box: Box, { scaleX, scaleY, left, top }: Placement): Box => ({
  x: box.x * scaleX + left,
  y: box.y * scaleY + top,
  width: box.width * scaleX,
  height: box.height * scaleY,
});
