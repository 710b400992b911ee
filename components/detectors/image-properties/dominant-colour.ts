/** Finds the most frequent colour of a picture. Pure. */

export interface DominantColour {
  /** #rrggbb */
  readonly hex: string;
  /** The nearest CSS name. */
  readonly name: string;
}

/** Number of levels per channel. Colours are counted in cubes with a side of 16 levels. */
const CUBES = 16;
/** Index distance between neighbouring cubes in red, green and blue. */
const STEPS = [CUBES * CUBES, CUBES, 1] as const;

/**
 * Returns the mean colour of the fullest block of 2 x 2 x 2 cubes. Blocks overlap, so a colour that varies around a cube's border counts
 * completely. `data` is RGB.
 */
export function dominantColour(data: Uint8Array): DominantColour {
  const counts = new Uint32Array(CUBES ** 3);
  const sums = new Float64Array(CUBES ** 3 * 3);
  for (let at = 0; at < data.length; at += 3) {
    const cube = (data[at]! >> 4) * STEPS[0] + (data[at + 1]! >> 4) * STEPS[1] + (data[at + 2]! >> 4);
    counts[cube]!++;
    for (let channel = 0; channel < 3; channel++) sums[cube * 3 + channel]! += data[at + channel]!;
  }
  const block = fullestBlock(counts);
  const count = Math.max(
    1,
    total(block, (cube) => counts[cube]!),
  );
  const colour = [0, 1, 2].map((channel) =>
    Math.round(total(block, (cube) => sums[cube * 3 + channel]!) / count),
  );
  return { hex: `#${colour.map(twoDigits).join('')}`, name: nearestName(colour) };
}

/** Index distances from a cube to all cubes of the block that begins with it. */
const BLOCK = [0, 1].flatMap((red) =>
  [0, 1].flatMap((green) => [0, 1].map((blue) => red * STEPS[0] + green * STEPS[1] + blue * STEPS[2])),
);

function fullestBlock(counts: Uint32Array): readonly number[] {
  let fullest: readonly number[] = [];
  let most = -1;
  for (let red = 0; red < CUBES - 1; red++)
    for (let green = 0; green < CUBES - 1; green++)
      for (let blue = 0; blue < CUBES - 1; blue++) {
        const first = red * STEPS[0] + green * STEPS[1] + blue * STEPS[2];
        const block = BLOCK.map((step) => first + step);
        const count = total(block, (cube) => counts[cube]!);
        if (count > most) [most, fullest] = [count, block];
      }
  return fullest;
}

function total(block: readonly number[], value: (cube: number) => number): number {
  return block.reduce((sum, cube) => sum + value(cube), 0);
}

const twoDigits = (value: number): string => value.toString(16).padStart(2, '0');

/** CSS colours, limited to names on which most people agree. */
const NAMES: Readonly<Record<string, readonly [number, number, number]>> = {
  black: [0, 0, 0],
  dimgray: [105, 105, 105],
  gray: [128, 128, 128],
  silver: [192, 192, 192],
  white: [255, 255, 255],
  maroon: [128, 0, 0],
  red: [255, 0, 0],
  salmon: [250, 128, 114],
  pink: [255, 192, 203],
  brown: [165, 42, 42],
  saddlebrown: [139, 69, 19],
  orange: [255, 165, 0],
  tan: [210, 180, 140],
  beige: [245, 245, 220],
  gold: [255, 215, 0],
  yellow: [255, 255, 0],
  olive: [128, 128, 0],
  lime: [0, 255, 0],
  green: [0, 128, 0],
  lightgreen: [144, 238, 144],
  teal: [0, 128, 128],
  cyan: [0, 255, 255],
  skyblue: [135, 206, 235],
  steelblue: [70, 130, 180],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  indigo: [75, 0, 130],
  purple: [128, 0, 128],
  violet: [238, 130, 238],
  magenta: [255, 0, 255],
};

function nearestName(colour: readonly number[]): string {
  const [name] = Object.entries(NAMES).reduce((best, next) =>
    distance(next[1], colour) < distance(best[1], colour) ? next : best,
  );
  return name;
}

/** Squared distance, weighted approximately like the eye: red counts more, and blue less, the more red there is. */
function distance(a: readonly number[], b: readonly number[]): number {
  const redness = (a[0]! + b[0]!) / 2 / 256;
  const [red, green, blue] = [a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!];
  return (2 + redness) * red ** 2 + 4 * green ** 2 + (3 - redness) * blue ** 2;
}
