import { SqliteSearch } from '../../search/sqlite/sqlite-search.ts';
import type { OpenOptions } from './contract.ts';

export const SEARCH_OF_TESTS = {
  textProperties: ['TEXT', 'TRANSLATION'],
  classProperties: ['CLASSIFICATION'],
  textCharacters: 100_000,
  snippetCharacters: 200,
  maxScanned: 20_000,
  maxWaiting: 50,
  timeoutMs: 60_000,
};

/** Opens the search index in this file. */
export const openAt = (
  file: string,
  options: OpenOptions & { maxWaiting?: number; timeoutMs?: number } = {},
) => new SqliteSearch({ ...SEARCH_OF_TESTS, file, ...options });
