/** Creates the SQL statement for the rows of matching tracks. */
import type { Sight } from '../../domain/users/owner.ts';
import { namedColour } from '../../domain/text/colours.ts';
import { phrasesOf, type SearchPhrase, type SearchTerm } from '../../domain/text/words.ts';
import type { SearchConditions } from '../../store/search.ts';
import { classFacet, colourFacet, ownerFacets, typeFacet } from './facets.ts';
import { likeText, ownersSeen, seenBy } from './media-finder.ts';
import { WHOLE } from './schema.ts';
import { isRanked } from './sorted-page.ts';

interface RowsQuery {
  readonly statement: string;
  readonly values: object;
}

/**
 * Returns the statement for rows between @first and @below, in the order of the query. A ranked query sorts the newest @most rows, best
 * first. `space`: of tracks with vectors of this space, a distinct query returns the last.
 */
export function rowsQuery(query: SearchConditions, space?: number): RowsQuery {
  const { id, rows, values } = matchOf(query, true, space);
  return { statement: inOrder(query, id, rows), values };
}

/** Returns the statement for the ids of the newest @most rows between @first and @below. Words are enough for it if no condition needs tracks. */
export function idsQuery(query: SearchConditions): RowsQuery {
  const { id, rows, values } = matchOf(query, false);
  return { statement: `select ${id} ${rows} order by ${id} desc limit @most`, values };
}

function matchOf(query: SearchConditions, withTracks: boolean, space?: number) {
  const { minConfidence, medium, camera, tracks, distinct, sight, from = -Infinity, to = Infinity } = query;
  const isTimed = from !== -Infinity || to !== Infinity;
  const wanted = expressionOf(query);
  const isOfWords = wanted !== '';
  const id = isOfWords ? 'words.rowid' : 't.id';
  const ofTracks = [
    ...(minConfidence === undefined ? [] : ['t.confidence >= @minConfidence']),
    ...(medium === undefined ? [] : [IS_OF_MEDIUM]),
    ...(camera === undefined ? [] : [IS_OF_CAMERA]),
    ...(tracks === undefined ? [] : [IS_ONE_OF_TRACKS]),
    ...(isTimed ? [IS_SEEN_THEN] : []),
    ...(distinct === true ? [isLastOne(sight, space)] : []),
  ];
  const conditions = [
    ...(isOfWords ? ['words match @wanted'] : []),
    `${id} < @below and ${id} >= @first`,
    ...ofTracks,
  ];
  const ofJobs =
    isTimed || camera !== undefined || tracks !== undefined ? ' join jobs j on j.id = t.job' : '';
  const words = withTracks || ofTracks.length > 0 ? 'words join tracks t on t.id = words.rowid' : 'words';
  return {
    id,
    rows: `from ${isOfWords ? words : 'tracks t'}${ofJobs} where ${conditions.join(' and ')}`,
    values: {
      ...{ wanted, minConfidence, from, to, medium: likeText(medium), space },
      // A number is an id, because most addresses contain it.
      ...{ camera: /^\d+$/.test(camera ?? '') ? null : likeText(camera), cameraJob: camera },
      ...namesOf(tracks),
      ...seenBy(sight),
    },
  };
}

/** Rank of a row. Words that name a class, a type or a colour do not count. */
const RANK = 'bm25(words, 1.0, 0.0)';

function inOrder(query: SearchConditions, id: string, rows: string): string {
  if (!isRanked(query))
    return `select t.id, t.job ${rows} order by ${id} ${query.sort === 'oldest' ? 'asc' : 'desc'}`;
  const newest = `select t.id, t.job, ${RANK} as rank ${rows} order by ${id} desc limit @most`;
  return `select id, job from (${newest}) order by rank, id desc`;
}

const IS_OF_MEDIUM = String.raw`exists (select 1 from media m
  where m.job = t.job and m.place = t.medium and m.uri like @medium escape '\')`;

const IS_OF_CAMERA = String.raw`(j.stream like @camera escape '\' or (j.stream is not null and j.job_id = @cameraJob))`;

const IS_ONE_OF_TRACKS = `t.track_id in (select value from json_each(@trackIds))
  and j.number || '/' || t.track_id in (select value from json_each(@trackNames))`;

const namesOf = (tracks: SearchConditions['tracks'] = []) => ({
  trackIds: JSON.stringify(tracks.map(({ trackId }) => trackId)),
  trackNames: JSON.stringify(tracks.map(({ job, trackId }) => `${job}/${trackId}`)),
});

/** SQL condition for the time. For live streams the time of the track counts, for others the time of the job. */
const IS_SEEN_THEN =
  '(j.stream is null or (j.created_at + t.start_ms < @to and j.created_at + t.stop_ms >= @from))';

/** SQL condition: no later visible job has the same track. Equal ids mean the same medium, exemplar and type. */
const isLastOne = (sight: Sight, space: number | undefined): string =>
  `not exists (select 1 from tracks n join jobs j on j.id = n.job
     where n.track_id = t.track_id and n.id > t.id and n.job <> t.job and n.class is t.class
       ${space === undefined ? '' : 'and exists (select 1 from vectors v where v.id = n.id and v.space = @space)'}
       and j.state = ${WHOLE} and j.ended_at < @to and ${ownersSeen(sight)})`;

/** Returns the FTS5 expression. Words consist of letters and digits only, so a user cannot inject syntax. */
function expressionOf({ terms, anything = [], class: name, type, colour, sight }: SearchConditions): string {
  return [
    ...terms.map((term) => oneOf(term, textExpression)),
    ...anything.map((term) => oneOf(term, anyExpression)),
    ...(name === undefined ? [] : [facetExpression([classFacet(name)])]),
    ...(type === undefined ? [] : [facetExpression([typeFacet(type)])]),
    ...(colour === undefined ? [] : [facetExpression([colourFacet(colour)])]),
    ...(sight === 'ALL' ? [] : [facetExpression(ownerFacets(sight))]),
  ].join(' AND ');
}

const facetExpression = (facets: readonly string[]): string =>
  `facets : (${facets.map((one) => `"${one}"`).join(' OR ')})`;

const oneOf = (term: SearchTerm, expressionOf: (phrase: SearchPhrase) => string): string =>
  `(${phrasesOf([term]).map(expressionOf).join(' OR ')})`;

const textExpression = ({ words, prefix }: SearchPhrase): string =>
  `text : "${words.join(' ')}"${prefix ? ' *' : ''}`;

/** Returns the expression for a text, or a name of a class, a type or a colour. */
function anyExpression(phrase: SearchPhrase): string {
  const name = phrase.words.join(' ');
  const colour = namedColour(name);
  const facets = [classFacet(name), typeFacet(name), ...(colour === undefined ? [] : [colourFacet(colour)])];
  return `${textExpression(phrase)} OR ${facetExpression(facets)}`;
}
