import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../config/logger.ts';
import { numberOfRun } from '../../results/highest-job.ts';
import { runOfMedia } from '../../results/layout.ts';
import { removeFolder } from '../../files/remove.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import { allEntries, type Store } from '../../store/store.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { ADMISSION } from '../admission/actor.ts';
import type { AdmissionCommand, AdmissionReply } from '../admission/model.ts';
import { BATCH_JOB } from '../batch-job/state/keys.ts';
import { foldersOf } from '../batch-job/state/record.ts';
import { LIVE_JOBS, RETRYABLE_JOBS, WAITING_JOBS } from '../batch-job/state/indexes.ts';
import { JOB_SCHEMA } from '../batch-job/state/snapshot.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import type { Repeats } from '../requests/idempotency.ts';
import type { Delivery } from '../delivery/actor.ts';
import type { StreamingJobCommand } from '../streaming-job/commands.ts';
import type { StreamingJobReply } from '../streaming-job/context.ts';
import { STREAMING_SCHEMA } from '../streaming-job/actor.ts';
import { LIVE_STREAMS } from '../streaming-job/indexes.ts';
import { STREAMING_JOB } from '../streaming-job/state.ts';
import { every, type Clock } from '../basics/clock.ts';
import type { Family } from '../runtime/system.ts';
import { newestJob, storedJob } from '../batch-job/state/stored-job.ts';

/** One server deletes old keys for all. If it is dead, another one takes over after this many looks. */
const KEYS_LOCK_LOOKS = 3;

export interface ReconcileDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly locks: ClusterLocks;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly streamingJobs: Family<StreamingJobCommand, StreamingJobReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly repeats: Repeats;
  /** Time in milliseconds for which an Idempotency-Key is remembered. */
  readonly keysKeptMs: number;
  readonly delivery: Delivery;
  /** Time between two looks. */
  readonly everyMs: number;
  readonly cluster: Pick<Cluster, 'onDeath'> | undefined;
}

/** Finds live jobs without queued or running work, and lets them offer their work again, in case a message was lost. */
export function startReconciling(deps: ReconcileDeps): () => void {
  const { store, clock, jobs, admission, everyMs } = deps;
  const reconcile = async () => {
    admission.tell(ADMISSION, { type: 'open' });
    const waiting = new Set<string>();
    for await (const { id } of allEntries(store, WAITING_JOBS)) waiting.add(id);
    for await (const { id } of allEntries(store, LIVE_JOBS))
      if (!waiting.has(id) && (await store.work.listIds({ kind: BATCH_JOB, id })).size === 0)
        jobs.tell(id, { type: 'resume' });
    for await (const { id } of allEntries(store, LIVE_STREAMS))
      if ((await store.work.listIds({ kind: STREAMING_JOB, id })).size === 0)
        deps.streamingJobs.tell(id, { type: 'resume' });
    // Components that missed the news of waiting work get it now.
    if (store.shared) await store.work.announce();
    await deps.delivery.wakeAll();
    if (await deps.locks.claim('idempotency-keys', KEYS_LOCK_LOOKS * everyMs))
      await deps.repeats.forget(clock.now() - deps.keysKeptMs);
  };
  deps.cluster?.onDeath(() => void reconcile().catch(() => undefined));
  return every(clock, everyMs, reconcile);
}

/** Checks that no live job needs a newer version. The server refuses to start, unless another server that can read the job is running. */
export async function refuseNewer(store: Store): Promise<void> {
  await refuseNewerOf(store, LIVE_JOBS, BATCH_JOB, JOB_SCHEMA);
  await refuseNewerOf(store, LIVE_STREAMS, STREAMING_JOB, STREAMING_SCHEMA);
}

async function refuseNewerOf(store: Store, index: string, kind: string, schema: number): Promise<void> {
  for await (const { id } of allEntries(store, index)) {
    const stored = await store.load({ kind, id }).catch(() => undefined);
    if (stored === undefined || stored.snapshot.schema <= schema) continue;
    const elsewhere = (await store.knownElsewhere?.(kind)) ?? 0;
    if (elsewhere >= stored.snapshot.schema) continue;
    throw new Error(
      `Job ${id} was stored by a newer version of Troupe (schema ${stored.snapshot.schema}, this version knows ${schema}). Start that version, or another ${store.shared ? 'REDIS_PREFIX' : 'DATA_DIR'}.`,
    );
  }
}

/**
 * Deletes spool and media of jobs that are not live, which a dead process left behind. The spool that a retry needs stays. It lists the
 * files before it reads the jobs, so it never deletes files of a new job. Files of jobs that are newer than all stored jobs stay and are
 * returned: the store may be empty or the wrong one by mistake.
 */
export async function removeOrphans(
  store: Store,
  dataDir: string,
  logger: Logger,
): Promise<readonly string[]> {
  const newest = await newestJob(store);
  const found: string[] = [];
  const unknown: string[] = [];
  for (const kind of ['spool', 'media'])
    for (const name of await readdir(path.join(dataDir, kind)).catch(() => []))
      (numberOfRun(name) > newest ? unknown : found).push(path.join(kind, name));
  const kept = new Set<string>();
  for (const [index, kinds] of [
    [LIVE_JOBS, ['spool', 'media']],
    [RETRYABLE_JOBS, ['spool']],
  ] as const)
    for await (const { id } of allEntries(store, index)) {
      const job = await storedJob(store, Number(id)).catch(() => null);
      // An unreadable job may be repaired later, so its possible files stay.
      if (job === null) return unknown;
      if (job === undefined) continue;
      for (const kind of kinds) kept.add(path.join(kind, foldersOf(job.record, job.snapshot)));
    }
  for (const folder of found) {
    if (kept.has(path.join(path.dirname(folder), runOfMedia(path.basename(folder))))) continue;
    logger.info({ folder }, 'removing files of a job that has ended');
    await removeFolder(path.join(dataDir, folder)).catch(() => undefined);
  }
  return unknown;
}
