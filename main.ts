import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import path from 'node:path';
import { leaseSettings } from './actors/actor-settings.ts';
import { BackupService } from './actors/backup.ts';
import { openCatalog } from './actors/catalog/actor.ts';
import { Catalog } from './actors/catalog/catalog.ts';
import { BATCH_JOB } from './actors/batch-job/keys.ts';
import { JOB_SCHEMA } from './actors/batch-job/snapshot.ts';
import { STREAMING_SCHEMA } from './actors/streaming-job/actor.ts';
import { STREAMING_JOB } from './actors/streaming-job/state.ts';
import { Cluster } from './actors/cluster.ts';
import { drain } from './actors/drain.ts';
import { guard, type Guardian } from './actors/guardian.ts';
import type { GuardianDeps } from './actors/guardian-deps.ts';
import { closedFor } from './actors/health.ts';
import { mediaComponent, streamComponent } from './actors/node-manager/components.ts';
import { installedComponents, type ComponentFolder } from './actors/node-manager/installed.ts';
import { DAY_MS, systemClock } from './actors/runtime/clock.ts';
import { SharedTrouble } from './actors/shared-trouble.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { SessionStore } from './actors/sessions/session-store.ts';
import { refuseNewer } from './actors/reconcile.ts';
import { resume } from './actors/resume.ts';
import { UploadHolds } from './actors/uploads/holds.ts';
import { UploadStore } from './actors/uploads/upload-store.ts';
import { listJobs } from './actors/views/job-list.ts';
import { liveIssues } from './actors/views/live-issues.ts';
import { jobStatistics } from './actors/views/statistics.ts';
import { packageRoot, readInfo } from './config/info.ts';
import { lockFile } from './config/lock-files.ts';
import type { Logger } from './config/logger.ts';
import { BUILT_IN, HOST_SCRIPT } from './config/places.ts';
import type { Settings } from './config/settings.ts';
import { createAccess } from './http/access/index.ts';
import { createApp, type AppDeps } from './http/app.ts';
import { overloaded } from './http/errors.ts';
import { createLogin, realmOf } from './http/login/index.ts';
import { OpenAnswers } from './http/login/open-answers.ts';
import { WorkMetrics } from './http/work-metrics.ts';
import { attach, closeServer, sendAway, createListener, listen, urlOf } from './http/listener.ts';
import { checkFileUri } from './media/file-uris.ts';
import { listModels } from './components/onnx/model-list.ts';
import { checkMedium, fetchLimits } from './media/media-rules.ts';
import { MEDIA_QUEUES } from './protocol/worker-protocol.ts';
import { ResultChecker } from './results/check.ts';
import { DocumentExporter } from './results/exports/exporter.ts';
import { TimelineBusy, Timelines } from './results/timeline/timelines.ts';
import { outgoing } from './egress/outgoing.ts';
import { uploadsFolder } from './results/layout.ts';
import { makeFolder } from './results/make-folder.ts';
import { movedStarts, openDocument, type MovedStart } from './results/moved-files.ts';
import { environmentNotes } from './domain/environment-notes.ts';
import { SERVER_PROPERTY_DEFAULTS } from './domain/workflow-properties.ts';
import { removeSearchFiles, SqliteSearch } from './search/sqlite/sqlite-search.ts';
import { ALL_DUTIES, StoredDuties, type Duties } from './store/duties.ts';
import { MemoryLedger } from './store/memory-ledger.ts';
import type { SearchIndex } from './store/search.ts';
import type { Place } from './store/sqlite/place.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

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
  const place = { folder, real: realpathSync(folder) };
  const serverId = randomBytes(8).toString('hex');
  const opened =
    settings.STORE === 'redis'
      ? await openRedis(settings, options, serverId)
      : openSqlite(settings, options, place);
  const store = options.wrapStore?.(opened.store) ?? opened.store;
  const http = createListener(settings.KEEP_ALIVE_MS);
  try {
    await listen(http, settings.HOST, settings.PORT);
    await opened.backups?.clear();
    const realDataDir = place.real;
    return await compose(settings, options, { ...opened, store, http, serverId, realDataDir });
  } catch (error) {
    http.close();
    await store.close();
    throw error;
  }
}

type StoreOpened = Pick<Opened, 'store' | 'backups' | 'movedFiles' | 'cluster'>;

