import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { json } from './json.ts';

/** Most characters of cached parts. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

interface Part {
  readonly hash: string;
  readonly text: string;
}

/** A record as it is stored: its own text, and its shared parts. */
export interface Split {
  readonly text: string;
  readonly parts: readonly (readonly [name: string, part: Part])[];
}

interface Known {
  readonly part: unknown;
}

/** The parts that are needed to join a record. */
export interface Wanted {
  readonly parts: readonly (readonly [name: string, hash: string])[];
  /** Cached parts by hash. */
  readonly known: ReadonlyMap<string, Known>;
  /** Hashes of parts whose texts must be read. */
  readonly missing: readonly string[];
}

/**
 * Parts of records that many actors share, such as the plan of a pipeline. A store keeps each content once, with the number of records
 * that use it, and deletes it with the last of them. This class caches the parts that were read.
 */
export class SharedParts {
  readonly #written = new WeakMap<object, Part>();
  readonly #read = new LRUCache<string, Known>({ maxSize: KEPT_CHARACTERS });
  readonly #isChecked: boolean;

  /** `isChecked`: a part counts as damaged if its text does not have the stored hash. */
  constructor({ isChecked }: { readonly isChecked: boolean }) {
    this.#isChecked = isChecked;
  }

  /** @throws NotStorable */
  split(record: unknown, common: readonly string[]): Split {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      return { text: json(record), parts: [] };
    const own: Record<string, unknown> = { ...record };
    const parts = common.flatMap((name) => {
      const value = own[name];
      if (value === undefined) return [];
      delete own[name];
      return [[name, this.#partOf(value)] as const];
    });
    return { text: json(own), parts };
  }

  /** @param listed the stored list of a record's parts, from `listOf` */
  wantedOf(listed: string): Wanted {
    const parts = partsIn(listed);
    const hashes = [...new Set(parts.map(([, hash]) => hash))];
    const known = new Map(
      hashes.flatMap((hash) => {
        const found = this.#read.get(hash);
        return found === undefined ? [] : [[hash, found] as const];
      }),
    );
    return { parts, known, missing: hashes.filter((hash) => !known.has(hash)) };
  }

  /**
   * Joins the record that was split into `text` and parts.
   * @param texts of the missing parts, in their order; null for a part that no longer exists
   * @returns undefined if a part is damaged or no longer exists, as after the deletion of its actor
   */
  join(text: string, { parts, known, missing }: Wanted, texts: readonly (string | null)[]): unknown {
    const own: unknown = JSON.parse(text);
    if (parts.length === 0) return own;
    const found = new Map(known);
    for (const [i, hash] of missing.entries()) {
      const part = texts[i];
      if (part == null || (this.#isChecked && hashOf(part) !== hash)) return undefined;
      const read = { part: JSON.parse(part) as unknown };
      found.set(hash, read);
      this.#read.set(hash, read, { size: part.length + 1 });
    }
    return {
      ...(own as object),
      ...Object.fromEntries(parts.map(([name, hash]) => [name, found.get(hash)!.part])),
    };
  }

  /** Returns the part of a value. The part of an object is computed only once. */
  #partOf(value: unknown): Part {
    const known = typeof value === 'object' && value !== null ? this.#written.get(value) : undefined;
    if (known !== undefined) return known;
    const text = json(value);
    const part = { hash: hashOf(text), text };
    if (typeof value === 'object' && value !== null) this.#written.set(value, part);
    return part;
  }
}

/** The hash that identifies a part. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the list of a record's parts as one text: name:hash,name:hash... */
export const listOf = (parts: Split['parts']): string =>
  parts.map(([name, { hash }]) => `${name}:${hash}`).join(',');

/** Parses a text of `listOf`. */
export const partsIn = (listed: string): Wanted['parts'] =>
  listed === ''
    ? []
    : listed.split(',').map((entry) => {
        const [name = '', hash = ''] = entry.split(':');
        return [name, hash];
      });

/** Message for an actor with a missing part, with the way to repair other actors with this part. */
export const damagedPart = (actor: string): string =>
  `A part of the record of ${actor} is missing or damaged. Create a job with the same pipeline and properties: that stores the part again for all other jobs that have it.`;
