/**
 * Still pictures as frames with three channels, as stored (the EXIF orientation is not applied here). Transparent pixels become white, as
 * in viewers. A transparent background is often stored as black, which would hide black letters.
 */
import type { Sharp, SharpOptions } from 'sharp';
import type { Frame } from '../../protocol/media-sources.ts';
import { firstLine } from '../first-line.ts';
import { isHeif } from './heif.ts';
import type { HeifPicture } from './heif-decoder.ts';
import { MediumError } from '../medium-error.ts';
import { withProfile } from './colour-profile.ts';
import { sharp } from './sharp.ts';
import type { StillPicture } from './still-decoder.ts';

/** Maximum number of pixels in a picture. Larger pictures are refused before they are decoded. */
export const MAX_IMAGE_PIXELS = 268_402_689;

/** Sharp's error message for unknown formats. */
const UNKNOWN_KIND = /unsupported image format/;

export interface ImageOptions {
  readonly maxPixels?: number | undefined;
}

/** Reads the first page of a picture. Throws COULD_NOT_READ_MEDIA if it is damaged, too large or of an unknown kind. */
export async function readImage(
  path: string,
  { maxPixels = MAX_IMAGE_PIXELS }: ImageOptions = {},
): Promise<Frame> {
  const { data, info } = await decode(path, maxPixels);
  const rgb = info.channels === 3 ? data : threeChannels(data, info.channels);
  return { index: 0, time: 0, width: info.width, height: info.height, data: rgb, warmUp: false };
}

/**
 * Runs `work` on the first page of a picture. libheif decodes HEIC, and FFmpeg decodes kinds that sharp does not know, such as BMP. `work`
 * may be called twice.
 */
export async function onPicture<T>(
  path: string,
  { failOn, maxPixels = MAX_IMAGE_PIXELS }: ImageOptions & Pick<SharpOptions, 'failOn'>,
  work: (picture: Sharp) => Promise<T>,
): Promise<T> {
  const options = { limitInputPixels: maxPixels, pages: 1, ...(failOn === undefined ? {} : { failOn }) };
  if (isHeif(path)) {
    const { decodeHeif } = await import('./heif-decoder.ts');
    const picture = await decodeHeif(path, maxPixels);
    return await work(ofColours(picture, maxPixels));
  }
  try {
    return await work(sharp(path, options));
  } catch (error) {
    if (!UNKNOWN_KIND.test(firstLine(error))) throw error;
    const { decodeStill } = await import('./still-decoder.ts');
    const still = decodeStill(path, maxPixels);
    if (still === undefined) throw error;
    return await work(ofPixels(still, maxPixels));
  }
}

/** Returns a picture whose colour profile sharp converts to sRGB, as for a JPEG. Phones store other colour spaces. */
function ofColours({ profile, ...picture }: HeifPicture, maxPixels: number): Sharp {
  if (profile === undefined) return ofPixels(picture, maxPixels);
  return sharp(withProfile(picture, profile), { limitInputPixels: maxPixels });
}

function ofPixels({ data, width, height, channels }: StillPicture, maxPixels: number): Sharp {
  return sharp(data, { limitInputPixels: maxPixels, raw: { width, height, channels } });
}

async function decode(path: string, maxPixels: number) {
  try {
    return await onPicture(path, { maxPixels, failOn: 'error' }, (picture) =>
      picture
        .flatten({ background: 'white' })
        .toColourspace('srgb')
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true }),
    );
  } catch (error) {
    throw new MediumError('COULD_NOT_READ_MEDIA', `The image could not be read: ${firstLine(error)}.`, {
      cause: error,
    });
  }
}

/** Expands grey pictures, which decode to one channel whatever colour space is requested. */
function threeChannels(data: Uint8Array, channels: number): Uint8Array {
  const pixels = data.length / channels;
  const rgb = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel++)
    rgb.fill(data[pixel * channels] ?? 0, pixel * 3, pixel * 3 + 3);
  return rgb;
}
