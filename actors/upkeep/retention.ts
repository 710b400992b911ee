import type { Logger } from '../../config/logger.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import type { IndexEntry, Store } from '../../store/store.ts';
import type { JobService } from '../job-service/job-service.ts';
import { ENDED_JOBS } from '../batch-job/state/indexes.ts';
import type { Clock } from '../basics/clock.ts';
import { ENDED_STREAMS } from '../streaming-job/indexes.ts';
import type { StreamingJobService } from '../streaming-service/job-service.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import { readableJob } from '../batch-job/state/stored-job.ts';

/** Maximum number of jobs that one look removes or skips. */
const JOBS_A_ROUND = 500;
const PAGE = 50;

export interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly jobService: Pick<JobService, 'remove'>;
  readonly streams: Pick<StreamingJobService, 'remove'>;
  /** Time for which jobs are kept after their end; 0: forever. */
  readonly keepMs: number;
}

/**
 * Removes jobs that ended long ago, the oldest first, a limited number in each call. It reads only the index of ended jobs, so it never
 * removes a live job. Jobs with pending callbacks or archive posts stay until those were delivered or given up.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  /** Position of the last look among old jobs that must be kept. */
  #after: IndexEntry | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Returns the number of removed jobs. */
  async look(): Promise<number> {
    const { store, clock, keepMs } = this.#deps;
    if (keepMs === 0) return 0;
    const old = clock.now() - keepMs;
    let removed = 0;
    for (let seen = 0; seen < JOBS_A_ROUND; seen += PAGE) {
      const after = this.#after === undefined ? {} : { after: this.#after };
      const entries = (await store.list(ENDED_JOBS, { limit: PAGE, ...after })).filter(
        ({ score }) => score <= old,
      );
      for (const { id } of entries) if (await this.#remove(Number(id))) removed++;
      // Jobs that must be kept cost only reads of the store, so the loop yields to the event loop here.
      await new Promise((resolve) => setImmediate(resolve));
      this.#after = entries.length < PAGE ? undefined : entries.at(-1);
      if (entries.length < PAGE) break;
    }
    return removed + (await this.#removeStreams(old));
  }

  async #removeStreams(old: number): Promise<number> {
    const { store, streams, logger } = this.#deps;
    let removed = 0;
    for (const { id, score } of await store.list(ENDED_STREAMS, { limit: PAGE })) {
      if (score > old) break;
      const outcome = await streams.remove(Number(id)).catch((err: unknown) => {
        logger.warn({ err, jobId: Number(id) }, 'could not remove a streaming job that ended long ago');
      });
      if (outcome === 'removed') removed++;
    }
    return removed;
  }

  /** A job that cannot be removed does not block the others. */
  async #remove(number: number): Promise<boolean> {
    const { store, jobService, logger } = this.#deps;
    const job = await readableJob(store, number);
    const owes = (job?.snapshot.callback?.pending ?? 0) + (job?.snapshot.archive?.pending ?? 0);
    if (job === undefined || owes > 0) return false;
    const { jobId } = job.record;
    try {
      if ((await jobService.remove(number)) !== 'removed') return false;
      logger.info({ jobId }, 'removed a job that ended long ago');
      return true;
    } catch (err) {
      logger.warn({ err, jobId }, 'could not remove a job that ended long ago');
      return false;
    }
  }
}

export interface CleaningDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locks: ClusterLocks;
  readonly retention: Pick<Retention, 'look'>;
  readonly uploads: Pick<UploadStore, 'lookAgain' | 'removeExpired'>;
  readonly sessions: Pick<SessionStore, 'removeExpired'>;
  /** Removes files of ended jobs whose server is dead. */
  removeOrphans(): Promise<void>;
  /** Time between two looks. */
  readonly everyMs: number;
}

/** Number of looks that the cleaning server may miss before another server takes over. */
const MISSED_LOOKS = 2;

/** Removes expired jobs, uploads and files regularly, until the returned function is called. */
export function startCleaning(deps: CleaningDeps): () => void {
  const { clock, logger, locks, retention, uploads, sessions, everyMs, removeOrphans } = deps;
  let cancel = () => {};
  let stopped = false;
  const clean = async () => {
    // One server cleans for all servers, until it dies.
    if (await locks.claim('cleaning', (1 + MISSED_LOOKS) * everyMs)) {
      await retention.look();
      await removeOrphans();
      await sessions.removeExpired();
      await uploads.removeExpired();
    }
    await uploads.lookAgain();
  };
  const next = (ms: number) => {
    cancel = clock.after(
      ms,
      () =>
        void clean()
          .catch(
            (err: unknown) =>
              stopped || logger.warn({ err }, 'could not remove expired jobs, uploads and files'),
          )
          .finally(() => !stopped && next(everyMs)),
    );
  };
  next(0);
  return () => {
    stopped = true;
    cancel();
  };
}
