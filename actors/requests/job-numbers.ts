import { stat } from 'node:fs/promises';
import type { Logger } from '../../config/logger.ts';
import { jobIdOf } from '../../domain/job/job-id.ts';
import { pathOf, type FileKey } from '../../results/file-keys.ts';
import { highestJobIn } from '../../results/highest-job.ts';
import { outputFolder, outputFolders, runFolder, spoolFolder } from '../../results/layout.ts';
import type { Store } from '../../store/store.ts';

/** Name of the sequence for the numbers of batch and streaming jobs. */
const SEQUENCE = 'job';
const FIRST_RUN = 1;

export interface JobNumbersDeps {
  readonly store: Pick<Store, 'next' | 'shared'>;
  readonly dataDir: string;
  readonly jobIdHost: string;
  readonly logger: Logger;
}

/**
 * Numbers of new jobs. It skips numbers that have a folder in DATA_DIR. After a restore or a loss of commits, the store would assign them
 * again, and new jobs would overwrite old files.
 */
export class JobNumbers {
  readonly #deps: JobNumbersDeps;
  /** The highest number in the folders before this server assigned any. */
  #found: Promise<number> | undefined;
  /** The highest number that this server has assigned. */
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

  /** The first run after `last` that has no results folder. A restored store may know fewer runs than there are folders. */
  async runAfter(jobId: string, last: number): Promise<number> {
    for (let run = last + 1; ; run++)
      if (!(await this.#anyThere(outputFolders(runFolder(jobId, run))))) return run;
  }

  /** After a failure, the next job tries again. */
  #look(): Promise<number> {
    return highestJobIn(this.#deps.dataDir).catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
  }

  /** True if the number has a folder. Only a Redis may lose its last commits while servers run: a database file has no other writers. */
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
