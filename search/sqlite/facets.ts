import { createHash } from 'node:crypto';
import { scopesOf, type Owner } from '../../domain/users/owner.ts';
import type { Colour } from '../../domain/text/colours.ts';
import { foldedName } from '../../domain/text/words.ts';

/** Number of hexadecimal digits of a hash. With this length, users cannot create a name with the same hash as another one. */
const DIGITS = 32;

/** Returns the word for a class, type or owner in the index. Each name becomes a single word, whatever characters it contains. */
const facet = (kind: 'c' | 't' | 'o' | 'k', name: string): string =>
  `${kind}${createHash('sha256').update(name).digest('hex').slice(0, DIGITS)}`;

export const classFacet = (name: string): string => facet('c', foldedName(name));
export const typeFacet = (name: string): string => facet('t', foldedName(name));

export const colourFacet = (colour: Colour): string => facet('k', colour);

/** Returns the facets of the user and of the group. */
export const ownerFacets = (owner?: Partial<Owner>): readonly string[] =>
  scopesOf(owner).map((scope) => facet('o', scope));

/** Returns the classes of a track. Merged tracks have the classes of both, separated by a semicolon. */
export function classesOf(value: string): readonly string[] {
  const parts = value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? [value, ...parts] : [value];
}
