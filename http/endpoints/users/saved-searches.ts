import { z } from 'zod';
import type { SavedSearch, SavedSearches } from '../../../actors/search/saved-searches.ts';
import { userOf } from '../../access/bearer.ts';
import { answerWith, json, nothing, ok, sentence, withoutBody } from '../../routing/declaration.ts';
import { HttpError, notThere } from '../../routing/errors.ts';
import {
  savedSearch,
  savedSearchId,
  savedSearchList,
  savedSearchRequest,
} from '../../schemas/search/saved-searches.ts';
import { endpoint } from '../../steps/endpoint.ts';

export interface SavedSearchDeps {
  readonly savedSearches: SavedSearches;
}

const COMMON = { tag: 'Search', caller: 'USER', jobs: 'NONE' } as const;
const SAVED: z.output<typeof savedSearch> = {
  id: '3f9a1c0b7d2e4f68',
  name: 'Red cars',
  query: { class: 'car', colour: 'red' },
  created: '2026-03-01T09:30:00.000Z',
};
const TOO_MANY = 'You have saved 100 searches, which is the limit. Delete one that you do not need.';

export const savedSearchEndpoints = [
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/searches',
    id: 'saveSearch',
    summary: 'Save a search',
    body: { schema: savedSearchRequest, example: { name: 'Red cars', query: SAVED.query } },
    answers: {
      201: json('The saved search.', savedSearch, SAVED),
      400: sentence('The body is wrong.'),
      409: sentence('The user has the maximum number of searches.'),
    },
    async handle({ body, ctx }, { savedSearches }: SavedSearchDeps) {
      const made = await savedSearches.create(userOf(ctx), body);
      if (made === 'FULL') throw new HttpError('too-many-searches', TOO_MANY);
      return answerWith(201, toShown(made));
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/searches',
    id: 'listSavedSearches',
    summary: 'List your saved searches',
    answers: { 200: json('The searches.', savedSearchList, { searches: [SAVED] }) },
    async handle({ ctx }, { savedSearches }: SavedSearchDeps) {
      return ok({ searches: (await savedSearches.list(userOf(ctx))).map(toShown) });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'delete',
    path: '/rest/searches/{id}',
    id: 'deleteSavedSearch',
    summary: 'Delete a saved search',
    params: z.object({ id: savedSearchId }),
    answers: { 204: nothing('It is deleted.'), 404: sentence('You have no such search.') },
    async handle({ params: { id }, ctx }, { savedSearches }: SavedSearchDeps) {
      if (!(await savedSearches.remove(id, userOf(ctx))))
        throw notThere('saved search', id, '/rest/searches');
      return withoutBody(204);
    },
  }),
];

const toShown = ({ created, query, ...search }: SavedSearch): z.output<typeof savedSearch> => ({
  ...search,
  query: { ...query },
  created: new Date(created).toISOString(),
});
