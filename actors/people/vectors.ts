/** Vectors of faces as they are stored: a byte a number, which moves a distance by about a hundredth. */

const SCALE_BYTES = 4;
const MOST = 127;

/** Base64 of the scale, a float of 32 bits, and of a signed byte for each number. */
export function packVector(vector: Float32Array): string {
  let most = 0;
  for (let n = 0; n < vector.length; n++) most = Math.max(most, Math.abs(vector[n]!));
  const scale = most === 0 ? 1 : most / MOST;
  const bytes = Buffer.allocUnsafe(SCALE_BYTES + vector.length);
  bytes.writeFloatLE(scale, 0);
  for (let n = 0; n < vector.length; n++) bytes.writeInt8(Math.round(vector[n]! / scale), SCALE_BYTES + n);
  return bytes.toString('base64');
}

/** Bytes of a stored vector while it is read: to read one takes no new memory but what it is read into. */
let bytesRead = Buffer.alloc(1_024);
let numbersRead = new Int8Array(bytesRead.buffer, bytesRead.byteOffset, bytesRead.length);

/**
 * @param into is reused when its length fits; absent: new memory
 */
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
