/** Checks what the settings of Redis guarantee, as messages for the operator. */
/** What a Redis reports about itself. */
export interface ToldByRedis {
  /** Returns a setting, or undefined if it cannot be read. */
  readSetting(name: string): Promise<string | undefined>;
  /** Returns a section of INFO. */
  readInfo(section: string): Promise<string>;
}

export interface Promised {
  readonly level: 'info' | 'warn';
  readonly sentence: string;
}

/** @throws Error if Redis may delete stored data */
export async function promisesOf(redis: ToldByRedis): Promise<readonly Promised[]> {
  return [...(await promisesOfOne(redis)), ...(await promisesOfReplicas(redis))];
}

/** Warns if a primary may confirm a write that no replica has, because a failover can then lose it. */
async function promisesOfReplicas(redis: ToldByRedis): Promise<readonly Promised[]> {
  const least = await redis.readSetting('min-replicas-to-write');
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(await redis.readInfo('replication'))?.[1] ?? 0);
  if (replicas === 0 || least !== '0') return [];
  const sentence = `Redis has replicas (${replicas}) but does not wait for them (min-replicas-to-write 0), so a failover can lose accepted jobs. Set min-replicas-to-write to 1`;
  return [{ level: 'warn', sentence }];
}

async function promisesOfOne(redis: ToldByRedis): Promise<readonly Promised[]> {
  const [evicts, log, sync] = await Promise.all(
    ['maxmemory-policy', 'appendonly', 'appendfsync'].map((name) => redis.readSetting(name)),
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
      `Redis can delete jobs when its memory is full (maxmemory-policy ${evicts}). Set maxmemory-policy to noeviction.`,
    );
  if (log !== 'yes')
    return [
      {
        level: 'warn',
        sentence:
          'Redis keeps jobs only in memory (appendonly no), so all are lost when it ends. Set appendonly to yes',
      },
    ];
  return [
    {
      level: 'info',
      sentence:
        sync === 'always'
          ? 'Accepted jobs survive a power loss (appendfsync always)'
          : `A power loss or a slow disk can lose the last two seconds (appendfsync ${sync}). Set it to always to lose nothing`,
    },
  ];
}
