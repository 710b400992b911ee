import type { FetchLimits } from '../components/sdk/protocol.ts';
import type { Logger } from '../config/logger.ts';
import type { Settings } from '../config/settings.ts';
import type { ResultChecker } from '../output/check.ts';
import type { CatalogLookup } from '../pipeline/plan-lookup.ts';
import type { Issue, Properties } from '../pipeline/types.ts';
import { MemoryQueue } from '../store/memory-queue.ts';
import type { Store } from '../store/store.ts';
import { ADMISSION, admissionKind, type AdmissionCommand, type AdmissionReply } from './admission/actor.ts';
import { batchJobKind, type JobParts } from './batch-job/actor.ts';
import type { JobCommand, JobReply } from './batch-job/commands.ts';
import { JobDesk } from './batch-job/desk.ts';
import { toSubJobs } from './batch-job/sub-jobs.ts';
import { DISPATCHER, dispatcherKind } from './dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply, SubJob } from './dispatcher/commands.ts';
import { WorkWaiters } from './dispatcher/waiters.ts';
import {
  NODE_MANAGER,
  registerNodeManager,
  type ManagedComponent,
  type NodeManager,
} from './node-manager/actor.ts';
import { DEFAULT_INTENSITY } from './runtime/supervision.ts';
import type { ActorSystem, Family } from './runtime/system.ts';
import { JobViews } from './views/jobs.ts';
import { WorkDesk } from './work-desk/desk.ts';

export interface GuardianParts {
  readonly system: ActorSystem;
  readonly store: Store;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly checker: ResultChecker;
  readonly catalog: CatalogLookup;
  readonly serverProperties: Properties;
  readonly components: readonly ManagedComponent[];
  readonly fetchLimits: FetchLimits;
  /** Number of this start; higher than that of every earlier one. */
  readonly epoch: number;
  serverUrl(): string;
  checkMedium(uri: string): Promise<Issue | undefined>;
  localPath(uri: string): Promise<string | undefined>;
}

/** The actors of one server and what the edge uses of them. */
export interface Guardian {
  readonly jobs: Family<JobCommand, JobReply>;
  readonly dispatcher: Family<DispatcherCommand, DispatcherReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly nodeManager: NodeManager;
  readonly desk: JobDesk;
  readonly workDesk: WorkDesk;
  readonly views: JobViews;
}

export const STOP_COMPONENTS_MS = 2_000;
/** Mailbox of actors that serve all jobs: larger than what all jobs together can have to say at a time. */
const SHARED_MAILBOX = 100_000;
/** Sub-jobs of one job that are queued or run at a time, for each component process. */
const WINDOW_PER_PROCESS = 4;
const LEAST_WINDOW = 8;

/** The supervision tree on one screen: who is there, and who tells whom. */
export function guard(parts: GuardianParts): Guardian {
  const { system, store, settings, logger } = parts;
  const waiters = new WorkWaiters();

  const jobs = system.register(
    batchJobKind({
      ...jobSettings(parts),
      offer: (record, state, rows) =>
        dispatcher.tell(DISPATCHER, { type: 'offer', subJobs: toSubJobs(record, state, rows) }),
      cancelWork: ({ number }, rows) => {
        const subJobs = rows.map(({ id, key }) => ({ id, key, jobId: String(number) }));
        dispatcher.tell(DISPATCHER, { type: 'cancel', subJobs });
      },
      ended: (jobNumber) => admission.tell(ADMISSION, { type: 'leave', jobNumber }),
    }),
  );

  const dispatcher = system.register(
    dispatcherKind({
      queue: new MemoryQueue<SubJob>(),
      settings: {
        leaseMs: settings.LEASE_MS,
        silenceMs: settings.SILENCE_MS,
        wholeMs: settings.SUB_JOB_MS,
        cancelGraceMs: settings.CANCEL_GRACE_MS,
      },
      clock: system.clock,
      logger,
      mailbox: SHARED_MAILBOX,
      epoch: parts.epoch,
      lost: ({ jobId, key }, token, reason) => jobs.tell(jobId, { type: 'workLost', key, token, reason }),
      dropped: (jobId, keys) => jobs.tell(jobId, { type: 'workDropped', keys }),
      waiting: (queue, length, busy) => {
        waiters.wake(queue);
        nodeManager.family.tell(NODE_MANAGER, { type: 'demand', queue, wanted: length + busy });
      },
      kill: (worker, reason) => nodeManager.family.tell(NODE_MANAGER, { type: 'kill', worker, reason }),
    }),
  );

  const nodeManager = registerNodeManager(system, {
    host: settings.JOB_ID_HOST,
    components: parts.components,
    processes: settings.COMPONENT_PROCESSES,
    policy: {
      delayMs: settings.RESTART_DELAY_MS,
      maxDelayMs: 30_000,
      failures: 5,
      // Long enough for five starts that hang.
      withinMs: Math.max(60_000, 6 * settings.COMPONENT_START_MS),
    },
    stopMs: STOP_COMPONENTS_MS,
    startMs: settings.COMPONENT_START_MS,
    clock: system.clock,
    logger,
    serverUrl: () => parts.serverUrl(),
    gone: (worker, counted, reason) =>
      dispatcher.tell(DISPATCHER, { type: 'workerGone', worker, counted, reason }),
    unavailable: (queue, reason) => dispatcher.tell(DISPATCHER, { type: 'unavailable', queue, reason }),
  });

  const admission = system.register(
    admissionKind({
      store,
      maxLive: settings.MAX_LIVE_JOBS,
      maxWaiting: settings.MAX_WAITING_JOBS,
      admit: (jobNumber) => jobs.tell(String(jobNumber), { type: 'admit' }),
    }),
  );

  const desk = new JobDesk({ ...parts, jobs, admission, settings: deskSettings(parts) });
  const workDesk = new WorkDesk({
    ...parts,
    jobs,
    dispatcher,
    waiters,
    dataDir: settings.DATA_DIR,
    heartbeatMs: settings.HEARTBEAT_MS,
    resultLimits: { maxBytes: settings.MAX_RESULT_BYTES, maxLines: settings.MAX_RESULT_LINES },
  });
  const views = new JobViews(store, dispatcher, settings.DATA_DIR);
  return { jobs, dispatcher, admission, nodeManager, desk, workDesk, views };
}

function jobSettings({
  store,
  settings,
  logger,
  fetchLimits,
  epoch,
  system,
}: GuardianParts): Omit<JobParts, 'offer' | 'cancelWork' | 'ended'> {
  return {
    store,
    owner: { server: settings.JOB_ID_HOST, epoch },
    logger,
    mailbox: settings.MAILBOX_SIZE,
    intensity: DEFAULT_INTENSITY,
    idleMs: settings.IDLE_ACTOR_MS,
    clock: system.clock,
    settings: {
      dataDir: settings.DATA_DIR,
      window: Math.max(LEAST_WINDOW, WINDOW_PER_PROCESS * settings.COMPONENT_PROCESSES),
      attempts: settings.SUB_JOB_ATTEMPTS,
      fetchLimits,
    },
  };
}

function deskSettings({ settings, serverProperties }: GuardianParts) {
  return {
    jobIdHost: settings.JOB_ID_HOST,
    siteId: settings.SITE_ID,
    defaultPriority: settings.DEFAULT_PRIORITY,
    maxMedia: settings.MAX_MEDIA_PER_JOB,
    minFreeBytes: settings.MIN_FREE_BYTES,
    dataDir: settings.DATA_DIR,
    serverProperties,
    environmentProperties: settings.environmentProperties,
  };
}
