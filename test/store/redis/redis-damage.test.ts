import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { hashOf } from '../../../store/shared-parts.ts';
import { StoreDamaged } from '../../../store/store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { until } from '../../support/until.ts';
import { actor, item } from '../ledger-contract.ts';

const OWNER = { server: 'here', epoch: 1 };
const SNAPSHOT = { schema: 1, body: {} };
const { kind: KIND } = actor('any');

describe('What lies damaged in Redis, or is of somebody else,', () => {
  const redis = redisOfSuite();
  let client: Redis;
  let prefixes = 0;
  let prefix = '';
  let store: RedisStore;
  const at = (rest: string) => `{${prefix}}:${rest}`;
  before(() => {
    client = new Redis(redis().url);
  });
  after(() => client?.disconnect());
  beforeEach(async () => {
    prefix = `damage-${++prefixes}`;
    store = await RedisStore.open({ url: redis().url, prefix, ledger: { server: 'one' } });
  });
  afterEach(() => store.close());

  const create = (id: string, items: readonly string[] = []) =>
    store.commit({
      ...{ actor: actor(id), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record: {}, index: { live: 1 } },
      putRows: [{ key: 'a', body: 1 }],
      outbox: { put: [{ id: `n-${id}`, destination: 'http://a', due: 1, body: 1 }] },
      work: { offer: items.map((name) => item(name, { actor: actor(id) })) },
    });
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'no failure',
      (error: unknown) => error,
    );
  const asText = async (key: string) => {
    await client.del(key);
    await client.set(key, 'of somebody else');
  };

  describe('of an actor', () => {
    const again = () =>
      store.commit({
        ...{ actor: actor('a'), expected: 1, owner: OWNER, snapshot: SNAPSHOT },
        outbox: { put: [{ id: 'n', destination: 'http://a', due: 1, body: 1 }] },
      });
    const attempts: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
      a: [() => store.load(actor('a')), again],
      r: [() => store.rows(actor('a'), { prefix: '', limit: 9 })],
      k: [() => store.rows(actor('a'), { prefix: '', limit: 9 })],
      'n-of': [again],
    };
    for (const [key, works] of Object.entries(attempts))
      it(`is told as such (${key}), is put aside with all it has, and is in nobody's way`, async () => {
        for (const id of ['a', 'b']) await create(id);
        await asText(at(`${key}:${KIND}/a`));
        for (const work of works) {
          const error = await failure(work());
          expect(error).to.be.instanceOf(StoreDamaged);
          expect(String(error)).to.contain(`${key}:${KIND}/a is a string`);
        }
        expect((await store.load(actor('b')))?.version).to.equal(1);
        expect(await store.quarantine(actor('a'), 'it is damaged')).to.equal(true);
        expect(await store.list('live', { limit: 9 })).to.deep.equal([{ id: 'b', score: 1 }]);
        expect(await store.load(actor('a'))).to.equal(undefined);
        expect(await store.rows(actor('a'), { prefix: '', limit: 9 })).to.deep.equal([]);
        expect(await create('a')).to.equal(1);
      });

    it('blames none when it is a key of all', async () => {
      await create('a');
      await asText(at('i:live'));
      const error = await failure(create('b'));
      expect(error).to.be.an('error').and.not.instanceOf(StoreDamaged);
    });
  });

  describe('of all actors', () => {
    const counted = { live: 1 };
    const whole = (id: string) => ({
      ...{ actor: actor(id), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record: {} },
      ...{ index: { live: 1 }, counters: counted, putRows: [{ key: 'a', body: 1 }] },
      outbox: { put: [{ id: `n-${id}`, destination: 'http://a', due: 1, body: 1 }] },
      work: { offer: [item(id, { actor: actor(id) })] },
    });
    const own = ['w:since:FACE', 'w:queues', 'w:depth', 'w:held', 'w:numbers', 'w:news'];
    for (const key of ['i:live', 'counters', 'destinations', 'o:http://a', ...own])
      it(`lets nothing of a commit be stored that would change it (${key}), and all of it when it is gone`, async () => {
        if (key === 'w:numbers') await client.hset(at(key), 'a', 'of somebody else');
        else await asText(at(key));
        expect(String(await failure(store.commit(whole('a'))))).to.contain(`${at(key)} is a `);
        expect(await store.load(actor('a'))).to.equal(undefined);
        expect((await client.keys(at('*'))).toSorted()).to.deep.equal([at('format'), at(key)].toSorted());
        await client.del(at(key));
        expect(await store.commit(whole('a'))).to.equal(1);
        expect(await store.counters('')).to.deep.equal(new Map(Object.entries(counted)));
        expect(await store.work.claim({ queues: ['FACE'], max: 1, worker: 'w' })).to.have.length(1);
      });

    it('lets an actor be put aside whole, or not at all', async () => {
      await store.commit(whole('a'));
      await asText(at('counters'));
      const putAside = () => store.quarantine(actor('a'), 'it is damaged', { counters: { live: -1 } });
      expect(String(await failure(putAside()))).to.contain(`${at('counters')} is a string`);
      expect((await store.load(actor('a')))?.version).to.equal(1);
      await client.del(at('counters'));
      expect(await putAside()).to.equal(true);
    });
  });

  describe('of work', () => {
    const takeItem = async (worker: string) => {
      const [lease] = await store.work.claim({ queues: ['FACE'], max: 1, worker });
      return lease!;
    };
    /** Uses every method of a ledger with undamaged work. */
    const goesOn = async () => {
      await store.work.expire(1);
      await store.work.queues();
      await store.work.leases();
      await store.work.news(9);
      await store.work.workStatus([actor('a'), actor('b')]);
      await create('c', ['c']);
      const lease = await takeItem('another');
      expect(lease.item.id).to.equal('c');
      expect(await store.work.beat(lease.token, 'another', 1, 1)).to.equal('on');
      expect(await store.work.release(lease.token, 'another')).to.equal(true);
    };

    for (const [what, damage] of Object.entries({
      'is gone': () => client.del(at('w:i:a')),
      'is something else': () => asText(at('w:i:a')),
      'has no JSON': () => client.hset(at('w:i:a'), 'j', '{'),
      'lacks its queue': () => client.hdel(at('w:i:a'), 'q'),
    })) {
      it(`that waits goes when it ${what}, and what waits behind it is handed out`, async () => {
        await create('a', ['a']);
        await damage();
        await goesOn();
        expect((await store.work.queues()).get('FACE')).to.include({ waiting: 1, held: 0 });
        expect(await store.work.listIds(actor('a'))).to.deep.equal(new Set());
      });

      if (what === 'has no JSON') continue;
      it(`that is held holds up nobody when it ${what}`, async () => {
        await create('a', ['a']);
        const lease = await takeItem('w');
        await damage();
        expect(await store.work.beat(lease.token, 'w', 1, 1)).to.equal('lost');
        await goesOn();
        expect(await store.work.listIds(actor('a'))).to.deep.equal(new Set());
        await store.work.releaseWorker('w', true, 'it died');
      });
    }

    for (const [what, damage] of Object.entries({
      'is gone': (token: string) => client.del(at(`w:l:${token}`)),
      'is something else': (token: string) => asText(at(`w:l:${token}`)),
    }))
      it(`whose lease ${what} waits again when its actor is looked after`, async () => {
        await create('a', ['a']);
        const lease = await takeItem('w');
        await damage(lease.token);
        await goesOn();
        expect(await store.work.listIds(actor('a'))).to.deep.equal(new Set(['a']));
        expect((await store.work.queues()).get('FACE')).to.include({ waiting: 2, held: 0 });
      });

    it('of a server that died does not keep it from being found dead', async () => {
      await create('a', ['a', 'b']);
      const [lease] = [await takeItem('w'), await takeItem('w')];
      await client.del(at(`w:l:${lease.token}`));
      await store.work.alive(1, 'a node');
      const other = await RedisStore.open({ url: redis().url, prefix, ledger: { server: 'two' } });
      await until('its time is over', async () =>
        (await other.work.alive(10_000, 'a node')).dead.includes('one'),
      );
      expect((await other.work.queues()).get('FACE')).to.include({ waiting: 1 });
      await other.close();
    });
  });

  describe('of a part that several actors have', () => {
    const PLAN = { tasks: ['a plan of many'] };
    const part = () => at(`p:${hashOf(JSON.stringify(PLAN))}`);
    const withPlan = (id: string, plan: unknown = PLAN) =>
      store.commit({
        ...{ actor: actor(id), expected: 0, owner: OWNER, snapshot: SNAPSHOT },
        ...{ record: { id, plan }, common: ['plan'] },
      });
    const reopen = async () => {
      await store.close();
      store = await RedisStore.open({ url: redis().url, prefix, ledger: { server: 'one' } });
    };
    const damages: Readonly<Record<string, () => Promise<unknown>>> = {
      'is gone': () => client.del(part()),
      'has lost its text': () => client.hdel(part(), 'j'),
      'has another text': () => client.hset(part(), 'j', '{"tasks":[]}'),
      'has a text that is no JSON': () => client.hset(part(), 'j', '{"tasks":'),
      'is something else': () => asText(part()),
    };
    for (const [what, damage] of Object.entries(damages))
      it(`that ${what} stops those that have it alone, until the next of them stores it again`, async () => {
        for (const id of ['a', 'b']) await withPlan(id);
        await withPlan('other', { tasks: ['another'] });
        await reopen();
        await damage();
        const refused = await failure(store.load(actor('a')));
        expect(String(refused)).to.match(/StoreDamaged|WRONGTYPE/);
        expect((await store.load(actor('other')))?.record).to.deep.include({ id: 'other' });
        await withPlan('c');
        await reopen();
        for (const id of ['a', 'b', 'c'])
          expect((await store.load(actor(id)))?.record, id).to.deep.equal({ id, plan: PLAN });
      });
  });
});
