import { open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../config/logger.ts';
import { maskUri } from '../../domain/job/censor.ts';
import { endOfSegment } from '../../results/check/segment-tracks.ts';
import { streamTracksFile, streamTracksFolder } from '../../results/layout.ts';
import type { DocumentFace, SearchedJob, SearchIndex } from '../../store/search.ts';
import { allEntries, type Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import { ALL_STREAMS, ENDED_STREAMS, LIVE_STREAMS } from '../streaming-job/indexes.ts';
import type { People } from '../people/people.ts';
import { STREAMING_JOB } from '../streaming-job/state.ts';
import { storedStream, type StoredStream } from '../streaming-job/stored-stream.ts';
import { FACE_EMBEDDING } from './job-documents.ts';

export interface StreamIndexerDeps {
  readonly store: Store;
  readonly index: Pick<SearchIndex, 'put' | 'remove' | 'streams' | 'expire' | 'faces'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Age in milliseconds after which segments are removed from the search. */
  readonly keepMs: number;
  /** Absent if faces are not grouped. */
  readonly people?: Pick<People, 'isOn' | 'takeSegment' | 'leave' | 'expire'>;
}

const LOOK_MS = 1_000;
/** Time to the next attempt after a failure of the index or of the store. */
const RETRY_MS = 10_000;
/** Time between two comparisons with all streaming jobs. */
const COMPARE_MS = 3_600_000;
/** Maximum delay between the end of a stream and its storing. */
const LATE_MS = 30_000;
/** Maximum number of ended streams per look. The next comparison finds the others. */
const MOST_ENDED = 1_000;
/** Number of segments added at a time. */
const SEGMENTS_AT_ONCE = 20;
/** Up to this many segments are read by name. For more, the folders are listed. */
const FEW_SEGMENTS = 100;
const ALL_RUNS = Number.MAX_SAFE_INTEGER;
/** Number of bytes at the start of a file that contain the end of its segment. */
const BEGINNING_BYTES = 64;

/**
 * Adds the segments of live streams to the search. Each server compares the last segment of a job with the last one in its index. So the
 * store and the segment files determine what is missing.
 */
export class StreamIndexer {
  readonly #deps: StreamIndexerDeps;
  /** By job: the last segment that was indexed, or that has no tracks. */
  readonly #known = new Map<number, number>();
  /** Start of the last look in milliseconds since the epoch. */
  #lookedAt = 0;
  /** True if the index was cleared, or if its content is unknown. */
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

  /** The index is being rebuilt, so all segments are added again. */
  forget(): void {
    this.#isOutdated = true;
  }

  /** Removes a job from the index. Returns false if it must be tried again later. */
  async remove(job: number): Promise<boolean> {
    try {
      await this.#deps.index.remove(job, ALL_RUNS);
      return (await this.#deps.people?.leave(job, ALL_RUNS)) ?? true;
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

  /** Returns the time to the next round in milliseconds. */
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

  /** A segment that was added while the index was cleared may be in the index without its predecessors. */
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

  /** Checks all streaming jobs, or those that are live or have ended since the last look. */
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
    // The job was deleted meanwhile.
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
    // Faces come first. A segment that is in the index is not read again after a crash.
    await this.#groupFaces(job, jobs);
    for (const taken of await index.put(jobs)) {
      if (taken === 'taken') continue;
      const { number: jobId } = job.record;
      const reason = 'unreadable' in taken ? taken.unreadable : taken.why;
      logger.warn({ jobId, reason }, 'the search cannot read all of a segment of a live stream');
    }
  }

  /** Groups the faces of segments. A segment whose faces cannot be read is left out. */
  async #groupFaces({ record }: StoredStream, segments: readonly SearchedJob[]): Promise<void> {
    const { people, index, logger } = this.#deps;
    if (people?.isOn !== true || !makesVectorsOfFaces(record)) return;
    const { number, owner, createdAt } = record;
    const jobId = String(number);
    for (const { document } of segments) {
      let faces: readonly DocumentFace[];
      try {
        faces = await index.faces(document);
      } catch (err) {
        if (!this.#closed) logger.warn({ err, jobId }, 'could not read the faces of a live stream');
        continue;
      }
      await people.takeSegment({ number, jobId, owner, createdAt }, faces);
    }
  }

  /** Finds jobs that were deleted while this server was away, and removes segments that are too old. */
  async #compare(): Promise<void> {
    const { store, index, clock, keepMs, people } = this.#deps;
    const before = clock.now() - keepMs;
    await index.expire(before);
    for (const number of this.#known.keys()) {
      if (this.#closed) return;
      const isGone = (await storedStream(store, number)) === undefined;
      if (isGone) await index.remove(number, ALL_RUNS);
      if (isGone) this.#known.delete(number);
      if (isGone) continue;
      await people?.expire(number, before);
      await this.#removeOldFiles(number, before);
    }
    this.#comparedAt = clock.steady();
  }

  /** Deletes old files. It stops in each folder at the first file that is young enough, because a folder has successive segments. */
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

const makesVectorsOfFaces = ({ algorithm, actions = [] }: StoredStream['record']): boolean =>
  [algorithm, ...actions.map((action) => action.algorithm)].includes(FACE_EMBEDDING);

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

/** Returns the file names that are numbers, with or without .json, ascending. */
async function numbersIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .flatMap((name) => (/^\d{1,15}(\.json)?$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .sort((a, b) => a - b);
}

/** End of the segment of a file. Returns undefined if there is no such file. */
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
