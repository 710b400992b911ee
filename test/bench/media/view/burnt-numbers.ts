/**
 * Numbers painted into pictures: black and white squares in the upper left corner, and the same inverted, so
 * that a box drawn over them is noticed.
 */
const SQUARE = 40;
const BITS = 8;
/** Number of different values. */
export const NUMBERS = 200;
const MASK = (1 << BITS) - 1;

/** Paints into RGB pixels. */
export function burnNumber(rgb: Buffer, width: number, number: number): void {
  const bits = number | ((~number & MASK) << BITS);
  for (let bit = 0; bit < 2 * BITS; bit++)
    for (let y = 0; y < SQUARE; y++) {
      const start = (y * width + bit * SQUARE) * 3;
      rgb.fill((bits >> bit) & 1 ? 255 : 0, start, start + SQUARE * 3);
    }
}

/** Reads from grey pixels; undefined: the number is covered. */
export function numberIn(grey: Buffer, width: number): number | undefined {
  let bits = 0;
  for (let bit = 0; bit < 2 * BITS; bit++) if (brightness(grey, width, bit) > 127) bits |= 1 << bit;
  const number = bits & MASK;
  return bits >> BITS === (~number & MASK) && number < NUMBERS ? number : undefined;
}

/** Brightness of the inner half of a square. */
function brightness(grey: Buffer, width: number, bit: number): number {
  let sum = 0;
  for (let y = SQUARE / 4; y < (SQUARE * 3) / 4; y++)
    for (let x = SQUARE / 4; x < (SQUARE * 3) / 4; x++) sum += grey[y * width + bit * SQUARE + x]!;
  return sum / (SQUARE / 2) ** 2;
}
