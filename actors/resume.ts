import type { Logger } from '../config/logger.ts';
import type { Settings } from '../config/settings.ts';
import type { Duties } from '../store/duties.ts';
import { allEntries, type Store } from '../store/store.ts';
import { ADMISSION } from './admission/actor.ts';
import { LIVE_JOBS, REMOVED_JOBS } from './batch-job/indexes.ts';
import { freeBytes, startDiskWatch } from './disk-watch.ts';
import { DISPATCHER, startTicking } from './dispatcher/actor.ts';
import type { Guardian } from './guardian.ts';
import { currentNodes } from './node-configuration/actor.ts';
import { Retention, startCleaning } from './retention.ts';
import { DAY_MS, every, type Clock } from './runtime/clock.ts';
import { removeOrphans, startSweep } from './reconcile.ts';
import type { UploadStore } from './uploads/upload-store.ts';

/** Live jobs go on where they stopped; what an earlier process left lying goes. The answer ends the periodic work. */
export async function resume(
  guardian: Guardian,
  given: {
    readonly uploads: UploadStore;
    readonly store: Store;
    readonly settings: Settings;
    readonly logger: Logger;
    readonly clock: Clock;
    readonly duties: Duties;
  },
): Promise<() => void> {
  const { uploads, store, settings, logger, clock, duties } = given;
  const { jobs, dispatcher, admission, nodeManager, nodeConfiguration, repeats, delivery } = guardian;
  await removeOrphans(store, settings.DATA_DIR, logger);
  // Before the jobs: which services there are decides what their work waits for.
  nodeManager.endLeftovers();
  const nodes = await currentNodes(nodeConfiguration);
  await nodeManager.family.ask(nodeManager.host, { type: 'configure', nodes });
  await nodeManager.beat();
  for (const index of [LIVE_JOBS, REMOVED_JOBS])
    for await (const { id } of allEntries(store, index)) jobs.tell(id, { type: 'resume' });
  admission.tell(ADMISSION, { type: 'open' });
  await delivery.wakeAll();
  const stopTicking = startTicking(clock, (stalledMs) =>
    dispatcher.tell(DISPATCHER, { type: 'tick', stalledMs }),
  );
  const stopLooking = every(clock, nodeManager.lookMs, async () => {
    const busy = new Set((await store.work.queues()).keys());
    nodeManager.family.tell(nodeManager.host, { type: 'look', busy });
  });
  const stopBeating = every(clock, nodeManager.beatMs, () => nodeManager.beat());
  const stopForgetting = every(clock, settings.WORKER_TOKEN_MS, () => nodeManager.forgetSilent());
  const stopSweep = startSweep({
    store,
    clock,
    duties,
    jobs,
    admission,
    repeats,
    delivery,
    keysKeptMs: settings.IDEMPOTENCY_KEEP_MS,
  });
  const retention = new Retention({
    ...given,
    jobService: guardian.jobService,
    keepMs: settings.RETENTION_DAYS * DAY_MS,
  });
  const stopCleaning = startCleaning({
    ...given,
    retention,
    uploads,
    everyMs: settings.CLEANING_MS,
    async removeOrphans() {
      await removeOrphans(store, settings.DATA_DIR, logger);
      // What a server that is gone has begun to remove.
      for await (const { id } of allEntries(store, REMOVED_JOBS)) jobs.tell(id, { type: 'resume' });
    },
  });
  const stopDiskWatch = startDiskWatch({
    clock,
    logger,
    messages: guardian.systemMessages,
    minFreeBytes: settings.MIN_FREE_BYTES,
    everyMs: settings.DISK_LOOK_MS,
    free: () => freeBytes(settings.DATA_DIR),
  });
  return () => {
    stopDiskWatch();
    stopTicking();
    stopLooking();
    stopBeating();
    stopForgetting();
    stopSweep();
    stopCleaning();
  };
}
