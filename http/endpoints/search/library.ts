import type { z } from 'zod';
import type { LibraryAnswer, MediaQuery } from '../../../actors/search/search.ts';
import { foldedName } from '../../../domain/text/words.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { libraryCounts, libraryPage, libraryQuery } from '../../schemas/search/library.ts';
import { placeOfText, textOfPlace } from '../../schemas/search/library-cursor.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { SEARCH_IS_OFF, type SearchDeps } from './search.ts';

/** Example of a medium of the library. */
export const LIBRARY_MEDIUM = {
  jobId: 'host-12',
  externalId: 'case 7',
  jobEndDate: '2026-03-01T09:31:00.000Z',
  mediaIndex: 0,
  mediaId: 31,
  mediaUri: 'file:///media/street.mp4',
  mediaType: 'VIDEO',
  mimeType: 'video/mp4',
  length: 250,
  durationMs: 10_000,
  width: 1_280,
  height: 720,
  frame: 48,
  findings: [{ type: 'CLASS', class: 'person', tracks: 3 }],
  boxes: [{ x: 40, y: 60, width: 120, height: 300, type: 'CLASS', class: 'person' }],
  people: 2,
  label: 'set:night',
};

const COMMON = { tag: 'Search', caller: 'USER', method: 'get', jobs: 'LIST' } as const;
const OFF = { 501: sentence('The search is switched off.') };

/** The media of all jobs that have ended (not in the specification). */
export const libraryEndpoints = [
  endpoint({
    ...COMMON,
    path: '/rest/library',
    id: 'listLibrary',
    summary: 'List the media of ended jobs, with their findings',
    query: libraryQuery,
    answers: {
      200: json('A page of media.', libraryPage, { media: [LIBRARY_MEDIUM], next: null, complete: true }),
      400: sentence('A part of the query is wrong.'),
      ...OFF,
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query, ctx }, { indexer, people, jobAccess }: SearchDeps & JobGuard) {
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const page = await indexer.media({ ...questionOf(query), sight: jobAccess.sight(ctx) });
      if ('busy' in page) throw overloadError(page.busy);
      const next = page.next === null ? null : textOfPlace(page.next);
      const counts = await people.counts(page.media.map(({ number }) => number));
      const countOf = ({ number, mediaId }: Medium) => counts.get(number)?.get(mediaId) ?? null;
      const media = page.media.map((medium) => ({ ...mediumOf(medium), people: countOf(medium) }));
      return ok({ media, next, complete: page.complete });
    },
  }),
  endpoint({
    ...COMMON,
    path: '/rest/library/counts',
    id: 'countLibrary',
    summary: 'Count media by findings',
    answers: { 200: json('The counts.', libraryCounts), ...OFF },
    async handle({ ctx }, { indexer, jobAccess }: SearchDeps & JobGuard) {
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const counts = await indexer.countMedia(jobAccess.sight(ctx));
      if ('busy' in counts) throw overloadError(counts.busy);
      const { mediaTypes, findings, labels } = counts;
      return ok({ ...counts, mediaTypes: { ...mediaTypes }, findings: [...findings], labels: [...labels] });
    },
  }),
];

function questionOf({
  type,
  class: name,
  from,
  to,
  cursor,
  ...query
}: z.output<typeof libraryQuery>): Omit<MediaQuery, 'sight'> {
  return {
    type: type === undefined ? undefined : foldedName(type),
    class: name === undefined ? undefined : foldedName(name),
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    cursor: cursor === undefined ? undefined : placeOfText(cursor),
    label: query.label,
    sort: query.sort,
    group: query.group,
    utcOffset: query.utcOffset,
    mediaType: query.mediaType,
    name: query.name,
    firstOf: query.firstOf,
    limit: query.limit,
  };
}

type Medium = LibraryAnswer['media'][number];

function mediumOf({ number: _, run: __, jobEndedAt, ...medium }: Medium) {
  const { findings, boxes } = medium;
  return {
    ...medium,
    findings: [...findings],
    boxes: [...boxes],
    jobEndDate: new Date(jobEndedAt).toISOString(),
  };
}
