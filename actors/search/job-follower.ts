import { SearchBroken, type RebuildMark, type SearchPage } from '../../store/search.ts';
import { allEntries, type IndexEntry } from '../../store/store.ts';
import { EDITED_JOBS, ENDED_JOBS } from '../batch-job/state/indexes.ts';
import { BATCH_JOB } from '../batch-job/state/keys.ts';
import type { Clock } from '../basics/clock.ts';
import { AnsweringSearch } from './answering-search.ts';
import { JobDocuments, type JobDocumentsDeps } from './job-documents.ts';
import { findPresent, presentRun, type Indexed } from './present-jobs.ts';

export interface JobFollowerDeps extends Omit<JobDocumentsDeps, 'isClosed'> {
  readonly clock: Clock;
  /** Called after the index was cleared. */
  readonly onClear?: () => void;
  /** Makes the other servers rebuild their indexes. */
  rebuildElsewhere(): void;
}

const LOOK_MS = 1_000;
/** Time to the next attempt after a failure of the index or of the store. */
const RETRY_MS = 10_000;
const PAGE = 500;
/** Number of jobs added at a time. */
const JOBS_AT_ONCE = 20;
/** Ends younger than this are not added yet, because an earlier end may still be stored. All indexes use the same order. */
const SETTLED_MS = 1_000;
/** Maximum delay between the end of a job and its storing. Only the next comparison finds ends that are stored later. */
const LATE_MS = 30_000;
/** Number of attempts to read a document, RETRY_MS apart. A shared folder may show the file a moment later. */
const TRIES = 5;
/** Time between two comparisons of the whole index with the stored jobs. */
const COMPARE_MS = 3_600_000;
/** Age of ends up to which a comparison also checks the indexed run. Notices of older ends have arrived. */
const RUNS_MS = 2 * COMPARE_MS;

/**
 * Search for servers that share a store. Each has its own index and follows all ended jobs. Deleted jobs, and jobs that run again, are left
 * out of every answer. The follower removes them from the index when it finds them, or when it compares the whole index with the store.
 */
