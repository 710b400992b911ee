import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { admissionKind, ADMISSION } from './actors/admission/actor.ts';
import { batchJobKind, LIVE_JOBS } from './actors/batch-job/actor.ts';
import type { JobCommand, JobReply } from './actors/batch-job/commands.ts';
import { JobDesk } from './actors/batch-job/desk.ts';
import { toSubJobs } from './actors/batch-job/sub-jobs.ts';
import { Catalog, findComponents, type InstalledComponent } from './actors/catalog/catalog.ts';
import { DISPATCHER, dispatcherKind, startTicking } from './actors/dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply, SubJob } from './actors/dispatcher/commands.ts';
import { WorkWaiters } from './actors/dispatcher/waiters.ts';
import { NODE_MANAGER, registerNodeManager, type ManagedComponent } from './actors/node-manager/actor.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { delay, systemClock } from './actors/runtime/clock.ts';
import { DEFAULT_INTENSITY } from './actors/runtime/supervision.ts';
import { ActorSystem, type Family } from './actors/runtime/system.ts';
import { removeOrphans, startSweep } from './actors/sweep.ts';
import { JobViews } from './actors/views/jobs.ts';
import { WorkDesk } from './actors/work-desk/desk.ts';
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
import { MemoryQueue } from './store/memory-queue.ts';
import { SqliteStore } from './store/sqlite/sqlite-store.ts';
import { allEntries, type Store } from './store/store.ts';

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

const STOP_COMPONENTS_MS = 2_000;

/** The composition root: settings -> store -> actors -> http. */
export async function startServer(settings: Settings, options: ServerOptions): Promise<RunningServer> {
  const { logger } = options;
  mkdirSync(settings.DATA_DIR, { recursive: true });
  const sqlite = new SqliteStore(path.join(settings.DATA_DIR, 'troupe.db'));
  const store = options.wrapStore?.(sqlite) ?? sqlite;
  const http = createServer();
  try {
    await listen(http, settings.HOST, settings.PORT);
    return await compose(settings, options, store, http);
  } catch (error) {
    logger.error({ err: error }, 'the server could not start');
    http.close();
    await store.close();
    throw error;
  }
}

