/**
 * Marks the store to which a DATA_DIR belongs. Servers delete files of jobs that their store does not contain, so two installations must
 * never share a folder.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigurationError } from '../config/error.ts';
import type { Settings } from '../config/settings.ts';
import { VersionConflict, type Owner, type Store } from '../store/store.ts';

const KIND = 'store-mark';
const SCHEMA = 1;
const markSchema = z.object({ id: z.string(), prefix: z.string() });

type Wanted = Pick<Settings, 'DATA_DIR' | 'REDIS_PREFIX' | 'ALLOW_EMPTY_STORE'>;

const fileOf = (dataDir: string): string => path.join(dataDir, 'store.json');

/** Checks the folder of servers that share a store. @throws ConfigurationError if the folder belongs to another store */
export async function refuseFolderOfOthers(store: Store, owner: Owner, settings: Wanted): Promise<void> {
  const { DATA_DIR, REDIS_PREFIX: prefix } = settings;
  const { id, isNew } = await markOf(store, owner);
  const text = JSON.stringify({ id, prefix });
  // A Redis may have lost its last commits, or an administrator has allowed a new store for this folder.
  const isOwn = settings.ALLOW_EMPTY_STORE || readMark(DATA_DIR)?.prefix === prefix;
  if (isNew && isOwn) rmSync(fileOf(DATA_DIR), { force: true });
  try {
    writeFileSync(fileOf(DATA_DIR), text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const mark = readMark(DATA_DIR);
    if (mark?.id !== id) throw new ConfigurationError([sentence(DATA_DIR, prefix, mark?.prefix)]);
  }
}

/** Checks the folder of a server before its database file exists. @throws ConfigurationError if the folder belongs to a Redis */
export function refuseFolderOfRedis({ DATA_DIR, ALLOW_EMPTY_STORE }: Omit<Wanted, 'REDIS_PREFIX'>): void {
  const mark = ALLOW_EMPTY_STORE ? undefined : readMark(DATA_DIR);
  if (mark !== undefined)
    throw new ConfigurationError([
      `The data folder ${DATA_DIR} belongs to servers with STORE=redis (REDIS_PREFIX ${mark.prefix}), as its store.json says. Set DATA_DIR to another folder, or STORE to redis.`,
    ]);
}

/** The id of this store. The first server creates it. */
async function markOf(store: Store, owner: Owner): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const actor = { kind: KIND, id: KIND };
  const stored = await store.load(actor);
  if (stored !== undefined) return { id: (stored.record as { readonly id: string }).id, isNew: false };
  const id = randomUUID();
  try {
    await store.commit({ actor, expected: 0, owner, snapshot: { schema: SCHEMA, body: {} }, record: { id } });
    return { id, isNew: true };
  } catch (error) {
    if (!(error instanceof VersionConflict)) throw error;
    return markOf(store, owner);
  }
}

function readMark(dataDir: string): z.infer<typeof markSchema> | undefined {
  try {
    return markSchema.safeParse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

const sentence = (dataDir: string, own: string, other: string | undefined): string =>
  `The data folder ${dataDir} belongs to ${other === undefined ? 'another installation (its store.json cannot be read)' : `the installation with REDIS_PREFIX ${other}`}, not to the one of REDIS_PREFIX ${own} in the Redis of REDIS_URL. ` +
  'Set DATA_DIR to a folder of its own, or delete store.json there if no other server uses it.';
