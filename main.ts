import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMISSION } from './actors/admission/actor.ts';
import { LIVE_JOBS, REMOVED_JOBS } from './actors/batch-job/bookkeeping.ts';
import { openCatalog } from './actors/catalog/actor.ts';
import { Catalog } from './actors/catalog/catalog.ts';
import { findComponents, type InstalledComponent } from './actors/catalog/installed.ts';
import { DISPATCHER, startTicking } from './actors/dispatcher/actor.ts';
import { drain } from './actors/drain.ts';
import { guard, type Guardian } from './actors/guardian.ts';
import { NODE_MANAGER, type ManagedComponent } from './actors/node-manager/actor.ts';
import { detectorComponent, hostService } from './actors/node-manager/components.ts';
import { currentNodes } from './actors/node-configuration/actor.ts';
import { systemClock } from './actors/runtime/clock.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { refuseNewer, removeOrphans, startSweep } from './actors/sweep.ts';
import { StreamingJobDesk } from './actors/streaming-job/desk.ts';
import { Retention, startCleaning } from './actors/retention.ts';
import { UploadDesk } from './actors/uploads/desk.ts';
import { listJobs } from './actors/views/job-list.ts';
import { jobStatistics } from './actors/views/statistics.ts';
import { MEDIA_QUEUES, type FetchLimits } from './components/sdk/protocol.ts';
import { packageRoot, readInfo } from './config/info.ts';
import type { Logger } from './config/logger.ts';
import { DAY_MS, type Settings } from './config/settings.ts';
import { createAccess, type ServiceClient } from './http/access/index.ts';
import { createApp } from './http/app.ts';
import { checkFileUri, schemeOf } from './media/file-uris.ts';
import { MediumError } from './media/medium-error.ts';
import { ResultChecker } from './output/check.ts';
import { outgoingAgents } from './outgoing/agent.ts';
import { findPastJob, type ArchiveParts } from './outgoing/archive.ts';
import { createSend } from './outgoing/send.ts';
import { serviceToken } from './outgoing/service-token.ts';
import { maskUri } from './output/censor.ts';
import { uploadsFolder } from './output/layout.ts';
import { bestMatch } from './pipeline/archive-match.ts';
import { ARCHIVE_PAGE, checkUrl } from './pipeline/archive.ts';
import type { ArchiveQuestion, Issue } from './pipeline/types.ts';
import { SERVER_PROPERTY_DEFAULTS } from './pipeline/workflow-properties.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import { allEntries, type Store } from './store/store.ts';

const UPLOAD_MS = 3_600_000;

/** Folder of the code that runs: components are found compiled beside it. */
const codeRoot = path.dirname(fileURLToPath(import.meta.url));

/** The component host, as a path below the package. */
const HOST_SCRIPT = path
  .relative(packageRoot, path.join(codeRoot, 'components', 'host', 'main.js'))
  .replaceAll(path.sep, '/');

/** Where components are: their descriptors, and their compiled detectors in folders of the same names. */
export interface ComponentFolder {
  readonly descriptors: string;
  readonly code: string;
}
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
  mkdirSync(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const sqlite = new SqliteStore(path.join(settings.DATA_DIR, 'troupe.db'));
  const store = options.wrapStore?.(sqlite) ?? sqlite;
  // Answers of components may be long and slow; whoever has no token is turned away before a body is read.
  const http = createServer({ requestTimeout: UPLOAD_MS }, notYet);
  try {
    await listen(http, settings.HOST, settings.PORT);
    return await compose(settings, options, store, http);
  } catch (error) {
    http.close();
    await store.close();
    throw error;
  }
}

