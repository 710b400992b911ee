/** Recognizes drawings in documents: EMF, WMF, SVG, and SVM of older office programs. */

/** Number of bytes in which an SVG must begin, after its declaration and comments. */
const SVG_HEAD_BYTES = 4096;

/** True if the file is a drawing. `part`: its name in the document, which identifies compressed ones (EMZ, WMZ, SVGZ). */
export function isDrawing(bytes: Uint8Array, part: string): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packed = file.length > 2 && file.readUInt16BE(0) === 0x1f8b;
  return packed ? /\.([ew]mz|svgz)$/i.test(part) : KINDS.some((is) => is(file));
}

/** True for EMF: a record of type 1 with a signature. */
const isEnhanced = (file: Buffer): boolean =>
  file.length > 44 && file.readUInt32LE(0) === 1 && file.toString('latin1', 40, 44) === ' EMF';

/** True for WMF: with the header that contains its size, or only with a header of nine words. */
function isWindows(file: Buffer): boolean {
  if (file.length < 18) return false;
  if (file.readUInt32LE(0) === 0x9ac6cdd7) return true;
  const [type, words, version] = [file.readUInt16LE(0), file.readUInt16LE(2), file.readUInt16LE(4)];
  return (type === 1 || type === 2) && words === 9 && (version === 0x0100 || version === 0x0300);
}

const isStarView = (file: Buffer): boolean => file.toString('latin1', 0, 6) === 'VCLMTF';

/** True for an SVG root element, with or without a prefix. Only declarations and comments may precede it. */
const isSvg = (file: Buffer): boolean =>
  /^\uFEFF?\s*</.test(file.toString('utf8', 0, 64)) &&
  /<([\w.-]{1,40}:)?svg[\s/>]/.test(file.toString('utf8', 0, SVG_HEAD_BYTES));

const KINDS = [isEnhanced, isWindows, isStarView, isSvg];
