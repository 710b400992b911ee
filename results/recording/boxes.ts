/** Boxes of MP4 files (ISO 14496-12, 4.2): their size, type and content. */

export interface Box {
  readonly type: string;
  /** Offset in the given bytes. */
  readonly at: number;
  readonly size: number;
  /** Content without the header. */
  readonly body: Buffer;
}

const HEAD = 8;

/** The boxes in the given bytes. The last one may be incomplete. */
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

/** Encodes 32-bit numbers. */
export function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [n, number] of numbers.entries()) bytes.writeUInt32BE(number, n * 4);
  return bytes;
}

/** Encodes 64-bit numbers. */
export function longs(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [n, number] of numbers.entries()) bytes.writeBigUInt64BE(BigInt(number), n * 8);
  return bytes;
}
