/**
 * Warnings about properties that are probably mistakes: unknown names, and values that do not match the description. The service passes
 * unknown properties to components. Most wrong values are refused (`wrongValue`).
 */
import type { Properties } from '../types.ts';
import { isForgiven, valueProblem, type DescribedProperty } from './property-values.ts';
import { addTo } from '../grouping.ts';

const SHOWN = 40;
/** Maximum number of names for which suggestions are searched, because comparing is slower than looking up. */
const MAX_COMPARED = 100;
/** Maximum number of descriptions of one name that are checked. */
const MAX_SAME = 300;

/** All known properties: the properties of algorithms, and those of the workflow. */
export class KnownProperties {
  readonly #byName = new Map<string, DescribedProperty[]>();
  #compared = 0;

  constructor(properties: Iterable<DescribedProperty>) {
    for (const property of properties) addTo(this.#byName, property.name, property);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** ` (did you mean FRAME_INTERVAL?)`, or ''. */
  advice(name: string): string {
    return this.#compared++ < MAX_COMPARED ? adviceOn(name, this.#byName.keys()) : '';
  }

  /** What is wrong with the value of a known property. Undefined if one of its descriptions accepts the value. */
  problem(name: string, value: string): string | undefined {
    const same = this.#byName.get(name) ?? [];
    // With so many descriptions, some will accept the value.
    if (same.length > MAX_SAME) return undefined;
    const problems = same.map((property) => valueProblem(property, value));
    return problems.includes(undefined) ? undefined : problems[0];
  }
}

/** Notes on the properties in one place of a request, such as `jobProperties`. Each note is made on demand. */
export function* notesOn(values: Properties, known: KnownProperties, where: string): Generator<string> {
  for (const [name, value] of Object.entries(values)) {
    if (!known.has(name))
      yield `${where}: the property ${showText(name)} is not known here${known.advice(name)}; it is passed on and has no other effect.`;
    const problem = known.problem(name, value);
    if (problem !== undefined)
      yield `${where}: the property ${name} is "${showText(value)}", but ${problem}; the value is passed on as it is.`;
  }
}

/** Why a job with these values is refused. `where` is their place in the request. Undefined if it is not refused. */
export function wrongValue(values: Properties, known: KnownProperties, where: string): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    const problem = isForgiven(name) ? undefined : known.problem(name, value);
    if (problem !== undefined)
      return `The property ${name} in ${where} is "${showText(value)}", but ${problem}. Correct the value, or leave the property out.`;
  }
  return undefined;
}

/** ` (did you mean FACE?)`, or ''. */
export function adviceOn(name: string, names: Iterable<string>): string {
  for (const other of names) if (isNear(other, name)) return ` (did you mean ${other}?)`;
  return '';
}

/** A text from outside, shortened to one line. */
export function showText(text: string): string {
  const line = text.slice(0, 2 * SHOWN).replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ');
  return line.length <= SHOWN && line.length >= text.length ? line : `${line.slice(0, SHOWN - 1)}…`;
}

/** True if the letters are the same in another case or with other characters between words, or if one letter differs. */
export function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MAX_DIFFERENCE) return false;
  const [a = '', b = ''] = [one, other].map((name) => name.toUpperCase().replaceAll(/[\s_.-]/g, ''));
  return a === b || isOneEditApart(a, b);
}

/** Maximum difference in the number of characters between words. */
const MAX_DIFFERENCE = 16;

/** True if one letter is inserted, removed, replaced or swapped with its neighbour. */
function isOneEditApart(a: string, b: string): boolean {
  if (a.length < b.length) return isOneEditApart(b, a);
  if (a.length > b.length + 1) return false;
  let at = 0;
  while (at < b.length && a[at] === b[at]) at++;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return isSwapped || a.slice(at + 1) === b.slice(at + 1);
}
