/** The files that the vectors of a model are indexed in. Each has the tracks of a range of rows, and tells in its name which. */
import { readdirSync } from 'node:fs';

export interface Segment {
  readonly name: string;
  /** Number of the model in the table `spaces`. */
  readonly space: number;
  /** Rows from the first to the last; tracks without a vector of the model lie between. */
  readonly first: number;
  readonly last: number;
  /** Vectors in it. */
  readonly count: number;
  readonly bytes: number;
  /** CRC-32 of the file, eight hexadecimal digits. */
  readonly checksum: string;
}

/** Rows from the first to the last. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Vectors without a file: so many are compared one by one, then a file is built. */
export const BUILD_AT = 2_048;
/**
 * Vectors of a file at most, which bounds the memory that building takes. A mapped file has a table of keys for the next power of two
 * (54 bytes each), which is full then.
 */
export const MOST_IN_SEGMENT = 131_072;
/** So many files of about one size become one. */
const FAN = 4;

/** Of the format of the files; those of another one are removed. */
const FORMAT = 'v1';
const NAME = /^(\w+)-(\w+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-([0-9a-f]{8})\.usearch$/;

export const vectorFolder = (file: string): string => `${file}-vectors`;

/** @param database whose rows are meant: files of an earlier database have other rows */
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

/** The files of a folder that are used, by their first row, and the names of all others, such as those that a larger one replaces. */
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

/** Ranges of rows up to the last one that no file has. */
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
 * The first segment to merge with the new rows: chosen so that there are few files and each vector is seldom copied. @param added
 * vectors after the last file
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
