import { SqliteSearch } from '../../search/sqlite/sqlite-search.ts';
import type { OpenOptions } from './contract.ts';

/** The search in this file. */
export const openAt = (
  file: string,
  options: OpenOptions & { maxWaiting?: number; timeoutMs?: number } = {},
) =>
  new SqliteSearch({
    file,
    textProperties: ['TEXT', 'TRANSLATION'],
    classProperties: ['CLASSIFICATION'],
    textCharacters: 100_000,
    snippetCharacters: 200,
    maxScanned: 20_000,
    maxWaiting: 50,
    timeoutMs: 60_000,
    ...options,
  });
