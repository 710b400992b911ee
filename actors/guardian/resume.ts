import { readdir } from 'node:fs/promises';
import { queueOf } from '../../protocol/transfers.ts';
import { segmentsRoot } from '../../results/layout.ts';
import type { Logger } from '../../config/logger.ts';
import type { Settings } from '../../config/settings.ts';
import type { ClusterLocks } from '../../store/cluster-locks.ts';
import { allEntries, type Owner, type Store } from '../../store/store.ts';
import { ADMISSION } from '../admission/actor.ts';
import { LIVE_JOBS, REMOVED_JOBS } from '../batch-job/state/indexes.ts';
import { BATCH_JOB } from '../batch-job/state/keys.ts';
import { freeBytes, startDiskWatch } from '../system-messages/disk-watch.ts';
import { CATALOG } from '../catalog/actor.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { DISPATCHER, startTicking, TICKS } from '../dispatcher/actor.ts';
import type { Guardian } from './guardian.ts';
import { WORKER_TOKEN_MS } from './register-nodes.ts';
import { NODE_CLASSES, NODE_CONFIGURATION } from '../node-configuration/actor.ts';
import { OPERATION } from '../operations/state.ts';
import { PAUSES } from '../pauses/actor.ts';
import { LIVE_STREAMS, REMOVED_STREAMS } from '../streaming-job/indexes.ts';
import { Retention, startCleaning } from '../upkeep/retention.ts';
import { DAY_MS, every, type Clock } from '../basics/clock.ts';
import { removeOrphans, startReconciling } from '../upkeep/reconcile.ts';
import { RequestOrphans } from '../upkeep/request-orphans.ts';
import { forgetUsage } from '../upkeep/usage-retention.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { UploadStore } from '../uploads/upload-store.ts';

const SHARED_LOOK_MS = 1_000;
/** Time between two checks for operations that no server carries out. */
const OPERATIONS_LOOK_MS = 2_000;

/** Time between two checks whether a waiting job may begin, for servers that share a store. */
const ADMISSION_LOOK_MS = 500;

/** Time between two checks of the free disk space. */
const DISK_LOOK_MS = 10_000;

/** Time for which an Idempotency-Key of a job creation is remembered. */
export const IDEMPOTENCY_KEEP_MS = DAY_MS;

/** Most folders that one line of the log names. */
const MOST_NAMED = 5;

export interface ResumeDeps {
  readonly uploads: UploadStore;
  readonly sessions: SessionStore;
  readonly store: Store;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly owner: Owner;
  readonly locks: ClusterLocks;
  /** The servers that share the store; absent if this server is alone. */
  readonly cluster: Pick<Cluster, 'onDeath'> | undefined;
}

/** Resumes live jobs, and removes what an earlier process left behind. The returned function ends the periodic work. */
export async function resume(guardian: Guardian, deps: ResumeDeps): Promise<() => void> {
  await takeUp(guardian, deps);
  const stops = [
    ...workPeriodically(guardian, deps),
    startReconciliation(guardian, deps),
    startCleanup(guardian, deps),
    ...(deps.cluster === undefined ? [] : [readingShared(guardian, deps)]),
    watchingTheDisk(guardian, deps),
    every(deps.clock, OPERATIONS_LOOK_MS, async () => {
      if (deps.store.isQuiet?.(OPERATION) !== true) await guardian.operations.service.look();
    }),
    guardian.streams.startReporting(),
    guardian.streams.startPresence(),
    ...admittingForOthers(guardian, deps),
  ];
  return () => stops.forEach((stop) => stop());
}

async function takeUp(guardian: Guardian, { store, settings, logger }: ResumeDeps): Promise<void> {
  const { jobs, admission, nodeManager, nodes, delivery, streams, pauses } = guardian;
  // First, so that no paused work is handed out.
  await pauses.read();
  const unknown = await removeOrphans(store, settings.DATA_DIR, logger);
  if (unknown.length > 0)
    logger.warn(
      { count: unknown.length, such: unknown.slice(0, MOST_NAMED) },
      `files of unknown jobs are kept: the store is empty, or belongs to another DATA_DIR (see ${store.shared ? 'REDIS_URL and REDIS_PREFIX' : 'troupe.db'})`,
    );
  // Before the jobs, because their work waits for services.
  nodeManager.endLeftovers();
  await nodes.configure();
  await nodes.own.beat();
  nodes.own.hear(await nodes.gateway.refresh());
  for (const index of [LIVE_JOBS, REMOVED_JOBS])
    for await (const { id } of allEntries(store, index)) jobs.tell(id, { type: 'resume' });
  for (const index of [LIVE_STREAMS, REMOVED_STREAMS])
    for await (const { id } of allEntries(store, index)) streams.jobs.tell(id, { type: 'resume' });
  await resumeReports(guardian, settings);
  await guardian.operations.service.look();
  guardian.indexer?.wake();
  guardian.people.wake();
  guardian.streamIndexer?.wake();
  admission.tell(ADMISSION, { type: 'open' });
  await delivery.wakeAll();
}

