/** Pictures as PNG files. */
import { writeFile } from 'node:fs/promises';
import { firstLine } from '../first-line.ts';
import { sharp } from './sharp.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Tightly packed RGB that does not change any more. */
  readonly data: Uint8Array;
}

/**
 * Writes a PNG. `compressionLevel` is 0 to 9. A failed write leaves an incomplete file. Error messages are sentences with the system's
 * reason.
 */
export async function writePng(
  path: string,
  { data, width, height }: Picture,
  compressionLevel?: number,
): Promise<void> {
  const options = compressionLevel === undefined ? {} : { compressionLevel };
  const png = await sharp(data, { raw: { width, height, channels: 3 } })
    .png(options)
    .toBuffer();
  try {
    await writeFile(path, png);
  } catch (error) {
    throw new Error(`The picture could not be stored: ${firstLine(error)}.`, { cause: error });
  }
}
