import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { openCatalog } from './actors/catalog/actor.ts';
import { drain } from './actors/guardian/drain.ts';
import { guard, type Guardian } from './actors/guardian/guardian.ts';
import { systemClock } from './actors/basics/clock.ts';
import { EscalationMonitor } from './actors/guardian/escalation-monitor.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { refuseNewer } from './actors/upkeep/reconcile.ts';
import { resume } from './actors/guardian/resume.ts';
import { lockFile } from './config/lock-files.ts';
import type { Logger } from './config/logger.ts';
import type { Settings } from './config/settings.ts';
import { createApp } from './http/app.ts';
import { attach, closeServer, sendAway, createListener, listen, urlOf } from './http/listener.ts';
import { makeFolder } from './files/folders.ts';
import { environmentNotes } from './domain/job/environment-notes.ts';
import { appDeps, guardianDeps } from './server/dependencies.ts';
import { openStore } from './server/open-store.ts';
import { makeParts, type Opened, type Parts, type ServerOptions } from './server/parts.ts';
import { openSessions } from './server/sessions.ts';
import { CleanupStack } from './server/cleanup-stack.ts';

export interface RunningServer {
  readonly url: string;
  /** Drains and closes everything. Running sub-jobs get DRAIN_MS. */
  stop(): Promise<void>;
}

/** Time limit in milliseconds for undoing a refused start. */
const UNDO_MS = 1_000;

/**
 * The composition root: settings -> store -> guardian -> http.
 * @throws Error if the start is refused, or if `options.signal` interrupts it. Everything that was started is then closed again.
 */
export async function startServer(settings: Settings, options: ServerOptions): Promise<RunningServer> {
  for (const note of settings.nameNotes) options.logger.warn({}, note);
  const cleanups = new CleanupStack();
  try {
    return await unlessInterrupted(open(settings, options, cleanups), options.signal);
  } catch (error) {
    await cleanups.all(UNDO_MS);
    throw error;
  }
}

function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onInterrupt = () => reject(signal.reason as Error);
    if (signal.aborted) onInterrupt();
    signal.addEventListener('abort', onInterrupt, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onInterrupt));
  });
}

async function open(
  settings: Settings,
  options: ServerOptions,
  cleanups: CleanupStack,
): Promise<RunningServer> {
  makeFolder(settings.DATA_DIR, 0o700);
  const { DATA_DIR: folder } = settings;
  const place = { folder, real: realpathSync(folder) };
  const serverId = randomBytes(8).toString('hex');
  const opened = await openStore(settings, options.logger, place, serverId);
  const store = options.wrapStore?.(opened.store) ?? opened.store;
  cleanups.add(() => store.close());
  const http = createListener(settings.KEEP_ALIVE_MS);
  cleanups.add(() => {
    http.close();
    http.closeAllConnections();
  });
  await listen(http, settings.HOST, settings.PORT);
  await opened.backups?.clear();
  const realDataDir = place.real;
  return compose(settings, options, { ...opened, store, http, serverId, realDataDir }, cleanups);
}

async function compose(
  settings: Settings,
  options: ServerOptions,
  opened: Opened,
  cleanups: CleanupStack,
): Promise<RunningServer> {
  const parts = await makeParts(settings, options, opened);
  cleanups.add(() => parts.traces?.close());
  cleanups.add(() => closeThreads(parts));
  const { store, http, logger, url, uploads, locks, cluster } = parts;
  cleanups.add(() => cluster?.leave());
  const escalations = new EscalationMonitor(systemClock);
  const tell = (sentence: string) => void guardian.systemMessages.tellAdministrators('error', sentence);
  const system = actorSystem(logger, escalations, tell);
  const guardian = guard(guardianDeps(parts, system));
  cleanups.add(() => endActors(guardian, system));
  const { sessions, login } = await openSessions(parts);
  await openStored(parts, guardian);
  await guardian.frames.clear();
  cluster?.onDeath((dead) => {
    for (const server of dead) rmSync(lockFile(settings.DATA_DIR, server), { force: true });
  });
  await cluster?.start();
  // Another server that started at the same time, with fewer components, may have deleted entries that only this server has.
  if (cluster !== undefined)
    await openCatalog(guardian.catalogActor, parts.installed.descriptors, logger, true);
  options.signal?.throwIfAborted();
  // Not earlier, because another server may have the name of this node.
  attach(http, createApp({ ...appDeps(parts, system, guardian, escalations), login, sessions }));
  const stopWork = await resume(guardian, {
    ...{ uploads, store, settings, logger, sessions, locks, cluster, owner: parts.owner },
    clock: systemClock,
  });
  cleanups.add(stopWork);
  for (const problem of parts.installed.problems) {
    logger.error({}, problem);
    await guardian.systemMessages.tellAdministrators('error', problem, 'atServerStartup');
  }
  options.signal?.throwIfAborted();
  const unlock = tellWhereItListens(parts);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await closeAll(parts, system, guardian, stopWork);
    unlock();
    logger.info({}, 'Troupe is down');
  };
  return { url, stop: () => (closing ??= close()) };
}

