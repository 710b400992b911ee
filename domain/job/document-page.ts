/** The page of a document on which a track was found. */

export const PAGE_KINDS = ['PAGE', 'SLIDE', 'SHEET'] as const;

export interface DocumentPage {
  readonly kind: (typeof PAGE_KINDS)[number];
  /** From 1. For a picture on several pages, all of them: `3; 7`. */
  readonly number: string;
}

/** Maximum number of stored characters of the property PAGE_NUM. */
const LONGEST = 100;

/** `number`: the property PAGE_NUM. A document of an unknown format has pages. */
export function documentPage(mimeType: string, number: string): DocumentPage {
  const kind = /presentation|powerpoint/i.test(mimeType)
    ? 'SLIDE'
    : /spreadsheet|excel/i.test(mimeType)
      ? 'SHEET'
      : 'PAGE';
  return { kind, number: number.slice(0, LONGEST) };
}
