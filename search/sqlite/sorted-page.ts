/** Pages of hits in another order than newest first. */
import type { SearchConditions, SearchPlace, SearchQuery } from '../../store/search.ts';

interface Row {
  readonly id: number;
  readonly job: number;
}

export interface SortedPage {
  readonly rows: readonly number[];
  /** Cursor of the next page: the last row if oldest first, the number of earlier hits if best first. Null if there is no next page. */
  readonly next: number | null;
}

/** True if hits are ranked. A query without words has no rank. */
export const isRanked = ({ sort, terms, anything = [] }: SearchConditions): boolean =>
  sort === 'best' && terms.length + anything.length > 0;

/** True if hits are in another order than newest first. */
export const isSorted = (query: SearchConditions): boolean => query.sort === 'oldest' || isRanked(query);

/** Returns the number of hits before the page of a ranked query. */
export const offsetOf = ({ cursor = 0 }: SearchQuery): number =>
  typeof cursor === 'number' ? cursor : cursor.track;

/** Returns the cursor of a ranked query: an offset, which is valid for all indexes with the same documents. */
export const placeOf = (offset: number): SearchPlace => ({ job: 0, run: 0, endedAt: 0, track: offset });

/** @param most maximum number of rows scanned, and of rows that are ranked */
export function sortedPage(
  found: Iterable<Row>,
  query: SearchQuery,
  most: number,
  isMeant: (row: Row) => boolean,
): SortedPage {
  const ranked = isRanked(query);
  const offset = ranked ? offsetOf(query) : 0;
  const rows: number[] = [];
  let [looked, meant, last] = [0, 0, 0];
  for (const row of found) {
    if (looked++ === most) return { rows, next: ranked ? null : last };
    last = row.id;
    if (!isMeant(row) || meant++ < offset) continue;
    if (rows.length === query.limit) return { rows, next: ranked ? offset + query.limit : rows.at(-1)! };
    rows.push(row.id);
  }
  return { rows, next: null };
}
