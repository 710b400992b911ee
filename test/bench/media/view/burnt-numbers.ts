/** Numbers in pictures: black and white squares in the upper left corner, which no coding makes unreadable. */
const SQUARE = 24;
const BITS = 8;
/** Numbers that there are. */
export const NUMBERS = 200;

/** Into pixels of three colours. */
export function burnNumber(rgb: Buffer, width: number, number: number): void {
  for (let bit = 0; bit < BITS; bit++) {
    const value = (number >> bit) & 1 ? 255 : 0;
    for (let y = 0; y < SQUARE; y++)
      rgb.fill(value, (y * width + bit * SQUARE) * 3, (y * width + (bit + 1) * SQUARE) * 3);
  }
}

/** Out of grey pixels. */
export function numberIn(grey: Buffer, width: number): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const middle = (SQUARE / 2) * width + bit * SQUARE + SQUARE / 2;
    if (grey[middle]! > 127) number |= 1 << bit;
  }
  return number;
}
