import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RecentChanges } from '../../../store/redis/ledger/recent-changes.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { actor } from '../ledger-contract.ts';

const START = 10_000;

describe('Kinds of actors that nobody changes', () => {
  const heard = (changes: RecentChanges, until: number, counts: readonly string[]) => {
    for (let at = START; at <= until; at += 1_000) changes.note(counts, at);
  };

  it('are quiet after ten seconds without a change, and not after the next one', () => {
    const changes = new RecentChanges();
    heard(changes, 20_000, ['job', '1', 'node', '1']);
    expect(changes.isQuiet(['job'], 19_999)).to.equal(false);
    expect(changes.isQuiet(['job', 'never'], 20_000)).to.equal(true);
    changes.note(['job', '2', 'node', '1'], 21_000);
    expect(changes.isQuiet(['job'], 21_000)).to.equal(false);
    expect(changes.isQuiet(['node'], 21_000)).to.equal(true);
  });

  it('are not quiet while an older server counts nothing, or Redis was not heard of', () => {
    const changes = new RecentChanges();
    heard(changes, 20_000, ['job', '1']);
    expect(changes.isQuiet(['job'], 25_001)).to.equal(false);
    changes.note([], 26_000);
    changes.note(['job', '1'], 27_000);
    expect(changes.isQuiet(['job'], 27_000)).to.equal(false);
  });

  it('are not quiet for two seconds of each minute', () => {
    const changes = new RecentChanges();
    heard(changes, 60_000, ['job', '1']);
    expect(changes.isQuiet(['job'], 59_999)).to.equal(true);
    expect(changes.isQuiet(['job'], 60_000)).to.equal(false);
  });
});

describe('A commit in Redis', () => {
  const redis = redisOfSuite();

  it('is counted by the kind of its actor, for servers that all count', async () => {
    const store = await RedisStore.open({ url: redis().url, prefix: 'changes', ledger: { server: 'one' } });
    const commit = (id: string) =>
      store.commit({
        ...{ actor: actor(id), expected: 0, owner: { server: 'one', epoch: 1 }, record: {} },
        snapshot: { schema: 1, body: {} },
      });
    await commit('a');
    await commit('b');
    await store.work.alive(1_000, 'node');
    expect(store.isQuiet(actor('a').kind), 'it was changed a moment ago').to.equal(false);
    const client = new Redis(redis().url);
    expect(await client.hget('{changes}:changes', actor('a').kind)).to.equal('2');
    client.disconnect();
    await store.close();
  });
});
