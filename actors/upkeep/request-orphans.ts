/** Files of requests whose jobs were never stored: the server or the store failed between the two steps. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../config/logger.ts';
import { jobNumber } from '../../domain/job/job-id.ts';
import { jobOfRequestFile, REQUESTS } from '../../results/layout.ts';
import { removeFile } from '../../files/remove.ts';
import type { Store } from '../../store/store.ts';
import { requestFilesOf } from '../batch-job/completion/data-uris.ts';
import { DAY_MS, type Clock } from '../basics/clock.ts';
import { newestJob, storedJob } from '../batch-job/state/stored-job.ts';

/** No request takes so long, whichever server it came to: what has no job then never gets one. */
const PENDING_MS = DAY_MS;
const EVERY_MS = DAY_MS / 24;

export interface RequestOrphansDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDir: string;
}

export class RequestOrphans {
  readonly #deps: RequestOrphansDeps;
  /** Files that came before this have been looked at: those that were left have a job, with which they go. */
  #seenTo = 0;
  #next = 0;

  constructor(deps: RequestOrphansDeps) {
    this.#deps = deps;
  }

  /** Once an hour; files that lie there for less than a day are left alone. */
  async remove(): Promise<void> {
    const { store, clock, dataDir } = this.#deps;
    const now = clock.now();
    if (now < this.#next) return;
    const before = now - PENDING_MS;
    const newest = await newestJob(store);
    let seenTo = before;
    for (const name of await readdir(path.join(dataDir, REQUESTS)).catch(() => [])) {
      const came = (await stat(this.#pathOf(name)).catch(() => undefined))?.mtimeMs;
      if (came === undefined || came < this.#seenTo || came >= before) continue;
      if (!(await this.#isDecided(name, newest))) seenTo = Math.min(seenTo, came);
    }
    this.#seenTo = seenTo;
    this.#next = now + EVERY_MS;
  }

  /** Removes a file that has no job. False: nobody can say yet. */
  async #isDecided(name: string, newest: number): Promise<boolean> {
    const { store, logger } = this.#deps;
    const number = jobNumber(jobOfRequestFile(name) ?? '');
    // Whoever starts a server by mistake on a store that is empty, or not this folder's, is not to lose them.
    if (number !== null && number > newest) return false;
    const file = path.join(REQUESTS, name);
    try {
      const job = number === null ? undefined : await storedJob(store, number);
      if (job !== undefined && requestFilesOf(job.record).includes(file)) return true;
      logger.info({ file }, 'removing a file of a request that no job was made of');
      await removeFile(this.#pathOf(name));
      return true;
    } catch (err) {
      // A job that cannot be read may still be mended, and what cannot be removed must not keep all else from being cleared up.
      logger.warn(
        { err, file },
        'cannot find out whether a request file belongs to a job, or cannot delete it',
      );
      return false;
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#deps.dataDir, REQUESTS, name);
  }
}
