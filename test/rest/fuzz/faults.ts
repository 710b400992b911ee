/** Mutations of valid values. */
import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { nastyName, nastyValue, type Json } from './nasty.ts';

/** Applies one or more mutations anywhere in a valid value. */
export function breakValue(right: Arbitrary<Json>): Arbitrary<Json> {
  const fault = fc.record({
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'wrap', 'turn'),
    at: fc.nat(),
    name: nastyName,
    value: nastyValue,
  });
  return fc
    .tuple(right, fc.array(fault, { minLength: 1, maxLength: 3 }))
    .map(([value, faults]) => faults.reduce(withFault, value));
}

interface Fault {
  readonly kind: string;
  /** Index of the place, over all places. */
  readonly at: number;
  readonly name: string;
  readonly value: Json;
}

function withFault(root: Json, { kind, at, name, value }: Fault): Json {
  const places = placesOf(root);
  const place = places[at % places.length] ?? [];
  if (kind === 'remove') return replaceAt(root, place, () => undefined) ?? null;
  return replaceAt(root, place, (old) => faulty(old, kind, name, value)) ?? null;
}

function faulty(old: Json, kind: string, name: string, value: Json): Json {
  if (kind === 'wrap') return [old];
  if (kind === 'turn')
    return Array.isArray(old)
      ? Object.fromEntries(Object.keys(old).map((at) => [at, null]))
      : isObject(old)
        ? []
        : {};
  if (kind === 'add')
    return isObject(old) ? Object.fromEntries([...Object.entries(old), [name, value]]) : value;
  return value;
}

type Place = readonly (string | number)[];

/** All places of a value: the root, every field, and every item (of long lists only the first). */
function placesOf(value: Json, here: Place = []): readonly Place[] {
  if (here.length > 8) return [here];
  if (Array.isArray(value))
    return [here, ...value.slice(0, 5).flatMap((item: Json, n) => placesOf(item, [...here, n]))];
  if (!isObject(value)) return [here];
  const names = Object.keys(value).slice(0, 40);
  return [here, ...names.flatMap((name) => placesOf(value[name] ?? null, [...here, name]))];
}

/** Returns a copy with one value replaced. The value `undefined` removes the place. */
function replaceAt(
  value: Json,
  [step, ...rest]: Place,
  change: (old: Json) => Json | undefined,
): Json | undefined {
  if (step === undefined) return change(value);
  if (Array.isArray(value))
    return value.flatMap((item: Json, n) => orNothing(n === step ? replaceAt(item, rest, change) : item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      orNothing(name === step ? replaceAt(item, rest, change) : item).map((kept) => [name, kept] as const),
    ),
  );
}

const orNothing = (value: Json | undefined): readonly Json[] => (value === undefined ? [] : [value]);
const isObject = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
