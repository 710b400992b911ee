import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { RedisOptions } from '../../../store/redis/redis-options.ts';
import { RedisStore } from '../../../store/redis/redis-store.ts';
import { NotStorable, StoreAway, StoreDamaged, type Commit } from '../../../store/store.ts';
import { redisOfSuite } from '../../support/redis/redis.ts';
import { until } from '../../support/until.ts';
import { storeContract } from '../contract.ts';
import { actor, item, ledgerContract, ledgerModel, type Open } from '../ledger-contract.ts';
import { ledgerTurns } from '../ledger-turns.ts';

const OWNER = { server: 'here', epoch: 1 };
const SNAPSHOT = { schema: 1, body: {} };

describe('The store in Redis', () => {
  const redis = redisOfSuite();
  const opened: RedisStore[] = [];
  let prefixes = 0;
  const open = async (options: Partial<RedisOptions> = {}) => {
    const store = await RedisStore.open({ url: redis().url, ...options });
    opened.push(store);
    return store;
  };
  after(() => Promise.all(opened.map((store) => store.close())));

  storeContract({ open: (prefix) => open({ prefix }) });

  describe('and its work ledger', () => {
    const ofRedis: Open = async (parts) => {
      const prefix = `ledger-${++prefixes}`;
      const store = await open({ prefix, ledger: { ...parts, clock: 'now', gapMs: 1e9 } });
      const versions = new Map<string, number>();
      return {
        ledger: store.work,
        apply: async (of, work) => {
          const expected = versions.get(of.id) ?? 0;
          const commit = { actor: of, expected, owner: OWNER, snapshot: SNAPSHOT, record: {}, work };
          versions.set(of.id, await store.commit(commit));
        },
        close: () => store.close(),
      };
    };
    ledgerContract(ofRedis);
    ledgerModel(ofRedis);
    ledgerTurns(ofRedis);
  });

  describe('shared by two servers', () => {
    const two = async () => {
      const prefix = `two-${++prefixes}`;
      return [await open({ prefix }), await open({ prefix })] as const;
    };
    const commit = (store: RedisStore, expected: number, work: object) =>
      store.commit({ actor: actor('job'), expected, owner: OWNER, snapshot: SNAPSHOT, record: {}, work });

    it('shows one what the other has committed, also of an actor that it has read before', async () => {
      const [one, other] = await two();
      await commit(one, 0, {});
      expect((await other.load(actor('job')))?.version).to.equal(1);
      await commit(one, 1, {});
      expect((await other.load(actor('job')))?.version).to.equal(2);
      await one.commit({ actor: actor('job'), expected: 2, owner: OWNER, snapshot: null });
      await commit(one, 0, {});
      await one.commit({
        ...{ actor: actor('job'), expected: 1, owner: OWNER },
        snapshot: { schema: 1, body: 'another life' },
      });
      const found = await other.load(actor('job'));
      expect([found?.version, found?.snapshot.body]).to.deep.equal([2, 'another life']);
    });

    it('answers the same object as long as nobody has changed it', async () => {
      const [one, other] = await two();
      await commit(one, 0, {});
      const found = await other.load(actor('job'));
      expect(await other.load(actor('job'))).to.equal(found);
    });

    it('tells the listeners of one what the other has offered', async () => {
      const [one, other] = await two();
      const heard: string[] = [];
      other.work.watch({
        onOffer: (queues) => heard.push(...queues.keys()),
        news: () => undefined,
      });
      await commit(one, 0, { offer: [item('a')] });
      await until('the other has heard of it', () => heard.length > 0);
      expect(heard).to.deep.equal(['FACE']);
    });

    const ofUser = (id: string, user?: string) =>
      item(id, { actor: actor(`job of ${id}`), ...(user === undefined ? {} : { user }) });
    const claimOne = async (store: RedisStore) =>
      (await store.work.claim({ queues: ['FACE'], max: 1, worker: 'w' })).map(({ item: { id } }) => id);

    it('gives users their turns whichever server is asked, also after a restart', async () => {
      const prefix = `two-${++prefixes}`;
      const one = await open({ prefix });
      await one.work.offer([ofUser('a1', 'alice'), ofUser('a2', 'alice'), ofUser('b1', 'bob')]);
      await one.work.offer([ofUser('old 1'), ofUser('old 2')]);
      expect(await claimOne(one)).to.deep.equal(['a1']);
      await one.close();
      const other = await open({ prefix });
      const third = await open({ prefix });
      const claimed = [await claimOne(other), await claimOne(third), await claimOne(other)].flat();
      expect(claimed, 'work of nobody is that of one user').to.deep.equal(['b1', 'old 1', 'a2']);
    });

    it('makes the places of users again when somebody has removed them', async () => {
      const prefix = `two-${++prefixes}`;
      const store = await open({ prefix });
      await store.work.offer(['a1', 'a2', 'a3'].map((id) => ofUser(id, 'alice')));
      await store.work.offer(['b1', 'b2'].map((id) => ofUser(id, 'bob')));
      expect(await claimOne(store)).to.deep.equal(['a1']);
      const client = new Redis(redis().url);
      await client.del(`{${prefix}}:w:shares`);
      client.disconnect();
      const claimed = [await claimOne(store), await claimOne(store), await claimOne(store)].flat();
      expect(claimed, 'alice holds one already').to.deep.equal(['b1', 'a2', 'b2']);
    });

    it('lets a component go on with what the other server has given it', async () => {
      const [one, other] = await two();
      await commit(one, 0, { offer: [item('a')] });
      const [lease] = await one.work.claim({ queues: ['FACE'], max: 1, worker: 'w', lasting: true });
      await one.close();
      expect(await other.work.beat(lease!.token, 'w', 1, 2)).to.equal('on');
      await commit(other, 1, { settle: ['a'] });
      expect(await other.work.look(lease!.token, 'w')).to.equal('settled');
    });

    it('loses what waits in a queue when none of them can serve it, not when one of them cannot', async () => {
      const [one, other] = await two();
      for (const store of [one, other]) await store.work.alive(60_000, store === one ? 'one' : 'other');
      await commit(one, 0, { offer: [item('a')] });
      const lostWork = async () =>
        (await other.work.news(9)).map(({ what, item: { id } }) => `${what} ${id}`);
      await one.work.unavailable('FACE', 'it cannot be started');
      expect(await lostWork()).to.deep.equal([]);
      const [lease] = await one.work.claim({ queues: ['FACE'], max: 1, worker: 'w' });
      await one.work.release(lease!.token, 'w');
      await other.work.unavailable('FACE', 'it cannot be started here');
      expect(await lostWork(), 'the first has served it meanwhile').to.deep.equal([]);
      await one.work.unavailable('FACE', 'it cannot be started any more');
      expect(await lostWork()).to.deep.equal(['lost a']);
    });

    it('loses, with the reason, items that wait in a queue that no live worker serves', async () => {
      const [one, other] = await two();
      for (const store of [one, other]) await store.work.alive(60_000, store === one ? 'one' : 'other');
      await commit(one, 0, { offer: [item('a')] });
      await one.work.unavailable('FACE', '');
      await one.work.unavailable('FACE', '');
      expect(await other.work.news(9)).to.deep.equal([]);
      await other.work.unavailable('FACE', 'it cannot be started');
      const [lost] = await other.work.news(9);
      expect(lost).to.include({ what: 'lost', reason: 'it cannot be started' });
    });

    it('gives back what the components of a dead server held, and counts no attempt', async () => {
      const prefix = `two-${++prefixes}`;
      const one = await open({ prefix, ledger: { server: 'dead' } });
      const other = await open({ prefix, ledger: { server: 'alive' } });
      await commit(one, 0, { offer: [item('own'), item('far')] });
      await one.work.claim({ queues: ['FACE'], max: 1, worker: 'child' });
      const [far] = await one.work.claim({ queues: ['FACE'], max: 1, worker: 'far away', lasting: true });
      await one.work.beat(far!.token, 'far away', 0, 1);
      await one.work.alive(1, 'a node');
      await until('its time is over', async () =>
        (await other.work.alive(10_000, 'a node')).dead.includes('dead'),
      );
      const [again] = await other.work.claim({ queues: ['FACE'], max: 9, worker: 'w' });
      expect(again?.item).to.include({ id: 'own', attempt: 1 });
      expect(await other.work.beat(far!.token, 'far away', 1, 1)).to.equal('on');
      expect(await other.work.news(9)).to.deep.equal([]);
    });

    it('gives no time again to a server whose connection is gone, though nobody was there for long', async () => {
      let now = 1_000;
      const ledger = { clock: 'now', now: () => now, lostMs: 100, returnMs: 60_000 } as const;
      const prefix = `two-${++prefixes}`;
      const one = await open({ prefix, ledger: { ...ledger, server: 'dead' } });
      const other = await open({ prefix, ledger: { ...ledger, server: 'new' } });
      await one.work.alive(60_000, 'a node');
      now += 120_000;
      await other.work.alive(60_000, 'another');
      expect(await other.work.listKnown()).to.have.members(['dead', 'new']);
      await other.work.cut('dead', 30_000);
      expect((await other.work.alive(60_000, 'another')).dead, 'it may have said so since').to.deep.equal([]);
      await other.work.cut('dead', undefined);
      now += 120_000;
      expect((await other.work.alive(60_000, 'another')).dead).to.deep.equal(['dead']);
      expect(await other.work.listKnown()).to.deep.equal(['new']);
    });

    it('gives back what components of a leaving server held; leases of others stay', async () => {
      const [one, other] = await two();
      await commit(one, 0, { offer: [item('own'), item('far')] });
      for (const store of [one, other]) await store.work.alive(60_000, store === one ? 'one' : 'other');
      await one.work.claim({ queues: ['FACE'], max: 1, worker: 'child' });
      const [far] = await one.work.claim({ queues: ['FACE'], max: 1, worker: 'far away', lasting: true });
      await one.work.leave();
      const left = await other.work.claim({ queues: ['FACE'], max: 9, worker: 'w' });
      expect(left.map((lease) => [lease.item.id, lease.item.attempt])).to.deep.equal([['own', 1]]);
      expect(await other.work.beat(far!.token, 'far away', 0, 1)).to.equal('on');
    });

    it('gives back uncounted what a dead server handed out to others that are silent since', async () => {
      const prefix = `two-${++prefixes}`;
      const one = await open({ prefix, ledger: { server: 'dead' } });
      const other = await open({ prefix, ledger: { server: 'alive' } });
      await commit(one, 0, { offer: [item('unheard'), item('in turn'), item('beside'), item('answers')] });
      const far = { queues: ['FACE'], max: 1, lasting: true };
      await one.work.claim({ ...far, worker: 'unheard' });
      const turn = await one.work.claim({ ...far, max: 2, worker: 'in turn', inTurn: true });
      const [answers] = await one.work.claim({ ...far, worker: 'answers' });
      await other.work.beat(turn[0]!.token, 'in turn', 1, 2);
      await other.work.noteArrival(answers!.token, false);
      await one.work.alive(1, 'a node');
      await until('its time is over', async () =>
        (await other.work.alive(10_000, 'another')).dead.includes('dead'),
      );
      const left = await other.work.claim({ queues: ['FACE'], max: 9, worker: 'w' });
      expect(left.map((lease) => [lease.item.id, lease.item.attempt])).to.deep.equal([['unheard', 1]]);
      expect(await other.work.news(9)).to.deep.equal([]);
    });

    it('gives back what a dead server handed out, if its holder was heard only for another claim', async () => {
      const prefix = `two-${++prefixes}`;
      let time = 0;
      const clock = { clock: 'now', now: () => time } as const;
      const one = await open({ prefix, ledger: { server: 'dead', ...clock } });
      const other = await open({ prefix, ledger: { server: 'alive', ...clock } });
      await commit(one, 0, { offer: [item('lost on the way'), item('in hand')] });
      const far = { queues: ['FACE'], max: 1, worker: 'far', lasting: true, inTurn: true };
      await one.work.claim(far);
      time = 100;
      const [inHand] = await other.work.claim(far);
      await other.work.beat(inHand!.token, 'far', 1, 2);
      await one.work.alive(1, 'a node');
      await until('its time is over', async () =>
        (await other.work.alive(10_000, 'another')).dead.includes('dead'),
      );
      const left = await other.work.claim({ queues: ['FACE'], max: 9, worker: 'w' });
      expect(left.map((lease) => lease.item.id)).to.deep.equal(['lost on the way']);
      expect(await other.work.beat(inHand!.token, 'far', 1, 2)).to.equal('on');
    });

    it('waits no longer for components of others because one of the servers stood still', async () => {
      const prefix = `two-${++prefixes}`;
      let time = 0;
      const settings = { leaseMs: 1_000, silenceMs: 9_000, wholeMs: 9_000, cancelGraceMs: 100 };
      const ledger = { settings, now: () => time, clock: 'now' } as const;
      const [one, other] = [await open({ prefix, ledger }), await open({ prefix, ledger })];
      await one.work.offer([item('a')]);
      await one.work.claim({ queues: ['FACE'], max: 1, worker: 'w', lasting: true });
      time = 999;
      await other.work.expire(0);
      time = 1_001;
      await one.work.expire(5_000);
      time = 1_010;
      expect((await other.work.expire(0)).map(({ lease }) => lease.item.id)).to.deep.equal(['a']);
    });

    it('gives each server queues of its own, of which the others hear and see nothing', async () => {
      const prefix = `two-${++prefixes}`;
      const ledger = (server: string) => ({ prefix, ledger: { server, ownQueues: ['OWN'] } });
      const [one, other] = [await open(ledger('one')), await open(ledger('other'))];
      const heard: string[] = [];
      other.work.watch({ onOffer: (queues) => heard.push(...queues.keys()), news: () => undefined });
      await one.work.offer([item('a', { queue: 'OWN' })]);
      await one.work.offer([item('b')]);
      await until('the other has heard of the second', () => heard.includes('FACE'));
      expect(heard).to.deep.equal(['FACE']);
      expect([...(await other.work.queues()).keys()]).to.deep.equal(['FACE']);
      expect((await one.work.queues()).get('OWN')).to.include({ waiting: 1 });
      await other.work.unavailable('OWN', 'nobody serves it here');
      expect(await other.work.claim({ queues: ['OWN'], max: 1, worker: 'v' })).to.deep.equal([]);
      const [lease] = await one.work.claim({ queues: ['OWN'], max: 1, worker: 'w' });
      expect(lease?.item).to.include({ id: 'a', queue: 'OWN' });
    });

    it('forgets with a server what was for its own components alone, waiting, held or lost', async () => {
      const prefix = `two-${++prefixes}`;
      const ledger = (server: string) => ({ prefix, ledger: { server, ownQueues: ['OWN'] } });
      const [one, other] = [await open(ledger('dead')), await open(ledger('alive'))];
      const own = (id: string) => item(id, { queue: 'OWN', actor: actor('own') });
      await one.work.offer([own('lost'), own('held'), own('waiting')]);
      const [lost] = await one.work.claim({ queues: ['OWN'], max: 2, worker: 'child' });
      await one.work.reject(lost!.token, 'garbage');
      await one.work.alive(1, 'a node');
      await until('its time is over', async () =>
        (await other.work.alive(10_000, 'a node')).dead.includes('dead'),
      );
      expect((await other.work.listIds(actor('own'))).size).to.equal(0);
      expect(await other.work.news(9)).to.deep.equal([]);
    });
  });

  describe('of servers of different versions', () => {
    const change = async (work: (client: Redis) => Promise<unknown>) => {
      const client = new Redis(redis().url);
      await work(client);
      client.disconnect();
    };

    it('hands out work of an actor only to a server that reads its schema; others are served', async () => {
      const prefix = `schemas-${++prefixes}`;
      const [older, newer] = [
        await open({ prefix, ledger: { schemas: { 'batch-job': 1 } } }),
        await open({ prefix, ledger: { schemas: { 'batch-job': 2 } } }),
      ];
      const commit = (id: string, schema: number) =>
        newer.commit({
          ...{ actor: actor(id), expected: 0, owner: OWNER, record: {}, snapshot: { schema, body: {} } },
          work: { offer: [item(id, { actor: actor(id) })] },
        });
      for (let n = 0; n < 3; n++) await commit(`new ${n}`, 2);
      await commit('old', 1);
      const claim = async (store: RedisStore) => {
        const leases = await store.work.claim({
          queues: ['FACE'],
          max: 9,
          worker: `of ${store.work.context()[1]}`,
        });
        return leases.map((lease) => lease.item.id);
      };
      expect(await claim(older)).to.deep.equal(['old']);
      expect(await claim(older)).to.deep.equal([]);
      expect(await claim(newer)).to.deep.equal(['new 0', 'new 1', 'new 2']);
    });

    it('says which schemas the servers know that are there', async () => {
      const prefix = `known-${++prefixes}`;
      const store = await open({ prefix });
      expect(await store.knownElsewhere('job')).to.equal(0);
      const [one, two] = [
        await open({ prefix, ledger: { schemas: { job: 3 } } }),
        await open({ prefix, ledger: { schemas: { job: 5 } } }),
      ];
      await one.work.alive(60_000, 'one');
      await two.work.alive(60_000, 'two');
      expect(await store.knownElsewhere('job')).to.equal(5);
      await two.work.leave();
      expect(await store.knownElsewhere('job')).to.equal(3);
      expect(await store.knownElsewhere('other')).to.equal(0);
    });

    describe('of another format', () => {
      const refusalOf = (prefix: string) => open({ prefix }).catch((error: unknown) => String(error));
      const create = { actor: actor('a'), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record: {} };

      it('is refused with what to do if a newer version wrote it, and nothing more is written', async () => {
        const prefix = `format-${++prefixes}`;
        const store = await open({ prefix });
        await store.commit(create);
        await change((client) => client.set(`{${prefix}}:format`, '2'));
        expect(await refusalOf(prefix)).to.contain(
          'What is there was written by a newer version of Troupe (format 2, this version knows format 1). ' +
            'Set REDIS_PREFIX to another name, or start the version that wrote it.',
        );
        const error = await store.commit({ ...create, expected: 1 }).catch((reason: unknown) => reason);
        expect(String(error)).to.contain('a newer version of Troupe has changed the format');
        const aside = await store
          .quarantine(actor('a'), 'it makes no sense')
          .catch((reason: unknown) => reason);
        expect(String(aside)).to.contain('a newer version of Troupe has changed the format');
        expect((await store.load(actor('a')))?.version).to.equal(1);
      });

      for (const [layout, keys] of [
        ['layout 2', { layout: '2' }],
        ['layout 1', {}],
      ] as const)
        it(`is refused with what to do if older than the first format (${layout}), and stays as it is`, async () => {
          const prefix = `before-${++prefixes}`;
          const at = (rest: string) => `{${prefix}}:${rest}`;
          await change(async (client) => {
            await client.hset(at('sequences'), 'job', 7);
            for (const [key, value] of Object.entries(keys)) await client.set(at(key), value);
          });
          expect(await refusalOf(prefix)).to.contain(
            `What is there was written by a version of Troupe before its first release (${layout}, this version knows format 1). ` +
              'Set REDIS_PREFIX to another name, or start the version that wrote it.',
          );
          await change(async (client) => {
            const there = ['sequences', ...Object.keys(keys)].map(at);
            expect((await client.keys(at('*'))).toSorted()).to.deep.equal(there.toSorted());
          });
        });
    });
  });

  it('keeps once what records have in common, until the last of them is gone', async () => {
    const store = await open({ prefix: 'common' });
    const record = { plan: { tasks: ['a plan of many'] } };
    const commit = (id: string, more: Partial<Commit> = {}) =>
      store.commit({ actor: actor(id), expected: 0, owner: OWNER, snapshot: SNAPSHOT, ...more });
    const readKept = async () => {
      const client = new Redis(redis().url);
      const keys = await client.keys('{common}:p:*');
      const texts = await Promise.all(keys.map((key) => client.hget(key, 'j')));
      client.disconnect();
      return texts;
    };
    for (const id of ['a', 'b']) await commit(id, { record, common: ['plan'] });
    expect(await readKept()).to.deep.equal([JSON.stringify(record.plan)]);
    await commit('a', { expected: 1, snapshot: null });
    expect((await store.load(actor('b')))?.record).to.deep.equal(record);
    expect(await readKept()).to.have.length(1);
    await commit('b', { expected: 1, snapshot: null });
    expect(await readKept()).to.deep.equal([]);
  });

  it('of an actor whose record lacks a part says that what is stored is damaged', async () => {
    const store = await open({ prefix: 'lacking' });
    const create = { actor: actor('a'), expected: 0, owner: OWNER, snapshot: SNAPSHOT };
    await store.commit({ ...create, record: { plan: 1 }, common: ['plan'] });
    const client = new Redis(redis().url);
    for (const key of await client.keys('{lacking}:p:*')) await client.del(key);
    client.disconnect();
    expect(await store.load(actor('a')).catch((error: unknown) => error)).to.be.instanceOf(StoreDamaged);
    expect(await store.quarantine(actor('a'), 'it lacks a part')).to.equal(true);
  });

  it('gives parallel callers distinct numbers with few calls, or all of them the error', async () => {
    const store = await open({ prefix: 'numbers', timeoutMs: 300 });
    const client = new Redis(redis().url);
    const calls = async () =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
    await store.next('job');
    const before = await calls();
    const given = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.next('job', n % 2 === 0 ? 1 : 3)),
    );
    const taken = given.flatMap((first, n) => (n % 2 === 0 ? [first] : [first, first + 1, first + 2]));
    expect(taken.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 100 }, (_, n) => n + 2));
    expect((await calls()) - before).to.equal(2);
    client.disconnect();
    redis().freeze();
    const refused = await Promise.all(
      [1, 2, 3].map(() => store.next('job').catch((error: unknown) => String(error))),
    );
    redis().thaw();
    for (const one of refused) expect(one).to.be.a('string');
    await until('numbers are given again', () => store.next('job').catch(() => undefined));
  });

  it('writes 50,000 rows in one commit, and refuses what Redis would not take at once', async () => {
    // A busy machine may take longer than the default timeout.
    const store = await open({ prefix: 'large', timeoutMs: 60_000 });
    const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `row ${n}`, body: n }));
    const create = { actor: actor('large'), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record: {} };
    expect(await store.commit({ ...create, putRows: rows(50_000) })).to.equal(1);
    expect(await store.rows(actor('large'), { prefix: 'row 4999', limit: 99 })).to.have.length(11);
    const refused = await store
      .commit({ ...create, expected: 1, putRows: rows(600_000) })
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(NotStorable);
    expect(await store.commit({ ...create, expected: 1, removeRows: [''] })).to.equal(2);
  });

  it('refuses requests while Redis is away, and resumes with all that was stored', async () => {
    const prefix = 'away';
    const connections: boolean[] = [];
    const store = await open({ prefix, onConnection: (is) => connections.push(is) });
    const create = { actor: actor('job'), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record: {} };
    await store.commit({ ...create, work: { offer: [item('a')] } });
    // With `everysec`, a Redis with a slow disk keeps commits only in memory for a while.
    await redis().waitUntilWritten();
    await redis().kill();
    await until('the connection is lost', () => connections.includes(false));
    const refused = await store.commit({ ...create, expected: 1 }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    await redis().start();
    await until('it is there again', () => connections.at(-1) === true);
    expect(await store.commit({ ...create, expected: 1 })).to.equal(2);
    expect(await store.work.listIds(actor('job'))).to.deep.equal(new Set(['a']));
  });

  it('does not take its own end for a loss of the connection', async () => {
    const told: boolean[] = [];
    const store = await open({ prefix: 'ending', onConnection: (is) => told.push(is) });
    await store.close();
    expect(told).to.deep.equal([]);
  });

  it('says in a sentence why Redis cannot be used, without its password', async () => {
    const refusal = (url: string) =>
      RedisStore.open({ url }).catch((error: unknown) => (error as Error).message);
    expect(await refusal('redis://user:geheim@127.0.0.1:1/0'))
      .to.match(/^The Redis at 127\.0\.0\.1:1 \(REDIS_URL\) cannot be used: connect ECONNREFUSED/)
      .and.not.contain('geheim');
    const { host } = new URL(redis().url);
    expect(await refusal(`redis://user:geheim@${host}/0`))
      .to.contain('WRONGPASS')
      .and.not.contain('geheim');
  });

  /** A ledger for which Redis has processed a claim of `w` after its timeout. */
  const claimedTooLate = async (prefix: string) => {
    const store = await open({ prefix, timeoutMs: 300 });
    // Loads the script into Redis.
    await store.work.claim({ queues: ['FACE'], max: 1, worker: 'w' });
    await store.work.offer([item('a')]);
    redis().freeze();
    const refused = await store.work
      .claim({ queues: ['FACE'], max: 2, worker: 'w' })
      .catch((error: unknown) => error);
    redis().thaw();
    expect(String(refused)).to.contain('timed out');
    await until('it answers again', () =>
      store.check().then(
        () => true,
        () => false,
      ),
    );
    expect((await store.work.queues()).get('FACE')).to.include({ waiting: 0, held: 1 });
    return store;
  };

  it('gives back what a claim took that Redis answered too late, and counts no attempt', async () => {
    const store = await claimedTooLate('late');
    await until('the work waits again', async () => {
      await store.work.expire(0).catch(() => undefined);
      return (await store.work.queues().catch(() => undefined))?.get('FACE')?.waiting === 1;
    });
    const [again] = await store.work.claim({ queues: ['FACE'], max: 2, worker: 'v' });
    expect(again?.item).to.include({ id: 'a', attempt: 1 });
  });

  it('counts no attempt either when the worker of that claim dies before it is given back', async () => {
    const store = await claimedTooLate('late-and-gone');
    await store.work.releaseWorker('w', true, 'it died');
    expect(await store.work.news(9)).to.deep.equal([]);
    expect((await store.work.queues()).get('FACE')).to.include({ waiting: 1, held: 0 });
  });

  it('finds a server dead at once whose connection is gone, unless it was heard of since', async () => {
    const prefix = 'cut';
    const one = await open({ prefix, ledger: { server: 'one' } });
    const other = await open({ prefix, ledger: { server: 'other' } });
    await open({ prefix: 'another', ledger: { server: 'stranger' } });
    for (const store of [one, other]) await store.work.alive(60_000, store === one ? 'a' : 'b');
    expect([...(await one.work.listConnected())!].toSorted()).to.deep.equal(['one', 'other']);
    await other.close();
    await until('its connection is gone', async () => !(await one.work.listConnected())!.has('other'));
    await one.work.cut('other', 30_000);
    expect((await one.work.alive(60_000, 'a')).dead, 'it says that it is there for longer').to.deep.equal([]);
    await one.work.cut('other', 60_000);
    expect(await one.work.alive(60_000, 'a')).to.deep.include({ dead: ['other'], servers: 1, rank: 0 });
    const third = await open({ prefix, ledger: { server: 'third' } });
    expect((await third.work.alive(60_000, 'b')).rank, 'the name of the node is free').to.equal(1);
    await third.work.cut('nobody', 60_000);
  });

  it('takes no server for dead because Redis stood still', async () => {
    const prefix = 'stood-still';
    const one = await open({ prefix, timeoutMs: 300, ledger: { server: 'one' } });
    const other = await open({ prefix, timeoutMs: 300, ledger: { server: 'other' } });
    const says = (store: RedisStore) =>
      store.work.alive(400, store === one ? 'a node' : 'another').catch(() => undefined);
    await says(one);
    await says(other);
    await other.work.offer([item('a')]);
    const [lease] = await other.work.claim({ queues: ['FACE'], max: 1, worker: 'child' });
    redis().freeze();
    // Each heartbeat waits in vain for longer than the heartbeat timeout.
    for (let n = 0; n < 3; n++) await Promise.all([says(one), says(other)]);
    redis().thaw();
    expect((await until('it answers again', () => says(one)))?.dead).to.deep.equal([]);
    expect(await other.work.beat(lease!.token, 'child', 1, 1)).to.equal('on');
    await until('one is dead that is really gone', async () => (await says(one))?.dead.includes('other'));
  });

  it('gives others time to find a Redis that was away longer than they may be silent', async () => {
    for (const saidBefore of [1, 10_000]) {
      const prefix = `return-${saidBefore}`;
      const one = await open({ prefix, ledger: { server: 'one', returnMs: 60_000 } });
      const other = await open({ prefix, ledger: { server: 'other' } });
      const client = new Redis(redis().url);
      const ttlLeft = () => client.pttl(`{${prefix}}:w:server:other`);
      const wasAway = () => client.set(`{${prefix}}:w:heardOf`, '0');
      await other.work.alive(saidBefore, 'another node');
      if (saidBefore === 1) await until('its time is over', async () => (await ttlLeft()) < 0);
      await wasAway();
      expect((await one.work.alive(1_000, 'a node')).dead).to.deep.equal([]);
      expect(await ttlLeft()).to.be.above(30_000);
      await wasAway();
      expect((await one.work.alive(1_000, 'a node')).dead, 'away a second time').to.deep.equal([]);
      await client.del(`{${prefix}}:w:server:other`);
      await wasAway();
      expect((await one.work.alive(1_000, 'a node')).dead, 'away for all of its time').to.deep.equal([]);
      expect(await ttlLeft()).to.be.above(30_000);
      await client.del(`{${prefix}}:w:server:other`);
      expect((await one.work.alive(1_000, 'a node')).dead, 'not away').to.deep.equal(['other']);
      client.disconnect();
    }
  });

  it('lets nothing run out that a server holds which has got its time again', async () => {
    const prefix = 'granted';
    const one = await open({ prefix, ledger: { server: 'one', returnMs: 60_000 } });
    const other = await open({ prefix, ledger: { server: 'other' } });
    const client = new Redis(redis().url);
    await other.work.alive(1_000, 'another node');
    await other.work.offer([item('a')]);
    const [lease] = await other.work.claim({ queues: ['FACE'], max: 1, worker: 'child' });
    const until = async () => Number(await client.hget(`{${prefix}}:w:l:${lease!.token}`, 'lease'));
    const before = await until();
    await one.work.expire(0);
    expect(await until(), 'Redis was not away').to.equal(before);
    await client.set(`{${prefix}}:w:heardOf`, '0');
    await one.work.alive(1_000, 'a node');
    for (let n = 0; n < 2; n++) await one.work.expire(0);
    expect((await until()) - before, 'once').to.equal(60_000);
    await client.set(`{${prefix}}:w:heardOf`, '0');
    await one.work.alive(1_000, 'a node');
    await one.work.expire(0);
    expect((await until()) - before, 'again, for Redis was away a second time').to.equal(120_000);
    client.disconnect();
  });

  it('finds the dead also when it is late itself with each word', async () => {
    const prefix = 'late-words';
    const one = await open({ prefix, ledger: { server: 'one', returnMs: 20 } });
    const other = await open({ prefix, ledger: { server: 'other' } });
    expect((await other.work.alive(20, 'another node')).wasAbsent, 'it is new').to.equal(true);
    expect((await other.work.alive(20, 'another node')).wasAbsent).to.equal(false);
    // It checks every 20 ms. After half of that time it assumes that Redis was unreachable.
    await until('the other is dead', async () => (await one.work.alive(20, 'a node')).dead.includes('other'));
    expect((await other.work.alive(20, 'another node')).wasAbsent, 'it was taken for dead').to.equal(true);
  });

  it('hands out nothing through a server that was taken for dead, until it is heard of again', async () => {
    const prefix = 'taken-for-dead';
    const one = await open({ prefix, ledger: { server: 'one', returnMs: 20 } });
    const other = await open({ prefix, ledger: { server: 'other' } });
    await other.work.alive(20, 'another node');
    await until('the other is dead', async () => (await one.work.alive(20, 'a node')).dead.includes('other'));
    await one.work.offer([item('a')]);
    const claim = () => other.work.claim({ queues: ['FACE'], max: 1, worker: 'child' });
    expect(await claim().catch((error: unknown) => error)).to.be.instanceOf(StoreAway);
    await other.work.alive(60_000, 'another node');
    expect(await claim()).to.have.length(1);
  });

  it('gives up a call that Redis does not answer in time', async () => {
    const store = await open({ prefix: 'frozen', timeoutMs: 300 });
    redis().freeze();
    const refused = await store.next('job').catch((error: unknown) => error);
    redis().thaw();
    expect(String(refused)).to.contain('timed out');
    await until('it answers again', () =>
      store.next('job').then(
        () => true,
        () => false,
      ),
    );
  });
});
