/** Stored form of face vectors: one byte for each number, which changes a distance by about one percent. */

const SCALE_BYTES = 4;
const MOST = 127;

/** Returns Base64 of the scale (a 32-bit float) and of a signed byte for each number. */
export function packVector(vector: Float32Array): string {
  let most = 0;
  for (let n = 0; n < vector.length; n++) most = Math.max(most, Math.abs(vector[n]!));
  const scale = most === 0 ? 1 : most / MOST;
  const bytes = Buffer.allocUnsafe(SCALE_BYTES + vector.length);
  bytes.writeFloatLE(scale, 0);
  for (let n = 0; n < vector.length; n++) bytes.writeInt8(Math.round(vector[n]! / scale), SCALE_BYTES + n);
  return bytes.toString('base64');
}

/** Buffers for reading a stored vector. They are reused, so that reading allocates only the result. */
let bytesRead = Buffer.alloc(1_024);
let numbersRead = new Int8Array(bytesRead.buffer, bytesRead.byteOffset, bytesRead.length);

/** @param into is reused if its length fits; absent: new memory */
export function unpackVector(packed: string, into?: Float32Array): Float32Array {
  const most = Buffer.byteLength(packed, 'base64');
  if (most > bytesRead.length) {
    bytesRead = Buffer.alloc(most);
    numbersRead = new Int8Array(bytesRead.buffer, bytesRead.byteOffset, bytesRead.length);
  }
  const length = bytesRead.write(packed, 'base64') - SCALE_BYTES;
  const scale = bytesRead.readFloatLE(0);
  const vector = into?.length === length ? into : new Float32Array(length);
  for (let n = 0; n < length; n++) vector[n] = numbersRead[SCALE_BYTES + n]! * scale;
  return vector;
}

/** The distance of two vectors of the same length. Infinity if it is not below `most`. */
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
/** Numbers compared between two checks whether the vectors are already too far apart. */
const STEP = 32;
