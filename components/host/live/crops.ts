/** Makes small pictures of detections for events. Pixels are copied at once, because the next frame overwrites them. */
import type { SeenBox } from '../../../domain/zones/types.ts';
import type { LiveFrame } from './source.ts';

/** Maximum length of the longer side in pixels. */
const MOST_SIDE = 192;
const QUALITY = 70;
/** Margin around the box as a share of its size. */
const MARGIN = 0.1;

/** Copied pixels around a box. Its longer side has fewer than twice the pixels of the picture that is made of it. */
export interface Cutout {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Returns undefined if the box is empty. Of a large box, only every second, third, ... pixel is copied. */
export function cutOut(frame: LiveFrame, box: SeenBox): Cutout | undefined {
  const area = around(box, frame);
  if (area.width < 1 || area.height < 1) return undefined;
  const step = Math.max(1, Math.floor(Math.max(area.width, area.height) / MOST_SIDE));
  const [width, height] = [Math.ceil(area.width / step), Math.ceil(area.height / step)];
  const pixels = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((area.top + row * step) * frame.width + area.left) * 3;
    const to = row * width * 3;
    if (step === 1) pixels.set(frame.data.subarray(from, from + width * 3), to);
    else copyThinned(frame.data, from, step, pixels.subarray(to, to + width * 3));
  }
  return { width, height, pixels };
}

function copyThinned(data: Uint8Array, from: number, step: number, row: Uint8Array): void {
  for (let to = 0, at = from; to < row.length; to += 3, at += 3 * step) {
    row[to] = data[at]!;
    row[to + 1] = data[at + 1]!;
    row[to + 2] = data[at + 2]!;
  }
}

/** Returns a JPEG; undefined if it cannot be made. */
export async function jpegOf({ width, height, pixels }: Cutout): Promise<Buffer | undefined> {
  try {
    // Loaded for the first picture, because most streams have none.
    const { sharp } = await import('../../../media/picture/sharp.ts');
    return await sharp(pixels, { raw: { width, height, channels: 3 } })
      .resize(MOST_SIDE, MOST_SIDE, { fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toBuffer();
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
