/** Colours that are easy to distinguish: steps of the golden ratio around the circle of hues. */

export type Colour = readonly [red: number, green: number, blue: number];

const STEP = 0.618033988749895;
const SATURATION = 0.5;
const VALUE = 0.95;

/** Returns the colour of the n-th track, with components from 0 to 255. */
export function trackColour(number: number): Colour {
  const hue = ((number + 1) * STEP) % 1;
  const component = (shift: number): number => {
    const k = (shift + hue * 6) % 6;
    return Math.round(255 * VALUE * (1 - SATURATION * Math.max(0, Math.min(k, 4 - k, 1))));
  };
  return [component(5), component(3), component(1)];
}
