import { streamQueue } from '../../protocol/streams.ts';
import type { News } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import {
  catalogLimits,
  deliveryPolicy,
  frameSettings,
  jobSettings,
  MAILBOX_SIZE,
  streamSettings,
} from './actor-settings.ts';
import { ADMISSION, admissionKind } from '../admission/actor.ts';
import type { AdmissionCommand, AdmissionReply } from '../admission/model.ts';
import { batchJobKind } from '../batch-job/actor.ts';
import { FailureGroups } from '../batch-job/failures/failure-groups.ts';
import { TransferTimers } from '../batch-job/transfer-timers.ts';
import type { JobSearch } from '../batch-job/job-deps.ts';
import { BATCH_JOB } from '../batch-job/state/keys.ts';
import { ArchiveChecks } from '../batch-job/completion/archive-checks.ts';
import type { JobCommand, JobReply } from '../batch-job/state/commands.ts';
import { pausesKind } from '../pauses/actor.ts';
import type { Pause } from '../pauses/model.ts';
import { Pauses } from '../pauses/pauses.ts';
import { Repeats } from '../requests/idempotency.ts';
import { endFacts, jobFacts } from '../batch-job/log-facts.ts';
import { spanOfJob } from '../batch-job/spans.ts';
import { tellBatchJobs } from '../batch-job/life-cycle/work-news.ts';
import { CATALOG, catalogKind } from '../catalog/actor.ts';
import type { CatalogCommand } from '../catalog/commands.ts';
import type { CatalogReply } from '../catalog/transitions.ts';
import { registerDelivery, sendOnce, type Delivery } from '../delivery/actor.ts';
import { noticeOf } from '../delivery/policy.ts';
import { DISPATCHER, dispatcherKind } from '../dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply } from '../dispatcher/model.ts';
import type { Foundation } from './guardian-deps.ts';
import { FRAME, FrameService } from '../frames/frame-service.ts';
import type { ConfigurationCommand, ConfigurationReply } from '../node-configuration/model.ts';
import { jobModels } from './job-models.ts';
import type { Nodes } from '../node-gateway/nodes.ts';
import { registerNodes } from './register-nodes.ts';
import type { NodeManager } from '../node-manager/actor.ts';
import { findDocument } from '../job-files/finished-document.ts';
import { LoadMarks } from '../runtime/load-marks.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { Family } from '../runtime/system.ts';
import { JobFollower } from '../search/job-follower.ts';
import { DAY_MS } from '../basics/clock.ts';
import { storedJob } from '../batch-job/state/stored-job.ts';
import { People, type FoundJob } from '../people/people.ts';
import { STREAM_RUN } from '../people/rows.ts';
import { JobIndexer } from '../search/job-indexer.ts';
import { StreamIndexer } from '../search/stream-indexer.ts';
import type { Search } from '../search/search.ts';
import { registerStreams, type Streams } from './register-streams.ts';
import { STREAMING_JOB } from '../streaming-job/state.ts';
import { storedStream } from '../streaming-job/stored-stream.ts';

/** The actors of one server, for other parts. */
export interface Actors {
  readonly jobs: Family<JobCommand, JobReply>;
  /** Changes the catalog. Other parts only read it. */
  readonly catalogActor: Family<CatalogCommand, CatalogReply>;
  readonly dispatcher: Family<DispatcherCommand, DispatcherReply>;
  readonly admission: Family<AdmissionCommand, AdmissionReply>;
  readonly nodes: Nodes;
  /** The manager of this host. */
  readonly nodeManager: NodeManager;
  readonly nodeConfiguration: Family<ConfigurationCommand, ConfigurationReply>;
  /** What operators have paused. */
  readonly pauses: Pauses;
  readonly delivery: Delivery;
  /** Asks archives for earlier jobs on behalf of jobs. */
  readonly archiveChecks: ArchiveChecks;
  readonly streams: Streams;
  /** Requests frames for clients. */
  readonly frames: FrameService;
  /** Indexes documents for the search; absent if the search is off. */
  readonly indexer: Search | undefined;
  /** Indexes segments of live streams for the search; absent if the search is off. */
  readonly streamIndexer: StreamIndexer | undefined;
  /** Groups of faces that look like one person. */
  readonly people: People;
}

