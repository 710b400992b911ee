import { expect } from 'chai';
import { Redis } from 'ioredis';
import { loadDurable } from '../../../actors/runtime/durable.ts';
import type { DurableKind } from '../../../actors/runtime/durable-kind.ts';
import type { Reply } from '../../../actors/runtime/machine.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import type { Commit, StoredActor } from '../../../store/store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';

const ACTOR = { kind: 'job', id: '1' };
const OWNER = { server: 'any', epoch: 1 };
/** Number of latest commits whose changes the store can report. */
const TRAIL = 256;

describe('The trail of an actor in Redis', () => {
  const redis = redisOfSuite();
  let prefix = '';
  let prefixes = 0;
  let store: RedisStore;
  let bare: Redis;
  beforeEach(async () => {
    prefix = `trail-${++prefixes}`;
    store = await RedisStore.open({ url: redis().url, prefix });
    bare = new Redis(redis().url);
  });
  afterEach(async () => {
    bare.disconnect();
    await store.close();
  });
  const trail = () => `{${prefix}}:t:job/1`;
  const places = () => bare.hkeys(trail());
  /** Writes the next commit with rows of these keys. */
  const commit = async (keys: readonly string[], more: Partial<Commit> = {}): Promise<StoredActor> => {
    const stored = await store.load(ACTOR);
    const { version = 0, commit: after } = stored ?? {};
    await store.commit({
      ...{ actor: ACTOR, owner: OWNER, expected: version, snapshot: { schema: 1, body: version + 1 } },
      ...(after === undefined ? { record: {} } : { after }),
      putRows: keys.map((key) => ({ key, body: `${key} of ${version + 1}` })),
      ...more,
    });
    return (await store.load(ACTOR)) ?? { ...stored!, version: 0, commit: '' };
  };

  it('tells who has seen a commit what was written since, as it is now', async () => {
    const first = await commit(['a', 'b']);
    expect(await store.since(ACTOR, first)).to.equal('nothing');
    const second = await commit(['b', 'c']);
    const third = await commit(['c', 'größe "x"\n']);
    const { version, commit: id, snapshot } = third;
    const rows = [
      { key: 'c', body: 'c of 3' },
      { key: 'größe "x"\n', body: 'größe "x"\n of 3' },
    ];
    expect(await store.since(ACTOR, second)).to.deep.equal({ version, commit: id, snapshot, rows });
    expect(await store.since(ACTOR, first)).to.deep.equal({
      ...{ version, commit: id, snapshot },
      rows: [{ key: 'b', body: 'b of 2' }, ...rows],
    });
  });

  it('does not know the fate of what was seen in another past, or is later than the store', async () => {
    const first = await commit(['a']);
    const second = await commit(['b']);
    expect(await store.since(ACTOR, { ...first, commit: 'of another branch' })).to.equal('unknown');
    expect(await store.since(ACTOR, { ...second, commit: 'of another branch' })).to.equal('unknown');
    expect(await store.since(ACTOR, { ...second, version: 3 })).to.equal('unknown');
    expect(await store.since({ ...ACTOR, id: '2' }, second)).to.equal('unknown');
    expect(await store.since({ ...ACTOR, id: '2' }, { version: 0, commit: '' })).to.equal('nothing');
  });

  it(`reaches ${TRAIL} commits back and takes no more room after that`, async () => {
    const seen = [await commit(['a'])];
    for (let n = 0; n <= TRAIL; n++) seen.push(await commit([`r${n % 2}`]));
    expect(await store.since(ACTOR, seen[0]!)).to.equal('unknown');
    expect(await store.since(ACTOR, seen[1]!)).to.have.nested.property('rows.length', 2);
    expect(await places()).to.have.lengthOf(TRAIL);
  });

  it('has a gap where an entry is missing, also when its place has one of an earlier round', async () => {
    const withoutEntry = async () => {
      const place = String(((await store.load(ACTOR))!.version + 1) % TRAIL);
      const before = await bare.hget(trail(), place);
      const done = await commit(['untold']);
      if (before === null) await bare.hdel(trail(), place);
      else await bare.hset(trail(), place, before);
      return done;
    };
    const first = await commit(['a']);
    const between = await withoutEntry();
    const last = await commit(['b']);
    expect(await store.since(ACTOR, first)).to.equal('unknown');
    expect(await store.since(ACTOR, between)).to.include({ version: last.version });
    for (let n = 0; n < TRAIL; n++) await commit(['c']);
    const before = (await store.load(ACTOR))!;
    await withoutEntry();
    expect(await store.since(ACTOR, before), 'the last one is missing').to.equal('unknown');
    await commit(['b']);
    expect(await store.since(ACTOR, before), 'and in between').to.equal('unknown');
  });

  it('has a gap where rows were removed, the record was written, or too much was written', async () => {
    for (const [keys, more] of [
      [['b'], { removeRows: ['a'] }],
      [['b'], { record: {} }],
      [Array.from({ length: 1_000 }, (_, n) => `r${n}`), {}],
      [[], {}],
    ] as const) {
      const seen = await commit(['a']);
      await commit(keys, more);
      expect(await store.since(ACTOR, seen)).to.equal('unknown');
      const after = await commit(['a']);
      expect(await store.since(ACTOR, seen)).to.equal('unknown');
      await commit(['a']);
      expect(await store.since(ACTOR, after)).to.have.nested.property('rows.length', 1);
    }
  });

  it('goes with all rows, and with the actor', async () => {
    for (const key of ['a', 'b', 'c']) await commit([key]);
    expect(await places()).to.have.lengthOf(2);
    await commit(['kept'], { removeRows: [''] });
    expect(await places()).to.deep.equal([]);
    await commit([], {});
    expect(await places(), 'news of a job that has ended leave none').to.deep.equal([]);
    await commit(['a']);
    await store.quarantine(ACTOR, 'a test');
    expect(await bare.exists(trail())).to.equal(0);
    await commit(['a']);
    await commit(['b']);
    await commit([], { snapshot: null });
    expect(await bare.exists(trail()), 'of an actor that is gone').to.equal(0);
  });

  it('ends by itself when nothing is committed for long', async () => {
    await commit(['a']);
    await commit(['b']);
    expect(await bare.ttl(trail())).to.be.within(1, 3_600);
  });

  it('reports nothing where an entry is damaged or of another kind, and fails no commit', async () => {
    const seen = await commit(['a']);
    await commit(['b']);
    await bare.hset(trail(), '2', 'no JSON');
    expect(await store.since(ACTOR, seen)).to.equal('unknown');
    await bare.del(trail());
    await bare.set(trail(), 'a text');
    expect((await commit(['c'])).version).to.equal(3);
    expect(await store.since(ACTOR, seen)).to.equal('unknown');
  });
});

