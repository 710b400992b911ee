import { firstLine } from '../first-line.ts';
import { onPicture } from '../picture/image-frame.ts';
import type { Findings } from './inspection.ts';
import { MediumError } from '../medium-error.ts';

/** EXIF orientation: degrees clockwise, then whether to flip horizontally. AUTO_ROTATE and AUTO_FLIP use it. */
const ORIENTATIONS: Readonly<Record<number, readonly [rotation: string, flip: 'TRUE' | 'FALSE']>> = {
  1: ['0', 'FALSE'],
  2: ['0', 'TRUE'],
  3: ['180', 'FALSE'],
  4: ['180', 'TRUE'],
  5: ['90', 'TRUE'],
  6: ['90', 'FALSE'],
  7: ['270', 'TRUE'],
  8: ['270', 'FALSE'],
};

/** Formats with their own orientation. Their decoders apply it, and Exif orientation is ignored. */
const TURNED_BY_DECODER = /^image\/(heic|heif|avif)/;

/** Pictures up to this number of pixels are decoded at full size, because setting up a reduction would take longer. */
const SMALL_PIXELS = 512 * 512;

/** Decodes the picture, because a valid header does not prove that the rest is intact. */
export async function inspectImage(path: string, mimeType: string): Promise<Findings> {
  try {
    const { width, height, orientation } = await onPicture(path, { failOn: 'truncated' }, async (picture) => {
      const header = await picture.metadata();
      const isSmall = header.width * header.height <= SMALL_PIXELS;
      await (isSmall ? picture : picture.resize(8, 8)).raw().toBuffer();
      return header;
    });
    const metadata: Record<string, string> = { FRAME_WIDTH: String(width), FRAME_HEIGHT: String(height) };
    const lies = TURNED_BY_DECODER.test(mimeType) ? 1 : orientation;
    const [rotation, flip] = ORIENTATIONS[lies ?? 0] ?? [];
    if (rotation !== undefined && flip !== undefined)
      Object.assign(metadata, {
        EXIF_ORIENTATION: String(lies),
        ROTATION: rotation,
        HORIZONTAL_FLIP: flip,
      });
    return { mediaType: 'IMAGE', length: 1, metadata, warnings: [] };
  } catch (error) {
    throw new MediumError(
      'MEDIA_INSPECTION',
      `The image could not be decoded: ${firstLine(error)}. If other programs show it, convert it to PNG or JPEG.`,
      { cause: error },
    );
  }
}
