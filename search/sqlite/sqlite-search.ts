import type { Sight } from '../../domain/users/owner.ts';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import {
  SearchBusy,
  type DocumentFace,
  type DuplicateQuery,
  type Duplicates,
  type IndexedJob,
  type IndexedStream,
  type MediaCounts,
  type MediaPage,
  type MediaQuery,
  type RebuildMark,
  type CountQuery,
  type SearchCounts,
  type SearchedJob,
  type SearchIndex,
  type SearchPage,
  type SearchQuery,
  type SimilarHits,
  type SimilarQuery,
  type SimilarRefusal,
  type Taken,
  type VectorSource,
  type VectorSourceQuery,
} from '../../store/search.ts';
import type { FinderOptions } from './finder.ts';
import type { FindReply, FindRequest, WriteReply, WriteRequest } from './messages.ts';
import type { BuildReply, BuildRequest } from './similar/build-thread.ts';
import type { BuildProgress } from './similar/builder.ts';
import { vectorFolder } from './similar/segments.ts';
import { Thread } from './thread.ts';
import type { WriterOptions } from './writer.ts';

export interface SqliteSearchOptions extends WriterOptions, FinderOptions {
  /** Maximum number of waiting queries. */
  readonly maxWaiting: number;
  /** Timeout of a running query: milliseconds. */
  readonly timeoutMs: number;
  readonly idleMs?: number;
  /** Called after each file of vectors that was built. */
  onVectors?(progress: BuildProgress): void;
  /** Called if vectors could not be indexed. The next document triggers another attempt. */
  onVectorsFailed?(error: unknown): void;
}

const HEAP_MB = 256;
const YOUNG_MB = 4;
/** Idle time after which the thread that builds files ends: milliseconds. It has work seldom, and this frees its memory. */
const BUILDER_IDLE_MS = 1_000;
const IDLE_MS = 60_000;

/** Delay before files of vectors are built, so that documents that arrive together cause only one build. */
const BUILD_AFTER_MS = 1_000;

/**
 * The search in a SQLite file of its own (FTS5). One thread writes, another one answers queries, and a third one builds files of vectors.
 */
export class SqliteSearch implements SearchIndex {
  readonly #options: SqliteSearchOptions;
  #writer: Thread<WriteRequest, WriteReply>;
  #finder: Thread<FindRequest, FindReply>;
  #builder: Thread<BuildRequest, BuildReply>;
  /** Check of the files of vectors that an earlier process left. It must end before they are used. */
  #checked: Promise<unknown> | undefined;
  #building: Promise<void> = Promise.resolve();
  #buildTimer: NodeJS.Timeout | undefined;
  /** Replacement of the files. Queries wait until it has ended. */
  #clearing: Promise<void> = Promise.resolve();
  /** Creation of the file, which queries need. */
  #made: Promise<unknown> | undefined;
  /** True if the writer has had a request. The file then exists or is being created. */
  #isWritten = false;
  #closed = false;

  constructor(options: SqliteSearchOptions) {
    this.#options = options;
    const { idleMs = IDLE_MS, timeoutMs } = options;
    const shared = { workerData: plainOptions(options), heapMb: HEAP_MB, idleMs };
    this.#writer = new Thread({ ...shared, module: new URL('./write-thread.js', import.meta.url) });
    const find = { module: new URL('./find-thread.js', import.meta.url), timeoutMs, youngMb: YOUNG_MB };
    this.#finder = new Thread({ ...shared, ...find });
    const build = { module: new URL('./similar/build-thread.js', import.meta.url), youngMb: YOUNG_MB };
    this.#builder = new Thread({ ...shared, ...build, idleMs: BUILDER_IDLE_MS });
  }

  async put(jobs: readonly SearchedJob[]): Promise<readonly Taken[]> {
    const { taken = [] } = await this.#write({ put: jobs });
    this.#buildSoon();
    return taken;
  }

  async remove(job: number, run: number): Promise<void> {
    await this.#write({ remove: { job, run } });
    this.#buildSoon();
  }

