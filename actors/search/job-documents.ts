import type { Logger } from '../../config/logger.ts';
import { pathOf } from '../../results/file-keys.ts';
import { detectionFile } from '../../results/layout.ts';
import {
  SearchDied,
  type DocumentFace,
  type SearchedJob,
  type SearchIndex,
  type Taken,
} from '../../store/search.ts';
import type { Store } from '../../store/store.ts';
import { externalIdOf, foldersOf, labelsOf } from '../batch-job/state/record.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { readableJob, type StoredJob } from '../batch-job/state/stored-job.ts';
import type { People } from '../people/people.ts';

export interface JobDocumentsDeps {
  readonly store: Store;
  readonly index: SearchIndex;
  readonly logger: Logger;
  readonly dataDir: string;
  /** Absent if faces are not grouped. */
  readonly people?: Pick<People, 'isOn' | 'isTaken' | 'take'>;
  /** True if nothing more may be added. */
  isClosed(): boolean;
}

/** Adds the documents of ended jobs to the index. */
export class JobDocuments {
  readonly #deps: JobDocumentsDeps;

  constructor(deps: JobDocumentsDeps) {
    this.#deps = deps;
  }

  /** Returns the ended and readable jobs among these. */
  async findEnded(numbers: readonly number[]): Promise<readonly StoredJob[]> {
    const found: StoredJob[] = [];
    for (const number of numbers) {
      const job = await readableJob(this.#deps.store, number);
      if (job !== undefined && isTerminal(job.snapshot.status)) found.push(job);
    }
    return found;
  }

  /** Adds jobs. Returns the numbers of those whose document cannot be read. */
  async put(jobs: readonly StoredJob[]): Promise<ReadonlySet<number>> {
    const unread = new Set<number>();
    if (jobs.length === 0) return unread;
    const taken = await this.#takeIn(jobs.map((job) => this.#toSearchedJob(job)));
    for (const [n, one] of taken.entries()) {
      if (one === 'taken') continue;
      const { jobId, number } = jobs[n]!.record;
      if ('withoutVectors' in one) {
        const { withoutVectors: vectors, trackId, why } = one;
        this.#deps.logger.warn(
          { jobId, vectors, trackId, reason: why },
          'similar tracks cannot be found for some tracks of a job: their FEATURE is not a usable vector',
        );
        continue;
      }
      unread.add(number);
      this.#deps.logger.warn(
        { jobId, reason: one.unreadable },
        'the search cannot read the document of a job',
      );
    }
    for (const job of jobs) if (!unread.has(job.record.number)) await this.#groupFaces(job);
    return unread;
  }

  /** Groups the faces of a job. A failure does not affect other documents. */
  async #groupFaces(job: StoredJob): Promise<void> {
    const { people, index, isClosed, logger } = this.#deps;
    if (people?.isOn !== true || isClosed() || !makesVectorsOfFaces(job)) return;
    const { number, jobId, owner } = job.record;
    const { document, run } = this.#toSearchedJob(job);
    if (await people.isTaken({ number, run })) return;
    let faces: readonly DocumentFace[];
    try {
      faces = await index.faces(document);
    } catch (err) {
      if (!isClosed()) logger.warn({ err, jobId }, 'could not read the faces of a job');
      return;
    }
    await people.take({ number, run, jobId, owner }, faces);
  }

  /** Adds jobs. If a document crashes the index, the jobs are added one by one, so the other documents get in. */
  async #takeIn(jobs: readonly SearchedJob[]): Promise<readonly Taken[]> {
    const { index, isClosed } = this.#deps;
    try {
      return await index.put(jobs);
    } catch (error) {
      if (isClosed() || !(error instanceof SearchDied)) throw error;
      if (jobs.length === 1) return [{ unreadable: error.message }];
    }
    const taken: Taken[] = [];
    for (const job of jobs) taken.push(...(await this.#takeIn([job])));
    return taken;
  }

  #toSearchedJob({ record, snapshot }: StoredJob): SearchedJob {
    const { number, jobId, owner, plan } = record;
    const { run, endedAt, startedAt } = snapshot;
    const tasks = plan.tasks.flatMap(({ name, actions }) => actions.map((action) => [action.name, name]));
    return {
      ...{ number, run, jobId, externalId: externalIdOf(record, snapshot), owner },
      labels: labelsOf(record, snapshot),
      endedAt: endedAt ?? startedAt,
      document: pathOf(this.#deps.dataDir, detectionFile(foldersOf(record, snapshot))),
      tasks: Object.fromEntries(tasks) as Record<string, string>,
    };
  }
}

const makesVectorsOfFaces = ({ record: { plan } }: StoredJob): boolean =>
  plan.tasks.some(({ actions }) => actions.some(({ algorithm }) => algorithm.name === FACE_EMBEDDING));
export const FACE_EMBEDDING = 'FACE EMBEDDING';
