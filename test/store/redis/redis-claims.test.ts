import { expect } from 'chai';
import { CheckedKeys } from '../../../store/redis/changed-keys.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { actor, item } from '../ledger-contract.ts';

describe('A claim from Redis', () => {
  const redis = redisOfSuite();
  let store: RedisStore;
  beforeEach(async () => {
    store = await RedisStore.open({ url: redis().url, prefix: 'claims', ledger: { server: 'one' } });
  });
  afterEach(() => store.close());

  it('brings what the actor has stored of its item', async () => {
    const row = { state: 'QUEUED', name: 'größe' };
    const offered = item('a', { actor: actor('a'), key: 'row' });
    await store.commit({
      ...{ actor: actor('a'), expected: 0, owner: { server: 'one', epoch: 1 }, record: {} },
      ...{ snapshot: { schema: 1, body: {} }, putRows: [{ key: 'row', body: row }] },
      work: { offer: [offered, item('b', { actor: actor('a'), key: 'none' })] },
    });
    const leases = await store.work.claim({ queues: ['FACE'], max: 2, worker: 'w' });
    expect(leases.map((lease) => lease.row)).to.deep.equal([row, undefined]);
  });

  it('takes many items of several actors as it takes them one by one', async () => {
    const items = ['a', 'b', 'a', 'c', 'b', 'a', 'd'].map((name, n) =>
      item(`${name}${n}`, { actor: actor(name), queue: 'MANY' }),
    );
    const idsOf = async (sizes: readonly number[]) => {
      await store.work.offer(items);
      const ids: string[] = [];
      for (const max of sizes) {
        const leases = await store.work.claim({ queues: ['MANY'], max, worker: 'w' });
        ids.push(...leases.map((lease) => lease.item.id));
        for (const { token } of leases) await store.work.forget(token);
      }
      return ids;
    };
    const single = await idsOf(items.map(() => 1));
    expect(single).to.have.length(items.length);
    expect(await idsOf([items.length + 1])).to.deep.equal(single);
    expect(await idsOf([2, 3, 4])).to.deep.equal(single);
    expect((await store.work.queues()).get('MANY')).to.equal(undefined);
  });
});

describe('The types of shared keys', () => {
  it('are checked again after a second, and after one was wrong', () => {
    const checked = new CheckedKeys();
    const keys = [['counters', 'hash'] as const, ['w:since:FACE', 'zset'] as const];
    expect(checked.due(keys, 0)).to.deep.equal(keys);
    checked.note([keys[0]!], 0);
    expect(checked.due(keys, 999)).to.deep.equal([keys[1]]);
    expect(checked.due(keys, 1_000)).to.deep.equal(keys);
    checked.note(keys, 1_000);
    checked.clear();
    expect(checked.due(keys, 1_001)).to.deep.equal(keys);
  });
});