/** A purse: each coin is a row, and their sum is the snapshot. */
interface PurseTypes {
  readonly state: readonly number[];
  readonly command: { readonly type: 'put'; readonly coin: number };
  readonly effect: 'recovered';
  readonly reply: number;
  readonly refusal: never;
  readonly context: undefined;
  readonly status: never;
}
const sum = (coins: readonly number[]) => coins.reduce((a, b) => a + b, 0);

describe('A durable actor at two servers', () => {
  const redis = redisOfSuite();
  const stores: RedisStore[] = [];
  let envelopes = 0;
  /** Number of restores at both servers. */
  let restored: number;
  let recovered: number;
  let follow: DurableKind<object, PurseTypes>['follow'];
  beforeEach(() => {
    restored = recovered = 0;
    follow = (_, coins, __, rows) => [...coins, ...rows.map(({ body }) => body as number)];
  });
  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

  const purses = (prefix: string) => {
    const kind: DurableKind<object, PurseTypes> = {
      ...{ kind: 'purse', schema: 1, rowsOf: () => 'coin/', newRecord: () => ({}) },
      restore(_, body, rows) {
        restored++;
        const coins = rows.map((row) => row.body as number);
        if (sum(coins) !== body) throw new Error('rows and snapshot are of two moments');
        return coins;
      },
      follow: (...args) => follow?.(...args),
      snapshot: (_, coins) => sum(coins),
      decide(_, before = [], { command: { coin } }) {
        if (coin === 0) return { reply: sum(before) };
        const coins = [...before, coin];
        const key = `coin/${String(before.length).padStart(4, '0')}`;
        return { reply: sum(coins), state: coins, putRows: [{ key, body: coin }] };
      },
      recover: () => ['recovered'],
      perform: async (_, __, effects) => void (recovered += effects.length),
    };
    return atTwo(kind, prefix);
  };
  const atTwo = (kind: DurableKind<object, PurseTypes>, prefix: string) =>
    Promise.all(
      [1, 2].map(async () => {
        const store = await RedisStore.open({ url: redis().url, prefix });
        stores.push(store);
        const purse = await loadDurable(kind, store, OWNER, '1');
        return (coin: number): Promise<Reply<PurseTypes>> =>
          purse.handle({ id: `envelope ${++envelopes}`, at: 0, command: { type: 'put', coin } });
      }),
    );
  /** Number of scripts that Redis has run. */
  const calls = async () => {
    const bare = new Redis(redis().url);
    const stats = await bare.info('commandstats').finally(() => bare.disconnect());
    return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1]);
  };

  it('goes on from what the other has written, without reading all of it anew', async () => {
    const [one, two] = (await purses('followed')) as [Put, Put];
    await one(1);
    expect(await two(10), 'which saw nothing before').to.equal(11);
    const whole = restored;
    let total = 11;
    for (let n = 0; n < 100; n++) expect(await (n % 3 === 0 ? one : two)(n)).to.equal((total += n));
    expect(await one(0)).to.equal(total);
    expect(restored).to.equal(whole);
    expect(recovered, 'effects of what was loaded').to.equal(whole);
  });

  it('takes each command once when both have many', async () => {
    const [one, two] = (await purses('many')) as [Put, Put];
    await one(1);
    const all = async (put: Put) => {
      for (let n = 0; n < 60; n++) await put(1);
    };
    await Promise.all([all(one), all(two)]);
    expect([await one(0), await two(0)]).to.deep.equal([121, 121]);
  });

  it('reads all anew when it cannot go on, or fails to', async () => {
    const fails = () => {
      throw new Error('a row that makes no sense');
    };
    for (const [name, broken] of [
      ['cannot', () => undefined],
      ['fails', fails],
    ] as const) {
      follow = broken;
      const [one, two] = (await purses(name)) as [Put, Put];
      await one(1);
      await two(10);
      const before = restored;
      expect(await one(100)).to.equal(111);
      expect(restored).to.equal(before + 1);
    }
  });

  it('is read with one call when it has no rows and others have changed it, or nobody has', async () => {
    const kind: DurableKind<object, PurseTypes> = {
      ...{ kind: 'purse', schema: 1, rowsOf: () => undefined, newRecord: () => ({}) },
      ...{ restore: (_, body) => [body as number], snapshot: (_, coins) => sum(coins) },
      ...{ recover: () => [], perform: () => Promise.resolve() },
      decide: (_, [before] = [0], { command: { coin } }) =>
        coin === 0 ? { reply: before! } : { reply: before! + coin, state: [before! + coin] },
    };
    const [one, two] = (await atTwo(kind, 'no-rows')) as [Put, Put];
    await one(1);
    expect(await two(0)).to.equal(1);
    await one(2);
    const before = await calls();
    expect(await two(0)).to.equal(3);
    expect((await calls()) - before, 'others have changed it').to.equal(1);
    expect(await two(0)).to.equal(3);
    expect((await calls()) - before, 'nobody has').to.equal(2);
  });
});

type Put = (coin: number) => Promise<Reply<PurseTypes>>;
