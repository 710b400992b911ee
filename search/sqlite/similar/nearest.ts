import type Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import path from 'node:path';
import { keyOf } from '../schema.ts';
import { gapsOf, listSegments, vectorFolder, type RowRange, type Segment } from './segments.ts';
import { newIndex, type NearestIndex } from './usearch.ts';
import { floatsOf, similarityOf } from './vector.ts';

/** Vectors of one model. */
export interface Space {
  readonly id: number;
  readonly dimension: number;
}

/** A track with the cosine of the angle between its vector and the one that is asked for. */
export interface Candidate {
  readonly id: number;
  readonly similarity: number;
}

interface FoundCandidates {
  readonly candidates: readonly Candidate[];
  /** Down to this similarity, no file has others. */
  readonly sure: number;
}

/** Vectors without a file that are compared at most, the newest ones. */
const MOST_COMPARED = 8_192;

/** Finds the tracks with the nearest vectors: in the files that are mapped, and among rows that no file has yet. */
export class Nearest {
  readonly #folder: string;
  readonly #key: string;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #views = new Map<string, NearestIndex>();
  #segments: readonly Segment[] = [];
  #listedAt: bigint | undefined;

  constructor(database: Database.Database, file: string) {
    this.#folder = vectorFolder(file);
    this.#key = keyOf(database);
    this.#statements = prepare(database);
  }

  /** Of all tracks with a vector of the model. */
  open({ id: space, dimension }: Space, vector: Float32Array): NearestOfSpace {
    this.#list();
    const segments = this.#segments.filter((one) => one.space === space);
    const views = segments.flatMap((segment) => this.#view(segment, dimension) ?? []);
    const gaps = gapsOf(
      segments.filter(({ name }) => this.#views.has(name)),
      this.#statements.lastRow.get(space)!.last ?? 0,
    );
    return new NearestOfSpace({ statements: this.#statements, space, vector, views, gaps });
  }

  /** The folder is read again only after it changed. */
  #list(): void {
    const changedAt = statSync(this.#folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (changedAt === this.#listedAt) return;
    this.#segments = listSegments(this.#folder, this.#key).used;
    this.#listedAt = changedAt;
    const names = new Set(this.#segments.map(({ name }) => name));
    for (const name of this.#views.keys()) if (!names.has(name)) this.#views.delete(name);
  }

  /** Undefined: the file cannot be used, so its rows count as those without a file. */
  #view({ name, bytes, count }: Segment, dimension: number): NearestIndex | undefined {
    const known = this.#views.get(name);
    if (known !== undefined) return known;
    const file = path.join(this.#folder, name);
    if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) return undefined;
    try {
      const view = newIndex(dimension);
      view.view(file);
      if (view.size() !== count) return undefined;
      this.#views.set(name, view);
      return view;
    } catch {
      return undefined;
    }
  }
}

interface Opened {
  readonly statements: ReturnType<typeof prepare>;
  readonly space: number;
  readonly vector: Float32Array;
  readonly views: readonly NearestIndex[];
  readonly gaps: readonly RowRange[];
}

/** One question to the vectors of a model. */
export class NearestOfSpace {
  readonly #opened: Opened;
  /** Rows without a file, which are compared once. */
  readonly #rest: readonly Candidate[];
  /** Vectors that are not compared, as they have no file yet, and all. */
  readonly missing: number;

  constructor(opened: Opened) {
    this.#opened = opened;
    const { statements, space, gaps } = opened;
    const rest: Candidate[] = [];
    let missing = 0;
    for (const { first, last } of gaps.toReversed()) {
      const room = MOST_COMPARED - rest.length;
      const rows = statements.ofRange.all(space, first, last, room);
      rest.push(...rows.map((row) => this.#compare(row)));
      if (rows.length === room) missing += statements.countOf.get(space, first, last)!.n - rows.length;
    }
    this.missing = missing;
    this.#rest = rest;
  }

  /** The nearest ones first: about so many of all files, at least `least` of each, and all rows without a file. */
  candidates(count: number, least: number): FoundCandidates {
    const { views, vector } = this.#opened;
    const found = [...this.#rest];
    let sure = -1;
    for (const view of views) {
      const wanted = this.#ofEach(count, least);
      const { keys } = view.search(vector, Math.min(wanted, view.size()), 1);
      const ofFile = this.compare(Array.from(keys, Number));
      found.push(...ofFile);
      if (view.size() > wanted) sure = Math.max(sure, ofFile.at(-1)?.similarity ?? 1);
    }
    return { candidates: found.toSorted(bySimilarity), sure };
  }

  /** Candidates of so many are all that there are. */
  isAll(count: number, least: number): boolean {
    return this.#opened.views.every((view) => view.size() <= this.#ofEach(count, least));
  }

  /** The nearest ones may lie in few of the files. */
  #ofEach(count: number, least: number): number {
    const files = this.#opened.views.length;
    return files === 1 ? Math.max(count, least) : Math.max(least, Math.ceil((2 * count) / files));
  }

  /** Those of the tracks that have a vector of the model. */
  compare(ids: readonly number[]): readonly Candidate[] {
    const { statements, space } = this.#opened;
    return ids.flatMap((id) => {
      const row = statements.vector.get(id, space);
      return row === undefined ? [] : [this.#compare(row)];
    });
  }

  #compare = ({ id, vector }: VectorRow): Candidate => ({
    id,
    similarity: similarityOf(this.#opened.vector, floatsOf(vector)),
  });
}

export const bySimilarity = (a: Candidate, b: Candidate): number =>
  b.similarity - a.similarity || b.id - a.id;

interface VectorRow {
  readonly id: number;
  readonly vector: Buffer;
}

function prepare(database: Database.Database) {
  const range = 'from vectors where space = ? and id between ? and ?';
  return {
    lastRow: database.prepare<[number], { last: number | null }>(
      'select max(id) as last from vectors where space = ?',
    ),
    vector: database.prepare<[number, number], VectorRow>(
      'select id, vector from vectors where id = ? and space = ?',
    ),
    ofRange: database.prepare<[number, number, number, number], VectorRow>(
      `select id, vector ${range} order by id desc limit ?`,
    ),
    countOf: database.prepare<[number, number, number], { n: number }>(`select count(*) as n ${range}`),
  };
}
