import { z } from 'zod';
import { days, truth, type SettingGroup } from './values.ts';

const names = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    )
    .meta({ shownDefault: fallback });

const searching = {
  SEARCH: truth()
    .default(true)
    .describe(
      'Make what jobs found searchable; false: GET /rest/search is answered 501, and the index is removed',
    ),
  SEARCH_FOLDER: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ shownDefault: 'DATA_DIR' })
    .describe('Folder of the index; with DATA_DIR on another host, use a local disk'),
  SEARCH_TEXT_PROPERTIES: names('TEXT,TRANSCRIPT,TRANSLATED_AUDIO,TRANSLATION,CAPTION').describe(
    'Properties, comma-separated, whose values are the text of a track; after a change: troupe reindex',
  ),
  SEARCH_CLASS_PROPERTIES: names('CLASSIFICATION').describe(
    'Properties, comma-separated, the first of which that a track has is its class; after a change: troupe reindex',
  ),
  SEARCH_STREAM_DAYS: days(30).describe(
    'Days for which tracks of live streams can be found; then their files are deleted as well. 0: the search does not find live streams',
  ),
};

export const searchSettings = searching;

export const searchGroups: readonly SettingGroup[] = [
  {
    title: 'Search',
    about: 'What jobs found, and how it is searched: see [Search index](../concepts/search-index.md).',
    settings: searching,
  },
];
