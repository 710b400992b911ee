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

/** Jobs that one look removes or passes over at most. */
const JOBS_A_ROUND = 500;
const PAGE = 50;

export interface RetentionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly jobService: Pick<JobService, 'remove'>;
  readonly streams: Pick<StreamingJobService, 'remove'>;
  /** How long jobs are kept after their end; 0: for ever. */
  readonly keepMs: number;
}

/**
 * Removes jobs that ended long ago, the oldest first, a limited number in each call. It reads only the index of ended jobs, so it never
 * removes a live job. Jobs with pending callbacks or archive posts stay until these have arrived or were given up.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  /** Where the last look stopped among jobs that are old but must be kept. */
  #after: IndexEntry | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Answers how many jobs it removed. */
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
      // Of jobs that must be kept only the store is read: others have the event loop in between.
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

  /** One that cannot be removed does not keep the others. */
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
  /** Files of jobs that have ended and whose server is gone. */
  removeOrphans(): Promise<void>;
  /** Time between two looks. */
  readonly everyMs: number;
}

/** Looks that a server that has cleared up and is gone may have missed before another one does. */
const MISSED_LOOKS = 2;

/** Removes expired jobs, uploads and files now and then regularly, until the returned function is called. */
export function startCleaning(deps: CleaningDeps): () => void {
  const { clock, logger, locks, retention, uploads, sessions, everyMs, removeOrphans } = deps;
  let cancel = () => {};
  let stopped = false;
  const clean = async () => {
    // One server goes on doing it for all, as long as it is there.
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