/** What actors need from services that are made after them. */
export interface Edge {
  /** Returns why the server accepts no jobs at all now, or undefined if it does. */
  refusalOfAll(): Promise<string | undefined>;
}

/** Looks up other actors at the time of use, because actors are registered one after the other and refer to each other. */
type Others = () => Actors;

/** Mailbox size of actors that serve all jobs. It exceeds what all jobs together can send at a time. */
const SHARED_MAILBOX = 100_000;

export function registerActors(base: Foundation, edge: Edge): Actors {
  const others: Others = () => actors;
  const people = peopleOf(base);
  const streamIndexer = streamIndexerOf(base, people);
  const indexer = indexerOf(base, others, { streamIndexer, people });
  const jobs = registerJobs(base, others, withPeople(indexer ?? NO_SEARCH, people));
  const nodes = registerNodes(
    base,
    {
      tell: (command) => others().dispatcher.tell(DISPATCHER, command),
      ask: (command) => others().dispatcher.ask(DISPATCHER, command),
    },
    undrainer(base, others),
  );
  const actors: Actors = {
    jobs,
    catalogActor: registerCatalog(base, others),
    dispatcher: registerDispatcher(base, others),
    admission: registerAdmission(base, others),
    nodes,
    nodeManager: nodes.own.manager,
    nodeConfiguration: nodes.configuration,
    pauses: registerPauses(base, others),
    delivery: registerDeliveries(base, others),
    archiveChecks: archiveChecksOf(base, jobs),
    streams: streamsOf(base, edge, others, streamIndexer),
    frames: framesOf(base),
    indexer,
    streamIndexer,
    people,
  };
  return actors;
}

/** Reports news of work to the actors that offered it. */
export function tellJobs({ work }: Store, { jobs, streams, frames }: Actors, news: readonly News[]): void {
  const of = (...kinds: readonly string[]) => news.filter(({ item }) => kinds.includes(item.actor.kind));
  streams.tell(of(STREAMING_JOB));
  void frames.tell(of(FRAME)).catch(() => undefined);
  void tellBatchJobs(jobs, work, of(BATCH_JOB));
}

const NO_SEARCH: JobSearch = { wake() {}, remove: () => Promise.resolve(true) };

function peopleOf({ system, store, owner: writer, settings, logger, searchIndex }: Foundation): People {
  const isOn = searchIndex !== undefined && settings.FACE_EMBEDDING;
  return new People({
    findJob: (number) => jobOfFaces(store, number),
    ...{ store, writer, clock: system.clock, logger, visibility: settings.JOB_VISIBILITY, isOn },
  });
}

/** Removes a job from the people when it is removed from the search. */
const withPeople = (search: JobSearch, people: Pick<People, 'leave'>): JobSearch => ({
  wake: () => search.wake(),
  remove: async (jobNumber, run) =>
    (await people.leave(jobNumber, run)) && (await search.remove(jobNumber, run)),
});

/** Faces of a live stream are of one run. */
async function jobOfFaces(store: Store, number: number): Promise<FoundJob | undefined> {
  const job = await storedJob(store, number);
  if (job !== undefined) return job.snapshot;
  const isStream = (await storedStream(store, number)) !== undefined;
  return isStream ? { status: 'IN_PROGRESS', run: STREAM_RUN, hasDocument: true } : undefined;
}

function streamIndexerOf(base: Foundation, people: People) {
  const { system, store, settings, logger, searchIndex: index } = base;
  const { DATA_DIR: dataDir, SEARCH_STREAM_DAYS: days } = settings;
  if (index === undefined) return undefined;
  const keepMs = days * DAY_MS;
  return new StreamIndexer({ store, index, clock: system.clock, logger, dataDir, keepMs, people });
}

