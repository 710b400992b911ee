import type Database from 'better-sqlite3';
import type { Sight } from '../../domain/users/owner.ts';
import type { DocumentPage } from '../../domain/job/document-page.ts';
import type { Colour } from '../../domain/text/colours.ts';
import { snippetOf } from '../../domain/text/snippet.ts';
import type { SearchTerm } from '../../domain/text/words.ts';
import type { TurnedPicture } from '../../domain/tracks/turned-picture.ts';
import type { DocumentExemplar } from '../../results/document/document-tracks.ts';
import type {
  DuplicateQuery,
  Duplicates,
  MediaCounts,
  MediaPage,
  MediaQuery,
  SearchConditions,
  CountQuery,
  SearchCounts,
  SearchHit,
  SearchPage,
  SearchPlace,
  SearchQuery,
  SimilarHits,
  SimilarQuery,
  SimilarRefusal,
  VectorSource,
  VectorSourceQuery,
} from '../../store/search.ts';
import { countsOf, type CountedTrack } from './track-counts.ts';
import { MediaFinder, seesNobody } from './media-finder.ts';
import { shownBox } from './medium-summary.ts';
import { idsQuery, rowsQuery } from './rows-query.ts';
import { openForReading, statementOf, WHOLE } from './schema.ts';
import { isRanked, isSorted, placeOf, sortedPage } from './sorted-page.ts';
import { findDuplicates, type DuplicateRow } from './similar/duplicates.ts';
import { SimilarFinder } from './similar/similar-finder.ts';
import { findVectorModels, findVectorSource } from './similar/vector-source.ts';

export interface FinderOptions {
  readonly file: string;
  /** Maximum length of the snippet around a match: characters. */
  readonly snippetCharacters: number;
  /** Maximum number of tracks that a page scans. Some of them may belong to jobs outside the query. */
  readonly maxScanned: number;
}

interface Job {
  readonly id: number;
  readonly number: number;
  readonly run: number;
  readonly job_id: string;
  readonly external_id: string | null;
  readonly ended_at: number;
  readonly state: number;
  readonly first: number;
  readonly stream: string | null;
  readonly created_at: number | null;
}

