/** Pages of hits in another order than from the newest back. */
import type { SearchConditions, SearchPlace, SearchQuery } from '../../store/search.ts';

interface Row {
  readonly id: number;
  readonly job: number;
}

export interface SortedPage {
  readonly rows: readonly number[];
  /** Of the oldest first the last row, of the best first how many hits come before; null: there are no more. */
  readonly next: number | null;
}

/** Whether hits are ranked; without words, there is no rank. */
export const isRanked = ({ sort, terms, anything = [] }: SearchConditions): boolean =>
  sort === 'best' && terms.length + anything.length > 0;

/** Whether hits come in another order than from the newest back. */
export const isSorted = (query: SearchConditions): boolean => query.sort === 'oldest' || isRanked(query);

/** Hits before the page of a ranked query. */
export const offsetOf = ({ cursor = 0 }: SearchQuery): number =>
  typeof cursor === 'number' ? cursor : cursor.track;

/** The cursor of a ranked query: an offset, which is valid for all indexes with the same documents. */
export const placeOf = (offset: number): SearchPlace => ({ job: 0, run: 0, endedAt: 0, track: offset });

/** @param most rows that are looked at; what is ranked has these at most */
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
