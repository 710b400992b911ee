import { SearchBroken, type RebuildMark, type SearchPage } from '../../store/search.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import { ENDED_JOBS, UNINDEXED_JOBS } from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';
import type { Family } from '../runtime/system.ts';
import { AnsweringSearch } from './answering-search.ts';
import { JobDocuments, type JobDocumentsDeps } from './job-documents.ts';

export interface JobIndexerDeps extends Omit<JobDocumentsDeps, 'isClosed'> {
  readonly clock: Clock;
  /** Called after the index was cleared. */
  readonly onClear?: () => void;
  jobs(): Pick<Family<JobCommand, JobReply>, 'ask'>;
}

/** Number of jobs added at a time. */
const JOBS_AT_ONCE = 20;
/** Time to the next attempt after a failure of the index. */
const RETRY_MS = 10_000;

/**
 * Adds the documents of ended jobs to the search. The store lists the jobs that are not indexed yet. When the index is rebuilt,
 * these are all ended jobs after its mark.
 */
export class JobIndexer extends AnsweringSearch {
  readonly #deps: JobIndexerDeps;
  readonly #documents: JobDocuments;
  #mark: RebuildMark = 'begun';
  /** True if the index was complete without documents. The completion mark is written with the first document. */
  #isMarkDue = false;
  #wanted = false;
  /** True if the index must be rebuilt. */
  #isOutdated = false;
  #working: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #closed = false;

  constructor(deps: JobIndexerDeps) {
    super(deps);
    this.#deps = deps;
    this.#documents = new JobDocuments({ ...deps, isClosed: () => this.#closed });
  }

  wake(): void {
    this.#wanted = true;
    if (this.#closed) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#wanted && this.#cancelRetry === undefined) this.wake();
    });
  }

  async remove(jobNumber: number, run: number): Promise<boolean> {
    try {
      await this.#deps.index.remove(jobNumber, run);
      return true;
    } catch (err) {
      this.#deps.logger.warn({ err, job: jobNumber }, 'could not remove a job from the search');
      // A rebuilt index will not contain the job.
      if (err instanceof SearchBroken) this.rebuild();
      return err instanceof SearchBroken;
    }
  }

  protected override get isComplete(): boolean {
    return this.#mark === null && !this.#isOutdated;
  }

  protected override replaceIndex(): void {
    this.rebuild();
  }

  /** Every job is present, because a job is removed from the index before it is deleted. */
  protected override findPresent(): Promise<() => boolean> {
    return Promise.resolve(() => true);
  }

  protected override nextOf({ next }: SearchPage): SearchPage['next'] {
    return next;
  }

  rebuild(): void {
    this.#isOutdated = true;
    this.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#deps.index.close();
    await this.#working;
  }

  async #work(): Promise<void> {
    this.#wanted = false;
    try {
      if (!this.#isOutdated && !this.#isMarkDue) this.#mark = await this.#deps.index.mark();
      for (let more = true; more && !this.#closed;) {
        if (this.#isOutdated) await this.#clear();
        more = (await this.#putUnindexed()) || (await this.#rebuildSome());
      }
    } catch (err) {
      if (this.#closed) return;
      if (err instanceof SearchBroken) this.#isOutdated = true;
      const what = err instanceof SearchBroken ? 'is damaged and is rebuilt' : 'does not work now';
      this.#deps.logger.error({ err }, `the index of the search ${what}`);
      this.#retryLater();
    }
  }

  async #clear(): Promise<void> {
    await this.#deps.index.clear();
    this.#deps.onClear?.();
    this.#isOutdated = false;
    this.#isMarkDue = false;
    this.#mark = 'begun';
  }

  #retryLater(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      this.wake();
    });
  }

  /** Returns false if all jobs are indexed. @throws if no job made progress */
  async #putUnindexed(): Promise<boolean> {
    const { store, jobs } = this.#deps;
    const entries = await store.list(UNINDEXED_JOBS, { limit: JOBS_AT_ONCE });
    if (entries.length === 0) return false;
    const found = await this.#documents.findEnded(entries.map(({ id }) => Number(id)));
    await this.#documents.put(found);
    if (this.#isMarkDue) await this.#deps.index.setMark(null);
    this.#isMarkDue = false;
    const runs = new Map(found.map((job) => [job.record.number, job.snapshot.run]));
    let done = 0;
    for (const { id } of entries) {
      // The actor of a job whose document cannot be read takes it off the list.
      const run = runs.get(Number(id)) ?? 0;
      const reply = await jobs()
        .ask(id, { type: 'indexed', run })
        .catch(() => undefined);
      if (reply?.kind === 'done') done++;
    }
    const left = new Set((await store.list(UNINDEXED_JOBS, { limit: JOBS_AT_ONCE })).map(({ id }) => id));
    if (done === 0 && entries.every(({ id }) => left.has(id)))
      throw new Error('No job could store that the search has indexed its document.');
    return true;
  }

  /** One step of rebuilding the index. Returns false if the index is complete. */
  async #rebuildSome(): Promise<boolean> {
    const { store, index, logger } = this.#deps;
    if (this.#mark === null) return false;
    const after = this.#mark === 'begun' ? {} : { after: this.#mark };
    const entries = await store.list(ENDED_JOBS, { limit: JOBS_AT_ONCE, ...after });
    const ended = await this.#documents.findEnded(entries.map(({ id }) => Number(id)));
    await this.#documents.put(ended.filter(({ snapshot }) => snapshot.hasDocument));
    const mark = entries.length < JOBS_AT_ONCE ? null : entries.at(-1)!;
    this.#isMarkDue = this.#mark === 'begun' && entries.length === 0;
    if (!this.#isMarkDue) await index.setMark(mark);
    this.#mark = mark;
    if (mark === null) logger.info({}, 'the search has all documents');
    return mark !== null;
  }
}
