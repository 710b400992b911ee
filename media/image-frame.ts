/** Still pictures as frames: always three channels, as stored (the EXIF orientation is not applied here). */
import sharp from 'sharp';
import type { Frame } from '../components/sdk/detector.ts';
import { firstLine } from './first-line.ts';
import { MediumError } from './medium-error.ts';

/** Pictures with more pixels are refused before they are decoded. */
export const MAX_IMAGE_PIXELS = 268_402_689;

export interface ImageOptions {
  readonly maxPixels?: number | undefined;
}

/** The first page of a picture; COULD_NOT_READ_MEDIA when it is damaged, too large or of an unknown kind. */
export async function readImage(
  path: string,
  { maxPixels = MAX_IMAGE_PIXELS }: ImageOptions = {},
): Promise<Frame> {
  const { data, info } = await decode(path, maxPixels);
  const rgb = info.channels === 3 ? data : threeChannels(data, info.channels);
  return { index: 0, time: 0, width: info.width, height: info.height, data: rgb, warmUp: false };
}

async function decode(path: string, maxPixels: number) {
  try {
    return await sharp(path, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    throw new MediumError('COULD_NOT_READ_MEDIA', `The image could not be read: ${firstLine(error)}.`, {
      cause: error,
    });
  }
}

/** Grey pictures decode to one channel whatever colour space is asked for. */
function threeChannels(data: Uint8Array, channels: number): Uint8Array {
  const pixels = data.length / channels;
  const rgb = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel++)
    rgb.fill(data[pixel * channels] ?? 0, pixel * 3, pixel * 3 + 3);
  return rgb;
}
