/** Number of colours in the style sheet, `hue-0` to `hue-9`. */
const HUES = 10;

/** Colours of the most frequent findings, which are easy to distinguish. */
const USUAL: Readonly<Record<string, number>> = {
  person: 1,
  face: 0,
  people: 0,
  car: 2,
  text: 4,
  speech: 3,
  scene: 5,
  barcode: 7,
  motion: 8,
  cat: 6,
  dog: 9,
};

/** Returns the colour of a class or a type. It is the same everywhere. */
export const hueOf = (name: string): string => `hue-${hueNumber(name)}`;

/** Returns the colour of a track. The first track has the colour of its class, and the next ones have other colours. */
export const trackHue = (name: string, track: number): string => `hue-${(hueNumber(name) + track) % HUES}`;

function hueNumber(name: string): number {
  const usual = USUAL[name.toLowerCase()];
  if (usual !== undefined) return usual;
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003;
  return hash % HUES;
}
