/** A portrait as telephones store it: lying on its side, with a note to the viewer of how to turn it. */
import { readFileSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { openVideoWriter } from '../../../media/video/video-writer.ts';
import { sample } from '../../media/support/samples.ts';

/** Of the pictures as a viewer shows them. */
export const PORTRAIT = { left: 60, top: 0, width: 400, height: 512 };

const portrait = () => sharp(sample('astronaut.png')).removeAlpha().extract(PORTRAIT);
const lyingPicture = async () => sharp(await portrait().png().toBuffer()).rotate(270);

export async function uprightPicture(path: string): Promise<void> {
  await portrait().png().toFile(path);
}

/** EXIF orientation 6: turn it by 90 degrees clockwise. */
export async function turnedPicture(path: string): Promise<void> {
  await (await lyingPicture()).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toFile(path);
}

/** An MP4 whose track header says the same. */
export async function turnedVideo(path: string, frames: number): Promise<void> {
  const { data, info } = await (await lyingPicture()).raw().toBuffer({ resolveWithObject: true });
  const writer = openVideoWriter(path, {
    ...{ width: info.width, height: info.height, tick: { num: 1, den: 25 }, frameRate: 25 },
    ...{ encoder: 'h264', crf: 20 },
  });
  try {
    for (let frame = 0; frame < frames; frame++) {
      data.copy(writer.picture);
      writer.write(frame);
    }
    writer.finish();
  } finally {
    writer.close();
  }
  const file = readFileSync(path);
  // The matrix of the first track header, 40 bytes into its body.
  const at = file.indexOf('tkhd') + 4 + 40;
  const one = 0x10000;
  for (const [index, value] of [0, one, 0, -one, 0].entries()) file.writeInt32BE(value, at + index * 4);
  writeFileSync(path, file);
}
