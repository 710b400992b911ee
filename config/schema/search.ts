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
  SEARCH: truth().default(true).describe('Search the results of jobs; false deletes the index'),
  SEARCH_FOLDER: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ shownDefault: 'DATA_DIR' })
    .describe('Folder of the index, on a local disk'),
  SEARCH_TEXT_PROPERTIES: names('TEXT,TRANSCRIPT,TRANSLATED_AUDIO,TRANSLATION,CAPTION').describe(
    'Comma-separated properties with the text of a track',
  ),
  SEARCH_CLASS_PROPERTIES: names('CLASSIFICATION').describe(
    'Comma-separated properties; the first is the class of a track',
  ),
  SEARCH_STREAM_DAYS: days(30).describe('Days that the search finds tracks of live streams; 0: not at all'),
};

export const searchSettings = searching;

export const searchGroups: readonly SettingGroup[] = [
  {
    title: 'Search',
    about: 'After a change of properties, run `troupe reindex`.',
    settings: searching,
  },
];
