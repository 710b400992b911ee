/** Readers of property values, which are text. Every reader returns undefined if the text is invalid for its type. */

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|infinity)$/i;
const INTEGER = /^[+-]?\d+$/;

export function parseNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!NUMBER.test(trimmed)) return undefined;
  if (/infinity$/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return Number(trimmed);
}

/** Reads a whole number that a double can represent exactly. */
export function parseInteger(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  const value = INTEGER.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Reads TRUE or FALSE, case-insensitive. */
export function parseBoolean(text: string | undefined): boolean | undefined {
  const lower = text?.trim().toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

export function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/** Normalizes the names of tasks, actions, algorithms and states for comparisons. */
export function canonicalName(name: string): string {
  return name.trim().toUpperCase();
}
