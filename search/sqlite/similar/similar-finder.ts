import type Database from 'better-sqlite3';
import type { SimilarQuery, SimilarRefusal } from '../../../store/search.ts';
import { likeText, ownersSeen, seenBy, seesNobody } from '../media-finder.ts';
import { statementOf, WHOLE } from '../schema.ts';
import { ConditionTest } from './condition-test.ts';
import { bySimilarity, Nearest, type Candidate, type NearestOfSpace, type Space } from './nearest.ts';
import { floatsOf, readVector, unitVector } from './vector.ts';

/** Number of candidates from each file: first step, and further steps while too few candidates match the conditions. */
const OF_EACH = [64, 320, 1_500] as const;
/** Number of additional candidates that are compared exactly, because 8-bit vectors only approximate their order. */
const MORE_COMPARED = 16;
/** Maximum difference between a similarity of 8-bit vectors and the exact one. */
const ROUNDING = 0.02;
/** Number of matching tracks up to which all of them are compared. */
const FEW = 2_000;
/** The same if they are a small fraction of all tracks, because the files would return too few of them: tracks, and numbers in their vectors. */
const [FEW_OF_MANY, NUMBERS_OF_FEW] = [40_000, 10_000_000];
const SMALL_FRACTION = 0.05;
/** Maximum number of the newest matching tracks that are compared if few of the nearest match the conditions. */
const MOST_COMPARED = 5_000;

/** Finds the rows of tracks that match conditions. */
export interface RowFinder {
  /** Returns the newest rows. */
  newest(conditions: SimilarQuery, limit: number): readonly number[];
  /** Returns a number of rows that is at least that of the matching ones, found without reading them. */
  most(conditions: SimilarQuery): number;
}

/** Rows of similar tracks, most similar first. */
export interface FoundSimilar {
  readonly model: string;
  /** Row of the query's track. Null if the query contains a vector. */
  readonly like: number | null;
  readonly candidates: readonly Candidate[];
  /** Fraction of the model's vectors that were searched, from 0 to 1. */
  readonly searched: number;
}

interface Target {
  readonly space: Space & { readonly model: string };
  readonly vector: Float32Array;
  /** The track of the query, which is not a hit itself. */
  readonly self?: { readonly id: number; readonly trackId: string };
}

/** Finds the tracks whose vectors are nearest to that of a track, or to a given vector. */
export class SimilarFinder {
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #nearest: Nearest;
  readonly #rows: RowFinder;

  constructor(database: Database.Database, file: string, rows: RowFinder) {
    this.#database = database;
    this.#statements = prepare(database);
    this.#nearest = new Nearest(database, file);
    this.#rows = rows;
  }

  find(query: SimilarQuery): FoundSimilar | SimilarRefusal {
    const target = this.#targetOf(query);
    if ('refusal' in target) return target;
    const { space, vector } = target;
    const nearest = this.#nearest.open(space, vector);
    return {
      model: space.model,
      like: target.self?.id ?? null,
      candidates: this.#candidates(query, target, nearest),
      searched: this.#searchedPart(space, nearest),
    };
  }

