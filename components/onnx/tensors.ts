/** Values as networks take and give them: floats of 16 bits, bytes and whole numbers of 64 bits among them. */
import { Tensor } from 'onnxruntime-node';
import type { PictureInput, PixelType } from './inputs.ts';

const BIAS_DIFFERENCE = 112;
const view = new DataView(new ArrayBuffer(4));

/** The bits of a float of 16 bits that is nearest to a value; what is too large becomes infinite. */
export function halfOf(value: number): number {
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
  const half = exponent - BIAS_DIFFERENCE;
  if (half >= 31) return sign | 0x7c00;
  if (half > 0) return sign | (((half << 10) | (fraction >>> 13)) + ((fraction >>> 12) & 1));
  if (half < -10) return sign;
  const shifted = (fraction | 0x800000) >>> (14 - half);
  return sign | (shifted + (((fraction | 0x800000) >>> (13 - half)) & 1));
}

/** The value of a float of 16 bits. */
export function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** The shape of an input for so many pictures. */
export const shapeOf = (
  { layout, channels, width, height }: PictureInput,
  count: number,
): readonly number[] =>
  layout === 'NCHW' ? [count, channels, height, width] : [count, height, width, channels];

/** Bytes are the pixels themselves; of those with a sign the middle, 128, is 0. */
const SIGNED_MIDDLE = 128;

/** Values of pictures as the input wants them. Those of types that hold bytes go from 0 to 255. */
export function pictureTensor(input: PictureInput, values: Float32Array, count: number): Tensor {
  const shape = shapeOf(input, count);
  switch (input.type) {
    case 'float32':
      return new Tensor('float32', values, shape);
    case 'float16':
      return new Tensor('float16', Uint16Array.from(values, halfOf) as never, shape);
    case 'uint8':
      return new Tensor('uint8', Uint8Array.from(values, clamped), shape);
    case 'int8':
      return new Tensor(
        'int8',
        Int8Array.from(values, (value) => clamped(value) - SIGNED_MIDDLE),
        shape,
      );
  }
}

const clamped = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

export const takesBytes = (type: PixelType): boolean => type === 'uint8' || type === 'int8';

const READ_AS_THEY_ARE: readonly string[] = ['float32', 'float64', 'uint8', 'int8', 'int32'];

/** Arrays whose parts share their memory. */
export type NumberArray = Float32Array | Float64Array | Uint8Array | Int8Array | Int32Array;

/** What a network answered, as numbers. Errors: a sentence for texts and other types that no head reads. */
export function numbersOf(name: string, { type, data }: Tensor): NumberArray {
  if (READ_AS_THEY_ARE.includes(type)) return data as NumberArray;
  if (type === 'int64') return Float64Array.from(data as BigInt64Array, Number);
  if (type === 'float16')
    return data instanceof Uint16Array ? Float32Array.from(data, fromHalf) : Float32Array.from(data as never);
  throw new Error(`The output ${name} is of the type ${type}, which nothing is read from.`);
}
