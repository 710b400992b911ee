/** Reads names of classes from model files and files beside them. */
import { CLASSES } from '../../shared/networks/classes.ts';

/** Numbers up to 90 that COCO assigns to no class. */
const COCO_GAPS = new Set([0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83]);
/** Number of classes in outputs that use COCO's own numbers, including gaps. */
const COCO_IDS = 91;
const MOST_CLASSES = 1_000_000;

/** Reads the names in a list, an object by numbers, or a Python dictionary ({0: 'cat'}). Returns undefined for other values. */
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

/** Returns the names by number. A class without a name gets its number. */
function byNumber(pairs: readonly (readonly [number, unknown])[]): readonly string[] | undefined {
  if (pairs.length === 0) return undefined;
  const last = pairs.reduce((most, [number]) => Math.max(most, number), 0);
  if (!(last < MOST_CLASSES) || !pairs.every(([number, name]) => number >= 0 && typeof name === 'string'))
    return undefined;
  const names = Array.from({ length: last + 1 }, (_, number) => `class ${number}`);
  for (const [number, name] of pairs) names[number] = name as string;
  return names;
}

/** Reads one name per line, as in CLASS_NAMES_FILE, or a list or object in JSON. */
export function namesInFile(text: string): readonly string[] {
  if (/^\s*[[{]/.test(text)) return fromText(text) ?? [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines.map((line) => line.trim());
}

/** Returns default names for this number of classes: those of COCO if the number matches. */
export function usualNames(count: number): readonly string[] {
  if (count === CLASSES.length) return CLASSES;
  if (count !== COCO_IDS) return Array.from({ length: count }, (_, number) => `class ${number}`);
  let next = 0;
  return Array.from({ length: count }, (_, id) => (COCO_GAPS.has(id) ? `class ${id}` : CLASSES[next++]!));
}
