/** Recognizes TGA pictures, which have no signature at the beginning. */

const HEADER_BYTES = 18;
/** Signature at the end of files in version 2 of the format. */
const SIGNATURE = 'TRUEVISION-XFILE.\0';
export const FOOTER_BYTES = 26;

/** Picture types in the header: with a palette, in colour, in grey. Types from 9 on are compressed. */
const PALETTE = [1, 9];
const KINDS = [...PALETTE, 2, 3, 10, 11];
const PACKED_FROM = 9;

/** The parts of a file that are checked: its beginning, its last FOOTER_BYTES and its size. */
interface Ends {
  readonly head: Buffer;
  readonly end: Buffer;
  readonly size: number;
}

/** True if the file is a TGA picture. A plausible header is not enough: the footer, the size or the file extension must agree. */
export function isTarga({ head, end, size }: Ends, ending: string): boolean {
  const plain = plainSize(head);
  if (plain === undefined) return false;
  return size === plain || ending === '.tga' || end.toString('latin1').endsWith(SIGNATURE);
}

/** Size that an uncompressed file without a footer has. Returns -1 if the file is compressed; undefined if the header is not TGA. */
function plainSize(head: Buffer): number | undefined {
  if (head.length < HEADER_BYTES) return undefined;
  const [idLength, hasPalette, kind] = [head.readUInt8(0), head.readUInt8(1), head.readUInt8(2)];
  const [firstColour, colours, colourBits] = [head.readUInt16LE(3), head.readUInt16LE(5), head.readUInt8(7)];
  const [width, height, bits] = [head.readUInt16LE(12), head.readUInt16LE(14), head.readUInt8(16)];
  const paletteFits = PALETTE.includes(kind)
    ? hasPalette === 1 && colours > 0 && [15, 16, 24, 32].includes(colourBits) && bits === 8
    : hasPalette === 0 && firstColour === 0 && colours === 0 && [8, 15, 16, 24, 32].includes(bits);
  if (!KINDS.includes(kind) || !paletteFits || width === 0 || height === 0) return undefined;
  if (kind >= PACKED_FROM) return -1;
  return HEADER_BYTES + idLength + colours * Math.ceil(colourBits / 8) + width * height * Math.ceil(bits / 8);
}
