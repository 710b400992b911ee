const HEADER = 54;

/** A BMP file of 24 bits a pixel, as most programs write it: rows from the bottom up, each filled up to four bytes, blue first. */
export function bitmapOf(rgb: Uint8Array, width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(HEADER + row * height);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(HEADER, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++)
        file[HEADER + (height - 1 - y) * row + x * 3 + channel] = rgb[(y * width + x) * 3 + 2 - channel] ?? 0;
  return file;
}
