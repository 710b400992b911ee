/**
 * Detects a store that is empty by mistake: a lost `troupe.db`, or another Redis. The jobs of DATA_DIR would be lost, and their files
 * overwritten.
 */
import { statSync } from 'node:fs';
import { ALL_JOBS } from '../actors/batch-job/state/indexes.ts';
import { NODES } from '../actors/node-manager/node-state.ts';
import { ALL_STREAMS } from '../actors/streaming-job/indexes.ts';
import { ConfigurationError } from '../config/error.ts';
import type { Settings } from '../config/settings.ts';
import { highestJobIn } from '../results/highest-job.ts';
import type { Store } from '../store/store.ts';
import { refuseFolderOfRedis } from './store-mark.ts';

type Wanted = Pick<Settings, 'DATA_DIR' | 'STORE' | 'REDIS_PREFIX' | 'ALLOW_EMPTY_STORE'>;

/** Indexes that are not empty after the first use: each server enters its node, and each job itself. */
const EVER_FILLED = [NODES, ALL_JOBS, ALL_STREAMS];

/**
 * Checks the database file before it is opened, because opening creates it. @throws ConfigurationError if it is missing and DATA_DIR has
 * files of jobs
 */
export async function refuseMissingDatabase(file: string, settings: Wanted): Promise<void> {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  refuseFolderOfRedis(settings);
  await refuseUsedFolder(settings);
}

/** @throws ConfigurationError if the store is empty and DATA_DIR has files of jobs */
export async function refuseEmptyStore(store: Store, settings: Wanted): Promise<void> {
  for (const index of EVER_FILLED) if ((await store.list(index, { limit: 1 })).length > 0) return;
  await refuseUsedFolder(settings);
}

async function refuseUsedFolder({ ALLOW_EMPTY_STORE, ...settings }: Wanted): Promise<void> {
  if (ALLOW_EMPTY_STORE) return;
  const highest = await highestJobIn(settings.DATA_DIR);
  if (highest > 0) throw new ConfigurationError([sentence(settings, highest)]);
}

function sentence({ DATA_DIR, STORE, REDIS_PREFIX }: Omit<Wanted, 'ALLOW_EMPTY_STORE'>, highest: number) {
  const [missing, restore] =
    STORE === 'redis'
      ? [
          `the Redis of REDIS_URL has nothing under the REDIS_PREFIX ${REDIS_PREFIX}`,
          'Restore its data or correct these settings',
        ]
      : ['its troupe.db is missing or empty', 'Put a backup in the place of troupe.db'];
  return (
    `The data folder ${DATA_DIR} has files of jobs up to number ${highest}, but ${missing}. ` +
    `${restore}, or set ALLOW_EMPTY_STORE=true to start again with job ${highest + 1}.`
  );
}