function openSqlite(settings: Settings, { logger }: ServerOptions, place: Place): StoreOpened {
  const { folder } = place;
  const database = path.join(folder, 'troupe.db');
  const work = new MemoryLedger({ settings: leaseSettings(settings), now: () => systemClock.steady() });
  const store = new SqliteStore(database, { work, place });
  if (store.movedFrom !== undefined)
    logger.info(
      { from: store.movedFrom.folder, to: folder },
      'DATA_DIR has been moved: what is stored names its files at the new place now',
    );
  const backups = new BackupService({
    dataDir: folder,
    minFreeBytes: settings.MIN_FREE_BYTES,
    database,
    copy: (file) => store.backup(file),
  });
  return { store, backups, movedFiles: movedStarts(store.formerPlaces, place), cluster: undefined };
}

async function openRedis(
  settings: Settings,
  { logger }: ServerOptions,
  server: string,
): Promise<StoreOpened> {
  // A server on a file of its own needs no client of Redis, which is a seventh of what it would load.
  const [{ RedisStore }, { promisesOf }] = await Promise.all([
    import('./store/redis/redis-store.ts'),
    import('./store/redis/promises.ts'),
  ]);
  const store = await RedisStore.open({
    url: settings.REDIS_URL!,
    prefix: settings.REDIS_PREFIX,
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    ledger: {
      settings: leaseSettings(settings),
      server,
      now: () => systemClock.steady(),
      // Whoever waits for a frame waits at one server.
      ownQueues: [MEDIA_QUEUES.FRAME],
      schemas: { [BATCH_JOB]: JOB_SCHEMA, [STREAMING_JOB]: STREAMING_SCHEMA },
    },
    connected(isConnected, err) {
      if (isConnected) logger.info({}, 'Redis is there again');
      else logger.error({ err }, 'the connection to Redis is lost: requests that need it are answered 503');
    },
  });
  try {
    for (const { level, sentence } of await promisesOf(store)) logger[level]({}, sentence);
  } catch (error) {
    await store.close();
    throw error;
  }
  const cluster = new Cluster({
    ledger: store.work,
    channel: store,
    clock: systemClock,
    logger,
    node: settings.NODE_NAME,
    silenceMs: settings.SERVER_SILENCE_MS,
  });
  // Nobody has moved anything: what is stored names its files relative to DATA_DIR.
  return { store, backups: undefined, movedFiles: [], cluster };
}

interface Opened {
  readonly store: Store;
  readonly http: Server;
  readonly serverId: string;
  /** Other servers on the same store; absent: there are none. */
  readonly cluster: Cluster | undefined;
  /** Absent: Redis keeps its own. */
  readonly backups: BackupService | undefined;
  readonly movedFiles: readonly MovedStart[];
  readonly realDataDir: string;
}

/** What the server is made of before its actors. */
type Parts = Opened & Awaited<ReturnType<typeof prepare>>;

async function compose(settings: Settings, options: ServerOptions, opened: Opened): Promise<RunningServer> {
  const parts: Parts = { ...opened, ...(await prepare(settings, options, opened)) };
  const { store, http, logger, url, uploads, duties, cluster } = parts;
  const trouble = new SharedTrouble(systemClock);
  const tell = (sentence: string) => void guardian.systemMessages.tellAdministrators('error', sentence);
  const system = actorSystem(logger, trouble, tell);
  const guardian = guard(guardianDeps(parts, system));
  const { sessions, login } = await openSessions(parts);
  await openStored(parts, guardian);
  await guardian.frames.clear();
  attach(http, createApp({ ...appDeps(parts, system, guardian, trouble), login }));
  cluster?.onDeath((dead) => {
    for (const server of dead) rmSync(lockFile(settings.DATA_DIR, server), { force: true });
  });
  await cluster?.start();
  const stopWork = await resume(guardian, {
    ...{ uploads, store, settings, logger, sessions, duties, cluster },
    clock: systemClock,
  });
  for (const problem of parts.installed.problems) {
    logger.error({}, problem);
    await guardian.systemMessages.tellAdministrators('error', problem, 'atServerStartup');
  }
  const unlock = tellWhereItListens(parts);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await closeAll(parts, system, guardian, stopWork);
    unlock();
    logger.info({}, 'Troupe is down');
  };
  return { url, stop: () => (closing ??= close()) };
}

