import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { Server } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaseSettings } from './actors/actor-settings.ts';
import { BackupService } from './actors/backup.ts';
import { openCatalog } from './actors/catalog/actor.ts';
import { Catalog } from './actors/catalog/catalog.ts';
import { drain } from './actors/drain.ts';
import { guard, type Guardian } from './actors/guardian.ts';
import type { ManagedComponent } from './actors/node-manager/components.ts';
import { hostService } from './actors/node-manager/components.ts';
import { installedComponents, type ComponentFolder } from './actors/node-manager/installed.ts';
import { DAY_MS, systemClock } from './actors/runtime/clock.ts';
import { SharedTrouble } from './actors/shared-trouble.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { refuseNewer } from './actors/reconcile.ts';
import { resume } from './actors/resume.ts';
import { StreamingJobService } from './actors/streaming-job/job-service.ts';
import { UploadStore } from './actors/uploads/upload-store.ts';
import { listJobs } from './actors/views/job-list.ts';
import { liveIssues } from './actors/views/live-issues.ts';
import { jobStatistics } from './actors/views/statistics.ts';
import { MEDIA_QUEUES } from './protocol/worker-protocol.ts';
import { packageRoot, readInfo } from './config/info.ts';
import type { Logger } from './config/logger.ts';
import type { Settings } from './config/settings.ts';
import { createAccess, type ServiceClient } from './http/access/index.ts';
import { createApp } from './http/app.ts';
import { WorkMetrics } from './http/work-metrics.ts';
import { attach, closeServer, createListener, listen, urlOf } from './http/listener.ts';
import { checkFileUri } from './media/file-uris.ts';
import { checkMedium, fetchLimits } from './media/media-rules.ts';
import { ResultChecker } from './results/check.ts';
import { outgoingAgents, REACH_SETTINGS } from './egress/agent.ts';
import { openArchivedDocument } from './egress/archived-document.ts';
import { findPastJob, type ArchiveDeps } from './egress/archive.ts';
import { createSend } from './egress/send.ts';
import { serviceToken } from './egress/service-token.ts';
import { maskUri } from './results/censor.ts';
import { uploadsFolder } from './results/layout.ts';
import { makeFolder } from './results/make-folder.ts';
import { movedStarts, openDocument, type MovedStart } from './results/moved-files.ts';
import { bestMatch } from './domain/archive-match.ts';
import { environmentNotes } from './domain/environment-notes.ts';
import { ARCHIVE_PAGE, checkUrl } from './domain/archive.ts';
import type { ArchivedDocument } from './actors/views/jobs.ts';
import type { ArchiveQuestion } from './domain/types.ts';
import { SERVER_PROPERTY_DEFAULTS } from './domain/workflow-properties.ts';
import { MemoryLedger } from './store/memory-ledger.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

/** Folder of the code that runs: components are found compiled beside it. */
const codeRoot = path.dirname(fileURLToPath(import.meta.url));

/** The component host, as a path below the package. */
const HOST_SCRIPT = path
  .relative(packageRoot, path.join(codeRoot, 'components', 'host', 'main.js'))
  .replaceAll(path.sep, '/');

export const BUILT_IN: ComponentFolder = {
  descriptors: path.join(packageRoot, 'components'),
  code: path.join(codeRoot, 'components'),
};

export interface ServerOptions {
  readonly logger: Logger;
  readonly componentFolders?: readonly ComponentFolder[];
  /** Stands between the server and its store; tests put a faulty one here. */
  readonly wrapStore?: (store: Store) => Store;
}

export interface RunningServer {
  readonly url: string;
  /** Drains and closes everything; running sub-jobs get DRAIN_MS. */
  stop(): Promise<void>;
}

/** The composition root: settings -> store -> guardian -> http. */
export async function startServer(settings: Settings, options: ServerOptions): Promise<RunningServer> {
  makeFolder(settings.DATA_DIR, 0o700);
  const { DATA_DIR: folder } = settings;
  const database = path.join(folder, 'troupe.db');
  const work = new MemoryLedger({ settings: leaseSettings(settings), now: () => systemClock.steady() });
  const place = { folder, real: realpathSync(folder) };
  const sqlite = new SqliteStore(database, { work, place });
  if (sqlite.movedFrom !== undefined)
    options.logger.info(
      { from: sqlite.movedFrom.folder, to: folder },
      'DATA_DIR has been moved: what is stored names its files at the new place now',
    );
  const store = options.wrapStore?.(sqlite) ?? sqlite;
  const http = createListener(settings.KEEP_ALIVE_MS);
  try {
    await listen(http, settings.HOST, settings.PORT);
    const backups = new BackupService({
      dataDir: folder,
      minFreeBytes: settings.MIN_FREE_BYTES,
      database,
      copy: (file) => sqlite.backup(file),
    });
    await backups.clear();
    const movedFiles = movedStarts(sqlite.formerPlaces, place);
    return await compose(settings, options, { store, http, backups, movedFiles, realDataDir: place.real });
  } catch (error) {
    http.close();
    await store.close();
    throw error;
  }
}

