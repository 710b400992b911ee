/** Names of classes as model files and their neighbours write them. */
import { CLASSES } from '../../shared/networks/classes.ts';

/** Ids up to 90 that COCO has not given to any class. */
const COCO_GAPS = new Set([0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83]);
/** Outputs with so many classes number them by COCO's own ids, gaps included. */
const COCO_IDS = 91;
const MOST_CLASSES = 1_000_000;

/** The names that a file gives: a list, an object by numbers, or a dictionary of Python ({0: 'cat'}). Undefined: none of these. */
export function namesOf(given: unknown): readonly string[] | undefined {
  if (typeof given === 'string') return fromText(given);
  if (Array.isArray(given)) return given.every((name) => typeof name === 'string') ? given : undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  return byNumber(Object.entries(given).map(([number, name]) => [Number(number), name]));
}

function fromText(text: string): readonly string[] | undefined {
  try {
    return namesOf(JSON.parse(text));
  } catch {
    const pair = /(?<!\d)(\d{1,9})\s{0,9}:\s{0,9}(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;
    return byNumber(
      [...text.matchAll(pair)].map(([, number, single, double]) => [
        Number(number),
        (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'),
      ]),
    );
  }
}

/** A number without a name has its number for a name. */
function byNumber(pairs: readonly (readonly [number, unknown])[]): readonly string[] | undefined {
  if (pairs.length === 0) return undefined;
  const last = pairs.reduce((most, [number]) => Math.max(most, number), 0);
  if (!(last < MOST_CLASSES) || !pairs.every(([number, name]) => number >= 0 && typeof name === 'string'))
    return undefined;
  const names = Array.from({ length: last + 1 }, (_, number) => `class ${number}`);
  for (const [number, name] of pairs) names[number] = name as string;
  return names;
}

/** One name a line, as CLASS_NAMES_FILE has them; or a list or an object in JSON. */
export function namesInFile(text: string): readonly string[] {
  if (/^\s*[[{]/.test(text)) return fromText(text) ?? [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((line) => line.trim());
}

/** Names for outputs of so many classes where nobody gives any: those of COCO where the number is COCO's. */
export function usualNames(count: number): readonly string[] {
  if (count === CLASSES.length) return CLASSES;
  if (count !== COCO_IDS) return Array.from({ length: count }, (_, number) => `class ${number}`);
  let next = 0;
  return Array.from({ length: count }, (_, id) => (COCO_GAPS.has(id) ? `class ${id}` : CLASSES[next++]!));
}
