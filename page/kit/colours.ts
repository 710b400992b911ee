/** Colours that the style sheet has, `hue-0` to `hue-9`. */
const HUES = 10;

/** What is found most often has colours that differ well. */
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

/** The colour of what was found: a class, else a type, has the same one everywhere. */
export const hueOf = (name: string): string => `hue-${hueNumber(name)}`;

/** The colour of a track: the first one of a class has that of the class, the others differ from it. */
export const trackHue = (name: string, track: number): string => `hue-${(hueNumber(name) + track) % HUES}`;

function hueNumber(name: string): number {
  const usual = USUAL[name.toLowerCase()];
  if (usual !== undefined) return usual;
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_003;
  return hash % HUES;
}
