/**
 * Writes decoded pixels and their colour profile as a TIFF file for sharp. Sharp accepts a profile only with a file, and converts the
 * colours to sRGB as for any picture. Uncompressed TIFF costs only a copy.
 */
import type { StillPicture } from './still-decoder.ts';

const SHORT = 3;
const LONG = 4;
const UNDEFINED = 7;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
const STRIP_BYTES = 1024 * 1024;

type Entry = readonly [tag: number, type: number, values: readonly number[] | Uint8Array];

export function withProfile(picture: StillPicture, profile: Uint8Array): Buffer {
  const { width, height, channels, data } = picture;
  const rowsPerStrip = Math.max(1, Math.floor(STRIP_BYTES / (width * channels)));
  const bytes = rowsPerStrip * width * channels;
  const strips = Array.from({ length: Math.ceil(height / rowsPerStrip) }, (_, n) => n * bytes);
  const entries = (start: number): readonly Entry[] => [
    [256, LONG, [width]],
    [257, LONG, [height]],
    [258, SHORT, Array.from({ length: channels }, () => 8)],
    // Not compressed; red, green and blue.
    [259, SHORT, [1]],
    [262, SHORT, [2]],
    [273, LONG, strips.map((at) => start + at)],
    [277, SHORT, [channels]],
    [278, LONG, [rowsPerStrip]],
    [279, LONG, strips.map((at) => Math.min(bytes, data.length - at))],
    [284, SHORT, [1]],
    // The fourth channel is opacity, which does not change colours.
    ...(channels === 4 ? ([[338, SHORT, [2]]] satisfies Entry[]) : []),
    [34675, UNDEFINED, profile],
  ];
  const head = headOf(entries(0));
  return Buffer.concat([headOf(entries(head.length)), data]);
}

/** Returns the header, the directory, and the values that do not fit into the directory. */
function headOf(entries: readonly Entry[]): Buffer {
  const directory = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  const values: Buffer[] = [];
  let next = HEADER_BYTES + directory.length;
  directory.writeUInt16LE(entries.length);
  for (const [n, [tag, type, content]] of entries.entries()) {
    const at = 2 + n * ENTRY_BYTES;
    const bytes = bytesOf(type, content);
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(content.length, at + 4);
    if (bytes.length <= 4) bytes.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(next, at + 8);
      // Values begin at even offsets.
      values.push(bytes, Buffer.alloc(bytes.length % 2));
      next += bytes.length + (bytes.length % 2);
    }
  }
  const header = Buffer.from([0x49, 0x49, 42, 0, HEADER_BYTES, 0, 0, 0]);
  return Buffer.concat([header, directory, ...values]);
}

function bytesOf(type: number, content: readonly number[] | Uint8Array): Buffer {
  if (type === UNDEFINED) return Buffer.from(content);
  const size = type === SHORT ? 2 : 4;
  const bytes = Buffer.alloc(content.length * size);
  content.forEach((value, n) => bytes.writeUIntLE(value, n * size, size));
  return bytes;
}
