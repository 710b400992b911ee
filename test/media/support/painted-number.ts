import sharp from 'sharp';

/**
 * Reads the frame number that `makeVideo` has painted, below `frames`: the gradient of the rows moves with
 * it.
 */
export async function paintedNumber(picture: Buffer, frames: number): Promise<number> {
  const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
  const valueAt = (y: number) => data[y * info.width * info.channels + info.channels]!;
  const paintNumber = (y: number, number: number) =>
    Math.min(255, Math.max(0, (((y * 2 + number * 5) & 255) - 16) * (255 / 219)));
  let [best, least] = [-1, Infinity];
  for (let number = 0; number < frames; number++) {
    let sum = 0;
    for (let y = 0; y < info.height; y++) sum += Math.abs(valueAt(y) - paintNumber(y, number));
    if (sum < least) [best, least] = [number, sum];
  }
  return best;
}