function actorSystem(
  logger: Logger,
  escalations: EscalationMonitor,
  tell: (sentence: string) => void,
): ActorSystem {
  return new ActorSystem(new ComedyTree(), systemClock, {
    onRestart: (actor, err, delayMs) =>
      logger.warn({ actor, err, delayMs }, 'an actor failed and is started again'),
    onEscalation: (actor, err) => {
      logger.error({ actor, err }, 'an actor failed too often');
      const sentence = escalations.onEscalation(actor);
      if (sentence !== undefined) tell(sentence);
    },
    deadLetter: (letter) => logger.debug(letter, 'dead letter'),
  });
}

/** Reads what an earlier server has stored, before the first request is answered. */
async function openStored(
  { store, installed, settings, catalog, logger, cluster }: Parts,
  { systemMessages, catalogActor }: Guardian,
): Promise<void> {
  await refuseNewer(store);
  await systemMessages.serverStarted();
  await openCatalog(catalogActor, installed.descriptors, logger, await cluster?.knowsOthers());
  for (const note of environmentNotes(settings.environmentProperties, catalog.algorithms()))
    logger.warn({}, note);
}

/**
 * Writes the lock file by which tools on this machine find the server. The returned function deletes it, as do other servers that consider
 * this one dead.
 */
function tellWhereItListens(parts: Parts): () => void {
  const { settings, http, url, serverId, logger, cluster } = parts;
  const lock = lockFile(settings.DATA_DIR, cluster === undefined ? undefined : serverId);
  const { DATA_DIR: dataDir, NODE_NAME: node, access } = settings;
  const address = urlOf(http, settings.HOST);
  const where = { pid: process.pid, host: hostname(), server: serverId, url, address, access: access.mode };
  const write = () => writeFileSync(lock, JSON.stringify(where), { mode: 0o600 });
  write();
  let isDown = false;
  // Other servers delete the lock file of a server that was suspended for long.
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

async function closeThreads({ checker, exporter, timelines, outgoing }: Parts): Promise<void> {
  await Promise.all([checker.close(), exporter.close(), timelines.close()]);
  await outgoing.close();
}

/** Ends all actors and processes at once, because nothing was accepted yet. */
async function endActors({ workerGateway, nodes, indexer, people, streams }: Guardian, system: ActorSystem) {
  workerGateway.close();
  nodes.gateway.close();
  streams.reports.close();
  await system.stop(0);
  await indexer?.close();
  people.close();
  await nodes.own.close();
}

async function closeAll(
  parts: Parts,
  system: ActorSystem,
  guardian: Guardian,
  stopWork: () => void,
): Promise<void> {
  const { settings, store, http, logger, cluster } = parts;
  logger.info({}, 'Troupe is shutting down');
  sendAway(http);
  // If something cannot be ended in order, the store is closed anyway.
  await drain(guardian, system, store, settings, cluster).catch((err: unknown) =>
    logger.error({ err }, 'the server could not be drained in order'),
  );
  stopWork();
  // Before the store, because pending answers need it.
  await closeServer(http);
  await guardian.auditTrail.close();
  await closeThreads(parts);
  await guardian.nodes.own.close();
  await cluster?.leave();
  await parts.traces?.close();
  await store.close();
}
