import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import path from 'node:path';
import { load as loadVectorFunctions } from 'sqlite-vec';
import { keyOf } from '../schema.ts';
import { openCopyOf } from './private-copy.ts';
import { gapsOf, listSegments, vectorFolder, type RowRange, type Segment } from './segments.ts';
import { newIndex, type NearestIndex } from './usearch.ts';
import { bytesOf } from './vector.ts';

/** The vectors of one model. */
export interface Space {
  readonly id: number;
  readonly dimension: number;
}

/** A track with the cosine of the angle between its vector and the vector of the query. */
export interface Candidate {
  readonly id: number;
  readonly similarity: number;
}

interface FoundCandidates {
  /** Candidates, nearest first. */
  readonly candidates: Iterable<Candidate>;
  readonly count: number;
  /** Similarity down to which the files contain no other tracks. */
  readonly sure: number;
}

/** Fraction of the found vectors that is almost complete. After it, the graph of a file misses more vectors. */
const SURE_SHARE = 0.4;
/** Maximum number of vectors without a file that are compared, the newest ones. */
const MOST_COMPARED = 8_192;

/** Finds the tracks with the nearest vectors in mapped files, and among rows that are in no file yet. */
export class Nearest {
  readonly #folder: string;
  readonly #key: string;
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  #compared: ReturnType<typeof prepareComparison> | undefined;
  readonly #views = new Map<string, NearestIndex>();
  #segments: readonly Segment[] = [];
  #listedAt: bigint | undefined;

  constructor(database: Database.Database, file: string) {
    this.#database = database;
    this.#folder = vectorFolder(file);
    this.#key = keyOf(database);
    this.#statements = prepare(database);
  }

