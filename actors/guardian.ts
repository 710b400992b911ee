import type { FetchLimits } from '../protocol/worker-protocol.ts';
import type { Logger } from '../config/logger.ts';
import type { Settings } from '../config/settings.ts';
import { ProcessNotes } from '../processes/process-notes.ts';
import type { ResultChecker } from '../results/check.ts';
import { processesFolder } from '../results/layout.ts';
import type { MovedStart } from '../results/moved-files.ts';
import type { Send } from '../egress/request.ts';
import type { ArchiveFinding, ArchiveQuestion, Issue, Properties } from '../domain/types.ts';
import type { News } from '../store/ledger.ts';
import type { Store } from '../store/store.ts';
import { configurationRules, deliveryPolicy, jobServiceSettings, jobSettings } from './actor-settings.ts';
import { ADMISSION, admissionKind } from './admission/actor.ts';
import type { AdmissionCommand, AdmissionReply } from './admission/model.ts';
import { batchJobKind } from './batch-job/actor.ts';
import type { JobCommand, JobReply } from './batch-job/commands.ts';
import { ArchiveChecks } from './batch-job/archive-checks.ts';
import { JobService } from './batch-job/job-service.ts';
import { DryRuns } from './batch-job/dry-run.ts';
import { endFacts, jobFacts } from './batch-job/log-facts.ts';
import { Repeats } from './batch-job/idempotency.ts';
import { catalogKind } from './catalog/actor.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { CatalogCommand } from './catalog/commands.ts';
import type { CatalogReply } from './catalog/transitions.ts';
import { registerDelivery, sendOnce, type Delivery } from './delivery/actor.ts';
import { DISPATCHER, dispatcherKind } from './dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply } from './dispatcher/model.ts';
import { WorkWaiters } from './dispatcher/waiters.ts';
import { toldOf } from './batch-job/work-news.ts';
import { registerNodeManager, type NodeManager } from './node-manager/actor.ts';
import type { ManagedComponent } from './node-manager/components.ts';
import { nodeConfigurationKind } from './node-configuration/actor.ts';
import type { ConfigurationCommand, ConfigurationReply } from './node-configuration/model.ts';
import { unservedComponents, unservedSentence } from './node-configuration/unserved.ts';
import { LoadMarks } from './runtime/load-marks.ts';
import { DEFAULT_INTENSITY } from './runtime/supervision.ts';
import type { ActorSystem, Family } from './runtime/system.ts';
import { systemMessageKind } from './system-messages/actor.ts';
import { SystemMessageService, tellingOfQuarantine } from './system-messages/service.ts';
import { LastingMessages } from './system-messages/lasting-messages.ts';
import { restartPolicy } from './service/policy.ts';
import type { UploadStore } from './uploads/upload-store.ts';
import { JobWatch } from './views/job-watch.ts';
import { JobViews } from './views/jobs.ts';
import type { WorkMeter } from './views/meter.ts';
import { QueueViews } from './views/queues.ts';
import { WaitingReasons } from './views/waiting.ts';
import { WorkerGateway } from './worker-gateway/gateway.ts';

export interface GuardianDeps {
  readonly system: ActorSystem;
  readonly store: Store;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly checker: ResultChecker;
  readonly catalog: Catalog;
  readonly serverProperties: Properties;
  /** Installed detectors: the services of the initial node configuration. */
  readonly components: readonly ManagedComponent[];
  /** Components of the server itself, which are in no node configuration. */
  readonly own: readonly ManagedComponent[];
  /** What `${TROUPE_NODE}` and `${TROUPE_HOME}` stand for in a node configuration. */
  readonly places: Readonly<Record<'TROUPE_NODE' | 'TROUPE_HOME', string>>;
  readonly fetchLimits: FetchLimits;
  /** DATA_DIR without symbolic links. */
  readonly realDataDir: string;
  /** What documents of before a move of the data folder call their files, and what these are called today. */
  readonly movedFiles: readonly MovedStart[];
  /** Keeps uploads from being removed while a job that uses them comes in. */
  readonly uploads: Pick<UploadStore, 'keeping'>;
  /** Random at each start: tells this server from every other one, and from itself before a restart. */
  readonly serverId: string;
  /** No other server works on the same store. */
  readonly alone: boolean;
  /** Number of this start; higher than that of every earlier one. */
  readonly epoch: number;
  /** Counts work as it gets done. */
  readonly meter: WorkMeter;
  /** Version of the product. */
  readonly version: string;
  /** Sends callbacks and archive posts. */
  readonly send: Send;
  /** Asks archives for an earlier job like this one. */
  askArchive(question: ArchiveQuestion): Promise<ArchiveFinding>;
  serverUrl(): string;
  /** A token of the service; undefined when there is none to be had. */
  bearer(): Promise<string | undefined>;
  checkMedium(uri: string): Promise<Issue | undefined>;
  localPath(uri: string): Promise<string | undefined>;
}