  async find(query: SearchQuery): Promise<SearchPage> {
    return (await this.#ask({ find: query })) as SearchPage;
  }

  async similar(query: SimilarQuery): Promise<SimilarHits | SimilarRefusal> {
    await this.#ready();
    await this.#check();
    const found = (await this.#ask({ similar: query })) as SimilarHits | SimilarRefusal;
    if ('hits' in found && found.searched < 1) this.#buildSoon();
    return found;
  }

  async vectorSource(query: VectorSourceQuery): Promise<VectorSource | null> {
    return (await this.#ask({ vectorSource: query })) as VectorSource | null;
  }

  async vectorModels(sight: Sight): Promise<readonly VectorSource[]> {
    return (await this.#ask({ vectorModels: sight })) as readonly VectorSource[];
  }

  async duplicates(query: DuplicateQuery): Promise<Duplicates> {
    return (await this.#ask({ duplicates: query })) as Duplicates;
  }

  async count(query: CountQuery): Promise<SearchCounts> {
    return (await this.#ask({ count: query })) as SearchCounts;
  }

  async media(query: MediaQuery): Promise<MediaPage> {
    return (await this.#ask({ media: query })) as MediaPage;
  }

  async countMedia(sight: Sight): Promise<MediaCounts> {
    return (await this.#ask({ countMedia: sight })) as MediaCounts;
  }

  /** Waits until the file exists and is not being replaced. */
  async #ready(): Promise<void> {
    await this.#clearing.catch(() => {
      throw new SearchBusy('The search index cannot be rebuilt now: try again in a moment.');
    });
    if (this.#closed) throw new SearchBusy('The server is shutting down.');
    await (this.#made ??= this.#make());
  }

  async #ask(request: FindRequest): Promise<FindReply> {
    const { maxWaiting } = this.#options;
    await this.#ready();
    if (this.#finder.pending >= maxWaiting)
      throw new SearchBusy(`${maxWaiting} searches wait already: try again in a moment.`);
    return this.#finder.ask(request);
  }

  async faces(document: string): Promise<readonly DocumentFace[]> {
    return (await this.#write({ faces: document })).faces ?? [];
  }

  async streams(): Promise<readonly IndexedStream[]> {
    return (await this.#write({ streams: true })).streams ?? [];
  }

  async expire(before: number): Promise<void> {
    await this.#write({ expire: before });
  }

  async jobs(after: number, limit: number): Promise<readonly IndexedJob[]> {
    return (await this.#write({ jobs: { after, limit } })).jobs ?? [];
  }

  /** Returns the state of a rebuild. Starts no thread for an index that does not exist yet. */
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
    // A failed replacement is repeated from the start.
    const before = this.#clearing.catch(() => undefined);
    this.#clearing = before.then(async () => {
      await Promise.all([this.#writer, this.#finder, this.#builder].map((thread) => thread.terminate()));
      await removeSearchFiles(this.#options.file);
      this.#made = undefined;
      this.#checked = undefined;
      this.#isWritten = false;
    });
    return this.#clearing;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#buildTimer);
    await Promise.all([this.#writer, this.#finder, this.#builder].map((thread) => thread.close()));
  }

  async #check(): Promise<void> {
    this.#checked ??= this.#builder.ask('check');
    try {
      await this.#checked;
    } catch (error) {
      this.#checked = undefined;
      throw error;
    }
  }

  #buildSoon(): void {
    if (this.#closed || this.#buildTimer !== undefined) return;
    this.#buildTimer = setTimeout(() => {
      this.#buildTimer = undefined;
      this.#building = this.#building.then(() => this.#build());
    }, BUILD_AFTER_MS).unref();
  }

  /** Builds files of vectors. During a build, every answer reports the searched fraction. */
  async #build(): Promise<void> {
    const { onVectors, onVectorsFailed } = this.#options;
    const clearing = this.#clearing;
    try {
      await this.#ready();
      await this.#check();
      for (let more = true; more && !this.#closed;) {
        const progress = (await this.#builder.ask('build'))!;
        if (progress.built) onVectors?.(progress);
        ({ more } = progress);
      }
    } catch (error) {
      // Errors of an index that was cleared during the build do not matter.
      if (!this.#closed && this.#clearing === clearing) onVectorsFailed?.(error);
    }
  }

  /** Creates the file. After a failure, the next query tries again. */
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

/** Removes the files of the index. The next start of a server rebuilds it from the documents. */
export async function removeSearchFiles(file: string): Promise<void> {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
  await rm(vectorFolder(file), { recursive: true, force: true });
}

const plainOptions = (options: SqliteSearchOptions): WriterOptions & FinderOptions => ({
  file: options.file,
  textProperties: options.textProperties,
  classProperties: options.classProperties,
  textCharacters: options.textCharacters,
  snippetCharacters: options.snippetCharacters,
  maxScanned: options.maxScanned,
});