interface Opened {
  readonly store: Store;
  readonly http: Server;
  readonly backups: BackupService;
  readonly movedFiles: readonly MovedStart[];
  readonly realDataDir: string;
}

async function compose(
  settings: Settings,
  options: ServerOptions,
  { store, http, backups, movedFiles, realDataDir }: Opened,
): Promise<RunningServer> {
  const { logger } = options;
  const serverId = randomBytes(8).toString('hex');
  const url = settings.BASE_URL?.replace(/\/$/, '') ?? urlOf(http, settings.HOST);
  const trouble = new SharedTrouble(systemClock);
  const system = new ActorSystem(new ComedyTree(), systemClock, {
    restarted: (actor, err, delayMs) =>
      logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    escalated: (actor, err) => {
      logger.error({ actor, err }, 'an actor failed too often');
      const sentence = trouble.escalated(actor);
      if (sentence !== undefined) void guardian.systemMessages.tellAdministrators('error', sentence);
    },
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
  const checker = new ResultChecker();
  const own = [managedMedia(settings)];
  const installed = installedComponents({
    package: options.componentFolders ?? [BUILT_IN],
    outside: settings.COMPONENT_FOLDERS,
    ownServices: own.map(({ model }) => model.serviceName),
    host: HOST_SCRIPT,
  });
  const catalog = new Catalog(SERVER_PROPERTY_DEFAULTS);
  const uploads = await openUploads(settings, store, logger);
  const limits = await fetchLimits(settings, uploads.folder);
  for (const folder of settings.MEDIA_ROOTS.filter((root) => !existsSync(root)))
    logger.warn(
      { folder },
      'a folder of MEDIA_ROOTS does not exist: nothing is read below it until a restart',
    );
  const access = await createAccess(settings.access, {
    baseUrl: url,
    dataDir: settings.DATA_DIR,
    logger,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
  });
  const outgoing = outgoingOf(settings, access.serviceClient);
  const work = new WorkMetrics();
  const guardian = guard({
    meter: work,
    ...outgoing,
    version: readInfo().version,
    system,
    store,
    settings,
    logger,
    checker,
    catalog,
    serverProperties: SERVER_PROPERTY_DEFAULTS,
    components: installed.components,
    own,
    places: { TROUPE_NODE: process.execPath, TROUPE_HOME: packageRoot },
    fetchLimits: limits,
    movedFiles,
    realDataDir,
    uploads,
    serverId,
    // One server holds the file.
    alone: true,
    epoch: await store.next('epoch'),
    serverUrl: () => urlOf(http, settings.HOST),
    checkMedium: (uri) => checkMedium(uri, limits),
    localPath: (uri) => checkFileUri(uri, limits.mediaRoots, limits.excluded).catch(() => undefined),
  });
  await refuseNewer(store);
  await guardian.systemMessages.serverStarted();
  await openCatalog(guardian.catalogActor, installed.descriptors, logger);
  for (const note of environmentNotes(settings.environmentProperties, catalog.algorithms()))
    logger.warn({}, note);

  let ready = true;
  const app = createApp({
    ...guardian,
    maxMedia: settings.MAX_MEDIA_PER_JOB,
    checkMedia: (uris) => guardian.jobService.checkMedia(uris),
    streamingJobs: new StreamingJobService(catalog),
    uploads,
    backups,
    listJobs: (query) => listJobs(store, guardian.views, query),
    liveIssues: (number) => liveIssues(store, number),
    statistics: () => jobStatistics(store, systemClock),
    events: { maxStreams: settings.MAX_EVENT_STREAMS, heartbeatMs: settings.EVENTS_HEARTBEAT_MS },
    access,
    catalog,
    workers: guardian.nodeManager.workers,
    nodes: guardian.nodeManager.nodes,
    bodyLimits: bodyLimits(settings, settings.MAX_BODY_BYTES),
    formLimits: bodyLimits(settings, settings.MAX_FORM_BYTES),
    openArchived: outgoing.openArchived,
    openDocument: (file) => openDocument(file, movedFiles),
    descriptorLimits: bodyLimits(settings, settings.MAX_DESCRIPTOR_BYTES),
    info: readInfo(),
    serverId,
    url,
    serviceMetrics: {
      ...guardian,
      dataDir: settings.DATA_DIR,
      store,
      system,
      running: guardian.nodeManager.running,
    },
    work,
    metricsToken: settings.METRICS_TOKEN,
    allowedOrigins: settings.CORS_ALLOWED_ORIGINS,
    trustProxy: settings.TRUST_PROXY,
    health: { closedFor: async () => closedFor(ready, store, guardian.jobService, trouble) },
    system,
    logger,
  });
  attach(http, app);

  const stopWork = await resume(guardian, {
    uploads,
    store,
    settings,
    logger,
    clock: systemClock,
  });
  for (const problem of installed.problems) {
    logger.error({}, problem);
    await guardian.systemMessages.tellAdministrators('error', problem, 'atServerStartup');
  }
  const lock = path.join(settings.DATA_DIR, 'lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, url, address: urlOf(http, settings.HOST) }), {
    mode: 0o600,
  });
  logger.info(
    {
      serverId,
      node: settings.NODE_NAME,
      url,
      dataDir: settings.DATA_DIR,
      mediaRoots: limits.mediaRoots,
      access: settings.access.mode,
    },
    'Troupe is up',
  );

  const close = async () => {
    ready = false;
    logger.info({}, 'Troupe is going down');
    // Whatever cannot be ended in order: the store is closed all the same.
    await drain(guardian, system, store, settings).catch((err: unknown) =>
      logger.error({ err }, 'the server could not be drained in order'),
    );
    stopWork();
    await checker.close();
    outgoing.close();
    await guardian.nodeManager.close();
    await store.close();
    await closeServer(http);
    rmSync(lock, { force: true });
    logger.info({}, 'Troupe is down');
  };
  let closing: Promise<void> | undefined;
  return { url, stop: () => (closing ??= close()) };
}

const bodyLimits = (
  { MAX_JSON_DEPTH: maxDepth, MAX_JSON_VALUES: maxValues, MAX_BODY_MS: maxMs }: Settings,
  maxBytes: number,
) => ({
  maxBytes,
  maxDepth,
  maxValues,
  maxMs,
});

/** What the server sends of itself: callbacks, posts to archives and questions to them. */
function outgoingOf(settings: Settings, client: ServiceClient) {
  const { version } = readInfo();
  const { CALLBACK_PRIVATE: allowPrivate, CALLBACK_ALLOWED_HOSTS: allowedHosts } = settings;
  const agents = outgoingAgents({ allowPrivate, allowedHosts });
  const token = serviceToken(client);
  const asking: ArchiveDeps = {
    agents,
    token,
    version,
    maskUri,
    checkUrl,
    bestMatch,
    pageSize: ARCHIVE_PAGE,
    timeoutMs: settings.ARCHIVE_CHECK_MS,
  };
  return {
    send: createSend({ agents, token, timeoutMs: settings.DELIVERY_TIMEOUT_MS, version }),
    openArchived: ({ uri, object }: ArchivedDocument) =>
      openArchivedDocument(
        {
          agents,
          version,
          timeoutMs: settings.DELIVERY_TIMEOUT_MS,
          maxBytes: settings.MAX_ARCHIVED_DOCUMENT_BYTES,
          limit: 'MAX_ARCHIVED_DOCUMENT_BYTES',
          reach: { allowPrivate, allowedHosts, settings: REACH_SETTINGS },
        },
        uri,
        object,
      ),
    askArchive: (question: ArchiveQuestion) => findPastJob(question, asking),
    bearer: () => token.get().catch(() => undefined),
    close: () => agents.close(),
  };
}

async function openUploads(settings: Settings, store: Store, logger: Logger): Promise<UploadStore> {
  return UploadStore.open({
    store,
    clock: systemClock,
    logger,
    folder: uploadsFolder(await realpath(settings.DATA_DIR)),
    settings: {
      maxBytes: settings.MAX_UPLOAD_BYTES,
      maxTotalBytes: settings.MAX_UPLOADS_BYTES,
      maxCount: settings.MAX_UPLOADS,
      minFreeBytes: settings.MIN_FREE_BYTES,
      keepMs: settings.UPLOAD_KEEP_DAYS * DAY_MS,
      paceMs: settings.UPLOAD_PACE_MS,
    },
  });
}

function managedMedia(settings: Settings): ManagedComponent {
  return {
    queues: Object.values(MEDIA_QUEUES),
    model: hostService(
      'TroupeMedia',
      'Media retrieval and inspection, finishing of tracks, documents.',
      HOST_SCRIPT,
      settings.COMPONENT_PROCESSES,
    ),
    bootstrap: { kind: 'media', algorithms: Object.values(MEDIA_QUEUES) },
  };
}

const STOPPING = 'The server is stopping.';

/** Anybody may read it. */
async function closedFor(
  ready: boolean,
  store: Store,
  jobService: Guardian['jobService'],
  trouble: SharedTrouble,
): Promise<string | undefined> {
  if (!ready) return STOPPING;
  const works = await store.check().then(
    () => true,
    () => false,
  );
  if (!works) return 'The database cannot be read or written.';
  switch (await jobService.closedFor()) {
    case 'STOPPING':
      return STOPPING;
    case 'DISK_FULL':
      return 'The disk is nearly full: no new jobs are taken.';
    case undefined:
      return trouble.reason;
  }
}