/** The actors of one server and what the edge uses of them. */
export interface Guardian {
  readonly jobs: Family<JobCommand, JobReply>;
  /** Changes the catalog that all others only read. */
  readonly catalogActor: Family<CatalogCommand, CatalogReply>;
  readonly dispatcher: Family<DispatcherCommand, DispatcherReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly nodeManager: NodeManager;
  readonly nodeConfiguration: Family<ConfigurationCommand, ConfigurationReply>;
  readonly jobService: JobService;
  readonly dryRuns: DryRuns;
  readonly archiveChecks: ArchiveChecks;
  readonly repeats: Repeats;
  readonly delivery: Delivery;
  readonly workerGateway: WorkerGateway;
  readonly views: JobViews;
  readonly watch: JobWatch;
  readonly queues: QueueViews;
  readonly systemMessages: SystemMessageService;
}

/** Mailbox of actors that serve all jobs: larger than what all jobs together can have to say at a time. */
const SHARED_MAILBOX = 100_000;

/** The supervision tree on one screen: who is there, and who tells whom. */
export function guard(given: GuardianDeps): Guardian {
  const { system, settings, logger } = given;
  const systemMessages = systemMessagesOf(given);
  const store = tellingOfQuarantine(given.store, ({ kind, id }, reason) => {
    system.counts.add('quarantined', `${kind}/${id}`);
    void systemMessages.tellAdministrators(
      'error',
      `What was stored of ${kind} ${id} cannot be read and was put aside: ${reason}`,
    );
  });
  const deps = { ...given, store };
  const owner = { server: deps.serverId, epoch: deps.epoch };
  const waiters = new WorkWaiters();
  const repeats = new Repeats(store, owner);

  const jobs = system.register(
    batchJobKind({
      store,
      owner,
      logger,
      mailbox: settings.MAILBOX_SIZE,
      intensity: DEFAULT_INTENSITY,
      idleMs: settings.IDLE_ACTOR_MS,
      marks: new LoadMarks(settings.DATA_DIR),
      clock: system.clock,
      settings: jobSettings(settings, deps.version),
      checkArchive: (record, state) => void archiveChecks.checkInspected(record, state),
      deliver: (destinations) => destinations.forEach(delivery.wake),
      forget: (jobNumber) => jobs.tell(String(jobNumber), { type: 'forget' }),
      ended: (record, end) => {
        admission.tell(ADMISSION, { type: 'leave', jobNumber: record.number });
        logger.info({ ...jobFacts(record), ...endFacts(end) }, 'a job has ended');
        deps.meter.jobEnded(record.plan.name, end.status);
      },
    }),
  );

  const tellJobs = (news: readonly News[]) => void toldOf(jobs, store.work, news);
  const dispatcher = system.register(
    dispatcherKind({
      ledger: store.work,
      logger,
      mailbox: SHARED_MAILBOX,
      tell: tellJobs,
      kill: (worker, reason) => nodeManager.family.tell(nodeManager.host, { type: 'kill', worker, reason }),
    }),
  );

  store.work.watch({
    news: tellJobs,
    offered(queues) {
      for (const [queue, { waiting: items, held }] of queues) {
        waiters.wake(queue, items);
        nodeManager.family.tell(nodeManager.host, { type: 'demand', queue, wanted: items + held });
      }
    },
  });

  const nodeManager = registerNodeManager(system, {
    host: settings.NODE_NAME,
    components: deps.components,
    own: deps.own,
    registeredQueue: (component) => deps.catalog.component(component)?.algorithm,
    inherited: settings.childEnvironment,
    places: deps.places,
    home: deps.places.TROUPE_HOME,
    policy: (isInstalled) => restartPolicy(settings, isInstalled),
    startMs: settings.COMPONENT_START_MS,
    idleMs: settings.IDLE_SERVICE_MS,
    maxMemory: settings.MAX_COMPONENT_MEMORY,
    silenceMs: settings.NODE_SILENCE_MS,
    tokenMs: settings.WORKER_TOKEN_MS,
    alone: deps.alone,
    store,
    owner,
    clock: system.clock,
    logger,
    notes: new ProcessNotes(processesFolder(settings.DATA_DIR), deps.serverId, deps.alone),
    serverUrl: () => deps.serverUrl(),
    gone: (worker, counted, reason) =>
      dispatcher.tell(DISPATCHER, { type: 'workerGone', worker, counted, reason }),
    unavailable: (queue, reason) => dispatcher.tell(DISPATCHER, { type: 'unavailable', queue, reason }),
    configured: () => dispatcher.tell(DISPATCHER, { type: 'announce' }),
  });

  const standing = new LastingMessages(systemMessages);
  const rules = configurationRules(settings, deps.components, deps.own);
  const nodeConfiguration = system.register(
    nodeConfigurationKind({
      store,
      owner,
      rules,
      apply: (nodes) => {
        nodeManager.family.tell(nodeManager.host, { type: 'configure', nodes });
        const unserved = unservedComponents(nodes, rules.installed, rules.thisHost);
        const sentence = unservedSentence(unserved, rules.thisHost);
        if (sentence !== undefined) logger.warn({ components: unserved }, sentence);
        standing.tell('components without service', 'warning', sentence);
      },
    }),
  );

  const admission = system.register(
    admissionKind({
      store,
      maxLive: settings.MAX_LIVE_JOBS,
      maxWaiting: settings.MAX_WAITING_JOBS,
      admit: (jobNumber) => jobs.tell(String(jobNumber), { type: 'admit' }),
    }),
  );

  const catalogActor = system.register(
    catalogKind({
      store,
      owner,
      logger,
      mailbox: settings.MAILBOX_SIZE,
      limits: { elements: settings.MAX_CATALOG_ELEMENTS, characters: settings.MAX_CATALOG_BYTES },
      publish: deps.catalog.publish,
    }),
  );

  const delivery = registerDelivery(system, {
    store,
    policy: deliveryPolicy(settings),
    clock: system.clock,
    logger,
    idleMs: settings.DELIVERY_TIMEOUT_MS + settings.IDLE_ACTOR_MS,
    send: deps.send,
    report: (entry, report, envelopeId) => jobs.ask(entry.actor.id, report, { envelopeId }),
  });

  const archiveChecks = new ArchiveChecks({
    store,
    jobs,
    dataDir: settings.DATA_DIR,
    movedFiles: deps.movedFiles,
    ask: deps.askArchive,
    post: (notice, gone) =>
      sendOnce(deps.send, notice, AbortSignal.any([gone, AbortSignal.timeout(settings.DELIVERY_TIMEOUT_MS)])),
  });
  const jobService = new JobService({
    ...deps,
    jobs,
    admission,
    archive: archiveChecks,
    repeats,
    clock: system.clock,
    settings: jobServiceSettings(settings, deps.serverProperties),
  });
  const workerGateway = new WorkerGateway({
    ...deps,
    jobs,
    waiters,
    clock: system.clock,
    dataDir: settings.DATA_DIR,
    realDataDir: deps.realDataDir,
    heartbeatMs: settings.HEARTBEAT_MS,
    resultLimits: { maxBytes: settings.MAX_RESULT_BYTES, maxLines: settings.MAX_RESULT_LINES },
  });
  const queues = new QueueViews({ ledger: store.work, algorithms: deps.catalog.algorithms });
  const waiting = new WaitingReasons({
    store,
    clock: system.clock,
    nameOf: (queue) => queues.nameOf(queue),
    serviceOf: (queue) =>
      [...deps.own, ...deps.components].find((component) => component.queues.includes(queue))?.model
        .serviceName,
    idleReason: nodeManager.waitingReason,
  });
  const views = new JobViews(store, settings.DATA_DIR, waiting, delivery.troubleOf);
  const dryRuns = new DryRuns({
    jobService,
    settings: jobServiceSettings(settings, deps.serverProperties),
    nameOf: (queue) => queues.nameOf(queue),
    idleReason: nodeManager.waitingReason,
  });
  const watch = new JobWatch({ views, clock: system.clock, logger, pollMs: settings.EVENTS_POLL_MS });
  return {
    jobs,
    catalogActor,
    dispatcher,
    admission,
    nodeManager,
    nodeConfiguration,
    jobService,
    dryRuns,
    archiveChecks,
    repeats,
    delivery,
    workerGateway,
    views,
    watch,
    queues,
    systemMessages,
  };
}

function systemMessagesOf({
  system,
  store,
  settings,
  logger,
  serverId,
  epoch,
}: GuardianDeps): SystemMessageService {
  const owner = { server: serverId, epoch };
  const family = system.register(systemMessageKind({ store, owner, limit: settings.MAX_SYSTEM_MESSAGES }));
  return new SystemMessageService({ store, family, logger });
}
