/** Vectors of tracks: as components report them, and as the index stores them. */

/** Property with the vector: base64 of little-endian 32-bit floats. */
export const FEATURE = 'FEATURE';
/** Property with name and version of the vector's model. */
export const FEATURE_MODEL = 'FEATURE_MODEL';

/** Minimum and maximum number of elements in a vector. */
const LEAST_DIMENSION = 2;
export const MOST_DIMENSIONS = 4_096;
const FLOAT_BYTES = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Number of characters for one element more than the longest vector, so that a vector that is too long is recognized. */
export const MOST_FEATURE_CHARACTERS = Math.ceil(((MOST_DIMENSIONS + 1) * FLOAT_BYTES) / 3) * 4;

/** A vector of length 1, or the reason why there is none: a part of a sentence. */
export type ReadVector = { readonly unit: Float32Array } | { readonly wrong: string };

export function readVector(text: string): ReadVector {
  if (!BASE64.test(text)) return { wrong: 'it is not base64' };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0)
    return { wrong: `its ${bytes.length} bytes are not whole floats of 32 bits` };
  return unitVector(
    Array.from({ length: bytes.length / FLOAT_BYTES }, (_, n) => bytes.readFloatLE(n * FLOAT_BYTES)),
  );
}

/** Scales a vector to length 1. The similarity of two such vectors is their dot product. */
export function unitVector(values: readonly number[]): ReadVector {
  const { length } = values;
  if (length < LEAST_DIMENSION || length > MOST_DIMENSIONS)
    return { wrong: `it has ${length} numbers instead of ${LEAST_DIMENSION} to ${MOST_DIMENSIONS}` };
  if (!values.every(Number.isFinite)) return { wrong: 'it contains NaN or infinity' };
  const norm = Math.hypot(...values);
  if (!(norm > 0 && Number.isFinite(norm))) return { wrong: `its length is ${norm}` };
  return { unit: Float32Array.from(values, (value) => value / norm) };
}

export const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

export function floatsOf(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = byteOffsetFits(bytes) ? bytes : Buffer.from(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / FLOAT_BYTES);
}
const byteOffsetFits = ({ byteOffset }: Buffer): boolean => byteOffset % FLOAT_BYTES === 0;
