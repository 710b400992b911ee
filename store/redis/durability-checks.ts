/** What the settings of a Redis promise, in sentences for whoever runs it. */
/** What a Redis says of itself. */
export interface ToldByRedis {
  /** Undefined: it does not tell. */
  readSetting(name: string): Promise<string | undefined>;
  /** A section of INFO. */
  readInfo(section: string): Promise<string>;
}

export interface Promised {
  readonly level: 'info' | 'warn';
  readonly sentence: string;
}

/** @throws Error when Redis may forget what it holds */
export async function promisesOf(redis: ToldByRedis): Promise<readonly Promised[]> {
  return [...(await promisesOfOne(redis)), ...(await promisesOfReplicas(redis))];
}

/** A primary that is replaced may have confirmed what no replica has. */
async function promisesOfReplicas(redis: ToldByRedis): Promise<readonly Promised[]> {
  const least = await redis.readSetting('min-replicas-to-write');
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(await redis.readInfo('replication'))?.[1] ?? 0);
  if (replicas === 0 || least !== '0') return [];
  const sentence = `Redis has replicas (${replicas}) and confirms what none of them may have (min-replicas-to-write 0), so a failover can lose accepted jobs. Set min-replicas-to-write to 1`;
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
