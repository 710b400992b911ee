import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { openCatalog } from './actors/catalog/actor.ts';
import { drain } from './actors/drain.ts';
import { guard, type Guardian } from './actors/guardian.ts';
import { systemClock } from './actors/runtime/clock.ts';
import { SharedTrouble } from './actors/shared-trouble.ts';
import { ComedyTree } from './actors/runtime/comedy-tree.ts';
import { ActorSystem } from './actors/runtime/system.ts';
import { refuseNewer } from './actors/reconcile.ts';
import { resume } from './actors/resume.ts';
import { lockFile } from './config/lock-files.ts';
import type { Logger } from './config/logger.ts';
import type { Settings } from './config/settings.ts';
import { createApp } from './http/app.ts';
import { attach, closeServer, sendAway, createListener, listen, urlOf } from './http/listener.ts';
import { makeFolder } from './results/make-folder.ts';
import { environmentNotes } from './domain/environment-notes.ts';
import { appDeps, guardianDeps } from './server/dependencies.ts';
import { openStore } from './server/open-store.ts';
import { makeParts, type Opened, type Parts, type ServerOptions } from './server/parts.ts';
import { openSessions } from './server/sessions.ts';

export interface RunningServer {
  readonly url: string;
  /** Drains and closes everything; running sub-jobs get DRAIN_MS. */
  stop(): Promise<void>;
}

/** The composition root: settings -> store -> guardian -> http. */
export async function startServer(settings: Settings, options: ServerOptions): Promise<RunningServer> {
  for (const note of settings.nameNotes) options.logger.warn({}, note);
  makeFolder(settings.DATA_DIR, 0o700);
  const { DATA_DIR: folder } = settings;
  const place = { folder, real: realpathSync(folder) };
  const serverId = randomBytes(8).toString('hex');
  const opened = await openStore(settings, options.logger, place, serverId);
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

async function compose(settings: Settings, options: ServerOptions, opened: Opened): Promise<RunningServer> {
  const parts = await makeParts(settings, options, opened);
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
