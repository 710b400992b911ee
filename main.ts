import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMISSION } from './actors/admission/actor.ts';
import { LIVE_JOBS } from './actors/batch-job/actor.ts';
import { Catalog, findComponents, type InstalledComponent } from './actors/catalog/catalog.ts';
import { DISPATCHER, startTicking } from './actors/dispatcher/actor.ts';
import { drain } from './actors/drain.ts';
import { guard, type Guardian } from './actors/guardian.ts';
import type { ManagedComponent } from './actors/node-manager/actor.ts';
import { systemClock } from './actors/runtime/clock.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { refuseNewer, removeOrphans, startSweep } from './actors/sweep.ts';
import { MEDIA_ALGORITHM, type FetchLimits } from './components/sdk/protocol.ts';
import { packageRoot, readInfo } from './config/info.ts';
import type { Logger } from './config/logger.ts';
import type { Settings } from './config/settings.ts';
import { createAccess } from './http/access/index.ts';
import { createApp } from './http/app.ts';
import { checkFileUri, schemeOf } from './media/file-uris.ts';
import { MediumError } from './media/medium-error.ts';
import { ResultChecker } from './output/check.ts';
import type { Issue } from './pipeline/types.ts';
import { SERVER_PROPERTY_DEFAULTS } from './pipeline/workflow-properties.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import { allEntries, type Store } from './store/store.ts';

const UPLOAD_MS = 3_600_000;

/** Folder of the code that runs: components are found compiled beside it. */
const codeRoot = path.dirname(fileURLToPath(import.meta.url));

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
  const catalog = new Catalog(
    installed.map(({ descriptor }) => descriptor),
    SERVER_PROPERTY_DEFAULTS,
  );
  const limits = await fetchLimits(settings);
  const guardian = guard({
    system,
    store,
    settings,
    logger,
    checker,
    catalog,
    serverProperties: SERVER_PROPERTY_DEFAULTS,
    components: [
      ...installed.map((component) => managedDetector(component, settings)),
      managedMedia(settings),
    ],
    fetchLimits: limits,
    epoch: await store.next('epoch'),
    serverUrl: () => urlOf(http, settings.HOST),
    checkMedium: (uri) => checkMedium(uri, limits),
    localPath: (uri) => checkFileUri(uri, limits.mediaRoots, limits.excluded).catch(() => undefined),
  });

  let ready = true;
  const app = createApp({
    ...guardian,
    access: await createAccess(settings.access, { baseUrl: url, dataDir: settings.DATA_DIR, logger }),
    catalog,
    workers: guardian.nodeManager.workers,
    bodyLimits: { maxBytes: settings.MAX_BODY_BYTES, maxDepth: settings.MAX_JSON_DEPTH },
    info: readInfo(),
    health: { ready: async () => ready && (await works(store)) && (await guardian.desk.takesJobs()) },
    system,
    logger,
  });
  const handle = app.callback();
  http.removeAllListeners('request');
  http.on('request', (request, response) => void handle(request, response));

  const stopWork = await takeUp(guardian, store, settings, logger);
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
  { jobs, dispatcher, admission }: Guardian,
  store: Store,
  settings: Settings,
  logger: Logger,
): Promise<() => void> {
  await refuseNewer(store);
  await removeOrphans(store, settings.DATA_DIR, logger);
  for await (const { id } of allEntries(store, LIVE_JOBS)) jobs.tell(id, { type: 'resume' });
  admission.tell(ADMISSION, { type: 'open' });
  const stopTicking = startTicking(systemClock, (stalledMs) =>
    dispatcher.tell(DISPATCHER, { type: 'tick', stalledMs }),
  );
  const stopSweep = startSweep({ store, clock: systemClock, dispatcher, jobs, admission });
  return () => {
    stopTicking();
    stopSweep();
  };
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

function managedDetector({ descriptor, module }: Installed, settings: Settings): ManagedComponent {
  const environment: Record<string, string> = { ...settings.childEnvironment };
  for (const { name, value, sep } of descriptor.environmentVariables) {
    const before = environment[name];
    environment[name] = sep != null && before !== undefined ? `${before}${sep}${value}` : value;
  }
  const queue = descriptor.algorithm.name;
  return {
    queue,
    service: descriptor.componentName,
    launch: hostLaunch(environment),
    greeting: { kind: 'detector', algorithm: queue, module },
  };
}

function managedMedia(settings: Settings): ManagedComponent {
  const greeting = { kind: 'media', algorithm: MEDIA_ALGORITHM };
  return {
    queue: MEDIA_ALGORITHM,
    service: 'TroupeMedia',
    launch: hostLaunch(settings.childEnvironment),
    greeting,
  };
}

function hostLaunch(environment: Readonly<Record<string, string>>): ManagedComponent['launch'] {
  const args = ['--enable-source-maps', path.join(codeRoot, 'components', 'host', 'main.js')];
  return { command: process.execPath, args, cwd: packageRoot, environment };
}

async function fetchLimits(settings: Settings): Promise<FetchLimits> {
  return {
    mediaRoots: await resolved(settings.MEDIA_ROOTS),
    excluded: await resolved([settings.DATA_DIR]),
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
  response.writeHead(503, { 'Retry-After': '1' }).end();
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
