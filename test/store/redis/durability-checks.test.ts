import { expect } from 'chai';
import { promisesOf } from '../../../store/redis/durability-checks.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { hasRedis, TestRedis } from '../../support/redis/redis.ts';
import { until } from '../../support/until.ts';

const REPLICAS = /replicas \(1\).*min-replicas-to-write to 1/;

describe('What a Redis promises', () => {
  let primary: TestRedis | undefined;
  let replica: TestRedis | undefined;
  let store: RedisStore | undefined;
  before(function () {
    if (!hasRedis()) this.skip();
  });
  beforeEach(async () => {
    primary = await TestRedis.start();
    store = await RedisStore.open({ url: primary.url });
  });
  afterEach(async () => {
    await store?.close();
    await replica?.end();
    await primary?.end();
    replica = undefined;
  });
  const warnings = async () =>
    (await promisesOf(store!)).filter(({ level }) => level === 'warn').map(({ sentence }) => sentence);

  it('is nothing to warn of while it has no replica, and syncs', async () => {
    expect(await warnings()).to.deep.equal([]);
  });

  it('is warned of when it has a replica that it does not ask for', async () => {
    replica = await TestRedis.start(['--replicaof', '127.0.0.1', `${primary!.port}`]);
    await until('the replica is there', async () =>
      (await primary!.info('replication')).includes('connected_slaves:1'),
    );
    const [warning, ...others] = await warnings();
    expect(warning).to.match(REPLICAS);
    expect(others).to.deep.equal([]);
    await primary!.set('min-replicas-to-write', '1');
    expect(await warnings()).to.deep.equal([]);
    await primary!.set('min-replicas-to-write', '0');
  });

  it('is warned of when it keeps everything in memory, and refused when it throws things away', async () => {
    await primary!.set('appendonly', 'no');
    expect((await warnings()).join()).to.match(/appendonly no/);
    await primary!.set('maxmemory-policy', 'allkeys-lru');
    expect(String(await promisesOf(store!).catch((error: unknown) => error))).to.match(/noeviction/);
  });
});
