import type Database from 'better-sqlite3';
import { foldedName } from '../../../domain/text/words.ts';
import type { SearchConditions } from '../../../store/search.ts';
import { classesOf } from '../facets.ts';
import { likeText } from '../media-finder.ts';
import { rowsQuery } from '../rows-query.ts';
import { statementOf, WHOLE } from '../schema.ts';

interface Job {
  readonly number: number;
  readonly state: number;
  readonly ended_at: number;
  readonly stream: string | null;
  readonly user: string | null;
  readonly user_group: string | null;
}

interface Track {
  readonly job: number;
  readonly medium: number;
  readonly type: string;
  readonly class: string | null;
  readonly colour: string | null;
  readonly confidence: number;
}

/** Tests if single tracks match the conditions of a query. */
export class ConditionTest {
  readonly #conditions: SearchConditions;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #jobs = new Map<number, boolean>();
  readonly #media = new Map<string, boolean>();

  /** `space`: only tracks with a vector of this space count as the same track of a later job. */
  constructor(database: Database.Database, conditions: SearchConditions, space?: number) {
    this.#conditions = conditions;
    this.#statements = prepare(database, conditions, space);
  }

  readonly meets = (id: number): boolean => {
    const track = this.#statements.track.get(id);
    return (
      track !== undefined &&
      once(this.#jobs, track.job, () => this.#isMeantJob(track.job)) &&
      this.#isLike(track) &&
      this.#isOfMedium(track) &&
      this.#hasWords(id)
    );
  };

  #isMeantJob(id: number): boolean {
    const job = this.#statements.job.get(id);
    const { from = -Infinity, to = Infinity, job: wanted } = this.#conditions;
    return (
      job?.state === WHOLE &&
      (wanted === undefined || job.number === wanted) &&
      job.ended_at >= from &&
      // For a live stream, the row compares the times of the track.
      (job.stream !== null || job.ended_at < to) &&
      this.#sees(job)
    );
  }

  /** True if the user may see the job. A job without an owner belongs to no user. */
  #sees({ user, user_group: group }: Job): boolean {
    const { sight } = this.#conditions;
    if (sight === 'ALL') return true;
    return (user !== null && user === sight.user) || (group !== null && group === sight.group);
  }

  #isLike(track: Track): boolean {
    const { type, class: name, colour, minConfidence } = this.#conditions;
    return (
      (type === undefined || foldedName(track.type) === type) &&
      (name === undefined || classesOf(track.class ?? '').some((one) => foldedName(one) === name)) &&
      (colour === undefined || track.colour === colour) &&
      (minConfidence === undefined || track.confidence >= minConfidence)
    );
  }

  #isOfMedium({ job, medium: place }: Track): boolean {
    const uri = likeText(this.#conditions.medium);
    if (uri === undefined) return true;
    return once(
      this.#media,
      `${job}/${place}`,
      () => this.#statements.medium.get(job, place, uri) !== undefined,
    );
  }

  #hasWords(id: number): boolean {
    const { terms, anything = [], distinct, camera, tracks, from, to } = this.#conditions;
    const isTested = [camera, tracks, from, to].some((one) => one !== undefined);
    if (terms.length + anything.length === 0 && distinct !== true && !isTested) return true;
    return this.#statements.row.get({ ...this.#statements.values, first: id, below: id + 1 }) !== undefined;
  }
}

function once<K>(known: Map<K, boolean>, key: K, find: () => boolean): boolean {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}

function prepare(database: Database.Database, conditions: SearchConditions, space: number | undefined) {
  const { statement, values } = rowsQuery(conditions, space);
  return {
    values,
    row: statementOf<[object], { id: number }>(database, statement),
    track: statementOf<[number], Track>(database, TRACK),
    job: statementOf<[number], Job>(database, JOB),
    medium: statementOf<[number, number, string], { found: 1 }>(database, MEDIUM),
  };
}

const TRACK = 'select job, medium, type, class, colour, confidence from tracks where id = ?';
const JOB = 'select number, state, ended_at, stream, user, user_group from jobs where id = ?';
const MEDIUM = String.raw`select 1 as found from media where job = ? and place = ? and uri like ? escape '\'`;
