/** Drawings of Windows (EMF, WMF), as office programs keep what was drawn or pasted into a document. */

/** `part`: the name under which the file stands in the document; packed ones (EMZ, WMZ) are known by it. */
export function isMetafile(bytes: Uint8Array, part: string): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packed = file.length > 2 && file.readUInt16BE(0) === 0x1f8b;
  return packed ? /\.[ew]mz$/i.test(part) : isEnhanced(file) || isWindows(file);
}

/** EMF: a record of type 1 that is signed. */
const isEnhanced = (file: Buffer): boolean =>
  file.length > 44 && file.readUInt32LE(0) === 1 && file.toString('latin1', 40, 44) === ' EMF';

/** WMF: with the header that tells its size, or with a header of nine words alone. */
function isWindows(file: Buffer): boolean {
  if (file.length < 18) return false;
  if (file.readUInt32LE(0) === 0x9ac6cdd7) return true;
  const [type, words, version] = [file.readUInt16LE(0), file.readUInt16LE(2), file.readUInt16LE(4)];
  return (type === 1 || type === 2) && words === 9 && (version === 0x0100 || version === 0x0300);
}
