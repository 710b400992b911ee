import type Database from 'better-sqlite3';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { keyOf, openForReading } from '../schema.ts';
import { checksumText } from './private-copy.ts';
import {
  BUILD_AT,
  gapsOf,
  listSegments,
  mergedFrom,
  MOST_IN_SEGMENT,
  nameOf,
  vectorFolder,
  type RowRange,
  type Segment,
} from './segments.ts';
import { newIndex, type NearestIndex } from './usearch.ts';
import { floatsOf } from './vector.ts';

export interface BuilderOptions {
  /** Path of the search index. */
  readonly file: string;
}

/** Progress of the files. */
export interface BuildProgress {
  /** Number of vectors in files, and of all vectors. */
  readonly indexed: number;
  readonly total: number;
  /** True if this step built a file, and if another step is due. */
  readonly built: boolean;
  readonly more: boolean;
}

interface Space {
  readonly id: number;
  readonly dimension: number;
}
type Wanted = Space & RowRange;

/** Number of vectors that are added before the thread handles other events. */
const ADDED_AT_ONCE = 256;
/** Fraction of removed vectors from which a file is rebuilt. */
const GONE_SHARE = 0.2;
const UNFINISHED = 'unfinished';

/** Builds the index files from the rows, one at a time. A file that was incomplete when the process ended is built again. */
export class Builder {
  readonly #folder: string;
  readonly #database: Database.Database;
  readonly #key: string;
  readonly #statements: ReturnType<typeof prepare>;
  #closed = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor({ file }: BuilderOptions) {
    this.#folder = vectorFolder(file);
    this.#database = openForReading(file);
    this.#key = keyOf(this.#database);
    this.#statements = prepare(this.#database);
  }

  /** Removes files that are damaged, of another version or no longer needed. */
  check(): Promise<void> {
    return this.#alone(async () => {
      const { used, others } = this.#list();
      for (const name of others) await this.#drop(name);
      for (const segment of used) if (!(await this.#isWhole(segment))) await this.#drop(segment.name);
    });
  }

  /** Builds the next file, if one is due. */
  build(): Promise<BuildProgress> {
    return this.#alone(async () => {
      const wanted = this.#nextWanted();
      if (wanted !== undefined) await this.#buildOne(wanted);
      const indexed = this.#list().used.reduce((sum, { count }) => sum + count, 0);
      const more = !this.#closed && this.#nextWanted() !== undefined;
      return { indexed, total: this.#statements.total.get()!.n, built: wanted !== undefined, more };
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
    this.#database.close();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#working.then(work);
    this.#working = next.catch(() => undefined);
    return next;
  }

  #nextWanted(): Wanted | undefined {
    const { used } = this.#list();
    for (const space of this.#statements.spaces.all()) {
      const segments = used.filter((one) => one.space === space.id);
      const range = this.#rangeToAdd(space, segments) ?? this.#rangeToRenew(space, segments);
      if (range !== undefined) return { ...space, ...range };
    }
    return undefined;
  }

  /** Returns the largest range without a file, with earlier files that are merged into it. */
  #rangeToAdd({ id }: Space, segments: readonly Segment[]): RowRange | undefined {
    const lastRow = this.#statements.lastRow.get(id)!.last ?? 0;
    const gaps = gapsOf(segments, lastRow).map((range) => ({ ...range, count: this.#countIn(id, range) }));
    if (gaps.reduce((sum, { count }) => sum + count, 0) < BUILD_AT) return undefined;
    const gap = gaps.reduce((one, other) => (other.count > one.count ? other : one));
    const isAtEnd = gap.last === lastRow;
    const from = isAtEnd ? mergedFrom(segments, gap.count) : segments.length;
    const first = segments[from]?.first ?? gap.first;
    const end = this.#statements.rowAt.get(id, first, MOST_IN_SEGMENT - 1)?.id;
    return { first, last: Math.min(gap.last, end ?? gap.last) };
  }

  #rangeToRenew({ id }: Space, segments: readonly Segment[]): RowRange | undefined {
    return segments.find((one) => this.#countIn(id, one) < one.count * (1 - GONE_SHARE));
  }

  #countIn(space: number, { first, last }: RowRange): number {
    return this.#statements.countIn.get(space, first, last)!.n;
  }

  async #buildOne(wanted: Wanted): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const index = newIndex(wanted.dimension);
    if (!(await this.#fill(index, wanted))) return;
    const replaced = this.#list().used.filter(
      ({ space, first, last }) => space === wanted.id && first >= wanted.first && last <= wanted.last,
    );
    const made = index.size() === 0 ? undefined : await this.#publish(index, wanted);
    for (const { name } of replaced) if (name !== made) await this.#drop(name);
  }

  /** Adds the vectors. Returns false if the index is being closed. */
  async #fill(index: NearestIndex, { id, dimension, first, last }: Wanted): Promise<boolean> {
    for (let from = first; ;) {
      if (this.#closed) return false;
      const rows = this.#statements.vectors.all(id, from, last, ADDED_AT_ONCE);
      if (rows.length === 0) return true;
      const vectors = new Float32Array(rows.length * dimension);
      for (const [n, row] of rows.entries()) vectors.set(floatsOf(row.vector), n * dimension);
      index.add(
        BigUint64Array.from(rows, (row) => BigInt(row.id)),
        vectors,
        1,
      );
      from = rows.at(-1)!.id + 1;
      await turn();
    }
  }

  /** Renames a file to its final name when all of it is safely on the disk. */
  async #publish(index: NearestIndex, { id: space, first, last }: Wanted): Promise<string> {
    const unfinished = path.join(this.#folder, UNFINISHED);
    index.save(unfinished);
    await syncFile(unfinished);
    const checksum = await checksumOf(unfinished);
    const { size: bytes } = await stat(unfinished);
    const name = nameOf(this.#key, { space, first, last, count: index.size(), bytes, checksum });
    await rename(unfinished, path.join(this.#folder, name));
    await syncFile(this.#folder);
    return name;
  }

  async #isWhole({ name, bytes, checksum }: Segment): Promise<boolean> {
    const file = path.join(this.#folder, name);
    const found = await stat(file).catch(() => undefined);
    return found?.size === bytes && (await checksumOf(file)) === checksum;
  }

  #list = () => listSegments(this.#folder, this.#key);

  #drop = (name: string) => rm(path.join(this.#folder, name), { recursive: true, force: true });
}

async function checksumOf(file: string): Promise<string> {
  let sum = 0;
  for await (const bytes of createReadStream(file, { highWaterMark: 1024 * 1024 }))
    sum = crc32(bytes as Buffer, sum);
  return checksumText(sum);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function prepare(database: Database.Database) {
  const ofRange = 'from vectors where space = ? and id between ? and ?';
  return {
    spaces: database.prepare<[], Space>('select id, dimension from spaces order by id'),
    total: database.prepare<[], { n: number }>('select count(*) as n from vectors'),
    lastRow: database.prepare<[number], { last: number | null }>(
      'select max(id) as last from vectors where space = ?',
    ),
    rowAt: database.prepare<[number, number, number], { id: number }>(
      'select id from vectors where space = ? and id >= ? order by id limit 1 offset ?',
    ),
    countIn: database.prepare<[number, number, number], { n: number }>(`select count(*) as n ${ofRange}`),
    vectors: database.prepare<[number, number, number, number], { id: number; vector: Buffer }>(
      `select id, vector ${ofRange} order by id limit ?`,
    ),
  };
}