async function prepare(
  settings: Settings,
  options: ServerOptions,
  { store, http, serverId, cluster }: Opened,
) {
  const { logger } = options;
  const epoch = await store.next('epoch');
  const owner = { server: serverId, epoch };
  const duties: Duties =
    cluster === undefined ? ALL_DUTIES : new StoredDuties(store, owner, () => systemClock.now(), cluster);
  const url = settings.BASE_URL?.replace(/\/$/, '') ?? urlOf(http, settings.HOST);
  const media = mediaComponent(HOST_SCRIPT, settings.COMPONENT_PROCESSES);
  const installed = installedComponents({
    package: options.componentFolders ?? [BUILT_IN],
    outside: settings.COMPONENT_FOLDERS,
    ownServices: [media.model.serviceName],
    host: HOST_SCRIPT,
  });
  const holds = cluster === undefined ? undefined : new UploadHolds({ store, clock: systemClock, owner });
  const uploads = await openUploads(settings, store, logger, holds);
  const access = await createAccess(settings.access, {
    baseUrl: url,
    dataDir: settings.DATA_DIR,
    logger,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
  });
  return {
    settings,
    logger,
    url,
    own: [media, ...installed.streaming.map((one) => streamComponent(one, settings.MAX_STREAMS))],
    uploads,
    access,
    epoch,
    duties,
    info: readInfo(),
    installed,
    catalog: new Catalog(SERVER_PROPERTY_DEFAULTS),
    fetchLimits: await mediaLimits(settings, uploads, logger),
    outgoing: outgoing(settings, access.serviceClient, readInfo().version),
    checker: new ResultChecker(),
    exporter: new DocumentExporter({ most: settings.MAX_EXPORTS, paceMs: settings.EXPORT_PACE_MS }),
    timelines: new Timelines({
      mostWaiting: settings.MAX_VIEW_QUESTIONS,
      waitMs: settings.VIEW_WAIT_MS,
      idleMs: settings.VIEW_IDLE_MS,
    }),
    work: new WorkMetrics(),
    ...(await openSearch(settings, cluster !== undefined)),
  };
}

/** Without a search nobody would keep its index up to date: the next time that there is one, it is made anew. */
async function openSearch(
  settings: Settings,
  shared: boolean,
): Promise<{ readonly searchIndex?: SearchIndex }> {
  const { SEARCH_FOLDER: folder, NODE_NAME: node } = settings;
  // Servers that share a folder have an index each.
  const file = path.join(folder, shared ? `search.${node}.db` : 'search.db');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!settings.SEARCH) await removeSearchFiles(file);
  if (!settings.SEARCH) return {};
  const searchIndex = new SqliteSearch({
    file,
    textProperties: settings.SEARCH_TEXT_PROPERTIES,
    classProperties: settings.SEARCH_CLASS_PROPERTIES,
    textCharacters: settings.SEARCH_TEXT_CHARACTERS,
    snippetCharacters: settings.SEARCH_SNIPPET_CHARACTERS,
    maxScanned: settings.SEARCH_MAX_SCANNED,
    maxWaiting: settings.SEARCH_MAX_WAITING,
    timeoutMs: settings.SEARCH_TIMEOUT_MS,
  });
  return { searchIndex };
}

async function mediaLimits(settings: Settings, { folder: uploads }: UploadStore, logger: Logger) {
  for (const folder of settings.MEDIA_ROOTS.filter((root) => !existsSync(root)))
    logger.warn(
      { folder },
      'a folder of MEDIA_ROOTS does not exist: nothing is read below it until a restart',
    );
  return fetchLimits(settings, uploads);
}

