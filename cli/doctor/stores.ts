import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { clockFinding } from './clock.ts';
import { findingsOn, reasonOf, type Finding } from './check-result.ts';

const SQLITE = Buffer.from('SQLite format 3\0');
const RESTORE = 'Put a backup in its place (docs/guides/back-up-and-restore.md).';
/** Fraction of its memory from which Redis counts as nearly full. */
const NEARLY_FULL = 0.9;

/** Checks the store of states: a file in DATA_DIR, or Redis. */
export const checkStore = (settings: Settings): Promise<readonly Finding[]> =>
  settings.STORE === 'redis' ? checkRedis(settings) : checkDatabase(settings);

/** Reads only the first bytes of the database. Opening it could create files that the server cannot write. */
async function checkDatabase({ DATA_DIR }: Settings): Promise<readonly Finding[]> {
  const { ok, error } = findingsOn('database');
  const file = path.join(DATA_DIR, 'troupe.db');
  if ((await stat(file).catch(() => undefined)) === undefined)
    return [ok(`There is no database yet: the server creates ${file}.`)];
  try {
    const handle = await open(file, 'r+');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
      const isDatabase = bytesRead === 0 || buffer.equals(SQLITE);
      return isDatabase
        ? [ok(`The database ${file} can be read and written.`)]
        : [error(`${file} is not an SQLite database.`, RESTORE)];
    } finally {
      await handle.close();
    }
  } catch (reason) {
    const fix = 'Give the user of the server the right to read and write it.';
    return [error(`The database ${file} cannot be opened: ${reasonOf(reason)}.`, fix)];
  }
}

async function checkRedis(settings: Settings): Promise<readonly Finding[]> {
  const { error } = findingsOn('redis');
  const [{ addressOf }, { promisesOf }] = await Promise.all([
    import('../../store/redis/connection.ts'),
    import('../../store/redis/durability-checks.ts'),
  ]);
  const { shown, connection } = addressOf(settings.REDIS_URL ?? '', settings.REDIS_TIMEOUT_MS);
  const redis = connection({ retryStrategy: () => null });
  let reason: Error | undefined;
  redis.on('error', (problem: Error) => (reason = problem));
  try {
    await redis.connect();
    const readSetting = async (name: string) =>
      redis.config('GET', name).then(
        (answer) => answer[1],
        () => undefined,
      );
    const promised = await promisesOf({ readSetting, readInfo: (section) => redis.info(section) }).catch(
      (problem: unknown) => [{ level: 'error' as const, sentence: reasonOf(problem) }],
    );
    const [seconds] = await redis.time();
    return [
      reachable(shown, await redis.info('memory')),
      ...promised.map(({ level, sentence }) => promiseFinding(level, sentence)),
      clockFinding('Redis', Number(seconds) * 1_000),
    ];
  } catch (problem) {
    const fix = 'Start Redis, or correct REDIS_URL.';
    return [error(`The Redis at ${shown} cannot be used: ${reasonOf(reason ?? problem)}.`, fix)];
  } finally {
    redis.disconnect();
  }
}

function reachable(shown: string, memory: string): Finding {
  const { ok, warning } = findingsOn('redis');
  const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0);
  const [used, most] = [figure('used_memory'), figure('maxmemory')];
  if (most > 0 && used > NEARLY_FULL * most)
    return warning(
      `The Redis at ${shown} is nearly full: ${used} of ${most} bytes.`,
      'Raise maxmemory of Redis, or delete old jobs.',
    );
  return ok(`The Redis at ${shown} answers.`);
}

function promiseFinding(level: 'info' | 'warn' | 'error', sentence: string): Finding {
  const { ok, warning, error } = findingsOn('redis');
  const text = `${sentence.replace(/\.$/, '')}.`;
  if (level === 'info') return ok(text);
  const fix = 'Change the settings of Redis (docs/guides/run-a-cluster.md).';
  return level === 'warn' ? warning(text, fix) : error(text, fix);
}
