import type { MediaPlace } from '../../../domain/job/media-order.ts';

/** Texts begin with it, and numbers do not. */
const TEXT_MARK = '~';

/** Where a page of the library ends, as text: numbers and texts, as the order of the page has them. */
export const LIBRARY_CURSOR =
  /^(?:-?\d{1,15}(?:\.\d{1,6})?|~[^_]{0,2000})(?:_(?:-?\d{1,15}(?:\.\d{1,6})?|~[^_]{0,2000})){2,5}$/;

export const textOfPlace = (place: MediaPlace): string =>
  place
    .map((key) =>
      typeof key === 'number' ? key : `${TEXT_MARK}${encodeURIComponent(key).replaceAll('_', '%5F')}`,
    )
    .join('_');

/** `text` fits LIBRARY_CURSOR. Undefined: no page ends so. */
export function placeOfText(text: string): MediaPlace | undefined {
  try {
    return text
      .split('_')
      .map((key) => (key.startsWith(TEXT_MARK) ? decodeURIComponent(key.slice(1)) : Number(key)));
  } catch {
    return undefined;
  }
}
