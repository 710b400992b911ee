import { createHash } from 'node:crypto';
import { scopesOf, type Owner } from '../../domain/users/owner.ts';
import type { Colour } from '../../domain/text/colours.ts';
import { foldedName } from '../../domain/text/words.ts';

/** Hexadecimal: nobody can make up a name that is taken for another. */
const DIGITS = 32;

/** Classes, types and owners among the words of the index: each is one word of its own, whatever it is made of. */
const facet = (kind: 'c' | 't' | 'o' | 'k', name: string): string =>
  `${kind}${createHash('sha256').update(name).digest('hex').slice(0, DIGITS)}`;

export const classFacet = (name: string): string => facet('c', foldedName(name));
export const typeFacet = (name: string): string => facet('t', foldedName(name));

export const colourFacet = (colour: Colour): string => facet('k', colour);

/** The facets of the user and of the group. */
export const ownerFacets = (owner?: Partial<Owner>): readonly string[] =>
  scopesOf(owner).map((scope) => facet('o', scope));

/** Tracks that were merged have the classes of both, with a semicolon between. */
export function classesOf(value: string): readonly string[] {
  const parts = value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? [value, ...parts] : [value];
}