interface Track {
  readonly id: number;
  readonly job: number;
  readonly place: number;
  readonly media_id: number;
  readonly uri: string;
  readonly media_type: string;
  readonly task: string;
  readonly action: string;
  readonly algorithm: string;
  readonly track_id: string;
  readonly type: string;
  readonly class: string | null;
  readonly text: string;
  readonly word_count: number;
  readonly start_frame: number;
  readonly stop_frame: number;
  readonly start_ms: number;
  readonly stop_ms: number;
  readonly page_kind: DocumentPage['kind'] | null;
  readonly page: string | null;
  readonly confidence: number;
  readonly colour: Colour | null;
  readonly exemplar: string | null;
  readonly model: string | null;
  readonly picture: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** Rows of the tracks that may match, from the first to the last. */
interface Range {
  readonly first: number;
  readonly last: number;
}

type Rows = IterableIterator<{ readonly id: number; readonly job: number }>;

/** Maximum number of tracks counted, because searches wait for the count. */
const MOST_COUNTED = 5_000;
/** Maximum number of near duplicates listed per group. */
const MOST_OF_GROUP = 100;
/** Number of consecutive tracks of an excluded job that are skipped one by one. The rest of the job is skipped at once. */
const PASSED_SINGLY = 100;

/** Reads the index. Tracks are scanned from the newest back, so that the cost of a page depends only on its length. */
export class Finder {
  readonly #options: FinderOptions;
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #media: MediaFinder;
  readonly #similar: SimilarFinder;

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#database = openForReading(options.file);
    this.#media = new MediaFinder(this.#database);
    this.#statements = prepare(this.#database);
    this.#similar = new SimilarFinder(this.#database, options.file, {
      newest: (query, limit) => this.#rowsOf(query, limit),
      most: (query) => {
        const { first, last } = this.#rangeOf({ ...query, cursor: undefined }) ?? { first: 0, last: -1 };
        return last - first + 1;
      },
    });
  }

  /** Finds tracks. The whole query reads one state of the index. */
  find(query: SearchQuery): SearchPage {
    return this.#database.transaction(() => this.#find(query))();
  }

  /** Counts properties of the newest tracks that match. */
  count({ since, ...query }: CountQuery): SearchCounts {
    const all = { ...query, limit: MOST_COUNTED, cursor: undefined };
    return this.#database.transaction(() => {
      const { rows, next } = this.#look(all);
      return countsOf(
        rows.map((id) => this.#statements.counted.get(id)!),
        { isPart: next !== null, since },
      );
    })();
  }

  similar(query: SimilarQuery): SimilarHits | SimilarRefusal {
    return this.#database.transaction(() => {
      const found = this.#similar.find(query);
      if ('refusal' in found) return found;
      const { candidates, like, ...rest } = found;
      const hits = candidates.map(({ id, similarity }) => ({ ...this.#singleHit(id, query), similarity }));
      return { ...rest, like: like === null ? null : this.#singleHit(like, query), hits };
    })();
  }

  vectorSource(query: VectorSourceQuery): VectorSource | null {
    return this.#database.transaction(() => findVectorSource(this.#database, query))();
  }

  vectorModels(sight: Sight): readonly VectorSource[] {
    return this.#database.transaction(() => findVectorModels(this.#database, sight))();
  }

  duplicates({ limit, ...conditions }: DuplicateQuery): Duplicates {
    return this.#database.transaction(() => {
      const { groups, isPart } = findDuplicates(this.#database, conditions, limit);
      const hitsOf = (rows: readonly DuplicateRow[]) =>
        rows
          .slice(0, MOST_OF_GROUP)
          .map(({ id, distance }) => ({ ...this.#singleHit(id, conditions), distance }));
      return { groups: groups.map(hitsOf), isPart };
    })();
  }

  /** Returns the newest matching tracks in the range of jobs and times. Some may belong to jobs outside the query. */
  #rowsOf(query: SimilarQuery, limit: number): readonly number[] {
    const range = this.#rangeOf({ ...query, cursor: undefined });
    if (range === undefined) return [];
    const { statement, values } = idsQuery(query);
    const ids = statementOf<[object], number>(this.#database, statement).pluck();
    return ids.all({ ...values, first: range.first, below: range.last + 1, most: limit });
  }

  #singleHit(id: number, { terms, anything = [] }: SearchConditions): SearchHit {
    const job = this.#statements.jobOfTrack.get(id)!;
    return this.#hitOf(id, new Map([[job.id, job]]), [...terms, ...anything]);
  }

  media(query: MediaQuery): MediaPage {
    return this.#media.page(query);
  }

  countMedia(sight: Sight): MediaCounts {
    return this.#database.transaction(() => this.#media.counts(sight))();
  }

  close(): void {
    this.#database.close();
  }

  #find(query: SearchQuery): SearchPage {
    const { rows, jobs, next } = this.#look(query);
    const terms = [...query.terms, ...(query.anything ?? [])];
    return {
      hits: rows.map((id) => this.#hitOf(id, jobs, terms)),
      next,
      place: this.#placeOf(query, next),
    };
  }

  #placeOf(query: SearchQuery, next: number | null): SearchPlace | null {
    if (next === null) return null;
    return isRanked(query) ? placeOf(next) : (this.#statements.place.get(next) ?? null);
  }

  /** Returns the rows of matching tracks with their jobs, and the cursor of the next page. */
  #look(query: SearchQuery): Looked {
    const range = seesNobody(query.sight) ? undefined : this.#rangeOf(query);
    if (range !== undefined && isSorted(query)) return this.#lookInOrder(query, range);
    const rows: number[] = [];
    const jobs = new Map<number, Job>();
    const page = (next: number | null): Looked => ({ rows, jobs, next });
    let below = range === undefined ? 0 : Math.min(range.last + 1, this.#cursorOf(query));
    let left = this.#options.maxScanned;
    for (let jumped = range !== undefined; jumped;) {
      jumped = false;
      let passed = 0;
      for (const { id, job: of } of this.#rows(query, below, range!.first)) {
        if (left-- === 0) return page(below);
        const job = this.#job(of, jobs);
        if (!isMeant(job, query)) {
          below = id;
          if (++passed < PASSED_SINGLY) continue;
          [below, jumped] = [job.first, true];
          break;
        }
        passed = 0;
        if (rows.length === query.limit) return page(rows.at(-1)!);
        rows.push((below = id));
      }
    }
    return page(null);
  }

  #lookInOrder(query: SearchQuery, range: Range): Looked {
    const jobs = new Map<number, Job>();
    const first = isRanked(query) ? range.first : Math.max(range.first, this.#cursorOf(query) + 1);
    const rows = this.#rows(query, range.last + 1, first);
    const isRowMeant = ({ job }: { readonly job: number }) => isMeant(this.#job(job, jobs), query);
    return { ...sortedPage(rows, query, this.#options.maxScanned, isRowMeant), jobs };
  }

  /** Returns the row of a cursor. If the job of a cursor does not exist, the page continues with jobs that ended before it. */
  #cursorOf({ cursor, sort }: SearchQuery): number {
    const isUp = sort === 'oldest';
    if (cursor === undefined) return isUp ? 0 : Infinity;
    if (typeof cursor === 'number') return cursor;
    const { ofRun, endedBefore } = this.#statements;
    const job = ofRun.get(cursor.job, cursor.run);
    if (job !== undefined) return job.first + cursor.track;
    return (endedBefore.get(cursor.endedAt)!.last ?? 0) + (isUp ? 0 : 1);
  }

  /** Returns the range of rows for a time. Rows of a job are consecutive, and jobs are stored in order of time, except a few late ones. */
  #rangeOf({ from, to, job }: SearchQuery): Range | undefined {
    const { all, ofTime, ofJob } = this.#statements;
    const timed = from !== undefined || to !== undefined;
    const time = { from: from ?? -Infinity, to: to ?? Infinity };
    const range = job !== undefined ? ofJob.get(job) : timed ? ofTime.get(time) : all.get();
    if (range === undefined || range.first === null || range.last === null) return undefined;
    return { first: range.first, last: range.last };
  }

  #rows(query: SearchConditions, below: number, first: number): Rows {
    const { statement, values } = rowsQuery(query);
    return statementOf<[object], { id: number; job: number }>(this.#database, statement).iterate({
      ...{ ...values, below, first, most: this.#options.maxScanned },
    });
  }

  #job(id: number, jobs: Map<number, Job>): Job {
    const known = jobs.get(id) ?? this.#statements.job.get(id)!;
    jobs.set(id, known);
    return known;
  }

  #hitOf(id: number, jobs: ReadonlyMap<number, Job>, terms: readonly SearchTerm[]): SearchHit {
    const track = this.#statements.track.get(id)!;
    const job = jobs.get(track.job)!;
    const wanted = terms.reduce((sum, { words }) => sum + words.length, 0);
    return {
      number: job.number,
      run: job.run,
      jobId: job.job_id,
      externalId: job.external_id,
      jobEndedAt: job.ended_at,
      mediaIndex: track.place,
      mediaId: track.media_id,
      mediaUri: track.uri,
      mediaType: track.media_type,
      trackId: track.track_id,
      task: track.task,
      action: track.action,
      algorithm: track.algorithm,
      type: track.type,
      class: track.class,
      startFrame: track.start_frame,
      stopFrame: track.stop_frame,
      startMs: track.start_ms,
      stopMs: track.stop_ms,
      stream: job.stream === null ? null : { uri: job.stream, createdAt: job.created_at ?? 0 },
      page: pageOf(track),
      confidence: track.confidence,
      colour: track.colour,
      vectorModel: track.model,
      ...exemplarOf(track),
      snippet: snippetOf(track.text, terms, this.#options.snippetCharacters),
      score: wanted === 0 ? 1 : Math.min(1, wanted / Math.max(1, track.word_count)),
    };
  }
}

interface Looked {
  readonly rows: readonly number[];
  readonly jobs: ReadonlyMap<number, Job>;
  readonly next: number | null;
}

/** Returns the frame and the box of the exemplar in the shown picture. */
function exemplarOf({ exemplar, picture, width, height }: Track) {
  if (exemplar === null) return { frame: null, box: null, width, height };
  const stored = JSON.parse(exemplar) as DocumentExemplar;
  const turned = picture === null ? undefined : (JSON.parse(picture) as TurnedPicture);
  return { frame: stored.frame, box: shownBox(stored, turned), width, height };
}

const pageOf = ({ page_kind: kind, page }: Track): DocumentPage | null =>
  kind === null || page === null ? null : { kind, number: page };

/** True if the job matches. For a live stream, `rowsQuery` compares the times of each track instead. */
function isMeant({ number, state, ended_at: ended, stream }: Job, { from, to, job }: SearchQuery): boolean {
  return (
    state === WHOLE &&
    (job === undefined || number === job) &&
    ended >= (from ?? -Infinity) &&
    (stream !== null || ended < (to ?? Infinity))
  );
}

function prepare(database: Database.Database) {
  type Bounds = { readonly first: number | null; readonly last: number | null };
  const whole = `select min(first) as first, max(last) as last from jobs where state = ${WHOLE} and last >= first`;
  return {
    all: database.prepare<[], Bounds>('select 1 as first, max(id) as last from tracks'),
    ofTime: database.prepare<[object], Bounds>(
      `${whole} and ended_at >= @from and (ended_at < @to or stream is not null)`,
    ),
    ofJob: database.prepare<[number], Bounds>(`${whole} and number = ?`),
    counted: database.prepare<[number], CountedTrack>(
      `select t.type, t.class, t.colour, m.uri, t.confidence,
         case when j.stream is null then j.ended_at else j.created_at + t.stop_ms end as lastSeen
       from tracks t join jobs j on j.id = t.job join media m on m.job = t.job and m.place = t.medium where t.id = ?`,
    ),
    job: database.prepare<[number], Job>(
      'select id, number, run, job_id, external_id, ended_at, state, first, stream, created_at from jobs where id = ?',
    ),
    jobOfTrack: database.prepare<[number], Job>(
      `select id, number, run, job_id, external_id, ended_at, state, first, stream, created_at from jobs
       where id = (select job from tracks where id = ?)`,
    ),
    place: database.prepare<[number], SearchPlace>(
      `select j.number as job, j.run, j.ended_at as endedAt, t.id - j.first as track
       from tracks t join jobs j on j.id = t.job where t.id = ?`,
    ),
    ofRun: database.prepare<[number, number], { first: number }>(
      `select first from jobs where number = ? and run = ? and state = ${WHOLE} and last >= first`,
    ),
    endedBefore: database.prepare<[number], { last: number | null }>(
      `select max(last) as last from jobs where state = ${WHOLE} and ended_at < ?`,
    ),
    track: database.prepare<[number], Track>(
      `select t.*, t.medium as place, m.media_id, m.uri, m.type as media_type, m.picture, m.width, m.height, f.task, f.action, f.algorithm, s.model
       from tracks t join media m on m.job = t.job and m.place = t.medium join finders f on f.id = t.finder
         left join vectors v on v.id = t.id left join spaces s on s.id = v.space where t.id = ?`,
    ),
  };
}
