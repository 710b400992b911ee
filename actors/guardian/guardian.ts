import { AuditTrail } from '../audit/audit-trail.ts';
import { withoutLanes } from '../../protocol/transfers.ts';
import { ArrivalRate } from '../basics/arrival-rate.ts';
import { JobService } from '../job-service/job-service.ts';
import { DryRuns } from '../job-service/dry-run.ts';
import { Repeats } from '../requests/idempotency.ts';
import { jobModels } from './job-models.ts';
import { PendingClaims } from '../dispatcher/pending-claims.ts';
import { frameSettings, jobServiceSettings, leaseFileSettings, resultLimits } from './actor-settings.ts';
import { PauseBook } from '../pauses/pause-book.ts';
import { JobNumbers } from '../requests/job-numbers.ts';
import type { Foundation, GuardianDeps } from './guardian-deps.ts';
import { registerOperations, type Operations } from './register-operations.ts';
import { catalogReader, registerActors, tellJobs, type Actors } from './registered-actors.ts';
import { systemMessageKind } from '../system-messages/actor.ts';
import { SystemMessageService, reportQuarantine } from '../system-messages/service.ts';
import { JobFrames } from '../frames/job-frames.ts';
import { StreamRecordings } from '../frames/stream-recordings.ts';
import { JobFiles } from '../job-files/job-files.ts';
import { listJobs } from '../views/jobs/job-list.ts';
import { JobListWatch } from '../views/jobs/job-list-watch.ts';
import { JobWatch } from '../views/jobs/job-watch.ts';
import { JobViews } from '../views/jobs/jobs.ts';
import { QueueViews } from '../views/queues.ts';
import { WaitingReasons } from '../views/jobs/waiting-reasons.ts';
import { WorkerGateway } from '../worker-gateway/gateway.ts';
import { LeaseFiles } from '../worker-gateway/leases/lease-files.ts';
import { LeaseFrames } from '../worker-gateway/leases/lease-frames.ts';
import { LeaseMedia } from '../worker-gateway/leases/lease-media.ts';

/** Factor by which a page of the job list is polled less often than a single job, because it has many jobs. */
const PAGE_LOOKS = 4;

/** The actors of one server and what the edge uses of them. */
export interface Guardian extends Actors {
  readonly jobService: JobService;
  readonly dryRuns: DryRuns;
  readonly repeats: Repeats;
  readonly workerGateway: WorkerGateway;
  readonly leaseMedia: LeaseMedia;
  readonly leaseFiles: LeaseFiles;
  readonly leaseFrames: LeaseFrames;
  readonly views: JobViews;
  readonly watch: JobWatch;
  readonly listWatch: JobListWatch;
  readonly jobFiles: JobFiles;
  readonly jobFrames: JobFrames;
  readonly streamRecordings: StreamRecordings;
  readonly queues: QueueViews;
  readonly systemMessages: SystemMessageService;
  readonly auditTrail: AuditTrail;
  readonly operations: Operations;
}

/** During a burst of posted jobs, time that components with many sub-jobs at a time wait for work, so that clients are answered first. */
const BURST_PAUSE_MS = 100;
/** Largest detection document from which boxes are drawn into a frame. For a larger one, the response is 404. */
const FRAME_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** Starts the parts of a server: the shared ones, the actors, and the services between the actors and the HTTP layer. */
export function guard(deps: GuardianDeps): Guardian {
  const base = foundation(deps);
  const pendingClaims = new PendingClaims();
  const arrivalRate = new ArrivalRate(base.system.clock, BURST_PAUSE_MS);
  const queues = new QueueViews({
    ledger: base.store.work,
    algorithms: base.catalog.algorithms,
    pauses: base.pauseBook,
  });
  const actors = registerActors(base, { refusalOfAll: () => services.jobService.closedSentence() });
  const services = jobServices(base, actors, queues, arrivalRate);
  offerWork(base, actors, pendingClaims);
  return {
    ...actors,
    ...services,
    ...views(base, actors, queues),
    queues,
    workerGateway: workerGateway(base, actors, pendingClaims, arrivalRate),
    ...leaseContents(base, actors),
    systemMessages: base.systemMessages,
    auditTrail: new AuditTrail({
      ...base,
      clock: base.system.clock,
      maxEntries: base.settings.MAX_AUDIT_ENTRIES,
    }),
    operations: registerOperations(base, actors, services.jobService),
  };
}

/** Makes the shared parts. The store reports all data that moves to quarantine to the administrators. */
function foundation(deps: GuardianDeps): Foundation {
  const { system, store, settings, logger, serverId, epoch } = deps;
  const owner = { server: serverId, epoch };
  const family = system.register(systemMessageKind({ store, owner, limit: settings.MAX_SYSTEM_MESSAGES }));
  const systemMessages = new SystemMessageService({ store, family, logger });
  const telling = reportQuarantine(store, ({ kind, id }, reason) => {
    system.counts.add('quarantined', `${kind}/${id}`);
    void systemMessages.tellAdministrators(
      'error',
      `What was stored of ${kind} ${id} cannot be read and was moved to quarantine: ${reason}`,
    );
  });
  const { DATA_DIR: dataDir, JOB_ID_HOST: jobIdHost } = settings;
  const numbers = new JobNumbers({ store, dataDir, jobIdHost, logger });
  const pauseBook = new PauseBook(settings.NODE_NAME);
  return { ...deps, store: telling, owner, systemMessages, numbers, pauseBook };
}

