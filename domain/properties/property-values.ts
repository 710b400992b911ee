/**
 * Which values a property takes, as its description says: those of its type and, where the description ends with a list
 * (`...: FRAME or SECONDS.`), the words of the list. Actions, jobs and component descriptors are all checked by these rules.
 */
import { parseBoolean, parseInteger, parseNumber } from '../values.ts';

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

/** Text by its type: pixels, or a part of the frame. */
const PIXELS_OR_PERCENT = /^SEARCH_REGION_(?:TOP_LEFT|BOTTOM_RIGHT)_[XY]_DETECTION$/;

/** Whole numbers by their type that are read with their fraction: one and a quarter frames a second. */
const FRACTIONS: ReadonlySet<string> = new Set(['FRAME_RATE_CAP']);

/** A sentence about the valid values of a property when the value is invalid; undefined: it is valid. A blank value means the default. */
export function valueProblem(
  { name, type, description }: DescribedProperty,
  value: string,
): string | undefined {
  if (value.trim() === '') return undefined;
  if (type === 'BOOLEAN')
    return parseBoolean(value) === undefined ? 'its values are TRUE and FALSE' : undefined;
  if (!isOfType(type, value) && !(FRACTIONS.has(name) && parseNumber(value) !== undefined))
    return type === 'INT' || type === 'LONG'
      ? `it takes a whole number (${type})`
      : `it takes a number (${type})`;
  if (PIXELS_OR_PERCENT.test(name) && parseNumber(value.trim().replace(/%$/, '')) === undefined)
    return 'it takes pixels, or a percentage such as 25%';
  const words = type === 'STRING' ? listedValues(description) : [];
  return words.length === 0 || words.includes(value.trim().toUpperCase())
    ? undefined
    : `its values are ${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/**
 * Properties whose wrong values the reference system accepts: it uses the default and says so (behaviour of the reference, 3.4 and 4.11).
 * Of EXEMPLAR_POLICY every other word means QUALITY.
 */
const FORGIVEN: ReadonlySet<string> = new Set([
  'MIN_GAP_BETWEEN_SEGMENTS',
  'MIN_GAP_BETWEEN_TRACKS',
  'TARGET_SEGMENT_LENGTH',
  'MIN_SEGMENT_LENGTH',
  'VFR_TARGET_SEGMENT_LENGTH',
  'VFR_MIN_SEGMENT_LENGTH',
  'MIN_TRACK_LENGTH',
  'MIN_OVERLAP',
  'ARTIFACT_EXTRACTION_POLICY_EXEMPLAR_FRAME_PLUS',
  'ARTIFACT_EXTRACTION_POLICY_TOP_QUALITY_COUNT',
  'FEED_FORWARD_TOP_QUALITY_COUNT',
  'QUALITY_SELECTION_THRESHOLD',
  'EXEMPLAR_POLICY',
]);

/** Whether a job runs with a wrong value of this property, which then counts as the default. */
export const isForgiven = (name: string): boolean => FORGIVEN.has(name);

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
