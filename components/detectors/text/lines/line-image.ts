/** Cuts a line of text at any angle out of a picture: upright, at a given height, as input of a network. */
import type { Rectangle } from './rectangles.ts';
import type { Picture } from './resample.ts';

/** Number of clockwise quarter turns of a line in its picture. */
export type Quarters = 0 | 1 | 2 | 3;

/** Planes of blue, green and red in [-1, 1], `width` x `height`. */
export interface LineImage {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Size of a line image: its height, and the limits of its width. Narrower lines are padded with grey. */
export interface LineSize {
  readonly height: number;
  readonly minWidth: number;
  readonly maxWidth: number;
}

export function cutLine(
  picture: Picture,
  rectangle: Rectangle,
  quarters: Quarters,
  size: LineSize,
): LineImage {
  const lies = quarters % 2 === 0;
  const length = lies ? rectangle.width : rectangle.height;
  const thickness = lies ? rectangle.height : rectangle.width;
  const columns = Math.max(1, Math.min(size.maxWidth, Math.ceil((size.height * length) / thickness)));
  const width = Math.max(size.minWidth, columns);
  const area = width * size.height;
  const data = new Float32Array(3 * area);
  const angle = rectangle.angle + (quarters * Math.PI) / 2;
  const right = { x: (Math.cos(angle) * length) / columns, y: (Math.sin(angle) * length) / columns };
  const down = {
    x: (-Math.sin(angle) * thickness) / size.height,
    y: (Math.cos(angle) * thickness) / size.height,
  };
  // The number of samples per pixel is its size in the picture, so that large letters are averaged.
  const samples = Math.max(1, Math.round(thickness / size.height));
  const colour = new Float64Array(3);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < columns; x++) {
      colour.fill(0);
      for (let s = 0; s < samples * samples; s++) {
        const u = x + ((s % samples) + 0.5) / samples - columns / 2;
        const v = y + (Math.floor(s / samples) + 0.5) / samples - size.height / 2;
        addSample(
          picture,
          rectangle.centre.x + u * right.x + v * down.x,
          rectangle.centre.y + u * right.y + v * down.y,
          colour,
        );
      }
      const at = y * width + x;
      const factor = 1 / (127.5 * samples * samples);
      data[at] = colour[2]! * factor - 1;
      data[area + at] = colour[1]! * factor - 1;
      data[2 * area + at] = colour[0]! * factor - 1;
    }
  }
  return { data, width, height: size.height };
}

/** Adds the colour at a point, interpolated from the four pixels around it. Outside the picture, the edge is repeated. */
function addSample(picture: Picture, x: number, y: number, colour: Float64Array): void {
  const { width, height, data } = picture;
  const px = Math.max(0, Math.min(width - 1, x - 0.5));
  const py = Math.max(0, Math.min(height - 1, y - 0.5));
  const left = Math.floor(px);
  const top = Math.floor(py);
  const fx = px - left;
  const fy = py - top;
  const a = (top * width + left) * 3;
  const b = left + 1 < width ? a + 3 : a;
  const below = top + 1 < height ? width * 3 : 0;
  for (let channel = 0; channel < 3; channel++) {
    const upper = data[a + channel]! * (1 - fx) + data[b + channel]! * fx;
    const lower = data[a + below + channel]! * (1 - fx) + data[b + below + channel]! * fx;
    colour[channel]! += upper * (1 - fy) + lower * fy;
  }
}
