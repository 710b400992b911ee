/** The boxes of which MP4 files consist (ISO 14496-12, 4.2): their size, their type, and what is in them. */

export interface Box {
  readonly type: string;
  /** Where it begins in what was read. */
  readonly at: number;
  readonly size: number;
  /** Without its head. */
  readonly body: Buffer;
}

const HEAD = 8;

/** Those in what was read: the last one may be cut off. */
export function boxesIn(bytes: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + HEAD <= bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (size < HEAD) break;
    const type = bytes.toString('latin1', at + 4, at + HEAD);
    boxes.push({ type, at, size, body: bytes.subarray(at + HEAD, at + size) });
    at += size;
  }
  return boxes;
}

export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, HEAD);
  return Buffer.concat([words(size), Buffer.from(type, 'latin1'), ...content]);
}

/** A box with a version and flags. */
export const fullBox = (type: string, ...content: readonly Buffer[]): Buffer =>
  box(type, words(0), ...content);

/** Numbers of 32 bits. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [n, number] of numbers.entries()) bytes.writeUInt32BE(number, n * 4);
  return bytes;
}

/** Numbers of 64 bits. */
export function longs(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [n, number] of numbers.entries()) bytes.writeBigUInt64BE(BigInt(number), n * 8);
  return bytes;
}
