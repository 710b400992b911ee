import type { z } from 'zod';
import type { PeopleOfUsers } from '../../../actors/people/people.ts';
import { STREAM_RUN } from '../../../actors/people/rows.ts';
import type { Search, SearchAnswer, SearchConditions } from '../../../actors/search/search.ts';
import { cursorOf, textOfCursor } from '../../schemas/search/search-cursor.ts';
import type { Logger } from '../../../config/logger.ts';
import type { Sight } from '../../../domain/users/owner.ts';
import { foldedName, searchTerms } from '../../../domain/text/words.ts';
import { userOf } from '../../access/bearer.ts';
import { answerWith, json, ok, sentence } from '../../routing/declaration.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { responseMessage } from '../../schemas/common.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { searchCountQuery, searchCounts, searchPage, searchQuery } from '../../schemas/search/search.ts';

export interface SearchDeps {
  /** Undefined if SEARCH is false. */
  readonly indexer: Omit<Search, 'wake' | 'remove' | 'close'> | undefined;
  readonly people: PeopleOfUsers;
  readonly logger: Logger;
}

export const SEARCH_IS_OFF = 'The search is switched off on this server (SEARCH=false).';

export const HIT = {
  jobId: 'host-12',
  externalId: 'case 7',
  jobEndDate: '2026-03-01T09:31:00.000Z',
  mediaIndex: 0,
  mediaId: 31,
  mediaUri: 'file:///media/street.mp4',
  mediaType: 'VIDEO',
  trackId: '3b1f4c9bd8a2f4e7c4a8f3a1e0cb7d5a6c1b2e3f4051627384958a7b6c5d4e3f',
  task: 'TEXT DETECTION TASK',
  action: 'TEXT DETECTION ACTION',
  algorithm: 'TEXT',
  type: 'TEXT',
  class: null,
  startOffsetFrame: 250,
  stopOffsetFrame: 274,
  startOffsetTime: 10_000,
  stopOffsetTime: 10_960,
  stream: null,
  page: null,
  confidence: 0.93,
  colour: null,
  vectorModel: null,
  person: null,
  frame: 260,
  box: { x: 640, y: 210, width: 220, height: 48 },
  width: 1_920,
  height: 1_080,
  snippet: { text: 'Straße gesperrt', marks: [{ start: 0, end: 6 }] },
  score: 0.5,
};

const COMMON = { tag: 'Search' } as const;