/** Resumes the reports of jobs that may have ended before their reports were sent. */
async function resumeReports({ streams }: Pick<Guardian, 'streams'>, settings: Settings): Promise<void> {
  for (const id of await readdir(segmentsRoot(settings.DATA_DIR)).catch(() => []))
    streams.jobs.tell(id, { type: 'resume' });
}

/** Reads shared data every second, because other servers may have changed it. */
function readingShared(
  { catalogActor, nodeConfiguration, nodes, pauses }: Guardian,
  { clock, store }: ResumeDeps,
): () => void {
  return every(clock, SHARED_LOOK_MS, () => {
    if (store.isQuiet?.(CATALOG, NODE_CONFIGURATION, NODE_CLASSES, PAUSES) === true) return Promise.resolve();
    catalogActor.tell(CATALOG, { type: 'read' });
    nodeConfiguration.tell(NODE_CONFIGURATION, { type: 'read' });
    nodes.classes.tell(NODE_CLASSES, { type: 'read' });
    pauses.look();
    return Promise.resolve();
  });
}

/** Starts periodic work: the dispatcher checks leases, and the node manager checks services of this node and of others. */
function workPeriodically(
  { dispatcher, nodeManager, nodes: { own: ownNode, gateway } }: Guardian,
  { store, clock }: ResumeDeps,
): readonly (() => void)[] {
  const { ms, steps } = store.shared ? TICKS.shared : TICKS.own;
  return [
    startTicking(clock, (stalledMs) => dispatcher.tell(DISPATCHER, { type: 'tick', stalledMs, steps }), ms),
    every(clock, nodeManager.lookMs, async () => {
      const busy = new Set([...(await store.work.queues()).keys()].map(queueOf));
      nodeManager.family.tell(nodeManager.host, { type: 'look', busy });
    }),
    every(clock, ownNode.beatMs, async () => {
      await ownNode.beat();
      ownNode.hear(await gateway.refresh());
      gateway.placement.look();
    }),
    every(clock, WORKER_TOKEN_MS, () => ownNode.forgetSilent()),
  ];
}

/** Checks for free places regularly, because jobs that end on one server make room for waiting jobs of all servers. */
function admittingForOthers({ admission }: Guardian, { store, clock }: ResumeDeps): readonly (() => void)[] {
  if (!store.shared) return [];
  const look = () => {
    if (store.isQuiet?.(BATCH_JOB) !== true) admission.tell(ADMISSION, { type: 'open' });
    return Promise.resolve();
  };
  return [every(clock, ADMISSION_LOOK_MS, look)];
}

function startReconciliation(
  { jobs, admission, repeats, delivery, streams }: Guardian,
  deps: ResumeDeps,
): () => void {
  const { store, clock, locks, settings } = deps;
  return startReconciling({
    store,
    clock,
    locks,
    jobs,
    streamingJobs: streams.jobs,
    admission,
    repeats,
    delivery,
    keysKeptMs: IDEMPOTENCY_KEEP_MS,
    everyMs: settings.RECONCILE_MS,
    cluster: deps.cluster,
  });
}

function startCleanup({ jobs, jobService, streams, operations }: Guardian, deps: ResumeDeps): () => void {
  const { store, settings, logger } = deps;
  const retention = new Retention({
    ...deps,
    jobService,
    streams: streams.service,
    keepMs: settings.RETENTION_DAYS * DAY_MS,
  });
  const requests = new RequestOrphans({ ...deps, dataDir: settings.DATA_DIR });
  return startCleaning({
    ...deps,
    retention,
    everyMs: settings.CLEANING_MS,
    async removeOrphans() {
      await removeOrphans(store, settings.DATA_DIR, logger);
      await requests.remove();
      await forgetUsage(store, deps.owner, deps.clock.now());
      await operations.service.removeOld();
      await streams.recordings.removeOld();
      // Continues deletions that a dead server has begun.
      for await (const { id } of allEntries(store, REMOVED_JOBS)) jobs.tell(id, { type: 'resume' });
      for await (const { id } of allEntries(store, REMOVED_STREAMS))
        streams.jobs.tell(id, { type: 'resume' });
      // Sends reports that a dead server has not sent.
      if (store.shared) await resumeReports({ streams }, settings);
    },
  });
}

function watchingTheDisk(
  { systemMessages: messages }: Guardian,
  { clock, logger, settings }: ResumeDeps,
): () => void {
  return startDiskWatch({
    clock,
    logger,
    messages,
    minFreeBytes: settings.MIN_FREE_BYTES,
    everyMs: DISK_LOOK_MS,
    free: () => freeBytes(settings.DATA_DIR),
  });
}
