/** Lists, maps and sets whose modified copies share the unchanged parts. */
import { createRequire } from 'node:module';
import type * as Immutable from 'immutable';

// `require`, because `import` parses the package again to find its exports, which takes six times as long as to load it.
const immutable = createRequire(import.meta.url)('immutable') as typeof Immutable;

export type List<T> = Immutable.List<T>;
export const List = immutable.List;
export type Map<K, V> = Immutable.Map<K, V>;
export const Map = immutable.Map;
export type Set<T> = Immutable.Set<T>;
export const Set = immutable.Set;
