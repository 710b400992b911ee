import type { MediaPlace } from '../../../domain/job/media-order.ts';

/** First character of texts in a cursor. Numbers never start with it. */
const TEXT_MARK = '~';

/** Text form of the position where a page of the library ends: numbers and texts in the order of the page. */
export const LIBRARY_CURSOR =
  /^(?:-?\d{1,15}(?:\.\d{1,6})?|~[^_]{0,2000})(?:_(?:-?\d{1,15}(?:\.\d{1,6})?|~[^_]{0,2000})){2,5}$/;

export const textOfPlace = (place: MediaPlace): string =>
  place
    .map((key) =>
      typeof key === 'number' ? key : `${TEXT_MARK}${encodeURIComponent(key).replaceAll('_', '%5F')}`,
    )
    .join('_');

/** Parses a cursor. `text` must match LIBRARY_CURSOR. Returns undefined if no page can end there. */
export function placeOfText(text: string): MediaPlace | undefined {
  try {
    return text
      .split('_')
      .map((key) => (key.startsWith(TEXT_MARK) ? decodeURIComponent(key.slice(1)) : Number(key)));
  } catch {
    return undefined;
  }
}
