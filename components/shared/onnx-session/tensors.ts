/** Converts values to and from the types of networks, including 16-bit floats, bytes and 64-bit integers. */
import type { NetworkInputs, PictureInput, PixelType } from './inputs.ts';
import type { Feeds, GivenValues, Values } from './runtime.ts';

const BIAS_DIFFERENCE = 112;
const view = new DataView(new ArrayBuffer(4));

/** Returns the bits of the nearest 16-bit float. Too large values become infinite. */
function halfOf(value: number): number {
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

/** Returns the value of a 16-bit float. */
function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** Returns the input shape for this number of pictures. */
export const shapeOf = (
  { layout, channels, width, height }: PictureInput,
  count: number,
): readonly number[] =>
  layout === 'NCHW' ? [count, channels, height, width] : [count, height, width, channels];

/** Pixel value that becomes 0 in signed bytes. Unsigned bytes are the pixel values. */
const SIGNED_MIDDLE = 128;

/** Converts pixel values to the input's type. For byte types, values range from 0 to 255. */
function pictureValues(input: PictureInput, values: Float32Array, count: number): GivenValues {
  return { type: input.type, dims: shapeOf(input, count), data: numbersAs(input.type, values) };
}

function numbersAs(type: PixelType, values: Float32Array): GivenValues['data'] {
  switch (type) {
    case 'float32':
      return values;
    case 'float16':
      return Uint16Array.from(values, halfOf);
    case 'uint8':
      return Uint8Array.from(values, clampByte);
    case 'int8':
      return Int8Array.from(values, (value) => clampByte(value) - SIGNED_MIDDLE);
  }
}

/** Returns the network's inputs for this number of pictures. `pixels` has the values of their pixels. */
export function feedsOf({ picture, size }: NetworkInputs, pixels: Float32Array, count: number): Feeds {
  const feeds = { [picture.name]: pictureValues(picture, pixels, count) };
  if (size === undefined) return feeds;
  const sides = Array.from({ length: count }, () => [picture.width, picture.height]).flat();
  const data = size.type === 'int64' ? BigInt64Array.from(sides, BigInt) : Float32Array.from(sides);
  return { ...feeds, [size.name]: { type: size.type, dims: [count, 2], data } };
}

/** Number of input values for this number of pictures. */
export const valuesOf = (inputs: NetworkInputs, count: number): number =>
  shapeOf(inputs.picture, count).reduce((product, size) => product * size, 1);

const clampByte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

export const takesBytes = (type: PixelType): boolean => type === 'uint8' || type === 'int8';

const READ_AS_THEY_ARE: readonly string[] = ['float32', 'float64', 'uint8', 'int8', 'int32'];

/** Typed arrays whose subarrays share their memory. */
export type NumberArray = Float32Array | Float64Array | Uint8Array | Int8Array | Int32Array;

/** Returns a network's output as numbers. Throws a sentence for texts and other unsupported types. */
export function numbersOf(name: string, { type, data }: Values): NumberArray {
  if (READ_AS_THEY_ARE.includes(type)) return data as unknown as NumberArray;
  if (type === 'int64') return Float64Array.from(data as ArrayLike<bigint>, Number);
  if (type === 'float16')
    return data instanceof Uint16Array ? Float32Array.from(data, fromHalf) : Float32Array.from(data as never);
  throw new Error(`The output ${name} is of the type ${type}, which nothing is read from.`);
}
