import type { z } from 'zod';
import type { libraryCounts, libraryPage } from '../../http/schemas/search/library.ts';

export type LibraryPage = z.output<typeof libraryPage>;
export type LibraryMedium = LibraryPage['media'][number];
export type LibraryCounts = z.output<typeof libraryCounts>;
export type Finding = LibraryMedium['findings'][number];

/** Filters of the library, as in the address of the page. */
export const FILTERS = ['type', 'class', 'mediaType', 'label', 'name'] as const;
