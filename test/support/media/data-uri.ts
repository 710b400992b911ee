import { bitmapOf } from './bitmap.ts';

/** A picture as a `data:` URI of a length of its own: about four characters for each of its pixels. */
export function pictureUri(width: number, height: number, shade = 99): string {
  const file = bitmapOf(new Uint8Array(width * height * 3).fill(shade), width, height);
  return `data:image/bmp;base64,${file.toString('base64')}`;
}
