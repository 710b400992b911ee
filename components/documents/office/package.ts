/** Documents that are ZIP archives of parts (OOXML, ODF). Parts are streamed, and nothing is unpacked to the disk. */
import { createRequire } from 'node:module';
import type * as Yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { MAX_ENTRIES, MAX_UNPACKED_BYTES, passwordNeeded, tooLarge, unreadable } from '../limits.ts';

// Loaded with `require`, which takes a third as long as `import`: `import` parses the package again to find its exports.
const { openPromise } = createRequire(import.meta.url)('yauzl') as typeof Yauzl;

export class Package {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #maxBytes: number;
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, maxBytes: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#maxBytes = maxBytes;
  }

  /**
   * Opens a package. The caller closes it. `maxBytes`: maximum number of unpacked bytes. Throws COULD_NOT_READ_MEDIA for too many parts,
   * and errors of the ZIP reader.
   */
  static async open(path: string, maxBytes = MAX_UNPACKED_BYTES): Promise<Package> {
    const zip = await openPromise(path, { autoClose: false });
    try {
      if (zip.entryCount > MAX_ENTRIES)
        throw tooLarge(`it has ${zip.entryCount} parts, more than ${MAX_ENTRIES}`);
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        const key = keyOf(entry.fileName);
        if (!entries.has(key)) entries.set(key, entry);
      }
      return new Package(zip, entries, maxBytes);
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  has(part: string): boolean {
    return this.#entries.has(keyOf(part));
  }

  /** Streams a part. Throws COULD_NOT_READ_MEDIA if it is missing or encrypted, or its unpacked size is too large. */
  async *read(part: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(part));
    if (entry === undefined) throw unreadable(`The document is damaged: its part ${part} is missing.`);
    if (entry.isEncrypted()) throw passwordNeeded();
    for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Buffer;
      this.#unpacked += bytes.length;
      if (this.#unpacked > this.#maxBytes) throw tooLarge(`it unpacks to more than ${this.#maxBytes} bytes`);
      yield bytes;
    }
  }

  /** Returns a whole part; undefined if it has more than `most` bytes. */
  async bytes(part: string, most: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.read(part)) {
      length += chunk.length;
      if (length > most) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  close(): void {
    this.#zip.close();
  }
}

/** Returns the key of a part name. Names are case-insensitive, and some programs add a leading slash. */
const keyOf = (part: string): string => part.replace(/^\//, '').toLowerCase();
