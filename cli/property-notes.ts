/**
 * What whoever gave properties probably did not mean: names that nobody of the pipeline knows, and values that are not what the
 * service's description of the property says. The service takes both: it lets names through that it does not know, and
 * reads values leniently.
 */
import { parseBoolean, parseInteger, parseNumber } from '../pipeline/values.ts';
import { printable, shortened } from './terminal.ts';

/** A property as GET /rest/algorithms/{name} describes it. */
export interface KnownProperty {
  readonly name: string;
  readonly description: string;
  /** One of BOOLEAN, FLOAT, DOUBLE, INT, LONG and STRING; later versions may have more. */
  readonly type: string;
}

export interface GivenProperties {
  readonly values: Readonly<Record<string, string>>;
  /** Every property that may be meant here. */
  readonly known: readonly KnownProperty[];
  /** How a note on another one begins: `Nobody in the pipeline knows`. */
  readonly unknown: string;
}

const SHOWN_VALUE = 40;

/** A sentence for each property that has no effect, or another one than its value says. */
export function notesOn({ values, known, unknown }: GivenProperties): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const meant = known.filter((property) => property.name === name);
    if (meant.length === 0) return [unknownNote(name, known, unknown)];
    const problems = meant.map((property) => problemOf(property, value));
    const problem = problems.includes(undefined) ? undefined : problems[0];
    return problem === undefined
      ? []
      : [
          `Property ${name}: ${problem}; "${shortened(printable(value), SHOWN_VALUE)}" is passed on as it is.`,
        ];
  });
}

function unknownNote(name: string, known: readonly KnownProperty[], unknown: string): string {
  const near = known.find((property) => isNear(property.name, name));
  const advice = near === undefined ? '' : ` (did you mean ${near.name}?)`;
  return `${unknown} the property ${shortened(printable(name), SHOWN_VALUE)}${advice}: it is passed on and has no effect.`;
}

/** The same letters in another case or with other signs between the words, or one letter apart. */
export function isNear(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.toUpperCase().replace(/[\s_.-]+/g, ''));
  return a !== undefined && b !== undefined && (a === b || isOneEditApart(a, b));
}

/** A letter too many, too few, another one, or two that changed places. */
function isOneEditApart(a: string, b: string): boolean {
  if (a.length < b.length) return isOneEditApart(b, a);
  if (a.length > b.length + 1) return false;
  let at = 0;
  while (at < b.length && a[at] === b[at]) at++;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return isSwapped || a.slice(at + 1) === b.slice(at + 1);
}

/** undefined when the value is fine; blank values stand for the default. */
function problemOf({ type, description }: KnownProperty, value: string): string | undefined {
  if (value.trim() === '') return undefined;
  switch (type) {
    case 'BOOLEAN':
      return parseBoolean(value) === undefined
        ? 'its values are TRUE and FALSE, all else counts as FALSE'
        : undefined;
    case 'INT':
    case 'LONG':
      return parseInteger(value) === undefined ? `it takes a whole number (${type})` : undefined;
    case 'FLOAT':
    case 'DOUBLE':
      return parseNumber(value) === undefined ? `it takes a number (${type})` : undefined;
    case 'STRING': {
      const words = listedValues(description);
      const isListed = words.length === 0 || words.includes(value.trim().toUpperCase());
      return isListed ? undefined : `its values are ${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
    }
    default:
      return undefined;
  }
}

/** The values that a description ends with: `..., in which unit: FRAME or SECONDS.`; none when it lists no values. */
function listedValues(description: string): readonly string[] {
  const [, list = ''] = /: ((?:[A-Z_]+, )*[A-Z_]+,? or [A-Z_]+)\.$/.exec(description) ?? [];
  return list.split(/,? or |, /).filter((word) => word !== '');
}