function indexerOf(
  base: Foundation,
  others: Others,
  { streamIndexer, people }: Pick<Actors, 'streamIndexer' | 'people'>,
): Search | undefined {
  const { system, store, settings, logger, cluster, serverId: by, searchIndex: index } = base;
  if (index === undefined) return undefined;
  const onClear = () => streamIndexer?.forget();
  const dataDir = settings.DATA_DIR;
  const deps = { store, index, clock: system.clock, logger, dataDir, onClear, people };
  if (cluster === undefined) return new JobIndexer({ ...deps, jobs: () => others().jobs });
  const rebuildElsewhere = () => cluster.order({ type: 'rebuildSearch', by });
  const follower = new JobFollower({ ...deps, rebuildElsewhere });
  cluster.onOrder((order) => {
    if (order.type === 'rebuildSearch' && order.by !== by) follower.forget();
  });
  return follower;
}

function registerJobs(base: Foundation, others: Others, search: JobSearch): Actors['jobs'] {
  const { system, store, owner, settings, logger } = base;
  return system.register(
    batchJobKind({
      store,
      owner,
      logger,
      mailbox: MAILBOX_SIZE,
      intensity: DEFAULT_INTENSITY,
      idleMs: settings.IDLE_ACTOR_MS,
      marks: new LoadMarks(settings.DATA_DIR),
      clock: system.clock,
      search,
      failures: new FailureGroups(store, system.clock),
      timers: new TransferTimers(system.clock, (jobNumber) =>
        others().jobs.tell(String(jobNumber), { type: 'transfersDue' }),
      ),
      settings: jobSettings(settings, { ...base, server: owner.server }),
      checkArchive: (record, state) => void others().archiveChecks.checkInspected(record, state),
      async findDocument(record, state) {
        const found = await findDocument(settings.DATA_DIR, record, state).catch((err: unknown) => {
          logger.warn(
            { err, jobId: record.jobId },
            'could not read the document of a job that has not ended',
          );
          return undefined;
        });
        if (found !== undefined) others().jobs.tell(String(record.number), found);
      },
      deliver: (destinations) => destinations.forEach(others().delivery.wake),
      forget: (jobNumber) => others().jobs.tell(String(jobNumber), { type: 'forget' }),
      onEnd: (record, end) => {
        others().admission.tell(ADMISSION, { type: 'leave', jobNumber: record.number });
        logger.info({ ...jobFacts(record), ...endFacts(record, end) }, 'a job has ended');
        base.meter.jobEnded(record.plan.name, end.status);
        for (const span of spanOfJob(record, end)) base.traces?.record(span);
      },
    }),
  );
}

function registerCatalog(
  { system, store, owner, logger, settings, catalog }: Foundation,
  others: Others,
): Actors['catalogActor'] {
  const limits = catalogLimits(settings);
  const { publish } = catalog;
  const announce = () => others().dispatcher.tell(DISPATCHER, { type: 'announce' });
  return system.register(catalogKind({ store, owner, logger, limits, publish, announce }));
}

function registerDispatcher({ system, store, logger }: Foundation, others: Others): Actors['dispatcher'] {
  return system.register(
    dispatcherKind({
      ledger: store.work,
      logger,
      mailbox: SHARED_MAILBOX,
      tell: (news) => tellJobs(store, others(), news),
      kill: (worker, reason) => others().nodes.kill(worker, reason),
    }),
  );
}

function registerAdmission(
  { system, store, settings, cluster }: Foundation,
  others: Others,
): Actors['admission'] {
  return system.register(
    admissionKind({
      store,
      shares: settings.USER_SHARES,
      clock: system.clock,
      maxLive: settings.MAX_LIVE_JOBS,
      maxWaiting: settings.MAX_WAITING_JOBS,
      servers: () => cluster?.servers ?? 1,
      admit: (jobNumber) => others().jobs.tell(String(jobNumber), { type: 'admit' }),
    }),
  );
}

