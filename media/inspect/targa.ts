/** Which files are TGA pictures, which have nothing at their beginning that says so. */

const HEADER_BYTES = 18;
/** What the second version of the format ends with. */
const SIGNATURE = 'TRUEVISION-XFILE.\0';
export const FOOTER_BYTES = 26;

/** Kinds of picture by the number in the header: with a palette, coloured, grey; from 9 on packed. */
const PALETTE = [1, 9];
const KINDS = [...PALETTE, 2, 3, 10, 11];
const PACKED_FROM = 9;

/** What of a file tells: its beginning, its last FOOTER_BYTES and its size. */
interface Ends {
  readonly head: Buffer;
  readonly end: Buffer;
  readonly size: number;
}

/** A plausible header is not enough: the footer, the size or the file name must agree. */
export function isTarga({ head, end, size }: Ends, ending: string): boolean {
  const plain = plainSize(head);
  if (plain === undefined) return false;
  return size === plain || ending === '.tga' || end.toString('latin1').endsWith(SIGNATURE);
}

/** Bytes of the file when it is not packed and has no footer (else some number); undefined when this is no header of a TGA. */
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
