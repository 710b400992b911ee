/**
 * Which values a property takes, as its description says: those of its type and, where the description ends with a list
 * (`...: FRAME or SECONDS.`), the words of the list. Actions, jobs and component descriptors are all checked by these rules.
 */
import { parseBoolean, parseInteger, parseNumber } from './values.ts';

/** A property as a descriptor or GET /rest/algorithms/{name} describes it. */
export interface DescribedProperty {
  readonly name: string;
  readonly description: string;
  /** One of BOOLEAN, FLOAT, DOUBLE, INT, LONG and STRING; later versions may have more. */
  readonly type: string;
}

/** Whether a value can be read as what its property is. Every text is a BOOLEAN, since all but TRUE mean false. */
export function isOfType(type: string, value: string): boolean {
  switch (type) {
    case 'INT': {
      const number = parseInteger(value);
      return number !== undefined && number >= -(2 ** 31) && number < 2 ** 31;
    }
    case 'LONG':
      return /^[+-]?\d{1,19}$/.test(value.trim());
    case 'FLOAT':
    case 'DOUBLE':
      return parseNumber(value) !== undefined;
    default:
      return true;
  }
}

/** Whole numbers by their type that are read with their fraction: one and a quarter frames a second. */
const FRACTIONS: ReadonlySet<string> = new Set(['FRAME_RATE_CAP']);

/** What a property takes, in words, when the value is something else; undefined when the value is fine. A blank one stands for the default. */
export function valueProblem(
  { name, type, description }: DescribedProperty,
  value: string,
): string | undefined {
  if (value.trim() === '') return undefined;
  if (type === 'BOOLEAN')
    return parseBoolean(value) === undefined
      ? 'its values are TRUE and FALSE, all else counts as FALSE'
      : undefined;
  if (!isOfType(type, value) && !(FRACTIONS.has(name) && parseNumber(value) !== undefined))
    return type === 'INT' || type === 'LONG'
      ? `it takes a whole number (${type})`
      : `it takes a number (${type})`;
  const words = type === 'STRING' ? listedValues(description) : [];
  return words.length === 0 || words.includes(value.trim().toUpperCase())
    ? undefined
    : `its values are ${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Characters of a description in which a list of words is looked for, from its end: thousands of values may be held against it. */
const LONGEST_LIST = 1_000;

/** The words that a description ends with: `..., in which unit: FRAME or SECONDS.`; none when it ends otherwise. */
function listedValues(description: string): readonly string[] {
  const [, list = ''] =
    /: ((?:[A-Z][A-Z0-9_]*, )*[A-Z][A-Z0-9_]*,? or [A-Z][A-Z0-9_]*)\.$/.exec(
      description.slice(-LONGEST_LIST),
    ) ?? [];
  return list.split(/,? or |, /).filter((word) => word !== '');
}
