import { createHash } from 'node:crypto';
import { foldedName } from '../../domain/text/words.ts';

/** Classes and types among the words of the index: each is one word of its own, whatever it is made of. */
const facet = (kind: 'c' | 't', name: string): string =>
  `${kind}${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;

export const classFacet = (name: string): string => facet('c', foldedName(name));
export const typeFacet = (name: string): string => facet('t', foldedName(name));

/** Tracks that were merged have the classes of both, with a semicolon between. */
export function classesOf(value: string): readonly string[] {
  const parts = value
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length > 1 ? [value, ...parts] : [value];
}
