import type { Guardian } from '../actors/guardian/guardian.ts';
import type { GuardianDeps } from '../actors/guardian/guardian-deps.ts';
import { closedFor } from '../actors/guardian/health.ts';
import { systemClock } from '../actors/basics/clock.ts';
import type { EscalationMonitor } from '../actors/guardian/escalation-monitor.ts';
import type { ActorSystem } from '../actors/runtime/system.ts';
import { deliveryOf, listDeliveries } from '../actors/views/deliveries.ts';
import { listFailures } from '../actors/views/failures.ts';
import { MAX_OPERATION_JOBS } from '../actors/operations/state.ts';
import { PartialFindings } from '../actors/findings/partial-findings.ts';
import { listJobs } from '../actors/views/jobs/job-list.ts';
import { liveIssues } from '../actors/views/jobs/live-issues.ts';
import { usageBy } from '../actors/views/usage.ts';
import { jobStatistics } from '../actors/views/statistics.ts';
import { packageRoot } from '../config/info.ts';
import type { Settings } from '../config/settings.ts';
import { PictureVectors } from '../actors/search/picture-vectors.ts';
import { SavedSearches } from '../actors/search/saved-searches.ts';
import { ApiKeys } from '../actors/sessions/api-keys.ts';
import { UserPlaces } from '../actors/requests/user-places.ts';
import { UserLimits } from '../http/users/user-limits.ts';
import { JobAccess } from '../http/users/job-access.ts';
import type { Store } from '../store/store.ts';
import { storedJob } from '../actors/batch-job/state/stored-job.ts';
import { storedStream } from '../actors/streaming-job/stored-stream.ts';
import type { AppDeps } from '../http/app.ts';
import { HttpError, overloadError } from '../http/routing/errors.ts';
import { urlOf } from '../http/listener.ts';
import { checkFileUri } from '../media/fetch/file-uris.ts';
import { listModels } from '../components/shared/model-files/model-list.ts';
import { checkMedium } from '../media/fetch/media-rules.ts';
import { UnknownMedium } from '../results/timeline/ask.ts';
import { TimelineBusy } from '../results/timeline/timelines.ts';
import { openDocument } from '../results/moved-files.ts';
import { SERVER_PROPERTY_DEFAULTS } from '../domain/properties/workflow-properties.ts';
import { exportPictures } from './export-pictures.ts';
import { findJobModels } from './job-models.ts';
import type { Parts } from './parts.ts';

/** Maximum bytes of form parameters. */
const MAX_FORM_BYTES = 64 * 1024;
/** Maximum bytes of a component descriptor, pipeline, task or action. */
const MAX_DESCRIPTOR_BYTES = 1024 * 1024;
/** Maximum bytes of an operation: the ids of twice the maximum number of jobs. So the answer to too many ids can state the maximum. */
const MAX_OPERATION_BYTES = 64 * 1024 * 1024;
const MAX_OPERATION_VALUES = 2 * MAX_OPERATION_JOBS;
const MAX_JSON_DEPTH = 32;
/** Maximum number of texts, numbers, lists and objects in a JSON body. */
const MAX_JSON_VALUES = 250_000;

/** Parts for the actors. */
export function guardianDeps(parts: Parts, system: ActorSystem): GuardianDeps {
  const { settings, http, installed, cluster, fetchLimits: limits } = parts;
  return {
    ...parts,
    ...parts.outgoing,
    system,
    meter: parts.work,
    version: parts.info.version,
    serverProperties: SERVER_PROPERTY_DEFAULTS,
    components: installed.components,
    together: installed.together,
    places: { TROUPE_NODE: process.execPath, TROUPE_HOME: packageRoot },
    alone: cluster === undefined,
    serverUrl: () => urlOf(http, settings.HOST),
    findModel: findJobModels(settings.MODEL_ROOTS),
    checkMedium: (uri) => checkMedium(uri, limits),
    localPath: (uri) => checkFileUri(uri, limits.mediaRoots, limits.excluded).catch(() => undefined),
  };
}

