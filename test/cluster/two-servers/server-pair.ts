/**
 * Two servers, `one` and `two` by the names of their nodes, that share a Redis and a data folder. They log in
 * to Redis as the user from the operations guide.
 */
import { join } from 'node:path';
import { packageRoot } from '../../../config/info.ts';
import { TestProvider } from '../../access/support/provider.ts';
import { hasRedis, rightsOf, TestRedis } from '../../support/redis/redis.ts';
import { settingsOf } from '../../support/roles.ts';
import { Service } from '../../support/processes/service.ts';

type Environment = Readonly<Record<string, string>>;

export interface ServerPair {
  readonly one: Service;
  readonly two: Service;
  readonly provider: TestProvider;
  readonly redis: TestRedis;
  /** Starts another server with the same data folder in the test process. The caller closes it. */
  third(nodeName: string): Promise<Service>;
}

let pairs = 0;

/**
 * Starts the pair before the tests of a suite and closes it after them. `oneHere`: the first server runs in
 * the test process, for suites that do not kill it. The second always has its own process.
 */
export function serverPair(env: Environment = {}, { oneHere = false } = {}): () => ServerPair {
  let redis: TestRedis | undefined;
  let provider: TestProvider | undefined;
  let one: Service | undefined;
  let two: Service | undefined;
  let third: (nodeName: string) => Promise<Service>;
  before(async function () {
    if (!hasRedis()) return this.skip();
    const prefix = `pair-${process.pid}-${++pairs}`;
    redis = await TestRedis.start(['--user', 'troupe', ...rightsOf(prefix, 'password')]);
    const found = (provider = await TestProvider.start());
    const shared = {
      ...settingsOf(found),
      FETCH_PRIVATE: 'true',
      STORE: 'redis',
      REDIS_URL: redis.url.replace('//', '//troupe:password@'),
      REDIS_PREFIX: prefix,
      // A server in the test process competes with the test for processor time, so its heartbeats may be
      // late.
      SERVER_SILENCE_MS: oneHere ? '4000' : '1000',
      ...env,
    };
    const token = () => found.token('admin');
    const first = (one = await Service[oneHere ? 'here' : 'start']({ ...shared, NODE_NAME: 'one' }, token));
    const folders = {
      DATA_DIR: first.dataDir,
      MEDIA_ROOTS: `${join(packageRoot, 'samples')}:${first.mediaDir}`,
    };
    third = (name) => Service.here({ ...shared, NODE_NAME: name, ...folders }, token);
    two = await Service.start({ ...shared, NODE_NAME: 'two', ...folders }, token);
  });
  after(async () => {
    await two?.close();
    await one?.close();
    await provider?.close();
    // Stopping servers still write to Redis.
    await redis?.end();
  });
  return () => ({ one: one!, two: two!, provider: provider!, redis: redis!, third });
}
