/** A Redis that does not respond because it hangs or the network is cut. */
import { expect } from 'chai';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { StoreAway } from '../../../store/store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';

/** Longer than the test may take. */
const TIMEOUT_MS = 600_000;
const ACTOR = { kind: 'job', id: '1' };

story('A Redis that does not answer', 'They follow one silence from its start to its end.', () => {
  const redis = redisOfSuite();
  const told: boolean[] = [];
  let store: RedisStore;
  before(async () => {
    store = await RedisStore.open({
      url: redis().url,
      timeoutMs: TIMEOUT_MS,
      onSilence: (isSilent) => told.push(isSilent),
    });
  });
  after(async () => {
    redis().thaw();
    await store.close();
  });

  const errorOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('is found silent soon, and then nobody waits for it', async () => {
    await store.check();
    redis().freeze();
    const from = performance.now();
    expect(await errorOf(store.load(ACTOR)), 'a read that waits').to.be.instanceOf(StoreAway);
    const afterMs = performance.now() - from;
    // A busy machine may need longer. The time in the guide is that of an idle machine.
    expect(afterMs).to.be.within(500, 10_000);
    for (const ask of [() => store.check(), () => store.next('job'), () => store.work.expire(0)])
      expect(await errorOf(ask())).to.be.instanceOf(StoreAway);
    const commit = { actor: ACTOR, expected: 0, owner: { server: 'here', epoch: 1 } };
    expect(
      await errorOf(store.commit({ ...commit, snapshot: { schema: 1, body: {} }, record: {} })),
    ).to.be.instanceOf(StoreAway);
    expect(told).to.deep.equal([true]);
  });

  it('is used again as soon as it answers', async () => {
    redis().thaw();
    await until('it answers', () => told.at(-1) === false);
    await store.check();
    expect(await store.load(ACTOR), 'what was refused was not carried out').to.equal(undefined);
    expect(told).to.deep.equal([true, false]);
  });
});