function registerPauses({ system, store, owner, cluster, pauseBook }: Foundation, others: Others): Pauses {
  const apply = (pauses: readonly Pause[]) => {
    // Announces waiting items again, to components that wait for work and to services.
    if (pauseBook.replace(pauses)) others().dispatcher.tell(DISPATCHER, { type: 'announce' });
  };
  const changed = () => cluster?.order({ type: 'pausesChanged' });
  const pauses = new Pauses(system.register(pausesKind({ store, owner, apply })), pauseBook, changed);
  cluster?.onOrder((order) => {
    if (order.type === 'pausesChanged') pauses.look();
  });
  return pauses;
}

/** Resumes a paused node that has ended: the next node of the same name, for example in an autoscaling group, is another one. */
const undrainer =
  ({ pauseBook }: Foundation, others: Others) =>
  async (node: string): Promise<void> => {
    if (pauseBook.find('node', node) !== undefined) await others().pauses.resume('node', node);
  };

function registerDeliveries(base: Foundation, others: Others): Delivery {
  const { system, store, locks, settings, logger, send, traces } = base;
  return registerDelivery(system, {
    store,
    traces,
    policy: deliveryPolicy(settings),
    clock: system.clock,
    locks,
    logger,
    idleMs: settings.DELIVERY_TIMEOUT_MS + settings.IDLE_ACTOR_MS,
    send,
    report(entry, report, envelopeId) {
      const { kind, id } = entry.actor;
      if (kind !== STREAMING_JOB) return others().jobs.ask(id, report, { envelopeId });
      const version = noticeOf(entry).createdAt;
      return others().streams.jobs.ask(id, { type: 'notice', report, version }, { envelopeId });
    },
  });
}

function streamsOf(base: Foundation, edge: Edge, others: Others, search: StreamIndexer | undefined): Streams {
  const { system, store, owner, settings } = base;
  return registerStreams(system, {
    ...base,
    ...streamSettings(settings, base.serverProperties, base.fetchLimits, base.together),
    ...edge,
    ...catalogReader(base, () => others().catalogActor),
    ...(base.cluster === undefined ? {} : { others: base.cluster }),
    repeats: new Repeats(store, owner),
    search,
    searchesStreams: search !== undefined && settings.SEARCH_STREAM_DAYS > 0,
    models: jobModels(base, () => others().nodes, streamQueue),
    rest: (worker) => others().nodes.rest(worker),
    deliver: (destinations) => destinations.forEach(others().delivery.wake),
  });
}

/** With a shared store, returns the function `readCatalog`, which reads changes of the catalog by other servers. */
export function catalogReader(
  { cluster }: Pick<Foundation, 'cluster'>,
  catalog: () => Actors['catalogActor'],
): { readonly readCatalog?: () => Promise<unknown> } {
  return cluster === undefined ? {} : { readCatalog: () => catalog().ask(CATALOG, { type: 'read' }) };
}

function framesOf(base: Foundation): FrameService {
  const { system, settings } = base;
  return new FrameService({
    ...base,
    ...{ clock: system.clock, dataDir: settings.DATA_DIR, heartbeatMs: settings.HEARTBEAT_MS },
    settings: frameSettings(settings),
  });
}

function archiveChecksOf(base: Foundation, jobs: Actors['jobs']): ArchiveChecks {
  const { system, store, locks, settings, logger, movedFiles } = base;
  return new ArchiveChecks({
    store,
    jobs,
    locks,
    clock: system.clock,
    logger,
    dataDir: settings.DATA_DIR,
    movedFiles,
    ask: base.askArchive,
    post: (notice, gone) => {
      const late = AbortSignal.timeout(settings.DELIVERY_TIMEOUT_MS);
      return sendOnce(base.send, notice, AbortSignal.any([gone, late]));
    },
  });
}
