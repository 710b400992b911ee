/** Reads values about a model from properties and sidecar files, which have the same names and rules. */
import { LAYOUTS, MODEL_TYPES, PIXEL_FORMATS, RESIZES, wrongHint, type Hints } from './hints.ts';

/** Parsers by property name. `where` describes the text's source in messages. */
const READERS: Readonly<Record<string, (text: string, where: string) => Hints>> = {
  MODEL_TYPE: (text, where) =>
    text.toUpperCase() === 'AUTO' ? {} : { type: oneOf(text, MODEL_TYPES, where, 'AUTO, ') },
  TEXT_MODEL_NAME: (text) => ({ textModel: text }),
  INPUT_LAYOUT: (text, where) => ({ layout: oneOf(text, LAYOUTS, where) }),
  PIXEL_FORMAT: (text, where) => ({ pixelFormat: oneOf(text, PIXEL_FORMATS, where) }),
  INPUT_RESIZE: (text, where) => ({ resize: oneOf(text, RESIZES, where) }),
  NET_INPUT_IMAGE_SIZE: sizeOf,
  INPUT_SCALE: (text, where) => ({ scale: numbersOf(text, where, [1])[0]! }),
  INPUT_MEAN: (text, where) => ({ mean: numbersOf(text, where, [1, 3]) }),
  INPUT_STD: (text, where) => {
    const deviation = numbersOf(text, where, [1, 3]);
    if (deviation.some((value) => value <= 0)) throw wrongHint(`${where} is "${text}"; it must be above 0.`);
    return { deviation };
  },
};
export const HINT_NAMES: readonly string[] = Object.keys(READERS);
const LARGEST_SIDE = 8_192;
const SMALLEST_SIDE = 8;

/** Parses a text. Returns nothing if it is blank. Throws INVALID_PROPERTY. */
export function hintOf(name: string, text: string, where: string): Hints {
  return text.trim() === '' ? {} : (READERS[name]?.(text.trim(), where) ?? {});
}

function oneOf<T extends string>(text: string, words: readonly T[], where: string, also = ''): T {
  const found = words.find((word) => word === text.toUpperCase());
  if (found === undefined)
    throw wrongHint(`${where} is "${text}"; it must be one of ${also}${words.join(', ')}.`);
  return found;
}

/** Parses one number for a square, or width and height: 640, 640x480. */
function sizeOf(text: string, where: string): Hints {
  const [, width, height] = /^(\d+)(?:\s*[x,]\s*(\d+))?$/.exec(text) ?? [];
  const size = { width: Number(width), height: Number(height ?? width) };
  const fits = (side: number) => side >= SMALLEST_SIDE && side <= LARGEST_SIDE;
  if (!fits(size.width) || !fits(size.height))
    throw wrongHint(
      `${where} is "${text}"; it must be the side of a square or width x height, from ${SMALLEST_SIDE} to ${LARGEST_SIDE}, such as 640 or 640x480.`,
    );
  return size;
}

function numbersOf(text: string, where: string, counts: readonly number[]): readonly number[] {
  const numbers = text.split(/[\s,;]+/).map(Number);
  if (!counts.includes(numbers.length) || !numbers.every(Number.isFinite))
    throw wrongHint(
      `${where} is "${text}"; it must be ${counts.join(' or ')} numbers with commas between them.`,
    );
  return numbers;
}
