/** Deletes files of requests whose jobs were never stored, because the server or the store failed between the two steps. */
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

/** Maximum duration of a request on any server. A file that is older and has no job never gets one. */
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
  /** Files older than this were checked. The remaining ones have a job and are deleted with it. */
  #seenTo = 0;
  #next = 0;

  constructor(deps: RequestOrphansDeps) {
    this.#deps = deps;
  }

  /** Runs once an hour. Files that are less than a day old stay. */
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

  /** Deletes a file that has no job. Returns false if it is not known yet whether it has one. */
  async #isDecided(name: string, newest: number): Promise<boolean> {
    const { store, logger } = this.#deps;
    const number = jobNumber(jobOfRequestFile(name) ?? '');
    // If a server is started by mistake on an empty store, or on one of another folder, the files must not be lost.
    if (number !== null && number > newest) return false;
    const file = path.join(REQUESTS, name);
    try {
      const job = number === null ? undefined : await storedJob(store, number);
      if (job !== undefined && requestFilesOf(job.record).includes(file)) return true;
      logger.info({ file }, 'removing a file of a request that no job was made of');
      await removeFile(this.#pathOf(name));
      return true;
    } catch (err) {
      // An unreadable job may be repaired later. A file that cannot be deleted must not stop the cleaning.
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
