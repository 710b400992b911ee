import type Database from 'better-sqlite3';
import type { SearchConditions } from '../../../store/search.ts';
import { ConditionTest } from './condition-test.ts';

/** Property of pictures with a hash of 64 bits, as 16 hexadecimal digits. */
export const PERCEPTUAL_HASH = 'PERCEPTUAL_HASH';

/** Maximum number of different bits in the hashes of near duplicates. Two such hashes of 8 bytes have at least one equal byte. */
export const MOST_DIFFERENT_BITS = 7;
/** Maximum number of pictures compared, the newest ones. */
const MOST_PICTURES = 20_000;

const HASH = /^[0-9a-f]{16}$/;
/** Hash of a picture with a single colour. It does not identify the picture. */
const BLANK = '0'.repeat(16);

export const isPictureHash = (hash: string): boolean => HASH.test(hash) && hash !== BLANK;

/** A picture of a group. */
export interface DuplicateRow {
  readonly id: number;
  /** Number of bits that differ from the hash of the first picture in the group. */
  readonly distance: number;
}
export interface FoundDuplicates {
  /** Groups of two pictures or more. The newest groups come first, and the newest pictures within a group. */
  readonly groups: readonly (readonly DuplicateRow[])[];
  /** True if there are more pictures than were compared. */
  readonly isPart: boolean;
}

interface HashRow {
  readonly id: number;
  readonly hash: string;
  readonly uri: string;
}

/** Groups pictures of different media that look alike. If several jobs processed a medium, its newest track counts. */
export function findDuplicates(
  database: Database.Database,
  conditions: SearchConditions,
  limit: number,
): FoundDuplicates {
  const { meets } = new ConditionTest(database, conditions);
  const groups = new HashGroups();
  const media = new Set<string>();
  const rows = database
    .prepare<[], HashRow>(
      `select h.id, h.hash, m.uri from hashes h join tracks t on t.id = h.id
         join media m on m.job = t.job and m.place = t.medium order by h.id desc`,
    )
    .iterate();
  for (const { id, hash, uri } of rows) {
    if (media.has(uri) || !meets(id)) continue;
    if (media.size === MOST_PICTURES) return { groups: groups.list(limit), isPart: true };
    media.add(uri);
    groups.add(id, hash);
  }
  return { groups: groups.list(limit), isPart: false };
}

interface Group {
  readonly bytes: readonly number[];
  readonly rows: DuplicateRow[];
}

/** Groups of hashes. A picture joins the first group whose first picture is near. Otherwise it starts a group. */
class HashGroups {
  readonly #groups: Group[] = [];
  /** Groups by position and value of a byte of their first hash. */
  readonly #byByte = new Map<number, Group[]>();

  add(id: number, hash: string): void {
    const bytes = [...Buffer.from(hash, 'hex')];
    for (const group of bytes.flatMap((byte, place) => this.#byByte.get(keyOf(byte, place)) ?? [])) {
      const distance = differentBits(group.bytes, bytes);
      if (distance > MOST_DIFFERENT_BITS) continue;
      group.rows.push({ id, distance });
      return;
    }
    const group = { bytes, rows: [{ id, distance: 0 }] };
    this.#groups.push(group);
    for (const [place, byte] of bytes.entries()) {
      const key = keyOf(byte, place);
      const groups = this.#byByte.get(key);
      if (groups === undefined) this.#byByte.set(key, [group]);
      else groups.push(group);
    }
  }

  list(limit: number): FoundDuplicates['groups'] {
    return this.#groups
      .map(({ rows }) => rows)
      .filter(({ length }) => length > 1)
      .slice(0, limit);
  }
}

const keyOf = (byte: number, place: number): number => place * 256 + byte;

function differentBits(a: readonly number[], b: readonly number[]): number {
  let count = 0;
  for (const [n, byte] of a.entries()) for (let bits = byte ^ b[n]!; bits !== 0; bits &= bits - 1) count++;
  return count;
}
