/** Lists, maps and sets of which a changed copy shares what has not changed. */
import { createRequire } from 'node:module';
import type * as Immutable from 'immutable';

// By `require`: `import` parses the package once more to learn what it exports, which takes six times as long as to load it.
const immutable = createRequire(import.meta.url)('immutable') as typeof Immutable;

export type List<T> = Immutable.List<T>;
export const List = immutable.List;
export type Map<K, V> = Immutable.Map<K, V>;
export const Map = immutable.Map;
export type Set<T> = Immutable.Set<T>;
export const Set = immutable.Set;
