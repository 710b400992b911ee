/** Vectors of faces as they are stored: a byte a number, which moves a distance by about a hundredth. */

const SCALE_BYTES = 4;
const MOST = 127;

/** Base64 of the scale, a float of 32 bits, and of a signed byte for each number. */
export function packVector(vector: Float32Array): string {
  const most = vector.reduce((one, value) => Math.max(one, Math.abs(value)), 0);
  const scale = most === 0 ? 1 : most / MOST;
  const bytes = Buffer.alloc(SCALE_BYTES + vector.length);
  bytes.writeFloatLE(scale, 0);
  for (const [n, value] of vector.entries()) bytes.writeInt8(Math.round(value / scale), SCALE_BYTES + n);
  return bytes.toString('base64');
}

export function unpackVector(packed: string): Float32Array {
  const bytes = Buffer.from(packed, 'base64');
  const scale = bytes.readFloatLE(0);
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.length - SCALE_BYTES);
  const vector = new Float32Array(numbers.length);
  for (let n = 0; n < vector.length; n++) vector[n] = numbers[n]! * scale;
  return vector;
}

/** The distance of two vectors of the same length; Infinity when it is not below `most`. */
export function distanceBelow(a: Float32Array, b: Float32Array, most: number): number {
  if (a.length !== b.length) return Infinity;
  const limit = most * most;
  let sum = 0;
  for (let n = 0; n < a.length;) {
    const end = Math.min(a.length, n + STEP);
    for (; n < end; n++) sum += (a[n]! - b[n]!) ** 2;
    if (sum >= limit) return Infinity;
  }
  return Math.sqrt(sum);
}
/** Numbers that are compared before it is seen whether the vectors are too far from each other already. */
const STEP = 32;
