import { expect } from 'chai';
import { VirtualClock } from '../support/virtual-clock.ts';
import { withLock, StoredLocks } from '../../store/cluster-locks.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { around, temporaryFolder } from './folder.ts';
import type { Store } from '../../store/store.ts';

const MS = 30_000;

describe('A lock of one of several servers', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let clock: VirtualClock;
  beforeEach(() => {
    store = new SqliteStore(path(`locks-${++files}.db`));
    clock = new VirtualClock(1_000_000);
  });
  afterEach(() => store.close());

  const locksOf = (server: string, over: Store = store) =>
    new StoredLocks(over, { server, epoch: 1 }, () => clock.now());
  const commits = () => {
    const counted = { n: 0 };
    const over = around<Store>(store, { commit: (commit) => (counted.n++, store.commit(commit)) });
    return { counted, over };
  };

  it('is that of whoever claims it first, and of nobody else until its time is over', async () => {
    const [one, two] = [locksOf('one'), locksOf('two')];
    expect(await one.claim('a', MS)).to.equal(true);
    expect([await two.claim('a', MS), await two.claim('b', MS)]).to.deep.equal([false, true]);
    await clock.advance(MS - 1);
    expect(await two.claim('a', MS)).to.equal(false);
    await clock.advance(1);
    expect([await two.claim('a', MS), await one.claim('a', MS)]).to.deep.equal([true, false]);
  });

  it('stays with a holder that renews it in time, at the cost of at most one commit a half-time', async () => {
    const { counted, over } = commits();
    const [one, two] = [locksOf('one', over), locksOf('two')];
    for (let n = 0; n < 60; n++) {
      expect([await one.claim('a', MS), await two.claim('a', MS)]).to.deep.equal([true, false]);
      await clock.advance(1_000);
    }
    expect(counted.n).to.be.within(2, 5);
  });

  it('is anybody’s when it is released, and nothing is left of it', async () => {
    const [one, two] = [locksOf('one'), locksOf('two')];
    await one.claim('a', MS);
    await two.release('a');
    expect(await two.claim('a', MS), 'only by its holder').to.equal(false);
    await one.release('a');
    await one.release('a');
    expect(await store.load({ kind: 'lock', id: 'a' })).to.equal(undefined);
    expect(await two.claim('a', MS)).to.equal(true);
  });

  it('is one server’s when several claim it in one moment', async () => {
    const servers = Array.from({ length: 8 }, (_, n) => locksOf(`server ${n}`));
    for (let round = 0; round < 5; round++) {
      const claimed = await Promise.all(servers.map((one) => one.claim('a', MS)));
      expect(claimed.filter((taken) => taken)).to.have.length(1);
      expect(await servers[claimed.indexOf(true)]!.claim('a', MS)).to.equal(true);
      await clock.advance(MS);
    }
  });

  it('is one server’s, also when that claims it twice in one moment', async () => {
    const one = locksOf('one');
    expect(await Promise.all([one.claim('a', MS), one.claim('a', MS)])).to.deep.equal([true, true]);
  });

  it('of an earlier start of a server is not that of the next', async () => {
    await locksOf('one').claim('a', MS);
    const next = new StoredLocks(store, { server: 'one', epoch: 2 }, () => clock.now());
    expect(await next.claim('a', MS)).to.equal(false);
  });

  it('of a server that is gone is anybody’s at once', async () => {
    const there = new Set(['one', 'two']);
    const isThere = (server: string) => Promise.resolve(there.has(server));
    await locksOf('one').claim('a', MS);
    const presence = { isThere, stay: 1 };
    const next = new StoredLocks(store, { server: 'two', epoch: 1 }, () => clock.now(), presence);
    expect(await next.claim('a', MS)).to.equal(false);
    there.delete('one');
    expect(await next.claim('a', MS)).to.equal(true);
  });

  it('is lost by a server that was taken for dead when another one has claimed it meanwhile', async () => {
    const presence: { isThere(): Promise<boolean>; stay: number | undefined } = {
      isThere: () => Promise.resolve(true),
      stay: 1,
    };
    const one = new StoredLocks(store, { server: 'one', epoch: 1 }, () => clock.now(), presence);
    const gone = { isThere: () => Promise.resolve(false), stay: 1 };
    const two = new StoredLocks(store, { server: 'two', epoch: 1 }, () => clock.now(), gone);
    for (const name of ['a', 'b', 'c', 'd']) expect(await one.claim(name, MS)).to.equal(true);
    for (const name of ['a', 'b']) expect(await two.claim(name, MS)).to.equal(true);
    presence.stay = undefined;
    expect(await one.claim('a', MS), 'it has not said yet that it is there').to.equal(false);
    presence.stay = 2;
    expect([await one.claim('b', MS), await one.claim('c', MS)]).to.deep.equal([false, true]);
    await one.release('d');
    expect(await store.load({ kind: 'lock', id: 'd' }), 'it gives back what is its own still').to.equal(
      undefined,
    );
  });

  it('that cannot be read is nobody’s', async () => {
    const actor = { kind: 'lock', id: 'a' };
    const owner = { server: 'other', epoch: 1 };
    let expected = 0;
    for (const body of [null, [], { until: 'for ever' }]) {
      expected = await store.commit({ actor, expected, owner, snapshot: { schema: 9, body } });
      expect(await locksOf(`server ${expected}`).claim('a', 1)).to.equal(true);
      expected++;
    }
  });

  it('is kept for as long as its work takes, and given up when that fails', async () => {
    const [one, two] = [locksOf('one'), locksOf('two')];
    let fail = (_: Error) => {};
    const work = withLock(one, clock, 'a', MS, () => new Promise((_, reject) => (fail = reject)));
    await clock.advance(0);
    for (let n = 0; n < 10; n++) {
      await clock.advance(MS / 3);
      expect(await two.claim('a', MS)).to.equal(false);
      expect(await withLock(two, clock, 'a', MS, () => expect.fail('not twice'))).to.equal(false);
    }
    fail(new Error('no'));
    expect(await work.catch(String)).to.equal('Error: no');
    expect(await two.claim('a', MS)).to.equal(true);
  });
});
