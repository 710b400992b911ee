/** The index files for the vectors of a model. Each contains the tracks of a range of rows, and its name contains the range. */
import { readdirSync } from 'node:fs';

export interface Segment {
  readonly name: string;
  /** Number of the model in the table `spaces`. */
  readonly space: number;
  /** Range of rows. Tracks without a vector of the model may be between. */
  readonly first: number;
  readonly last: number;
  /** Number of vectors in the file. */
  readonly count: number;
  readonly bytes: number;
  /** CRC-32 of the file: eight hexadecimal digits. */
  readonly checksum: string;
}

/** Rows from the first to the last. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Number of vectors without a file at which a file is built. Fewer vectors are compared one by one. */
export const BUILD_AT = 2_048;
/**
 * Maximum number of vectors per file, which limits the memory for building. A mapped file has a table of keys for the next power of two (54
 * bytes each). With this number, the table is full.
 */
export const MOST_IN_SEGMENT = 131_072;
/** Number of files of similar size that are merged into one. */
const FAN = 4;

/** Version of the file format. Files of other versions are removed. */
const FORMAT = 'v1';
const NAME = /^(\w+)-(\w+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-([0-9a-f]{8})\.usearch$/;

export const vectorFolder = (file: string): string => `${file}-vectors`;

/** @param database the database of the rows. Files of an earlier database have other rows */
export const nameOf = (
  database: string,
  { space, first, last, count, bytes, checksum }: Omit<Segment, 'name'>,
): string => `${[FORMAT, database, space, first, last, count, bytes, checksum].join('-')}.usearch`;

export function segmentOf(database: string, name: string): Segment | undefined {
  const [, format, of, ...rest] = NAME.exec(name) ?? [];
  if (format !== FORMAT || of !== database) return undefined;
  const [space, first, last, count, bytes] = rest.map(Number) as [number, number, number, number, number];
  return { name, space, first, last, count, bytes, checksum: rest[5]! };
}

/** Returns the used files of a folder by their first row, and the names of all others, such as files that a larger one replaced. */
export function listSegments(
  folder: string,
  database: string,
): { readonly used: readonly Segment[]; readonly others: readonly string[] } {
  const names = namesIn(folder);
  const all = names.flatMap((name) => segmentOf(database, name) ?? []);
  const sorted = all.toSorted((a, b) => a.space - b.space || a.first - b.first || b.last - a.last);
  const used: Segment[] = [];
  for (const segment of sorted) {
    const before = used.at(-1);
    if (before?.space !== segment.space || segment.first > before.last) used.push(segment);
  }
  const kept = new Set(used.map(({ name }) => name));
  return { used, others: names.filter((name) => !kept.has(name)) };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the ranges up to the last row that are in no file. */
export function gapsOf(segments: readonly RowRange[], lastRow: number): readonly RowRange[] {
  const gaps: RowRange[] = [];
  let first = 1;
  for (const segment of segments) {
    if (segment.first > first) gaps.push({ first, last: segment.first - 1 });
    first = segment.last + 1;
  }
  if (lastRow >= first) gaps.push({ first, last: lastRow });
  return gaps;
}

/**
 * Returns the first segment to merge with the new rows. The choice keeps the number of files small and copies each vector seldom.
 * @param added number of vectors after the last file
 */
export function mergedFrom(segments: readonly Pick<Segment, 'count'>[], added: number): number {
  let from = segments.length;
  let sum = added;
  for (;;) {
    let next = from;
    let merged = sum;
    while (next > 0 && tierOf(segments[next - 1]!.count) <= tierOf(sum)) merged += segments[--next]!.count;
    if (from - next < FAN - 1 || merged > MOST_IN_SEGMENT) return from;
    [from, sum] = [next, merged];
  }
}

const tierOf = (count: number): number => Math.max(0, Math.floor(Math.log(count / BUILD_AT) / Math.log(FAN)));
