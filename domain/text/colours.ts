/** Colour names for the search. */

export const COLOURS = [
  'red',
  'orange',
  'yellow',
  'green',
  'blue',
  'purple',
  'pink',
  'brown',
  'black',
  'grey',
  'white',
] as const;
export type Colour = (typeof COLOURS)[number];

/** First hue in degrees of each colour, in order. Red is at both ends. */
const HUES: readonly (readonly [number, Colour])[] = [
  [0, 'red'],
  [16, 'orange'],
  [46, 'yellow'],
  [70, 'green'],
  [170, 'blue'],
  [256, 'purple'],
  [310, 'pink'],
  [345, 'red'],
];

/** The colour of `#rrggbb`; undefined for any other text. */
export function colourOf(hex: string): Colour | undefined {
  const [, ...channels] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex) ?? [];
  if (channels.length === 0) return undefined;
  const [red = 0, green = 0, blue = 0] = channels.map((digits) => Number.parseInt(digits, 16) / 255);
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const [lightness, chroma] = [(most + least) / 2, most - least];
  if (lightness < 0.12) return 'black';
  if (chroma < 0.12) return lightness > 0.85 ? 'white' : 'grey';
  return nameOf(hueOf(red, green, blue), lightness);
}

function hueOf(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const chroma = most - Math.min(red, green, blue);
  const sextant =
    most === red
      ? (green - blue) / chroma
      : most === green
        ? 2 + (blue - red) / chroma
        : 4 + (red - green) / chroma;
  return (sextant * 60 + 360) % 360;
}

function nameOf(hue: number, lightness: number): Colour {
  const name = HUES.findLast(([first]) => hue >= first)![1];
  if (name === 'orange' && lightness < 0.4) return 'brown';
  return name === 'red' && lightness > 0.7 ? 'pink' : name;
}

/** The colour of a name, case-insensitive. `gray` is grey. */
export function namedColour(word: string): Colour | undefined {
  const name = word.toLowerCase() === 'gray' ? 'grey' : word.toLowerCase();
  return COLOURS.find((one) => one === name);
}
