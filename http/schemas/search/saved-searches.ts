import { z } from 'zod';
import { searchCountQuery } from './search.ts';

/** Bodies of the endpoints about saved searches (ours). */
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{1,64}$/u, { error: 'must have 1 to 64 characters' });
const query = z.record(z.string(), z.string()).describe('Parameters of GET /rest/search');

export const savedSearchRequest = z.strictObject({
  name,
  query: query.superRefine((given, { addIssue }) => {
    const { error } = searchCountQuery.safeParse(given);
    for (const { path, message } of error?.issues ?? [])
      addIssue({ code: 'custom', message, path: [...path] });
  }),
});

export const savedSearch = z
  .object({ id: z.string(), name: z.string(), query, created: z.iso.datetime() })
  .meta({ id: 'SavedSearch' });
export const savedSearchList = z.object({ searches: z.array(savedSearch).describe('Oldest first') });
export const savedSearchId = z.string().describe('The id of the saved search');