/** Parts and actors for the endpoints. */
export function appDeps(
  parts: Parts,
  system: ActorSystem,
  guardian: Guardian,
  escalations: EscalationMonitor,
): Omit<AppDeps, 'login' | 'sessions'> {
  const { settings, store, movedFiles } = parts;
  const { jobService, nodeManager, views, nodes } = guardian;
  const pictures = exportPictures(guardian);
  const { running, workers } = nodeManager;
  const findings = new PartialFindings({
    ...{ store, clock: systemClock, frames: guardian.frames, fetchLimits: parts.fetchLimits },
    dataDir: settings.DATA_DIR,
    askIndex: (index, question) => parts.timelines.askIndex(index, question),
  });
  return {
    ...parts,
    ...guardian,
    system,
    workers,
    nodes,
    maxMedia: settings.MAX_MEDIA_PER_JOB,
    listModels: () => listModels(settings.MODEL_ROOTS),
    checkMedia: (uris) => jobService.checkMedia(uris),
    listJobs: (query) => listJobs(store, views, query),
    countLeases: async (holds) => (await store.work.leases()).filter(({ worker }) => holds(worker)).length,
    listFailures: (query) => listFailures(store, query),
    deliveries: {
      list: (query) => listDeliveries(store, query),
      one: (id, sight) => deliveryOf(store, id, sight),
      redeliver: (id, by) => jobService.redeliver(id, by),
    },
    liveIssues: (number) => liveIssues(store, number),
    statistics: (sight) => jobStatistics(store, systemClock, sight),
    jobAccess: jobAccess(settings, store),
    usage: (query) => usageBy(store, query),
    userLimits: userLimits(parts),
    apiKeys: new ApiKeys(store, parts.owner, systemClock),
    pictureVectors: pictureVectors(parts, guardian),
    savedSearches: new SavedSearches(store, parts.owner, systemClock),
    events: { maxStreams: settings.MAX_EVENT_STREAMS, heartbeatMs: settings.EVENTS_HEARTBEAT_MS },
    bodyLimits: bodyLimits(settings, settings.MAX_BODY_BYTES),
    operationLimits: {
      ...bodyLimits(settings, MAX_OPERATION_BYTES),
      maxValues: MAX_OPERATION_VALUES,
    },
    strictRequests: settings.STRICT_REQUESTS,
    formLimits: bodyLimits(settings, MAX_FORM_BYTES),
    descriptorLimits: bodyLimits(settings, MAX_DESCRIPTOR_BYTES),
    askDocument: (document, question) => parts.timelines.ask(document, question).catch(toRefusal),
    askRunningJob: (number, question) => findings.ask(number, question).catch(toRefusal),
    openArchived: parts.outgoing.openArchived,
    openDocument: (file) => openDocument(file, movedFiles),
    openExport: (documents, wanted, left) =>
      parts.exporter.open({ ...wanted, documents, moved: movedFiles }, left, pictures),
    serviceMetrics: { ...guardian, dataDir: settings.DATA_DIR, store, system, running },
    metricsToken: settings.METRICS_TOKEN,
    auditReads: settings.AUDIT_READS,
    allowedOrigins: settings.CORS_ALLOWED_ORIGINS,
    tokenProvider: tokenProvider(settings),
    mcpCanWrite: settings.MCP_WRITE,
    trustProxy: settings.TRUST_PROXY,
    health: { closedFor: () => closedFor(store, jobService, escalations) },
  };
}

function pictureVectors(
  { settings, store, logger }: Parts,
  { indexer: search, jobService, jobs }: Guardian,
): PictureVectors | undefined {
  if (search === undefined) return undefined;
  const dataDir = settings.DATA_DIR;
  return new PictureVectors({ search, store, jobService, jobs, clock: systemClock, logger, dataDir });
}

function toRefusal(error: unknown): never {
  if (error instanceof UnknownMedium) throw new HttpError('job-file-not-found', error.message);
  throw error instanceof TimelineBusy ? overloadError(error.message) : error;
}

const jobAccess = ({ JOB_VISIBILITY: visibility }: Settings, store: Store) =>
  new JobAccess({
    visibility,
    async findJob(kind, number) {
      const job = await (kind === 'BATCH_JOB' ? storedJob : storedStream)(store, number);
      return job?.record;
    },
  });

const tokenProvider = ({ access }: Settings) =>
  access.mode === 'provider' ? { issuer: access.tokenIssuer, scopes: access.scopes } : undefined;

const userLimits = ({ settings, store, owner }: Parts) =>
  new UserLimits({
    limits: settings.USER_LIMITS,
    maxPriority: settings.MAX_USER_PRIORITY,
    defaultPriority: settings.DEFAULT_PRIORITY,
    places: new UserPlaces(store, owner, systemClock),
    steady: () => systemClock.steady(),
  });

const bodyLimits = ({ MAX_BODY_MS: maxMs }: Settings, maxBytes: number) => ({
  maxBytes,
  maxDepth: MAX_JSON_DEPTH,
  maxValues: MAX_JSON_VALUES,
  maxMs,
});
