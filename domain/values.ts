/** Property values are text; these read it. Every reader answers undefined when the text is not of its kind. */

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|infinity)$/i;
const INTEGER = /^[+-]?\d+$/;

export function parseNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!NUMBER.test(trimmed)) return undefined;
  if (/infinity$/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return Number(trimmed);
}

/** Whole numbers that a double holds exactly. */
export function parseInteger(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  const value = INTEGER.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** TRUE and FALSE in any case. */
export function parseBoolean(text: string | undefined): boolean | undefined {
  const lower = text?.trim().toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

export function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

/** Names of tasks, actions, algorithms and states are compared in this form. */
export function canonicalName(name: string): string {
  return name.trim().toUpperCase();
}
