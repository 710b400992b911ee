import { stat } from 'node:fs/promises';
import type { Logger } from '../../config/logger.ts';
import { jobIdOf } from '../../domain/job/job-id.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { highestJobIn } from '../../results/highest-job.ts';
import { outputFolder, outputFolders, runFolder, spoolFolder } from '../../results/layout.ts';
import type { Store } from '../../store/store.ts';

/** Sequence of the numbers of batch and streaming jobs. */
const SEQUENCE = 'job';
const FIRST_RUN = 1;

export interface JobNumbersDeps {
  readonly store: Pick<Store, 'next' | 'shared'>;
  readonly dataDir: string;
  readonly jobIdHost: string;
  readonly logger: Logger;
}

/**
 * Numbers of new jobs. It skips numbers that a folder of DATA_DIR has: after a restore or a loss of commits, the store would give
 * them again, and new jobs would overwrite the files of old ones.
 */
export class JobNumbers {
  readonly #deps: JobNumbersDeps;
  /** The highest in the folders before this server gave any. */
  #found: Promise<number> | undefined;
  /** The highest that this server has given. */
  #given = 0;

  constructor(deps: JobNumbersDeps) {
    this.#deps = deps;
  }

  async next(): Promise<number> {
    const { store, dataDir, logger } = this.#deps;
    const found = await (this.#found ??= this.#look());
    let used = Math.max(found, this.#given);
    for (;;) {
      const number = await store.next(SEQUENCE);
      if (number > used && !(await this.#isUsed(number))) {
        this.#given = Math.max(this.#given, number);
        return number;
      }
      used = Math.max(used, number, await highestJobIn(dataDir));
      logger.warn(
        { number, used },
        'the store is older than the files of DATA_DIR: numbers of jobs are skipped',
      );
      if (used > number) await store.next(SEQUENCE, used - number);
    }
  }

  /** The first run of a job after this one that no folder of results has: a restored store may know of fewer runs than these. */
  async runAfter(jobId: string, last: number): Promise<number> {
    for (let run = last + 1; ; run++)
      if (!(await this.#anyThere(outputFolders(runFolder(jobId, run))))) return run;
  }

  /** What failed is tried again for the next job. */
  #look(): Promise<number> {
    return highestJobIn(this.#deps.dataDir).catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
  }

  /** A Redis may come back without its last commits while servers run; no other process writes to a database file. */
  async #isUsed(number: number): Promise<boolean> {
    const { store, jobIdHost } = this.#deps;
    if (!store.shared) return false;
    const jobId = jobIdOf(jobIdHost, number);
    return this.#anyThere([
      spoolFolder(jobId, FIRST_RUN),
      outputFolder(runFolder(jobId, FIRST_RUN)),
      outputFolder(String(number)),
    ]);
  }

  async #anyThere(keys: readonly FileKey[]): Promise<boolean> {
    const { dataDir } = this.#deps;
    return (await Promise.all(keys.map((key) => isThere(pathOf(dataDir, key))))).includes(true);
  }
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
