import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { json } from './json.ts';

/** Characters of parts that are kept as they were read last. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

interface Part {
  readonly hash: string;
  readonly text: string;
}

/** A record that is split as it is stored: its own text, and which parts it has. */
export interface Split {
  readonly text: string;
  readonly parts: readonly (readonly [name: string, part: Part])[];
}

interface Known {
  readonly part: unknown;
}

/** What has to be known of the parts of a record before it can be joined. */
export interface Wanted {
  readonly parts: readonly (readonly [name: string, hash: string])[];
  /** Those that were read before, by their hashes. */
  readonly known: ReadonlyMap<string, Known>;
  /** Hashes of those whose texts are to be read. */
  readonly missing: readonly string[];
}

/**
 * Parts of records that many actors have in common (the plan of a pipeline, settings of the server). A store keeps each content once, with
 * the number of those that have it, and without it when the last of them is gone; here each is read once.
 */
export class SharedParts {
  readonly #written = new WeakMap<object, Part>();
  readonly #read = new LRUCache<string, Known>({ maxSize: KEPT_CHARACTERS });
  readonly #isChecked: boolean;

  /** `isChecked`: a text that does not have its hash is damaged; in a file that was moved, texts name files at their new place. */
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

  /** @param listed what the store keeps of the parts of a record, as `listOf` tells it */
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
   * The record that was split into `text` and parts.
   * @param texts of the parts that were missing, in their order; null: one that is not there any more
   * @returns undefined when a part is gone, and so is its actor, or it was changed
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

  /** One that is an object is taken for the same as long as it is that object. */
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

/** Which parts a record has, in one text: name:hash,name:hash... */
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

/** What is wrong with an actor of which a part is missing, and how others of this part are repaired. */
export const damagedPart = (actor: string): string =>
  `A part of the record of ${actor} is missing or damaged. Create a job with the same pipeline and properties: that stores the part again for all other jobs that have it.`;