  /** Returns the searched fraction. All vectors are counted only if some are missing, because counting takes time. */
  #searchedPart({ id }: Space, { missing }: NearestOfSpace): number {
    return missing === 0 ? 1 : 1 - missing / this.#statements.count.get(id)!.n;
  }

  #candidates(query: SimilarQuery, target: Target, nearest: NearestOfSpace): readonly Candidate[] {
    if (seesNobody(query.sight)) return [];
    const test = new ConditionTest(this.#database, query, target.space.id);
    const isHit = (id: number) => this.#isHit(id, target, query) && test.meets(id);
    const best = (ids: readonly number[]) => firstOf(nearest.compare(ids), query, isHit);
    const indexed = indexedConditions(query);
    const few = this.#fewRows(query, indexed, target.space);
    if (few !== undefined) return best(few);
    let found: readonly Candidate[] = [];
    const wide = {
      ...query,
      limit: query.limit + MORE_COMPARED,
      minSimilarity: (query.minSimilarity ?? -1) - ROUNDING,
    };
    let fraction = 1;
    for (const [step, least] of OF_EACH.entries()) {
      // The last step follows at once if the others would find too few.
      if (step < OF_EACH.length - 1 && fraction < SMALL_FRACTION) continue;
      const ofEach = Math.max(least, query.limit);
      const { candidates, count, sure } = nearest.candidates(ofEach);
      const likely = firstOf(candidates, wide, isHit).map(({ id }) => id);
      found = firstOf(nearest.compare(likely), query, () => true);
      const isFull = found.length === query.limit && found.at(-1)!.similarity >= sure;
      if (isFull || nearest.isAll(ofEach)) return found;
      if (likely.length < wide.limit) fraction = likely.length / count;
    }
    if (found.length === query.limit) return found;
    const rows = this.#rows.newest(indexed ?? withoutConditions(query), MOST_COMPARED);
    const known = new Set(found.map(({ id }) => id));
    const more = best(rows).filter(({ id }) => !known.has(id));
    return [...found, ...more].toSorted(bySimilarity).slice(0, query.limit);
  }

  /** Returns all tracks that may match if an index shows that they are few. */
  #fewRows(
    { medium }: SimilarQuery,
    indexed: SimilarQuery | undefined,
    { dimension }: Space,
  ): readonly number[] | undefined {
    const uri = likeText(medium);
    const { ofMedia, lastRow } = this.#statements;
    const many = Math.min(FEW_OF_MANY, Math.floor(NUMBERS_OF_FEW / dimension));
    if (uri !== undefined) {
      const rows = ofMedia.all({ uri, most: many + 1 });
      if (rows.length <= many) return rows;
    }
    if (indexed === undefined) return undefined;
    const smallPart = Math.floor(SMALL_FRACTION * (lastRow.get() ?? 0));
    // Without words, each row must be read to count it.
    const isListed = hasWords(indexed) || this.#rows.most(indexed) <= many;
    const most = isListed ? Math.max(FEW, Math.min(many, smallPart)) : FEW;
    const rows = this.#rows.newest(indexed, most + 1);
    return rows.length <= most ? rows : undefined;
  }

  /** True if the track is a hit. With `distinct`, the same track of another job is no hit either. */
  #isHit(id: number, { self }: Target, { distinct }: SimilarQuery): boolean {
    if (self === undefined) return true;
    return (
      id !== self.id && (distinct !== true || this.#statements.trackId.get(id)?.track_id !== self.trackId)
    );
  }

  #targetOf({ like, sight }: SimilarQuery): Target | SimilarRefusal {
    return 'vector' in like ? this.#givenVector(like, sight) : this.#vectorOfTrack(like, sight);
  }

  #vectorOfTrack(
    { job, mediaId, trackId }: { readonly job: number; readonly mediaId: number; readonly trackId: string },
    sight: SimilarQuery['sight'],
  ): Target | SimilarRefusal {
    const seen = { job, mediaId, trackId, ...seenBy(sight) };
    const where = `j.number = @job and j.state = ${WHOLE} and ${ownersSeen(sight)}`;
    const jobs = statementOf<[object], unknown>(this.#database, `select 1 from jobs j where ${where}`);
    if (jobs.get(seen) === undefined) return { refusal: 'NO_JOB' };
    const rows = statementOf<[object], { id: number }>(
      this.#database,
      `select t.id from jobs j join tracks t on t.id between j.first and j.last and t.job = j.id
         join media m on m.job = t.job and m.place = t.medium
       where ${where} and t.track_id = @trackId and m.media_id = @mediaId`,
    ).all(seen);
    if (rows.length === 0) return { refusal: 'NO_TRACK' };
    for (const { id } of rows) {
      const found = this.#statements.ofTrack.get(id);
      if (found === undefined) continue;
      const { space: of, model, dimension, vector } = found;
      return { space: { id: of, model, dimension }, vector: floatsOf(vector), self: { id, trackId } };
    }
    return { refusal: 'NO_VECTOR' };
  }

  #givenVector(
    { vector, model }: { readonly vector: readonly number[] | string; readonly model: string },
    sight: SimilarQuery['sight'],
  ): Target | SimilarRefusal {
    const read = typeof vector === 'string' ? readVector(vector) : unitVector(vector);
    if ('wrong' in read) return { refusal: 'WRONG_VECTOR', why: read.wrong };
    const spaces = this.#spacesOf(model, sight);
    if (spaces.length === 0) return { refusal: 'NO_MODEL' };
    const space = spaces.find(({ dimension }) => dimension === read.unit.length);
    if (space === undefined)
      return { refusal: 'DIMENSION', dimensions: spaces.map(({ dimension }) => dimension) };
    return { space: { ...space, model }, vector: read.unit };
  }

  /** Returns the spaces of a model. Those of which the user sees no vector do not exist for the user. */
  #spacesOf(model: string, sight: SimilarQuery['sight']): readonly Space[] {
    if (sight === 'ALL') return this.#statements.spaces.all(model);
    return statementOf<[object], Space>(
      this.#database,
      `select s.id, s.dimension from spaces s where s.model = @model and exists (
         select 1 from jobs j where j.state = ${WHOLE} and ${ownersSeen(sight)} and exists (
           select 1 from vectors v where v.id between j.first and j.last and v.space = s.id))`,
    ).all({ model, ...seenBy(sight) });
  }
}

