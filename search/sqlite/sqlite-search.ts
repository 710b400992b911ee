import type { Sight } from '../../domain/users/owner.ts';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  SearchBusy,
  type IndexedJob,
  type MediaCounts,
  type MediaPage,
  type MediaQuery,
  type RebuildMark,
  type SearchConditions,
  type SearchCounts,
  type SearchedJob,
  type SearchIndex,
  type SearchPage,
  type SearchQuery,
  type Taken,
} from '../../store/search.ts';
import type { FinderOptions } from './finder.ts';
import type { FindReply, FindRequest, WriteReply, WriteRequest } from './messages.ts';
import { Thread } from './thread.ts';
import type { WriterOptions } from './writer.ts';

export interface SqliteSearchOptions extends WriterOptions, FinderOptions {
  /** Questions that wait at most. */
  readonly maxWaiting: number;
  /** After so long under way a question is given up. */
  readonly timeoutMs: number;
  readonly idleMs?: number;
}

const HEAP_MB = 256;
const IDLE_MS = 60_000;

/** The search in a SQLite file of its own (FTS5): a thread writes, another one finds. */
export class SqliteSearch implements SearchIndex {
  readonly #options: SqliteSearchOptions;
  #writer: Thread<WriteRequest, WriteReply>;
  #finder: Thread<FindRequest, FindReply>;
  /** Nobody asks while the files are exchanged. */
  #clearing: Promise<void> = Promise.resolve();
  /** Whoever finds needs a file. */
  #made: Promise<unknown> | undefined;
  /** The writer was asked for something, so that the file is there or being made. */
  #isWritten = false;
  #closed = false;

  constructor(options: SqliteSearchOptions) {
    this.#options = options;
    const { idleMs = IDLE_MS, timeoutMs } = options;
    const shared = { workerData: plainOptions(options), heapMb: HEAP_MB, idleMs };
    this.#writer = new Thread({ ...shared, module: new URL('./write-thread.js', import.meta.url) });
    const find = { module: new URL('./find-thread.js', import.meta.url), timeoutMs };
    this.#finder = new Thread({ ...shared, ...find });
  }

  async put(jobs: readonly SearchedJob[]): Promise<readonly Taken[]> {
    return (await this.#write({ put: jobs })).taken ?? [];
  }

  async remove(job: number, run: number): Promise<void> {
    await this.#write({ remove: { job, run } });
  }

  async find(query: SearchQuery): Promise<SearchPage> {
    return (await this.#ask({ find: query })) as SearchPage;
  }

  async count(query: SearchConditions): Promise<SearchCounts> {
    return (await this.#ask({ count: query })) as SearchCounts;
  }

  async media(query: MediaQuery): Promise<MediaPage> {
    return (await this.#ask({ media: query })) as MediaPage;
  }

  async countMedia(sight: Sight): Promise<MediaCounts> {
    return (await this.#ask({ countMedia: sight })) as MediaCounts;
  }

  async #ask(request: FindRequest): Promise<FindReply> {
    const { maxWaiting } = this.#options;
    await this.#clearing.catch(() => {
      throw new SearchBusy('The index of the search cannot be made again now: ask again in a moment.');
    });
    if (this.#closed) throw new SearchBusy('The server is going down.');
    await (this.#made ??= this.#make());
    if (this.#finder.pending >= maxWaiting)
      throw new SearchBusy(`${maxWaiting} questions wait already: ask again in a moment.`);
    return this.#finder.ask(request);
  }

  async jobs(after: number, limit: number): Promise<readonly IndexedJob[]> {
    return (await this.#write({ jobs: { after, limit } })).jobs ?? [];
  }

  /** No thread is started for an index that is not there yet. */
  async mark(): Promise<RebuildMark> {
    await this.#clearing;
    if (!this.#isWritten && !existsSync(this.#options.file)) return 'begun';
    return this.#storedMark();
  }

  async #storedMark(): Promise<RebuildMark> {
    return (await this.#write({ mark: true })).mark ?? null;
  }

  async setMark(mark: RebuildMark): Promise<void> {
    await this.#write({ setMark: mark });
  }

  clear(): Promise<void> {
    // One that failed is tried again as a whole.
    const before = this.#clearing.catch(() => undefined);
    this.#clearing = before.then(async () => {
      await Promise.all([this.#writer.terminate(), this.#finder.terminate()]);
      await removeSearchFiles(this.#options.file);
      this.#made = undefined;
      this.#isWritten = false;
    });
    return this.#clearing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#writer.close(), this.#finder.close()]);
  }

  /** What failed is tried again by the next question. */
  async #make(): Promise<void> {
    try {
      await this.#storedMark();
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }

  async #write(request: WriteRequest): Promise<WriteReply> {
    await this.#clearing;
    if (this.#closed) throw new Error('The search is closed.');
    this.#isWritten = true;
    return this.#writer.ask(request);
  }
}

/** The index is made again of the documents when a server is started. */
export async function removeSearchFiles(file: string): Promise<void> {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
}

const plainOptions = (options: SqliteSearchOptions): WriterOptions & FinderOptions => ({
  file: options.file,
  textProperties: options.textProperties,
  classProperties: options.classProperties,
  textCharacters: options.textCharacters,
  snippetCharacters: options.snippetCharacters,
  maxScanned: options.maxScanned,
});
