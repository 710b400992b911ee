import { expect } from 'chai';
import { loadDurable } from '../../../actors/runtime/durable.ts';
import type { DurableKind } from '../../../actors/runtime/durable-kind.ts';
import type { Reply } from '../../../actors/runtime/machine.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { allRows } from '../../../store/store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { until } from '../../support/until.ts';

/** A purse: each coin is a row, and their sum is the snapshot. */
interface PurseTypes {
  readonly state: readonly number[];
  readonly command: { readonly type: 'put'; readonly coin: number };
  readonly effect: never;
  readonly reply: number;
  readonly refusal: never;
  readonly context: undefined;
  readonly status: never;
}

const sum = (coins: readonly number[]) => coins.reduce((a, b) => a + b, 0);

const PURSE: DurableKind<object, PurseTypes> = {
  kind: 'purse',
  schema: 1,
  rowsOf: () => 'coin/',
  restore(_, body, rows) {
    const coins = rows.map((row) => row.body as number);
    if (sum(coins) !== body) throw new Error('rows and snapshot are of two branches');
    return coins;
  },
  snapshot: (_, coins) => sum(coins),
  newRecord: () => ({}),
  decide(_, before = [], { command: { coin } }) {
    // 0 adds no coin and only reads the sum.
    if (coin === 0) return { reply: sum(before) };
    if (coin < 0 && before.at(-1) !== -coin) throw new Error('that was not the last coin');
    const coins = [...before, coin];
    return { reply: sum(coins), state: coins, putRows: [{ key: `coin/${before.length}`, body: coin }] };
  },
  recover: () => [],
  perform: async () => undefined,
};
const ACTOR = { kind: 'purse', id: '1' };

describe('A Redis that comes back without its last commits', () => {
  const redis = redisOfSuite();
  const opened: RedisStore[] = [];
  const open = async (prefix: string) => {
    const store = await RedisStore.open({ url: redis().url, prefix });
    opened.push(store);
    return store;
  };
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  const isThere = (store: RedisStore) =>
    until('the connection to Redis is back', () =>
      store.check().then(
        () => true,
        () => false,
      ),
    );
  let envelopes = 0;
  const purseAt = async (store: RedisStore) => {
    const purse = await loadDurable(PURSE, store, { server: 'any', epoch: 1 }, ACTOR.id);
    return (coin: number): Promise<Reply<PurseTypes>> =>
      purse.handle({ id: `envelope ${++envelopes}`, at: 0, command: { type: 'put', coin } });
  };

  it('has its word: a server with a later state of an actor continues from what Redis has', async () => {
    const [one, two] = [await open('branches'), await open('branches')];
    const putAtOne = await purseAt(one);
    await putAtOne(1);
    await redis().keepCopy();
    expect(await putAtOne(20), 'what is lost').to.equal(21);
    await one.load(ACTOR);
    await redis().goBack();
    await Promise.all([isThere(one), isThere(two)]);
    expect(await (await purseAt(two))(300)).to.equal(301);
    expect((await one.load(ACTOR))?.snapshot.body, 'what was read before the loss is not kept').to.include({
      state: 301,
    });
    expect(await putAtOne(4_000)).to.equal(4_301);
    const coins: unknown[] = [];
    for await (const { body } of allRows(two, ACTOR)) coins.push(body);
    expect(coins).to.deep.equal([1, 300, 4_000]);
  });

  it('or another server, is heard before an actor confirms no change or refuses a command', async () => {
    const [one, two] = [await open('answers'), await open('answers')];
    const [putAtOne, putAtTwo] = [await purseAt(one), await purseAt(two)];
    await putAtOne(1);
    expect(await putAtTwo(20)).to.equal(21);
    expect(await putAtOne(0)).to.equal(21);
    // Often enough that each server assumes again that no other server uses the actor.
    for (let n = 0; n < 20; n++) await putAtOne(0);
    await putAtTwo(300);
    expect(await putAtOne(-300)).to.equal(21);
    const error = await putAtOne(-300).catch((reason: unknown) => String(reason));
    expect(error).to.contain('that was not the last coin');
  });

  it('refuses a commit that was decided on the lost branch', async () => {
    const [one, two] = [await open('decided'), await open('decided')];
    const commit = { actor: ACTOR, owner: { server: 'any', epoch: 1 }, snapshot: { schema: 1, body: 0 } };
    await one.commit({ ...commit, expected: 0, id: 'first', record: {} });
    await redis().keepCopy();
    await one.commit({ ...commit, expected: 1, after: 'first', id: 'lost' });
    await redis().goBack();
    await Promise.all([isThere(one), isThere(two)]);
    await two.commit({ ...commit, expected: 1, after: 'first', id: 'kept' });
    const refused = await one
      .commit({ ...commit, expected: 2, after: 'lost' })
      .catch((error: unknown) => (error as Error).name);
    expect(refused).to.equal('VersionConflict');
  });

  it('gives no number a second time that was given and lost, whichever server asks first', async () => {
    const [one, two] = [await open('numbers'), await open('numbers')];
    await one.next('job');
    await redis().keepCopy();
    const lost = [await one.next('job', 5), await one.next('job')];
    await redis().goBack();
    await Promise.all([isThere(one), isThere(two)]);
    const given = [await two.next('job'), await one.next('job'), await two.next('job')];
    expect(Math.min(...given)).to.be.greaterThan(Math.max(...lost));
    expect(given, 'and goes on from there').to.deep.equal([given[0], given[0]! + 1, given[0]! + 2]);
  });
});