async function compose(settings: Settings, options: ServerOptions, store: Store, http: Server): Promise<RunningServer> {
  const { logger } = options;
  const url = settings.BASE_URL?.replace(/\/$/, '') ?? urlOf(http, settings.HOST);
  const epoch = await store.next('epoch');
  const limits = await fetchLimits(settings);
  const system = new ActorSystem(new ComedyTree(), systemClock, {
    restarted: (actor, err, delayMs) => logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    escalated: (actor, err) => logger.error({ actor, err }, 'an actor failed too often'),
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
  const installed = (options.componentFolders ?? [BUILT_IN]).flatMap((folder) =>
    findComponents(folder.descriptors).map((component) => ({ ...component, code: folder.code })),
  );
  const catalog = new Catalog(installed.map(({ descriptor }) => descriptor), SERVER_PROPERTY_DEFAULTS);
  const waiters = new WorkWaiters();
  const checker = new ResultChecker();

  const jobs = system.register(
    batchJobKind({
      store,
      owner: { server: settings.JOB_ID_HOST, epoch },
      logger,
      mailbox: settings.MAILBOX_SIZE,
      intensity: DEFAULT_INTENSITY,
      idleMs: settings.IDLE_ACTOR_MS,
      settings: {
        dataDir: settings.DATA_DIR,
        window: Math.max(8, 4 * settings.COMPONENT_PROCESSES),
        attempts: settings.SUB_JOB_ATTEMPTS,
        fetchLimits: limits,
      },
      offer: async (record, state, rows) => {
        await dispatcher.ask(DISPATCHER, { type: 'offer', subJobs: toSubJobs(record, state, rows) });
      },
      cancelWork: async ({ number }, rows) => {
        const subJobs = rows.map(({ id, key }) => ({ id, key, jobId: String(number) }));
        await dispatcher.ask(DISPATCHER, { type: 'cancel', subJobs });
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
      clock: systemClock,
      logger,
      mailbox: 100_000,
      epoch,
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
    components: installed.map((component) => managedDetector(component, component.code, settings)).concat(managedMedia(settings)),
    processes: settings.COMPONENT_PROCESSES,
    policy: { delayMs: settings.RESTART_DELAY_MS, maxDelayMs: 30_000, failures: 5, withinMs: 60_000 },
    stopMs: STOP_COMPONENTS_MS,
    clock: systemClock,
    logger,
    serverUrl: () => urlOf(http, settings.HOST),
    gone: (worker, counted, reason) => dispatcher.tell(DISPATCHER, { type: 'workerGone', worker, counted, reason }),
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

  const desk = new JobDesk({
    store,
    catalog,
    jobs,
    admission,
    settings: {
      jobIdHost: settings.JOB_ID_HOST,
      siteId: settings.SITE_ID,
      defaultPriority: settings.DEFAULT_PRIORITY,
      maxMedia: settings.MAX_MEDIA_PER_JOB,
      minFreeBytes: settings.MIN_FREE_BYTES,
      dataDir: settings.DATA_DIR,
      serverProperties: SERVER_PROPERTY_DEFAULTS,
      environmentProperties: settings.environmentProperties,
    },
    checkMedium: (uri) => checkMedium(uri, limits),
  });
  const workDesk = new WorkDesk({
    store,
    jobs,
    dispatcher,
    waiters,
    checker,
    logger,
    dataDir: settings.DATA_DIR,
    heartbeatMs: settings.HEARTBEAT_MS,
    resultLimits: { maxBytes: settings.MAX_RESULT_BYTES, maxLines: settings.MAX_RESULT_LINES },
  });
  const views = new JobViews(store, dispatcher, settings.DATA_DIR);
  const access = await createAccess(settings.access, { baseUrl: url, dataDir: settings.DATA_DIR, logger });

  let ready = true;
  const app = createApp({
    access,
    catalog,
    desk,
    jobs,
    views,
    workDesk,
    workers: nodeManager.workers,
    bodyLimits: { maxBytes: settings.MAX_BODY_BYTES, maxDepth: settings.MAX_JSON_DEPTH },
    info: readInfo(),
    health: { ready: async () => ready && (await store.check().then(() => true, () => false)) },
    system,
    logger,
  });
  http.on('request', app.callback());

  await removeOrphans(store, settings.DATA_DIR, logger);
  for await (const { id } of allEntries(store, LIVE_JOBS)) jobs.tell(id, { type: 'resume' });
  const stopTicking = startTicking(systemClock, () => dispatcher.tell(DISPATCHER, { type: 'tick' }));
  const stopSweep = startSweep({ store, clock: systemClock, dispatcher, jobs });
  const lock = path.join(settings.DATA_DIR, 'lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 });
  logger.info({ url, dataDir: settings.DATA_DIR, mediaRoots: limits.mediaRoots, access: settings.access.mode }, 'Troupe is up');

  let stopped: Promise<void> | undefined;
  const drain = async () => {
    ready = false;
    desk.close();
    const until = Date.now() + settings.DRAIN_MS;
    if (settings.SHUTDOWN_POLICY === 'cancel') await cancelLive(store, jobs, until);
    await dispatcher.ask(DISPATCHER, { type: 'drain' });
    await condition(until, async () => (await running(dispatcher)) === 0);
    stopSweep();
    await nodeManager.family.ask(NODE_MANAGER, { type: 'stop' });
    await condition(Date.now() + STOP_COMPONENTS_MS + 1_000, () => Promise.resolve(nodeManager.running.size === 0));
    stopTicking();
    await system.stop(2_000);
    await checker.close();
    await store.close();
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
    rmSync(lock, { force: true });
    logger.info({}, 'Troupe is down');
  };
  return { url, stop: () => (stopped ??= drain()) };
}

function managedDetector({ folder, descriptor }: InstalledComponent, code: string, settings: Settings): ManagedComponent {
  const module = path.join(code, path.basename(folder), 'detector.js');
  const environment = { ...settings.childEnvironment };
  for (const { name, value, sep } of descriptor.environmentVariables) {
    const before = environment[name];
    environment[name] = sep != null && before !== undefined ? `${before}${sep}${value}` : value;
  }
  const queue = descriptor.algorithm.name;
  return { queue, service: descriptor.componentName, launch: hostLaunch(environment), greeting: { kind: 'detector', algorithm: queue, module } };
}

function managedMedia(settings: Settings): ManagedComponent {
  const greeting = { kind: 'media', algorithm: MEDIA_ALGORITHM };
  return { queue: MEDIA_ALGORITHM, service: 'TroupeMedia', launch: hostLaunch(settings.childEnvironment), greeting };
}

function hostLaunch(environment: Readonly<Record<string, string>>): ManagedComponent['launch'] {
  const args = ['--enable-source-maps', path.join(codeRoot, 'components', 'host', 'main.js')];
  return { command: process.execPath, args, cwd: packageRoot, environment };
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

function listen(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
}

function urlOf(http: Server, host: string): string {
  const { port } = http.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function running(dispatcher: Family<DispatcherCommand, DispatcherReply>): Promise<number> {
  const report = await dispatcher.ask(DISPATCHER, { type: 'report' });
  return report.kind === 'report' ? report.leases.length : 0;
}

/** The operator wants live jobs to end with the server: each gets its document, as far as the time allows. */
async function cancelLive(store: Store, jobs: Family<JobCommand, JobReply>, until: number): Promise<void> {
  for await (const { id } of allEntries(store, LIVE_JOBS)) jobs.tell(id, { type: 'shutdown' });
  await condition(until, async () => (await store.count(LIVE_JOBS)) === 0);
}

async function condition(until: number, holds: () => Promise<boolean>): Promise<void> {
  while (Date.now() < until && !(await holds())) await delay(systemClock, 25);
}
