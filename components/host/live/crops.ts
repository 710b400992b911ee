/** Makes small pictures of detections for events. Pixels are copied before it returns, because the next frame overwrites them. */
import type { SeenBox } from '../../../domain/zones/types.ts';
import type { LiveFrame } from './source.ts';

/** Maximum length of the longer side in pixels. */
const MOST_SIDE = 192;
const QUALITY = 70;
/** Margin around the box as a share of its size. */
const MARGIN = 0.1;

/** Returns a JPEG in base64; undefined if the box is empty. */
export async function cropOf(frame: LiveFrame, box: SeenBox): Promise<string | undefined> {
  const { left, top, width, height } = around(box, frame);
  if (width < 1 || height < 1) return undefined;
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * frame.width + left) * 3;
    pixels.set(frame.data.subarray(from, from + width * 3), row * width * 3);
  }
  try {
    // Loaded for the first event, because most streams have none.
    const { sharp } = await import('../../../media/picture/sharp.ts');
    const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
      .resize(MOST_SIDE, MOST_SIDE, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toBuffer();
    return jpeg.toString('base64');
  } catch {
    return undefined;
  }
}

function around(
  { x, y, width, height }: SeenBox,
  picture: { readonly width: number; readonly height: number },
) {
  const left = Math.max(0, Math.floor(x - MARGIN * width));
  const top = Math.max(0, Math.floor(y - MARGIN * height));
  const right = Math.min(picture.width, Math.ceil(x + width * (1 + MARGIN)));
  const bottom = Math.min(picture.height, Math.ceil(y + height * (1 + MARGIN)));
  return { left, top, width: right - left, height: bottom - top };
}