  /** Prepares a query over all tracks with a vector of the model. @throws Error if sqlite-vec has no binary for this system */
  open({ id: space, dimension }: Space, vector: Float32Array): NearestOfSpace {
    // Loaded here, so that other searches do not need it.
    this.#compared ??= prepareComparison(this.#database);
    this.#list();
    const segments = this.#segments.filter((one) => one.space === space);
    const views = segments.flatMap((segment) => this.#view(segment, dimension) ?? []);
    const gaps = gapsOf(
      segments.filter(({ name }) => this.#views.has(name)),
      this.#statements.lastRow.get(space)!.last ?? 0,
    );
    const statements = { ...this.#statements, compared: this.#compared };
    return new NearestOfSpace({ statements, space, vector, views, gaps });
  }

  /** Reads the folder again only if it has changed. */
  #list(): void {
    const changedAt = statSync(this.#folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (changedAt === this.#listedAt) return;
    this.#segments = listSegments(this.#folder, this.#key).used;
    this.#listedAt = changedAt;
    const names = new Set(this.#segments.map(({ name }) => name));
    for (const name of this.#views.keys()) if (!names.has(name)) this.#views.delete(name);
  }

  /** Returns undefined if the file cannot be used. Its rows then count as rows without a file. */
  #view(segment: Segment, dimension: number): NearestIndex | undefined {
    const known = this.#views.get(segment.name);
    if (known !== undefined) return known;
    const file = path.join(this.#folder, segment.name);
    const view = (name: string) => viewOf(name, segment, dimension);
    try {
      const opened = copiedView(file, segment, view);
      if (opened !== undefined) this.#views.set(segment.name, opened);
      return opened;
    } catch {
      return undefined;
    }
  }
}

type View = (file: string) => NearestIndex | undefined;

/** Maps a private copy of a file. Without disk space for a copy, the file itself is mapped, so that the search still works. */
function copiedView(file: string, segment: Segment, view: View): NearestIndex | undefined {
  try {
    return openCopyOf(file, segment, view);
  } catch (error) {
    if (!NO_ROOM.has(String((error as NodeJS.ErrnoException).code))) throw error;
    return statSync(file).size === segment.bytes ? view(file) : undefined;
  }
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

function viewOf(file: string, { count }: Segment, dimension: number): NearestIndex | undefined {
  const view = newIndex(dimension);
  view.view(file);
  return view.size() === count ? view : undefined;
}

interface Opened {
  readonly statements: ReturnType<typeof prepare> & {
    readonly compared: ReturnType<typeof prepareComparison>;
  };
  readonly space: number;
  readonly vector: Float32Array;
  readonly views: readonly NearestIndex[];
  readonly gaps: readonly RowRange[];
}

/** One query over the vectors of a model. */
export class NearestOfSpace {
  readonly #opened: Opened;
  /** Compared rows without a file, and these rows as candidates, nearest first, after the first use. */
  readonly #restRows: readonly number[];
  #rest: readonly Candidate[] | undefined;
  /** Number of vectors that are in no file and were not compared. */
  readonly missing: number;

  constructor(opened: Opened) {
    this.#opened = opened;
    const { statements, space, gaps } = opened;
    const rest: number[] = [];
    let missing = 0;
    for (const { first, last } of gaps.toReversed()) {
      const room = MOST_COMPARED - rest.length;
      const rows = statements.ofRange.all(space, first, last, room);
      rest.push(...rows);
      if (rows.length === room) missing += statements.countOf.get(space, first, last)! - rows.length;
    }
    this.missing = missing;
    this.#restRows = rest;
  }

  /** Returns candidates by their 8-bit vectors: `ofEach` of each file, and all rows without a file. */
  candidates(ofEach: number): FoundCandidates {
    const { views, vector } = this.#opened;
    this.#rest ??= [...this.compare(this.#restRows)];
    const lists: Iterable<Candidate, undefined>[] = [this.#rest];
    let count = this.#rest.length;
    let sure = -1;
    for (const view of views) {
      const { keys, distances } = view.search(vector, Math.min(ofEach, view.size()), 1);
      lists.push(candidatesOf(keys, distances));
      count += keys.length;
      if (view.size() > ofEach)
        sure = Math.max(sure, 1 - (distances[Math.floor(distances.length * SURE_SHARE)] ?? 0));
    }
    return { candidates: mergeSorted(lists), count, sure };
  }

  /** True if no file has more than `ofEach` vectors. */
  isAll(ofEach: number): boolean {
    return this.#opened.views.every((view) => view.size() <= ofEach);
  }

  /** Compares those tracks that have a vector of the model exactly. Returns the nearest first. */
  *compare(ids: readonly number[]): Generator<Candidate, undefined> {
    const { statements, space, vector } = this.#opened;
    for (const { id, distance } of statements.compared.iterate(bytesOf(vector), JSON.stringify(ids), space))
      // Vectors of length 1, so their Euclidean distance gives the cosine.
      yield { id, similarity: Math.max(-1, 1 - distance ** 2 / 2) };
  }
}

export const bySimilarity = (a: Candidate, b: Candidate): number =>
  b.similarity - a.similarity || b.id - a.id;

/** Returns the candidates of a file, which sorts them. */
function* candidatesOf(keys: BigUint64Array, distances: Float32Array): Generator<Candidate, undefined> {
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  for (let n = 0; n < keys.length; n++)
    yield { id: halves[2 * n]! + halves[2 * n + 1]! * 2 ** 32, similarity: 1 - distances[n]! };
}

/** Merges sorted candidates. Only those that are read are created, because few of many are. */
function* mergeSorted(sorted: readonly Iterable<Candidate, undefined>[]): Generator<Candidate> {
  const rests = sorted.map((one) => one[Symbol.iterator]());
  const firsts = rests.map((rest) => rest.next().value);
  for (;;) {
    let nearest = 0;
    for (let n = 1; n < firsts.length; n++) if (isNearer(firsts[n], firsts[nearest])) nearest = n;
    const first = firsts[nearest];
    if (first === undefined) return;
    yield first;
    firsts[nearest] = rests[nearest]!.next().value;
  }
}

const isNearer = (a: Candidate | undefined, b: Candidate | undefined): boolean =>
  a !== undefined && (b === undefined || bySimilarity(a, b) < 0);

function prepare(database: Database.Database) {
  const range = 'from vectors where space = ? and id between ? and ?';
  return {
    lastRow: database.prepare<[number], { last: number | null }>(
      'select max(id) as last from vectors where space = ?',
    ),
    ofRange: database
      .prepare<[number, number, number, number], number>(`select id ${range} order by id desc limit ?`)
      .pluck(),
    countOf: database.prepare<[number, number, number], number>(`select count(*) ${range}`).pluck(),
  };
}

function prepareComparison(database: Database.Database) {
  loadVectorFunctions(database);
  return database.prepare<[Buffer, string, number], { readonly id: number; readonly distance: number }>(
    `select v.id, vec_distance_L2(v.vector, ?) as distance
     from json_each(?) i cross join vectors v on v.id = i.value where v.space = ? order by distance, v.id desc`,
  );
}