async function compose(
  settings: Settings,
  options: ServerOptions,
  store: Store,
  http: Server,
): Promise<RunningServer> {
  const { logger } = options;
  const url = settings.BASE_URL?.replace(/\/$/, '') ?? urlOf(http, settings.HOST);
  const system = new ActorSystem(new ComedyTree(), systemClock, {
    restarted: (actor, err, delayMs) =>
      logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    escalated: (actor, err) => logger.error({ actor, err }, 'an actor failed too often'),
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
  const checker = new ResultChecker();
  const installed = (options.componentFolders ?? [BUILT_IN]).flatMap(install);
  const catalog = new Catalog(SERVER_PROPERTY_DEFAULTS);
  const uploads = await openUploads(settings, store, logger);
  const limits = await fetchLimits(settings, uploads.folder);
  const access = await createAccess(settings.access, { baseUrl: url, dataDir: settings.DATA_DIR, logger });
  const outgoing = outgoingOf(settings, access.serviceClient);
  const guardian = guard({
    ...outgoing,
    version: readInfo().version,
    system,
    store,
    settings,
    logger,
    checker,
    catalog,
    serverProperties: SERVER_PROPERTY_DEFAULTS,
    components: installed.map(managedDetector),
    own: [managedMedia(settings)],
    places: { TROUPE_NODE: process.execPath, TROUPE_HOME: packageRoot },
    fetchLimits: limits,
    epoch: await store.next('epoch'),
    serverUrl: () => urlOf(http, settings.HOST),
    checkMedium: (uri) => checkMedium(uri, limits),
    localPath: (uri) => checkFileUri(uri, limits.mediaRoots, limits.excluded).catch(() => undefined),
  });
  await refuseNewer(store);
  const descriptors = installed.map(({ descriptor }) => descriptor);
  await openCatalog(guardian.catalogActor, descriptors, logger);

  let ready = true;
  const app = createApp({
    ...guardian,
    streamingDesk: new StreamingJobDesk(catalog),
    uploads,
    listJobs: (query) => listJobs(store, guardian.views, query),
    statistics: () => jobStatistics(store, systemClock),
    events: { maxStreams: settings.MAX_EVENT_STREAMS, heartbeatMs: settings.EVENTS_HEARTBEAT_MS },
    access,
    catalog,
    workers: guardian.nodeManager.workers,
    bodyLimits: { maxBytes: settings.MAX_BODY_BYTES, maxDepth: settings.MAX_JSON_DEPTH },
    descriptorLimits: { maxBytes: settings.MAX_DESCRIPTOR_BYTES, maxDepth: settings.MAX_JSON_DEPTH },
    info: readInfo(),
    url,
    figures: { ...guardian, store, system, running: guardian.nodeManager.running },
    metricsToken: settings.METRICS_TOKEN,
    allowedOrigins: settings.CORS_ALLOWED_ORIGINS,
    trustProxy: settings.TRUST_PROXY,
    health: { ready: async () => ready && (await works(store)) && (await guardian.desk.takesJobs()) },
    system,
    logger,
  });
  const handle = app.callback();
  http.removeAllListeners('request');
  http.on('request', (request, response) => void handle(request, response));

  const stopWork = await takeUp(guardian, uploads, store, settings, logger);
  const lock = path.join(settings.DATA_DIR, 'lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 });
  logger.info(
    { url, dataDir: settings.DATA_DIR, mediaRoots: limits.mediaRoots, access: settings.access.mode },
    'Troupe is up',
  );

  const close = async () => {
    ready = false;
    logger.info({}, 'Troupe is going down');
    await drain(guardian, system, store, settings);
    stopWork();
    await checker.close();
    outgoing.close();
    await store.close();
    await closeServer(http);
    rmSync(lock, { force: true });
    logger.info({}, 'Troupe is down');
  };
  let closing: Promise<void> | undefined;
  return { url, stop: () => (closing ??= close()) };
}

/** Live jobs go on where they stopped; what an earlier process left lying goes. The answer ends the periodic work. */
async function takeUp(
  guardian: Guardian,
  uploads: UploadDesk,
  store: Store,
  settings: Settings,
  logger: Logger,
): Promise<() => void> {
  const { jobs, dispatcher, admission, nodeManager, nodeConfiguration, repeats, delivery } = guardian;
  await guardian.systemMessages.serverStarted();
  await removeOrphans(store, settings.DATA_DIR, logger);
  // Before the jobs: which services there are decides what their work waits for.
  const nodes = await currentNodes(nodeConfiguration);
  await nodeManager.family.ask(NODE_MANAGER, { type: 'configure', nodes });
  for (const index of [LIVE_JOBS, REMOVED_JOBS])
    for await (const { id } of allEntries(store, index)) jobs.tell(id, { type: 'resume' });
  admission.tell(ADMISSION, { type: 'open' });
  await delivery.wakeAll();
  const stopTicking = startTicking(systemClock, (stalledMs) =>
    dispatcher.tell(DISPATCHER, { type: 'tick', stalledMs }),
  );
  const stopSweep = startSweep({
    store,
    clock: systemClock,
    dispatcher,
    jobs,
    admission,
    repeats,
    delivery,
    keysKeptMs: settings.IDEMPOTENCY_KEEP_MS,
  });
  const given = { store, clock: systemClock, logger };
  const retention = new Retention({
    ...given,
    desk: guardian.desk,
    keepMs: settings.RETENTION_DAYS * DAY_MS,
  });
  const stopCleaning = startCleaning({ ...given, retention, uploads, everyMs: settings.CLEANING_MS });
  return () => {
    stopTicking();
    stopSweep();
    stopCleaning();
  };
}

/** What the server sends of itself: callbacks, posts to archives and questions to them. */
function outgoingOf(settings: Settings, client: ServiceClient) {
  const { version } = readInfo();
  const { CALLBACK_PRIVATE: allowPrivate, CALLBACK_ALLOWED_HOSTS: allowedHosts } = settings;
  const agents = outgoingAgents({ allowPrivate, allowedHosts });
  const token = serviceToken(client);
  const asking: ArchiveParts = {
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
    askArchive: (question: ArchiveQuestion) => findPastJob(question, asking),
    close: () => agents.close(),
  };
}

async function openUploads(settings: Settings, store: Store, logger: Logger): Promise<UploadDesk> {
  return UploadDesk.open({
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
    },
  });
}

interface Installed extends InstalledComponent {
  /** The compiled detector. */
  readonly module: string;
}

function install({ descriptors, code }: ComponentFolder): readonly Installed[] {
  return findComponents(descriptors).map((component) => ({
    ...component,
    module: path.join(code, path.basename(component.folder), 'detector.js'),
  }));
}

function managedDetector({ descriptor, module }: Installed): ManagedComponent {
  return detectorComponent(descriptor, module, HOST_SCRIPT);
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
    greeting: { kind: 'media', algorithms: Object.values(MEDIA_QUEUES) },
  };
}

/** Of the data folder nothing is read as media but what was uploaded, whatever MEDIA_ROOTS says. */
async function fetchLimits(settings: Settings, uploads: string): Promise<FetchLimits> {
  const [dataDir = ''] = await resolved([settings.DATA_DIR]);
  const roots = await resolved(settings.MEDIA_ROOTS);
  const foreign = roots.filter((root) => path.relative(dataDir, root).split(path.sep)[0] === '..');
  return {
    mediaRoots: [...foreign, uploads],
    excluded: [dataDir],
    maxBytes: settings.MAX_MEDIUM_BYTES,
    timeoutMs: settings.MEDIUM_FETCH_MS,
    allowPrivate: settings.FETCH_PRIVATE,
  };
}

/** Folders without symbolic links; one that does not exist serves nothing. */
async function resolved(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return found.filter((folder) => folder !== undefined);
}

/** Why a medium cannot be used, as far as that shows without reading it. */
async function checkMedium(uri: string, { mediaRoots, excluded }: FetchLimits): Promise<Issue | undefined> {
  try {
    const scheme = schemeOf(uri);
    if (scheme === 'file') await checkFileUri(uri, mediaRoots, excluded);
    else if (scheme !== 'data' && !URL.canParse(uri))
      return { code: 'MEDIA_INITIALIZATION', message: 'The media URI is malformed' };
    return undefined;
  } catch (error) {
    if (error instanceof MediumError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** Who comes before the application is put together is asked to come again. */
function notYet(_request: IncomingMessage, response: ServerResponse): void {
  const message = 'The server is starting; try again.';
  response
    .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ message }));
}

const works = (store: Store) =>
  store.check().then(
    () => true,
    () => false,
  );

function listen(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
}

function closeServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

function urlOf(http: Server, host: string): string {
  const { port } = http.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
