/**
 * Valid values of a property by its description: those of its type and, if the description ends with a list (`...: FRAME or SECONDS.`), the
 * words of the list. These rules apply to actions, jobs and component descriptors.
 */
import { parseBoolean, parseInteger, parseNumber } from '../values.ts';

/** A property as in a descriptor or in GET /rest/algorithms/{name}. */
export interface DescribedProperty {
  readonly name: string;
  readonly description: string;
  /** One of BOOLEAN, FLOAT, DOUBLE, INT, LONG and STRING; later versions may have more. */
  readonly type: string;
}

/** True if a value can be read as the type. Every text is a valid BOOLEAN, because all values except TRUE mean false. */
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

/** Properties of type text: pixels, or a percentage of the frame. */
const PIXELS_OR_PERCENT = /^SEARCH_REGION_(?:TOP_LEFT|BOTTOM_RIGHT)_[XY]_DETECTION$/;

/** Properties declared as whole numbers that may have a fraction, such as 1.25 frames per second. */
const FRACTIONS: ReadonlySet<string> = new Set(['FRAME_RATE_CAP']);

/** A sentence about the valid values if the value is invalid. Undefined if it is valid. A blank value means the default. */
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
 * Properties whose wrong values the reference system accepts: it uses the default and reports this (behaviour of the reference, 3.4 and
 * 4.11). For EXEMPLAR_POLICY, every other word means QUALITY.
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

/** True if a job runs with a wrong value of this property, using its default. */
export const isForgiven = (name: string): boolean => FORGIVEN.has(name);

/** Characters at the end of a description in which a list of words is searched. Thousands of values may be checked against it. */
const LONGEST_LIST = 1_000;

/** The words at the end of a description: `..., in which unit: FRAME or SECONDS.`. Empty if it ends otherwise. */
function listedValues(description: string): readonly string[] {
  const [, list = ''] =
    /: ((?:[A-Z][A-Z0-9_]*, )*[A-Z][A-Z0-9_]*,? or [A-Z][A-Z0-9_]*)\.$/.exec(
      description.slice(-LONGEST_LIST),
    ) ?? [];
  return list.split(/,? or |, /).filter((word) => word !== '');
}
