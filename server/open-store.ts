import path from 'node:path';
import { leaseSettings } from '../actors/guardian/actor-settings.ts';
import { BackupService } from '../actors/upkeep/backup.ts';
import { BATCH_JOB } from '../actors/batch-job/state/keys.ts';
import { JOB_SCHEMA } from '../actors/batch-job/state/snapshot.ts';
import { STREAMING_SCHEMA } from '../actors/streaming-job/actor.ts';
import { STREAMING_JOB } from '../actors/streaming-job/state.ts';
import { Cluster } from '../actors/cluster/cluster.ts';
import { systemClock } from '../actors/basics/clock.ts';
import type { Logger } from '../config/logger.ts';
import type { Settings } from '../config/settings.ts';
import { weightOf } from '../domain/users/user-shares.ts';
import { VIEW_QUEUES } from '../protocol/worker-protocol.ts';
import { movedStarts, type MovedStart } from '../results/moved-files.ts';
import { MemoryLedger } from '../store/memory-ledger.ts';
import type { Place } from '../store/sqlite/place.ts';
import { SqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { refuseEmptyStore, refuseMissingDatabase } from './empty-store.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Other servers on the same store. Absent if there are none. */
  readonly cluster: Cluster | undefined;
  /** Absent for Redis, which has its own backups. */
  readonly backups: BackupService | undefined;
  readonly movedFiles: readonly MovedStart[];
}

/** Opens the store of the setting `STORE`: a file in DATA_DIR, or a Redis that several servers may share. */
export async function openStore(
  settings: Settings,
  logger: Logger,
  place: Place,
  serverId: string,
): Promise<OpenedStore> {
  const isRedis = settings.STORE === 'redis';
  const opened = isRedis
    ? await openRedis(settings, logger, serverId)
    : await openSqlite(settings, logger, place);
  try {
    await refuseEmptyStore(opened.store, settings);
    return opened;
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function openSqlite(settings: Settings, logger: Logger, place: Place): Promise<OpenedStore> {
  const { folder } = place;
  const database = path.join(folder, 'troupe.db');
  await refuseMissingDatabase(database, settings);
  const work = new MemoryLedger({
    settings: leaseSettings(settings),
    now: () => systemClock.steady(),
    weightOf: (item) => weightOf(settings.USER_SHARES, item),
  });
  const store = new SqliteStore(database, { work, place });
  if (store.movedFrom !== undefined)
    logger.info(
      { from: store.movedFrom.folder, to: folder },
      'DATA_DIR was moved: stored paths now name the new folder',
    );
  const backups = new BackupService({
    dataDir: folder,
    minFreeBytes: settings.MIN_FREE_BYTES,
    database,
    copy: (file) => store.backup(file),
  });
  return { store, backups, movedFiles: movedStarts(store.formerPlaces, place), cluster: undefined };
}

async function openRedis(settings: Settings, logger: Logger, server: string): Promise<OpenedStore> {
  // A server with a database file needs no Redis client, which is a seventh of all loaded code.
  const [{ RedisStore }, { promisesOf }] = await Promise.all([
    import('../store/redis/redis-store.ts'),
    import('../store/redis/durability-checks.ts'),
  ]);
  let cluster: Cluster | undefined;
  const store = await RedisStore.open({
    url: settings.REDIS_URL!,
    prefix: settings.REDIS_PREFIX,
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    ledger: {
      settings: leaseSettings(settings),
      server,
      now: () => systemClock.steady(),
      weightOf: (item) => weightOf(settings.USER_SHARES, item),
      // A client waits for a view at one server.
      ownQueues: VIEW_QUEUES,
      schemas: { [BATCH_JOB]: JOB_SCHEMA, [STREAMING_JOB]: STREAMING_SCHEMA },
    },
    onSilence(isSilent) {
      if (isSilent)
        logger.error({}, 'Redis has not answered for a second: requests that need it are answered 503');
      else logger.info({}, 'Redis answers again');
    },
    onConnection(isConnected, err) {
      if (!isConnected) cluster?.doubt();
      if (isConnected) logger.info({}, 'the connection to Redis is back');
      else logger.error({ err }, 'the connection to Redis is lost: requests that need it are answered 503');
    },
  });
  try {
    for (const { level, sentence } of await promisesOf(store)) logger[level]({}, sentence);
    if ((await store.work.listConnected()) === undefined)
      logger.info(
        {},
        'Redis does not list its connections, so a killed server is found after SERVER_SILENCE_MS. Give its user the right +client|list',
      );
  } catch (error) {
    await store.close();
    throw error;
  }
  cluster = new Cluster({
    ledger: store.work,
    channel: store,
    server,
    clock: systemClock,
    logger,
    node: settings.NODE_NAME,
    silenceMs: settings.SERVER_SILENCE_MS,
  });
  // No files have moved, because stored data name files relative to DATA_DIR.
  return { store, backups: undefined, movedFiles: [], cluster };
}
