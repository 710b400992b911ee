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

/**
 * Parts of records that many actors have in common (the plan of a pipeline, settings of the server). Redis keeps each content once, with
 * the number of those that have it, and without it when the last of them is gone; here each is read once.
 */
export class SharedParts {
  readonly #written = new WeakMap<object, Part>();
  readonly #read = new LRUCache<string, { readonly part: unknown }>({ maxSize: KEPT_CHARACTERS });

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

  /**
   * The record that was split into `text` and parts.
   * @param listed what the store keeps of its parts: name:hash,name:hash...
   * @param read the texts of parts by their hashes; undefined: one that is not there any more
   * @returns undefined when a part is gone, and so is its actor, or it was changed
   */
  async joined(
    text: string,
    listed: string,
    read: (hashes: readonly string[]) => Promise<readonly (string | null)[]>,
  ): Promise<unknown> {
    const own: unknown = JSON.parse(text);
    if (listed === '') return own;
    const parts = listed.split(',').map((entry) => entry.split(':') as [name: string, hash: string]);
    const missing = [...new Set(parts.map(([, hash]) => hash).filter((hash) => !this.#read.has(hash)))];
    const found = new Map(
      parts.flatMap(([, hash]) => {
        const known = this.#read.get(hash);
        return known === undefined ? [] : [[hash, known] as const];
      }),
    );
    const texts = missing.length === 0 ? [] : await read(missing);
    for (const [i, hash] of missing.entries()) {
      const part = texts[i];
      if (part == null) return undefined;
      const kept = { part: JSON.parse(part) as unknown };
      found.set(hash, kept);
      this.#read.set(hash, kept, { size: part.length + 1 });
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
    const part = { hash: createHash('sha256').update(text).digest('base64url'), text };
    if (typeof value === 'object' && value !== null) this.#written.set(value, part);
    return part;
  }
}