/** New work wakes components that wait for it, and starts services for it. */
function offerWork({ store, pauseBook }: Foundation, actors: Actors, pendingClaims: PendingClaims): void {
  store.work.watch({
    news: (news) => tellJobs(store, actors, news),
    onOffer(offered) {
      const queues = new Map(
        [...withoutLanes(offered)].filter(([queue]) => pauseBook.reason(queue) === undefined),
      );
      for (const [queue, { waiting }] of queues) pendingClaims.wake(queue, waiting);
      actors.nodes.onOffer(queues);
    },
  });
}

/** The services that accept jobs. */
function jobServices(
  base: Foundation,
  { jobs, admission, archiveChecks, nodes, catalogActor }: Actors,
  queues: QueueViews,
  arrivalRate: ArrivalRate,
) {
  const settings = jobServiceSettings(base.settings, base.serverProperties);
  const repeats = new Repeats(base.store, base.owner);
  const { clock } = base.system;
  const jobService = new JobService({
    ...base,
    models: jobModels(base, () => nodes),
    isDraining: () => base.pauseBook.isDraining,
    jobs,
    admission,
    archive: archiveChecks,
    repeats,
    arrivalRate,
    clock,
    settings,
    ...catalogReader(base, () => catalogActor),
  });
  const dryRuns = new DryRuns({
    jobService,
    settings,
    nameOf: (queue) => queues.nameOf(queue),
    idleReason: (queue) => base.pauseBook.reason(queue) ?? nodes.waitingReason(queue),
  });
  return { repeats, jobService, dryRuns };
}

/** The gateway from which components claim work and to which they report results. */
function workerGateway(
  base: Foundation,
  { jobs, streams, frames, nodes }: Actors,
  pendingClaims: PendingClaims,
  arrivalRate: ArrivalRate,
): WorkerGateway {
  const { system, settings } = base;
  return new WorkerGateway({
    ...base,
    jobs,
    streams: streams.gateway,
    frames,
    pendingClaims,
    arrivalRate,
    isSilent: (worker, askedMs) => nodes.gateway.isSilent(worker, askedMs),
    mayServe: base.catalog.mayServe,
    openQueues: (queues, worker) =>
      nodes.gateway.isEnding(worker) ? [] : base.pauseBook.openQueues(queues, worker),
    rest: (worker) => nodes.rest(worker),
    clock: system.clock,
    dataDir: settings.DATA_DIR,
    heartbeatMs: settings.HEARTBEAT_MS,
    resultLimits: resultLimits(settings),
  });
}

/** The files and frames that components on other hosts read and send while they hold work. */
function leaseContents(base: Foundation, { frames }: Actors) {
  const { system, settings } = base;
  const deps = {
    ...base,
    clock: system.clock,
    dataDir: settings.DATA_DIR,
    heartbeatMs: settings.HEARTBEAT_MS,
  };
  const leaseFiles = new LeaseFiles({ ...deps, settings: leaseFileSettings(settings) });
  const leaseMedia = new LeaseMedia(deps);
  const frameSetting = { ...frameSettings(settings), ofLease: settings.MAX_LEASE_FRAMES };
  const leaseFrames = new LeaseFrames({ ...deps, media: leaseMedia, frames, settings: frameSetting });
  return { leaseMedia, leaseFiles, leaseFrames };
}

/** The views for clients. They read the store and load no actors. */
function views(base: Foundation, { nodes, delivery, frames, streams }: Actors, queues: QueueViews) {
  const { store, settings, logger, own, components } = base;
  const { clock } = base.system;
  const waiting = new WaitingReasons({
    store,
    clock,
    nameOf: (queue) => queues.nameOf(queue),
    serviceOf: (queue) =>
      [...own, ...components].find((component) => component.queues.includes(queue))?.model.serviceName,
    pauseReason: (queue) => base.pauseBook.reason(queue),
    idleReason: (queue) => nodes.waitingReason(queue),
    drainingFor: (service) => base.pauseBook.drainingFor(service),
  });
  const jobFiles = new JobFiles({ ...base, dataDir: settings.DATA_DIR });
  const jobs = new JobViews(store, settings.DATA_DIR, waiting, delivery.troubleOf, clock);
  const pollMs = settings.EVENTS_POLL_MS;
  const watch = new JobWatch({ views: jobs, clock, logger, pollMs });
  const listWatch = new JobListWatch({
    listJobs: (query) => listJobs(store, jobs, query),
    clock,
    logger,
    pollMs: PAGE_LOOKS * pollMs,
  });
  const jobFrames = new JobFrames({
    ...{ files: jobFiles, frames, dataDir: settings.DATA_DIR },
    maxDocumentBytes: FRAME_DOCUMENT_BYTES,
  });
  const { recordings } = streams;
  const streamRecordings = new StreamRecordings({
    ...{ store, recordings, frames, clock },
    dataDir: settings.DATA_DIR,
  });
  return { views: jobs, watch, listWatch, jobFiles, jobFrames, streamRecordings };
}