/** Returns the first hits among sorted candidates. */
function firstOf(
  candidates: Iterable<Candidate>,
  { limit, minSimilarity = -1 }: SimilarQuery,
  isHit: (id: number) => boolean,
): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const candidate of candidates) {
    if (found.length === limit || candidate.similarity < minSimilarity) break;
    if (isHit(candidate.id)) found.push(candidate);
  }
  return found;
}

/** True if the index of words lists the rows, which is much faster than reading them. */
const hasWords = ({ terms, anything = [], class: name, type, colour, sight }: SimilarQuery): boolean =>
  terms.length + anything.length > 0 ||
  sight !== 'ALL' ||
  [name, type, colour].some((one) => one !== undefined);

/** Returns the conditions for which an index exists, so that their tracks are listed fast. Returns undefined if there are none. */
function indexedConditions(query: SimilarQuery): SimilarQuery | undefined {
  const { job, from, to } = query;
  return hasWords(query) || [job, from, to].some((one) => one !== undefined)
    ? { ...query, minConfidence: undefined, medium: undefined, distinct: undefined }
    : undefined;
}

const withoutConditions = (query: SimilarQuery): SimilarQuery => ({
  ...query,
  ...{ minConfidence: undefined, medium: undefined, distinct: undefined },
});

const IS_LIKE = String.raw`m.uri like @uri escape '\'`;

function prepare(database: Database.Database) {
  return {
    count: database.prepare<[number], { n: number }>('select count(*) as n from vectors where space = ?'),
    spaces: database.prepare<[string], Space>(
      `select s.id, s.dimension from spaces s
       where s.model = ? and exists (select 1 from vectors v where v.space = s.id)`,
    ),
    ofMedia: database
      .prepare<[{ readonly uri: string; readonly most: number }], number>(
        // The order of the joins reads each track once.
        `select t.id from (select distinct m.job from media m where ${IS_LIKE}) o
         cross join jobs j on j.id = o.job and j.state = ${WHOLE}
         cross join tracks t on t.id between j.first and j.last
         where exists (select 1 from media m where m.job = t.job and m.place = t.medium and ${IS_LIKE}) limit @most`,
      )
      .pluck(),
    lastRow: database.prepare<[], number | null>('select max(id) from tracks').pluck(),
    trackId: database.prepare<[number], { track_id: string }>('select track_id from tracks where id = ?'),
    ofTrack: database.prepare<[number], { space: number; model: string; dimension: number; vector: Buffer }>(
      'select v.space, s.model, s.dimension, v.vector from vectors v join spaces s on s.id = v.space where v.id = ?',
    ),
  };
}
