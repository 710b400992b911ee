/** A TGA file of 24 bits a pixel, rows from the top down, blue first. Packed, it has the footer of the second version. */
export function targaOf(rgb: Uint8Array, width: number, height: number, { packed = false } = {}): Buffer {
  const header = Buffer.alloc(18);
  header.writeUInt8(packed ? 10 : 2, 2);
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header.writeUInt8(24, 16);
  header.writeUInt8(0x20, 17);
  const parts: Buffer[] = [header];
  for (let at = 0; at < rgb.length; at += 3) {
    // A packet of its own for each pixel: one repetition.
    if (packed) parts.push(Buffer.from([0x80]));
    parts.push(Buffer.from([rgb[at + 2] ?? 0, rgb[at + 1] ?? 0, rgb[at] ?? 0]));
  }
  if (packed) parts.push(Buffer.alloc(8), Buffer.from('TRUEVISION-XFILE.\0', 'latin1'));
  return Buffer.concat(parts);
}