function actorSystem(logger: Logger, trouble: SharedTrouble, tell: (sentence: string) => void): ActorSystem {
  return new ActorSystem(new ComedyTree(), systemClock, {
    restarted: (actor, err, delayMs) =>
      logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    escalated: (actor, err) => {
      logger.error({ actor, err }, 'an actor failed too often');
      const sentence = trouble.escalated(actor);
      if (sentence !== undefined) tell(sentence);
    },
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
}

function guardianDeps(parts: Parts, system: ActorSystem): GuardianDeps {
  const { settings, http, installed, cluster, fetchLimits: limits } = parts;
  return {
    ...parts,
    ...parts.outgoing,
    system,
    meter: parts.work,
    version: parts.info.version,
    serverProperties: SERVER_PROPERTY_DEFAULTS,
    components: installed.components,
    places: { TROUPE_NODE: process.execPath, TROUPE_HOME: packageRoot },
    alone: cluster === undefined,
    serverUrl: () => urlOf(http, settings.HOST),
    checkMedium: (uri) => checkMedium(uri, limits),
    localPath: (uri) => checkFileUri(uri, limits.mediaRoots, limits.excluded).catch(() => undefined),
  };
}

/** What an earlier server has stored, before anybody is answered. */
async function openStored(
  { store, installed, settings, catalog, logger, cluster }: Parts,
  { systemMessages, catalogActor }: Guardian,
): Promise<void> {
  await refuseNewer(store);
  await systemMessages.serverStarted();
  await openCatalog(catalogActor, installed.descriptors, logger, cluster !== undefined);
  for (const note of environmentNotes(settings.environmentProperties, catalog.algorithms()))
    logger.warn({}, note);
}

/** Browsers that have logged in stay so over a restart: their sessions lie in the store. */
async function openSessions({ settings, store, http, logger, url, serverId, epoch }: Parts) {
  const open = new OpenAnswers();
  const sessions = new SessionStore({
    store,
    clock: systemClock,
    owner: { server: serverId, epoch },
    settings: {
      idleMs: settings.SESSION_IDLE_MS,
      lifeMs: settings.SESSION_MS,
      maxCount: settings.MAX_SESSIONS,
      maxOfUser: settings.MAX_SESSIONS_PER_USER,
    },
    realm: realmOf(settings.access),
    ended: (session) => open.cut(session),
  });
  const login = await createLogin(settings.access, {
    ...{ baseUrl: url, dataDir: settings.DATA_DIR, serverId, sessions, open, logger },
    localUrl: urlOf(http, settings.HOST),
    lifeMs: settings.LOGIN_MS,
    refusalsAMinute: settings.LOG_REFUSALS_A_MINUTE,
    clock: systemClock,
  });
  return { sessions, login };
}

function appDeps(
  parts: Parts,
  system: ActorSystem,
  guardian: Guardian,
  trouble: SharedTrouble,
): Omit<AppDeps, 'login'> {
  const { settings, store, movedFiles } = parts;
  const { jobService, nodeManager, views, nodes } = guardian;
  const { running, workers } = nodeManager;
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
    liveIssues: (number) => liveIssues(store, number),
    statistics: () => jobStatistics(store, systemClock),
    events: { maxStreams: settings.MAX_EVENT_STREAMS, heartbeatMs: settings.EVENTS_HEARTBEAT_MS },
    bodyLimits: bodyLimits(settings, settings.MAX_BODY_BYTES),
    formLimits: bodyLimits(settings, settings.MAX_FORM_BYTES),
    descriptorLimits: bodyLimits(settings, settings.MAX_DESCRIPTOR_BYTES),
    askDocument: (document, question) =>
      parts.timelines.ask(document, question).catch((error: unknown) => {
        throw error instanceof TimelineBusy ? overloaded(error.message) : error;
      }),
    openArchived: parts.outgoing.openArchived,
    openDocument: (file) => openDocument(file, movedFiles),
    openExport: (file, wanted, left) => parts.exporter.open({ ...wanted, file, moved: movedFiles }, left),
    serviceMetrics: { ...guardian, dataDir: settings.DATA_DIR, store, system, running },
    metricsToken: settings.METRICS_TOKEN,
    allowedOrigins: settings.CORS_ALLOWED_ORIGINS,
    trustProxy: settings.TRUST_PROXY,
    health: { closedFor: () => closedFor(store, jobService, trouble) },
  };
}

/** Tools on this machine find the server by its lock file, which goes when the answer is called, or when other servers find this one dead. */
function tellWhereItListens(parts: Parts): () => void {
  const { settings, http, url, serverId, logger, cluster } = parts;
  const lock = lockFile(settings.DATA_DIR, cluster === undefined ? undefined : serverId);
  const { DATA_DIR: dataDir, NODE_NAME: node, access } = settings;
  const address = urlOf(http, settings.HOST);
  const where = { pid: process.pid, host: hostname(), server: serverId, url, address, access: access.mode };
  const write = () => writeFileSync(lock, JSON.stringify(where), { mode: 0o600 });
  write();
  let isDown = false;
  // Others remove that of a server that has stood still for long.
  cluster?.onThere(() => {
    if (!isDown && !existsSync(lock)) write();
  });
  const { mediaRoots } = parts.fetchLimits;
  logger.info({ serverId, node, url, dataDir, mediaRoots, access: access.mode }, 'Troupe is up');
  return () => {
    isDown = true;
    rmSync(lock, { force: true });
  };
}

async function closeAll(
  { settings, store, http, logger, checker, exporter, timelines, cluster, outgoing: sending }: Parts,
  system: ActorSystem,
  guardian: Guardian,
  stopWork: () => void,
): Promise<void> {
  logger.info({}, 'Troupe is going down');
  sendAway(http);
  // Whatever cannot be ended in order: the store is closed all the same.
  await drain(guardian, system, store, settings).catch((err: unknown) =>
    logger.error({ err }, 'the server could not be drained in order'),
  );
  stopWork();
  // Before the store: what is being answered needs it.
  await closeServer(http);
  await Promise.all([checker.close(), exporter.close(), timelines.close()]);
  sending.close();
  await guardian.nodes.own.close();
  await cluster?.leave();
  await store.close();
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

async function openUploads(
  settings: Settings,
  store: Store,
  logger: Logger,
  holds: UploadHolds | undefined,
): Promise<UploadStore> {
  return UploadStore.open({
    store,
    clock: systemClock,
    logger,
    folder: uploadsFolder(await realpath(settings.DATA_DIR)),
    ...(holds === undefined ? {} : { holds }),
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
