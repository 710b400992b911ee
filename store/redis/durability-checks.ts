/** What the settings of a Redis promise, in sentences for whoever runs it. */
import type { RedisStore } from './redis-store.ts';

export interface Promised {
  readonly level: 'info' | 'warn';
  readonly sentence: string;
}

/** @throws Error when Redis may forget what it holds */
export async function promisesOf(store: Pick<RedisStore, 'readSetting'>): Promise<readonly Promised[]> {
  const [evicts, log, sync] = await Promise.all(
    ['maxmemory-policy', 'appendonly', 'appendfsync'].map((name) => store.readSetting(name)),
  );
  if (evicts === undefined || log === undefined || sync === undefined)
    return [
      {
        level: 'warn',
        sentence:
          'the settings of Redis cannot be read. Set maxmemory-policy to noeviction and appendonly to yes, or accepted jobs can be lost',
      },
    ];
  if (evicts !== 'noeviction')
    throw new Error(
      `Redis may throw away what it holds when its memory is full (maxmemory-policy ${evicts}): set it to noeviction, for jobs would be lost.`,
    );
  if (log !== 'yes')
    return [
      {
        level: 'warn',
        sentence:
          'Redis keeps what it holds in memory alone (appendonly no): when it ends, all jobs are lost. Set appendonly to yes',
      },
    ];
  return [
    {
      level: 'info',
      sentence:
        sync === 'always'
          ? 'What is accepted survives a loss of power (appendfsync always)'
          : `What is accepted survives the end of Redis' process, but for the last two seconds where its disk is slow; of the last two seconds before a loss of power some may be lost (appendfsync ${sync}; always loses nothing)`,
    },
  ];
}
