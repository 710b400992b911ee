import { z } from 'zod';
import { wholeNumber } from '../common.ts';
import { searchQuery } from './search.ts';

/** Bodies of the endpoints for saved searches (not in the specification). */
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,64}$/u, { error: 'must have 1 to 64 characters' })
  .describe('By this name the user finds it again');
const query = z
  .record(z.string(), z.string())
  .describe(
    'Parameters of GET /rest/search except limit and cursor. days: instead of from, this many days up to today',
  );

const MOST_DAYS = 3_650;
const parameters = searchQuery.omit({ limit: true, cursor: true }).extend({
  days: wholeNumber(1, MOST_DAYS).optional(),
});

export const savedSearchRequest = z
  .strictObject({
    name,
    query: query.superRefine((given, { addIssue }) => {
      const { error } = parameters.safeParse(given);
      for (const { path, message } of error?.issues ?? [])
        addIssue({ code: 'custom', message, path: [...path] });
    }),
  })
  .meta({ id: 'SavedSearchRequest' });

export const savedSearch = z
  .object({
    id: z.string().describe('Id of the saved search'),
    name: z.string().describe('The name that the user gave it'),
    query,
    created: z.iso.datetime().describe('When it was saved'),
  })
  .meta({ id: 'SavedSearch' });
export const savedSearchList = z
  .object({ searches: z.array(savedSearch).describe('Oldest first') })
  .meta({ id: 'SavedSearchList' });
export const savedSearchId = z
  .string()
  .meta({ description: 'The id of the saved search', examples: ['8f2c1c0b7d2e4f68'] });