export class JobFollower extends AnsweringSearch {
  readonly #deps: JobFollowerDeps;
  readonly #documents: JobDocuments;
  /** The last added end. */
  #mark: RebuildMark = 'begun';
  /** Added ends that will be read again: by job and time. */
  readonly #known = new Map<string, number>();
  /** The same for changes of labels and external ids, and the latest added change. */
  readonly #knownEdits = new Map<string, number>();
  #editedAt: number | undefined;
  /** Jobs whose document could not be read, with the number of attempts. */
  readonly #unread = new Map<number, number>();
  #triedAt = -Infinity;
  #isRead = false;
  #isComplete = false;
  #isOutdated = false;
  #comparedAt = -Infinity;
  #working: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(deps: JobFollowerDeps) {
    super(deps);
    this.#deps = deps;
    this.#documents = new JobDocuments({ ...deps, isClosed: () => this.#closed });
  }

  wake(): void {
    if (this.#closed) return;
    this.#cancel?.();
    this.#working ??= this.#work().then((ms) => {
      this.#working = undefined;
      if (!this.#closed) this.#cancel = this.#deps.clock.after(ms, () => this.wake());
    });
  }

  async remove(jobNumber: number, run: number): Promise<boolean> {
    try {
      await this.#deps.index.remove(jobNumber, run);
    } catch (err) {
      // Answers leave out jobs that are no longer stored.
      this.#deps.logger.warn({ err, job: jobNumber }, 'could not remove a job from the search');
      if (err instanceof SearchBroken) this.forget();
    }
    return true;
  }

  protected override get isComplete(): boolean {
    return this.#isComplete && !this.#isOutdated;
  }

  protected override replaceIndex(): void {
    this.forget();
  }

  /** Jobs that are no longer stored are removed from the index. */
  protected override findPresent(indexed: readonly Indexed[]): Promise<(one: Indexed) => boolean> {
    return findPresent(this.#deps.store, indexed, (number, run) => void this.remove(number, run));
  }

  protected override nextOf({ place }: SearchPage): SearchPage['place'] {
    return place;
  }

  rebuild(): void {
    this.forget();
    this.#deps.rebuildElsewhere();
  }

  /** Rebuilds the index of this server. */
  forget(): void {
    this.#isOutdated = true;
    this.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#deps.index.close();
    await this.#working;
  }

  /** Returns the time to the next round in milliseconds. */
  async #work(): Promise<number> {
    const { index, clock, logger } = this.#deps;
    try {
      if (this.#isOutdated) await this.#clear();
      else if (!this.#isRead) this.#mark = await index.mark();
      this.#isRead = true;
      if (!this.#isComplete || this.#deps.store.isQuiet?.(BATCH_JOB) !== true) await this.#follow();
      if (this.#unread.size > 0 && clock.steady() - this.#triedAt >= RETRY_MS) await this.#readAgain();
      if (clock.steady() - this.#comparedAt >= COMPARE_MS) await this.#compare();
      return this.#isOutdated ? 0 : LOOK_MS;
    } catch (err) {
      this.#isComplete = false;
      if (this.#closed) return 0;
      if (err instanceof SearchBroken) this.#isOutdated = true;
      const what = err instanceof SearchBroken ? 'is damaged and is rebuilt' : 'does not work now';
      logger.error({ err }, `the index of the search ${what}`);
      return RETRY_MS;
    }
  }

  async #clear(): Promise<void> {
    this.#isComplete = false;
    await this.#deps.index.clear();
    this.#deps.onClear?.();
    this.#isOutdated = false;
    this.#mark = 'begun';
    this.#known.clear();
    this.#knownEdits.clear();
    this.#editedAt = undefined;
    this.#unread.clear();
  }

  /** Adds the jobs that ended since the last look. */
  async #follow(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const settled = clock.now() - SETTLED_MS;
    let after = this.#begin();
    for (let more = true; more && !this.#closed && !this.#isOutdated;) {
      const page = await store.list(ENDED_JOBS, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      const ended = page.filter(({ score }) => score <= settled);
      await this.#takeIn(ended);
      after = page.at(-1);
      more = ended.length === PAGE;
    }
    if (this.#closed || this.#isOutdated) return;
    if (!this.#isComplete) logger.info({}, 'the search has all documents');
    this.#isComplete = true;
    const late = (this.#begin()?.score ?? 0) - LATE_MS;
    for (const [end, score] of this.#known) if (score < late) this.#known.delete(end);
    await this.#followEdits();
  }

  /** Adds the labels and external ids that changed since the last look; the first time, all of them. */
  async #followEdits(): Promise<void> {
    const { store } = this.#deps;
    let after = this.#editedAt === undefined ? undefined : { score: this.#editedAt - LATE_MS, id: '' };
    for (let more = true; more && !this.#closed && !this.#isOutdated;) {
      const page = await store.list(EDITED_JOBS, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      const unknown = page.filter((entry) => !this.#knownEdits.has(nameOf(entry)));
      for (let at = 0; at < unknown.length && !this.#closed; at += JOBS_AT_ONCE)
        await this.#put(unknown.slice(at, at + JOBS_AT_ONCE).map(({ id }) => Number(id)));
      for (const entry of unknown) this.#knownEdits.set(nameOf(entry), entry.score);
      after = page.at(-1);
      more = page.length === PAGE;
      if (after !== undefined) this.#editedAt = Math.max(this.#editedAt ?? 0, after.score);
    }
    const late = (this.#editedAt ?? 0) - LATE_MS;
    for (const [edit, score] of this.#knownEdits) if (score < late) this.#knownEdits.delete(edit);
  }

  /** Start of the next look. It reads the last LATE_MS again, because an end may have been stored late. */
  #begin(): IndexEntry | undefined {
    if (this.#mark === 'begun' || this.#mark === null) return undefined;
    return { score: this.#mark.score - LATE_MS, id: '' };
  }

  async #takeIn(ended: readonly IndexEntry[]): Promise<void> {
    const unknown = ended.filter((entry) => !this.#known.has(nameOf(entry)));
    for (let at = 0; at < unknown.length && !this.#closed && !this.#isOutdated; at += JOBS_AT_ONCE) {
      const some = unknown.slice(at, at + JOBS_AT_ONCE);
      await this.#put(some.map(({ id }) => Number(id)));
      for (const entry of some) this.#known.set(nameOf(entry), entry.score);
      const last = some.at(-1)!;
      if (typeof this.#mark === 'object' && this.#mark !== null && last.score < this.#mark.score) continue;
      await this.#deps.index.setMark(last);
      this.#mark = last;
    }
  }

  async #put(numbers: readonly number[]): Promise<void> {
    const jobs = await this.#documents.findEnded(numbers);
    const unread = await this.#documents.put(jobs.filter(({ snapshot }) => snapshot.hasDocument));
    for (const number of numbers) {
      const tries = (this.#unread.get(number) ?? 0) + 1;
      if (unread.has(number) && tries < TRIES) this.#unread.set(number, tries);
      else this.#unread.delete(number);
    }
    if (unread.size > 0) this.#triedAt = this.#deps.clock.steady();
  }

  async #readAgain(): Promise<void> {
    const numbers = [...this.#unread.keys()];
    for (let at = 0; at < numbers.length && !this.#closed; at += JOBS_AT_ONCE)
      await this.#put(numbers.slice(at, at + JOBS_AT_ONCE));
  }

  /** Finds jobs that were deleted while this server was away, and jobs whose end was stored too late. */
  async #compare(): Promise<void> {
    const { store, index, clock } = this.#deps;
    const indexed = new Map<number, number>();
    for (let after = -1; !this.#closed;) {
      const page = await index.jobs(after, PAGE);
      for (const { number, run } of page) indexed.set(number, run);
      if (page.length < PAGE) break;
      after = page.at(-1)!.number;
    }
    const gone = new Map(indexed);
    const since = clock.now() - RUNS_MS;
    let missed: IndexEntry[] = [];
    for await (const entry of allEntries(store, ENDED_JOBS)) {
      if (this.#closed) return;
      const number = Number(entry.id);
      gone.delete(number);
      const run = indexed.get(number);
      const isSame = run !== undefined && (entry.score < since || (await presentRun(store, number)) === run);
      if (!isSame) missed.push(entry);
      if (missed.length < JOBS_AT_ONCE) continue;
      await this.#takeIn(missed);
      missed = [];
    }
    await this.#takeIn(missed);
    for (const [number, run] of gone) {
      if (this.#closed) return;
      if ((await presentRun(store, number)) !== run) await this.remove(number, run);
    }
    this.#comparedAt = clock.steady();
  }
}

const nameOf = ({ id, score }: IndexEntry): string => `${id}/${score}`;
