/**
 * JPEG payloads (RFC 2435). They lack the headers of a JPEG file, which differ only in size, sampling and quantisation. These headers are
 * inserted before the scan again. The Huffman tables are the standard ones, which decoders use by default.
 */
import type { Payloads } from './payloads.ts';

const HEADER_BYTES = 8;
const RESTART_BYTES = 4;
const TABLE_BYTES = 64;
/** Quantisation at quality 50, for brightness and then colour, in zigzag order (RFC 2435, appendix A). */
const QUANTISERS = Buffer.alloc(2 * TABLE_BYTES, 99);
Buffer.from(
  '100b0c0e0c0a100e0d0e1211101318281a181616183123251d283a333d3c3933383740485c4e4044574537385' +
    '06d51575f626768673e4d71797064785c656763',
  'hex',
).copy(QUANTISERS);
Buffer.from('1112121815182f1a1a2f6342384263', 'hex').copy(QUANTISERS, TABLE_BYTES);

interface Head {
  /** 0: colours at half width; 1: at half width and height. */
  readonly type: number;
  readonly width: number;
  readonly height: number;
  readonly restartInterval: number;
  /** 64 bytes, or 128 if colours have their own table. */
  readonly tables: Buffer;
}

export function jpegPayloads(): Payloads {
  /** Tables of earlier pictures, by their number. */
  const known = new Map<number, Buffer>();
  let head: Head | undefined;
  let scan: Buffer[] = [];
  let expected = 0;
  return {
    add: (payload) => {
      const part = partOf(payload, known);
      if (part === undefined) return;
      if (part.offset === 0) [head, scan, expected] = [part.head, [], 0];
      // A missing part makes the rest of the picture unusable.
      if (part.offset !== expected) head = undefined;
      if (head === undefined) return;
      scan.push(Buffer.from(part.data));
      expected += part.data.length;
    },
    take: () => {
      const data = head === undefined ? undefined : Buffer.concat([jpegHeader(head), ...scan, EOI]);
      [head, scan, expected] = [undefined, [], 0];
      return data;
    },
  };
}

function partOf(
  payload: Buffer,
  known: Map<number, Buffer>,
): { readonly offset: number; readonly head: Head | undefined; readonly data: Buffer } | undefined {
  if (payload.length < HEADER_BYTES) return undefined;
  const offset = payload.readUIntBE(1, 3);
  const [type, quality] = [payload[4]!, payload[5]!];
  const [width, height] = [payload[6]! * 8, payload[7]! * 8];
  const restarts = type >= 64 && type < 128;
  let start = HEADER_BYTES + (restarts ? RESTART_BYTES : 0);
  if (payload.length < start) return undefined;
  if (offset > 0) return { offset, head: undefined, data: payload.subarray(start) };
  const restartInterval = restarts ? payload.readUInt16BE(HEADER_BYTES) : 0;
  let tables = quality < 100 ? scaledTables(quality) : known.get(quality);
  if (quality >= 128 && payload.length >= start + 4) {
    const length = payload.readUInt16BE(start + 2);
    start += 4 + length;
    if (length >= TABLE_BYTES) tables = Buffer.from(payload.subarray(start - length, start));
    if (length >= TABLE_BYTES && quality < 255) known.set(quality, tables!);
  }
  const usable = tables !== undefined && type % 64 < 2 && type < 128 && width > 0 && height > 0;
  const head = usable ? { type: type % 64, width, height, restartInterval, tables: tables! } : undefined;
  return { offset, head, data: payload.subarray(start) };
}

function scaledTables(quality: number): Buffer {
  const q = Math.max(1, quality);
  const percent = q < 50 ? Math.floor(5000 / q) : 200 - 2 * q;
  return QUANTISERS.map((value) =>
    Math.min(255, Math.max(1, Math.floor((value * percent + 50) / 100))),
  ) as Buffer;
}

const EOI = Buffer.from([0xff, 0xd9]);

function jpegHeader({ type, width, height, restartInterval, tables }: Head): Buffer {
  const count = tables.length >= 2 * TABLE_BYTES ? 2 : 1;
  const quantisers = Array.from({ length: count }, (_, n) =>
    segment(0xdb, [n, ...tables.subarray(n * TABLE_BYTES, (n + 1) * TABLE_BYTES)]),
  );
  const restarts = restartInterval > 0 ? [segment(0xdd, [restartInterval >> 8, restartInterval & 0xff])] : [];
  const colours = count - 1;
  const brightness = type === 0 ? 0x21 : 0x22;
  const frame = [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 3]
    .concat([1, brightness, 0])
    .concat([2, 0x11, colours, 3, 0x11, colours]);
  const scan = [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...quantisers,
    ...restarts,
    segment(0xc0, frame),
    segment(0xda, scan),
  ]);
}

function segment(marker: number, content: readonly number[]): Buffer {
  const length = content.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...content]);
}
