import type { SearchAnswer } from '../../../actors/search/search.ts';

type Cursor = NonNullable<SearchAnswer['next']>;

/** Text form of the position where a page of the search ends: a row of the index, or a position that indexes of other servers share. */
export const CURSOR = /^(?:[1-9]\d{0,14}|\d{1,15}(?:\.\d{1,6})?(?:_\d{1,15}){3})$/;

export const textOfCursor = (cursor: Cursor): string =>
  typeof cursor === 'number'
    ? String(cursor)
    : [cursor.endedAt, cursor.job, cursor.run, cursor.track].join('_');

/** Parses a cursor. `text` must match CURSOR. */
export function cursorOf(text: string): Cursor {
  const [endedAt, job, run, track] = text.split('_').map(Number);
  if (job === undefined || run === undefined || track === undefined) return Number(text);
  return { endedAt: endedAt!, job, run, track };
}