/** The results of all jobs (not in the specification). */
export const searchEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/search',
    id: 'search',
    jobs: 'LIST',
    caller: 'USER',
    summary: 'Search what all jobs found',
    description:
      'A hit is a track of a detection document. All given conditions must match. Without conditions, all tracks are listed, newest first.',
    query: searchQuery,
    answers: {
      200: json('A page of hits.', searchPage, { hits: [HIT], next: '812', complete: true }),
      400: sentence('A part of the query is wrong.'),
      501: sentence('The search is switched off.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query, ctx }, { indexer, people, jobAccess }: SearchDeps & JobGuard) {
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const sight = jobAccess.sight(ctx);
      const seen = await seenTracks(query, sight, people);
      const page = await indexer.find({ ...questionOf(query), ...seen });
      if ('busy' in page) throw overloadError(page.busy);
      const hits = await shownHits(page.hits, sight, people);
      return ok({ hits, next: page.next === null ? null : textOfCursor(page.next), complete: page.complete });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/search/counts',
    id: 'countSearch',
    jobs: 'LIST',
    caller: 'USER',
    summary: 'Count the hits of a search by their properties',
    query: searchCountQuery,
    answers: {
      200: json('The counts.', searchCounts),
      400: sentence('A part of the query is wrong.'),
      501: sentence('The search is switched off.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query: { since = [], ...query }, ctx }, deps: SearchDeps & JobGuard) {
      const { indexer, people, jobAccess } = deps;
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      const seen = await seenTracks(query, jobAccess.sight(ctx), people);
      const times = since.map((time) => Date.parse(time));
      const counts = await indexer.count({ ...conditionsOf(query), ...seen, since: times });
      if ('busy' in counts) throw overloadError(counts.busy);
      const { findings, colours, media, confidences } = counts;
      return ok({
        ...{ ...counts, findings: [...findings], colours: [...colours], media: [...media] },
        confidences: [...confidences],
        since: counts.since.map(({ from, tracks }) => ({ from: new Date(from).toISOString(), tracks })),
      });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'post',
    path: '/rest/search/rebuild',
    id: 'rebuildSearch',
    caller: 'ADMIN',
    forbidden: {
      message: 'The search index was not rebuilt. This needs the role ADMIN.',
    },
    summary: 'Rebuild the search index',
    description:
      'Deletes the index and builds it again from the documents of all jobs, oldest first, while jobs run. Until it is complete, the search answers with `complete` false.',
    answers: {
      202: json('The rebuild has started.', responseMessage),
      501: sentence('The search is switched off.'),
    },
    handle({ ctx }, { indexer, logger }: SearchDeps) {
      if (indexer === undefined) throw new HttpError('search-disabled', SEARCH_IS_OFF);
      indexer.rebuild();
      logger.info({ user: userOf(ctx).name }, 'the search index is being rebuilt');
      return answerWith(202, {
        message: 'The search index is being rebuilt from the documents of all jobs.',
      });
    },
  }),
];

function questionOf(query: z.output<typeof searchQuery>): Omit<Parameters<Search['find']>[0], 'sight'> {
  const { limit, cursor, sort, ...conditions } = query;
  return {
    ...conditionsOf(conditions),
    sort,
    limit,
    cursor: cursor === undefined ? undefined : cursorOf(cursor),
  };
}

/** Returns the tracks that the user may see, or only those of the named person. */
export async function seenTracks(
  { person }: { readonly person?: string | undefined },
  sight: Sight,
  people: Pick<PeopleOfUsers, 'tracks'>,
): Promise<Pick<SearchConditions, 'sight' | 'tracks'>> {
  return person === undefined ? { sight } : { sight, tracks: await people.tracks(person, sight) };
}

export function conditionsOf(
  query: Omit<z.output<typeof searchCountQuery>, 'since'>,
): Omit<SearchConditions, 'sight'> {
  const { text, anything, class: name, type, from, to, person: _, ...others } = query;
  return {
    ...others,
    terms: text === undefined ? [] : searchTerms(text),
    anything: anything === undefined ? undefined : searchTerms(anything),
    class: name === undefined ? undefined : foldedName(name),
    type: type === undefined ? undefined : foldedName(type),
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    job: query.job,
  };
}

/** Adds to each face track the person that it belongs to. */
export async function shownHits<T extends SearchAnswer['hits'][number]>(
  hits: readonly T[],
  sight: Sight,
  people: Pick<PeopleOfUsers, 'ofTracks'>,
) {
  const faces = hits.filter(({ type }) => type === FACE);
  const tracks = faces.map(({ number: job, run, mediaId, trackId, stream }) => ({
    ...{ job, mediaId, trackId },
    // In the index, each segment of a live stream is a run.
    run: stream === null ? run : STREAM_RUN,
  }));
  const found = await people.ofTracks(tracks, sight);
  const persons = new Map(faces.map((hit, n) => [hit, found[n]]));
  return hits.map((hit) => ({ ...hitOf(hit), person: persons.get(hit) ?? null }));
}

const FACE = 'FACE';

function hitOf<T extends SearchAnswer['hits'][number]>({ number: _, run: __, ...hit }: T) {
  const { jobEndedAt, startFrame, stopFrame, startMs, stopMs, stream, ...rest } = hit;
  return {
    ...rest,
    jobEndDate: new Date(jobEndedAt).toISOString(),
    startOffsetFrame: startFrame,
    stopOffsetFrame: stopFrame,
    startOffsetTime: startMs,
    stopOffsetTime: stopMs,
    stream: stream && streamOf({ ...stream, startMs, stopMs }),
  };
}

interface SeenInStream {
  readonly uri: string;
  readonly createdAt: number;
  readonly startMs: number;
  readonly stopMs: number;
}

export const streamOf = ({ uri, createdAt, startMs, stopMs }: SeenInStream) => ({
  streamUri: uri,
  startDate: new Date(createdAt + startMs).toISOString(),
  stopDate: new Date(createdAt + stopMs).toISOString(),
});
