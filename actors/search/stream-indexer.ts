import { open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../config/logger.ts';
import { maskUri } from '../../domain/job/censor.ts';
import { endOfSegment } from '../../results/check/segment-tracks.ts';
import { streamTracksFile, streamTracksFolder } from '../../results/layout.ts';
import type { SearchedJob, SearchIndex } from '../../store/search.ts';
import { allEntries, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { ALL_STREAMS, ENDED_STREAMS, LIVE_STREAMS } from '../streaming-job/indexes.ts';
import { STREAMING_JOB } from '../streaming-job/state.ts';
import { storedStream, type StoredStream } from '../streaming-job/stored-stream.ts';

export interface StreamIndexerDeps {
  readonly store: Store;
  readonly index: Pick<SearchIndex, 'put' | 'remove' | 'streams' | 'expire'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Segments that ended longer ago (milliseconds) are found no more. */
  readonly keepMs: number;
}

const LOOK_MS = 1_000;
/** After a failure of the index or of the store. */
const RETRY_MS = 10_000;
/** Time between two comparisons with all streaming jobs that there are. */
const COMPARE_MS = 3_600_000;
/** An end may be stored so late after its time. */
const LATE_MS = 30_000;
/** Streams that end between two looks; what is missed is found by the next comparison. */
const MOST_ENDED = 1_000;
/** Segments that are put at a time. */
const SEGMENTS_AT_ONCE = 20;
/** So few segments are looked for by their names, more by listing their folders. */
const FEW_SEGMENTS = 100;
const ALL_RUNS = Number.MAX_SAFE_INTEGER;
/** Bytes of a file that say when its segment ended. */
const BEGINNING_BYTES = 64;

/**
 * Adds the segments of live streams to the search. What is to be done follows from the store and from the files of segments: each server
 * compares the last segment of a job with the last one that its index has.
 */
export class StreamIndexer {
  readonly #deps: StreamIndexerDeps;
  /** By job: the last segment that was taken in, or that has no tracks. */
  readonly #known = new Map<number, number>();
  /** When the last look began: milliseconds since the epoch. */
  #lookedAt = 0;
  /** The index was cleared, or it is not known what it has. */
  #isOutdated = false;
  #isRead = false;
  #comparedAt = -Infinity;
  #working: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(deps: StreamIndexerDeps) {
    this.#deps = deps;
  }

  wake(): void {
    if (this.#closed) return;
    this.#cancel?.();
    this.#working ??= this.#work().then((ms) => {
      this.#working = undefined;
      if (!this.#closed) this.#cancel = this.#deps.clock.after(ms, () => this.wake());
    });
  }

  /** The index is being made anew: all segments are put again. */
  forget(): void {
    this.#isOutdated = true;
  }

  /** Nothing of the job is found from now on. False: try again later. */
  async remove(job: number): Promise<boolean> {
    try {
      await this.#deps.index.remove(job, ALL_RUNS);
      return true;
    } catch (err) {
      this.#deps.logger.warn({ err, jobId: job }, 'could not remove a streaming job from the search');
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#working;
  }

  /** Answers when it is to be done again. */
  async #work(): Promise<number> {
    const { clock, logger } = this.#deps;
    try {
      if (this.#isOutdated) await this.#startAgain();
      if (!this.#isRead) await this.#read();
      const isDue = clock.steady() - this.#comparedAt >= COMPARE_MS;
      if (isDue || this.#deps.store.isQuiet?.(STREAMING_JOB) !== true) await this.#follow(isDue);
      if (isDue) await this.#compare();
      return LOOK_MS;
    } catch (err) {
      if (!this.#closed) logger.warn({ err }, 'the search cannot index live streams now');
      return RETRY_MS;
    }
  }

  /** A segment that was put while the index was cleared may be in it, without those before it. */
  async #startAgain(): Promise<void> {
    const { index } = this.#deps;
    for (const { number } of await index.streams()) await index.remove(number, ALL_RUNS);
    this.#isOutdated = false;
    this.#isRead = false;
    this.#comparedAt = -Infinity;
  }

  async #read(): Promise<void> {
    this.#known.clear();
    for (const { number, lastSegment } of await this.#deps.index.streams())
      this.#known.set(number, lastSegment);
    this.#isRead = true;
  }

  /** Looks at all streaming jobs, or at those that are live or have ended since the last look. */
  async #follow(isOfAll: boolean): Promise<void> {
    const { store, clock } = this.#deps;
    const at = clock.now();
    const numbers = new Set<number>();
    for await (const { id } of allEntries(store, isOfAll ? ALL_STREAMS : LIVE_STREAMS))
      numbers.add(Number(id));
    const after = { score: this.#lookedAt - LATE_MS, id: '' };
    if (!isOfAll)
      for (const { id } of await store.list(ENDED_STREAMS, { limit: MOST_ENDED, after }))
        numbers.add(Number(id));
    for (const number of numbers) {
      if (this.#closed || this.#isOutdated) return;
      await this.#takeIn(number);
    }
    this.#lookedAt = at;
  }

  async #takeIn(number: number): Promise<void> {
    const { store, dataDir } = this.#deps;
    const job = await storedStream(store, number);
    if (job === undefined) return;
    const known = this.#known.get(number) ?? -1;
    const last = job.state.lastSegment;
    if (last <= known) return;
    const segments = await segmentsWithTracks(dataDir, number, known, last);
    for (let at = 0; at < segments.length; at += SEGMENTS_AT_ONCE) {
      if (this.#closed || this.#isOutdated) return;
      const some = segments.slice(at, at + SEGMENTS_AT_ONCE);
      await this.#put(job, some);
      this.#known.set(number, some.at(-1)!);
    }
    this.#known.set(number, last);
    // It was deleted meanwhile.
    if ((await storedStream(store, number)) === undefined) await this.remove(number);
  }

  async #put(job: StoredStream, segments: readonly number[]): Promise<void> {
    const { index, clock, keepMs, logger, dataDir } = this.#deps;
    const jobs: SearchedJob[] = [];
    for (const segment of segments) {
      const document = streamTracksFile(dataDir, job.record.number, segment);
      const endedAt = await endOf(document);
      if (endedAt !== undefined && endedAt >= clock.now() - keepMs)
        jobs.push(searchedSegment(job, segment, document, endedAt));
    }
    for (const taken of await index.put(jobs)) {
      if (taken === 'taken') continue;
      const { number: jobId } = job.record;
      const reason = 'unreadable' in taken ? taken.unreadable : taken.why;
      logger.warn({ jobId, reason }, 'the search cannot read all of a segment of a live stream');
    }
  }

  /** Finds what was deleted while this server was away, and forgets what is too old. */
  async #compare(): Promise<void> {
    const { store, index, clock, keepMs } = this.#deps;
    const before = clock.now() - keepMs;
    await index.expire(before);
    for (const number of this.#known.keys()) {
      if (this.#closed) return;
      const isGone = (await storedStream(store, number)) === undefined;
      if (isGone) await index.remove(number, ALL_RUNS);
      if (isGone) this.#known.delete(number);
      else await this.#removeOldFiles(number, before);
    }
    this.#comparedAt = clock.steady();
  }

  /** Of each folder, until a file is young enough: a folder has successive segments. */
  async #removeOldFiles(number: number, before: number): Promise<void> {
    const folder = streamTracksFolder(this.#deps.dataDir, number);
    for (const group of await numbersIn(folder)) {
      for (const segment of await numbersIn(path.join(folder, String(group)))) {
        const file = streamTracksFile(this.#deps.dataDir, number, segment);
        if (((await endOf(file)) ?? 0) >= before) return;
        await rm(file, { force: true });
      }
    }
  }
}

function searchedSegment(
  { record }: StoredStream,
  segment: number,
  document: string,
  endedAt: number,
): SearchedJob {
  const { number, externalId, owner, streamUri, createdAt, task = '', action = '' } = record;
  return {
    ...{ number, run: segment + 1, jobId: String(number), externalId, owner, endedAt, document },
    stream: { uri: maskUri(streamUri), createdAt },
    tasks: { [action]: task },
  };
}

/** Segments after `known` up to `last` that have a file, ascending. */
async function segmentsWithTracks(
  dataDir: string,
  job: number,
  known: number,
  last: number,
): Promise<readonly number[]> {
  if (last - known <= FEW_SEGMENTS) return Array.from({ length: last - known }, (_, n) => known + 1 + n);
  const folder = streamTracksFolder(dataDir, job);
  const segments: number[] = [];
  for (const group of await numbersIn(folder))
    segments.push(...(await numbersIn(path.join(folder, String(group)))));
  return segments.filter((segment) => segment > known && segment <= last);
}

/** Names that are numbers, with or without .json, ascending. */
async function numbersIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => (/^\d{1,15}(\.json)?$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .sort((a, b) => a - b);
}

/** When the segment of a file ended; undefined: there is no such file. */
async function endOf(file: string): Promise<number | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    return endOfSegment(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await handle.close();
  }
}
