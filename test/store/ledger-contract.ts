/** The contract of every work ledger (store/ledger.ts). */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Lease, LeaseSettings, News, WorkChange, WorkItem, WorkLedger } from '../../store/ledger.ts';
import { runs, seeded } from '../support/seed.ts';

export const actor = (id: string) => ({ kind: 'batch-job', id });
export const item = (id: string, more: Partial<WorkItem> = {}): WorkItem => ({
  id,
  actor: actor('job'),
  key: `key of ${id}`,
  queue: 'FACE',
  kind: 'DETECT',
  priority: 4,
  attempt: 1,
  share: 0,
  ...more,
});

export interface OpenLedger {
  readonly ledger: WorkLedger;
  /** Applies the change of work in a commit of an actor. */
  apply(actor: WorkItem['actor'], change: WorkChange): Promise<void>;
  close?(): Promise<void>;
}
export type Open = (parts: {
  readonly settings: LeaseSettings;
  now(): number;
  /** Weight of an item's user; absent: all users have the same weight. */
  readonly weightOf?: (item: WorkItem) => number;
}) => OpenLedger | Promise<OpenLedger>;

const SETTINGS = { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 600_000, cancelGraceMs: 5_000 };

/** A ledger with its clock and its recorded notifications. */
class Watched {
  readonly #clock: { at: number };
  readonly of: WorkLedger;
  readonly #opened: OpenLedger;
  readonly lost: string[] = [];
  readonly dropped: string[] = [];
  readonly offered: string[] = [];
  readonly expired: string[] = [];

  static async on(open: Open): Promise<Watched> {
    const clock = { at: 0 };
    return new Watched(await open({ settings: SETTINGS, now: () => clock.at }), clock);
  }

  private constructor(opened: OpenLedger, clock: { at: number }) {
    this.of = opened.ledger;
    this.#opened = opened;
    this.#clock = clock;
    this.of.watch({
      onOffer: (queues) => {
        for (const [queue, { waiting, held }] of queues)
          this.offered.push(`${queue}: ${waiting} wait, ${held} are held`);
      },
      news: (news) => news.forEach((one) => this.#hear(one)),
    });
  }

  get at(): number {
    return this.#clock.at;
  }

  set at(at: number) {
    this.#clock.at = at;
  }

  async close(): Promise<void> {
    await this.#opened.close?.();
  }

  #hear(news: News): void {
    const { id, actor: of, key } = news.item;
    if (news.what === 'lost') this.lost.push(`${id} (${news.token}): ${news.reason}`);
    else this.dropped.push(`${of.id}: ${key}`);
  }

  commit(change: WorkChange, by = 'job'): Promise<void> {
    return this.#opened.apply(actor(by), change);
  }

  offer(...items: readonly WorkItem[]): Promise<void> {
    return this.commit({ offer: items });
  }

  withdraw(...ids: readonly string[]): Promise<void> {
    return this.commit({ withdraw: ids.map((id) => item(id)) });
  }

  claim(worker = 'worker', max = 1, queues: readonly string[] = ['FACE']): Promise<readonly Lease[]> {
    return this.of.claim({ queues, max, worker });
  }

  /** Claims an item for a worker. */
  async takeItem(id: string, worker = 'worker'): Promise<Lease> {
    await this.offer(item(id));
    const [lease] = await this.claim(worker);
    return lease!;
  }

  beat({ token, worker }: Lease, done = 0): Promise<'on' | 'cancelled' | 'lost'> {
    return this.of.beat(token, worker, done, 100);
  }

  async tick(stalledMs = 0): Promise<void> {
    for (const { lease, reason } of await this.of.expire(stalledMs))
      this.expired.push(`${lease.worker}: ${reason}`);
  }

  tickAt(at: number): Promise<void> {
    this.at = at;
    return this.tick();
  }

  /** Sends a heartbeat without progress every 10 s up to this time. */
  async beatingUntil(lease: Lease, at: number): Promise<void> {
    while (this.at + 10_000 < at) {
      this.at += 10_000;
      await this.beat(lease, lease.done);
      await this.tick();
    }
    this.at = at;
  }

  /** Claims all waiting items and returns their ids. Items that must run alone get a worker of their own. */
  async takeWaiting(): Promise<readonly string[]> {
    const taken: string[] = [];
    for (;;) {
      const leases = await this.claim(`taker ${taken.length}`, 100);
      if (leases.length === 0) return taken;
      taken.push(...leases.map(({ item: { id } }) => id));
    }
  }
}

export function ledgerContract(open: Open): void {
  let ledger: Watched;
  beforeEach(async () => {
    ledger = await Watched.on(open);
  });
  afterEach(() => ledger.close());

  describe('when work is claimed', () => {
    it('hands out what is urgent first, at most what was asked for, of the queues that were named', async () => {
      await ledger.offer(
        item('slow', { priority: 1 }),
        item('urgent', { priority: 9 }),
        item('text', { queue: 'TEXT', priority: 9 }),
      );
      expect((await ledger.claim('w', 1)).map((lease) => lease.item.id)).to.deep.equal(['urgent']);
      expect((await ledger.claim('w', 5)).map((lease) => lease.item.id)).to.deep.equal(['slow']);
      expect(await ledger.claim('w', 5)).to.deep.equal([]);
    });

    it('gives every lease a token that nobody can guess', async () => {
      await ledger.offer(item('a'), item('b'));
      const tokens = (await ledger.claim('w', 2)).map(({ token }) => token);
      expect(new Set(tokens).size).to.equal(2);
      for (const token of tokens) expect(token).to.match(/^[\w-]{22}$/);
    });

    it('tells how much waits and is held in a queue whenever something is offered there', async () => {
      await ledger.offer(item('a'), item('b'));
      await ledger.claim();
      await ledger.offer(item('c'));
      expect(ledger.offered).to.deep.equal(['FACE: 2 wait, 0 are held', 'FACE: 2 wait, 1 are held']);
      await ledger.of.announce();
      expect(ledger.offered.at(-1)).to.equal('FACE: 2 wait, 1 are held');
    });

    it('serves the queues of a worker in turn, so that none of them starves', async () => {
      const queues = ['PREPARE', 'FINISH', 'DOCUMENT'];
      const numbers = Array.from({ length: 9 }, (_, n) => n);
      for (const queue of queues) await ledger.offer(...numbers.map((n) => item(`${queue}-${n}`, { queue })));
      const served: string[] = [];
      for (let n = 0; n < 9; n++)
        served.push(...(await ledger.claim('w', 1, queues)).map(({ item: { queue } }) => queue));
      for (const queue of queues) expect(served.filter((one) => one === queue)).to.have.lengthOf(3);
    });
  });

  describe('when work is offered again', () => {
    it('takes it once, while it waits and while it is held', async () => {
      await ledger.offer(item('a'));
      await ledger.offer(item('a'), item('b'));
      const [lease] = await ledger.claim();
      await ledger.of.offer([item('a'), item('b')]);
      expect(await ledger.takeWaiting()).to.deep.equal(['b']);
      expect(await ledger.of.look(lease!.token, 'worker')).to.include({ token: lease!.token });
    });

    it('takes no attempt twice of which its actor has not heard yet that it was lost', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.of.reject(token, 'garbage');
      await ledger.of.offer([item('a')]);
      expect(await ledger.takeWaiting()).to.deep.equal([]);
      await ledger.offer(item('a', { attempt: 2 }));
      expect(await ledger.takeWaiting()).to.deep.equal(['a']);
    });
  });

  describe('watches three clocks', () => {
    it('the lease: without heartbeat for 15 s the item is lost, and its worker named', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.tickAt(14_999);
      expect([ledger.lost, ledger.expired]).to.deep.equal([[], []]);
      await ledger.tickAt(15_000);
      expect(ledger.lost).to.deep.equal([`a (${token}): no heartbeat for 15000 ms`]);
      expect(ledger.expired).to.deep.equal(['worker: no heartbeat for 15000 ms']);
      await ledger.tickAt(30_000);
      expect(ledger.lost).to.have.lengthOf(1);
    });

    it('the lease is moved by every heartbeat', async () => {
      const lease = await ledger.takeItem('a');
      ledger.at = 10_000;
      await ledger.beat(lease);
      await ledger.tickAt(24_999);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.tickAt(25_000);
      expect(ledger.lost).to.have.lengthOf(1);
    });

    it('silence: heartbeats without progress for 120 s do not help', async () => {
      const lease = await ledger.takeItem('a');
      await ledger.beatingUntil(lease, 119_999);
      await ledger.beat(lease, 0);
      await ledger.tickAt(119_999);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.tickAt(120_000);
      expect(ledger.lost[0]).to.contain('no progress for 120000 ms');
      expect(ledger.expired).to.have.lengthOf(1);
    });

    it('silence is moved by progress, and not by progress that falls back', async () => {
      const lease = await ledger.takeItem('a');
      await ledger.beatingUntil(lease, 100_000);
      await ledger.beat(lease, 5);
      await ledger.beatingUntil({ ...lease, done: 3 }, 219_000);
      await ledger.beat(lease, 4);
      await ledger.tickAt(219_999);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.tickAt(220_000);
      expect(ledger.lost[0]).to.contain('no progress');
    });

    it('silence and lease are extended by parts of an answer; a complete one ends silence', async () => {
      const lease = await ledger.takeItem('a');
      const { token } = lease;
      await ledger.beatingUntil(lease, 119_000);
      await ledger.of.noteArrival(token, false);
      await ledger.tickAt(133_999);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.beatingUntil(lease, 238_000);
      await ledger.of.noteArrival(token, true);
      await ledger.beatingUntil(lease, 500_000);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.tickAt(515_000);
      expect(ledger.lost[0]).to.contain('no heartbeat');
    });

    it('the whole: in the end nothing helps', async () => {
      const lease = await ledger.takeItem('a');
      for (let done = 1; ledger.at < 590_000; done++) {
        ledger.at += 10_000;
        await ledger.beat(lease, done);
        await ledger.tick();
      }
      await ledger.tickAt(599_999);
      expect(ledger.lost).to.deep.equal([]);
      await ledger.tickAt(600_000);
      expect(ledger.lost[0]).to.contain('not done after 600000 ms');
    });

    it('and none of them counts the time in which the server stood still', async () => {
      const lease = await ledger.takeItem('a');
      ledger.at = 60_000;
      await ledger.tick(50_000);
      expect(ledger.lost).to.deep.equal([]);
      expect(await ledger.beat(lease)).to.equal('on');
    });

    it('and tells a late heartbeat, and a late answer, that the lease is lost', async () => {
      const lease = await ledger.takeItem('a');
      await ledger.tickAt(15_000);
      const { token, worker } = lease;
      expect(await ledger.beat(lease)).to.equal('lost');
      expect(await ledger.of.look(token, worker)).to.equal('lost');
      expect(await ledger.of.release(token, worker)).to.equal(false);
      expect(await ledger.of.reject(token, '')).to.equal(false);
      expect(ledger.lost).to.have.lengthOf(1);
    });
  });

  describe('when the priority of work changes', () => {
    it('hands out what waits by its new priority, behind what waits with it already', async () => {
      await ledger.offer(item('a'), item('b'));
      await ledger.commit({ offer: [item('other', { actor: actor('other'), priority: 6 })] }, 'other');
      await ledger.commit({ prioritize: [item('a', { priority: 6 }), item('b', { priority: 9 })] });
      const leases = await ledger.claim('worker', 3);
      expect(leases.map(({ item: { id, priority } }) => [id, priority])).to.deep.equal([
        ['b', 9],
        ['other', 6],
        ['a', 6],
      ]);
    });

    it('hands out what is held by its new priority when it is given back', async () => {
      await ledger.offer(item('a'), item('b', { priority: 5 }));
      const [held] = await ledger.claim('one');
      await ledger.commit({ prioritize: [item('b', { priority: 1 })] });
      await ledger.of.release(held!.token, 'one');
      expect((await ledger.claim('worker', 2)).map(({ item: { id } }) => id)).to.deep.equal(['a', 'b']);
    });

    it('keeps whose it is: users take turns at the new priority as well', async () => {
      const of = (user: string) => ({ actor: actor(`job of ${user}`), user });
      const anns = ['a1', 'a2', 'a3'].map((id) => item(id, { ...of('ann'), priority: 6 }));
      const bobs = ['b1', 'b2'].map((id) => item(id, of('bob')));
      await ledger.commit({ offer: anns }, 'job of ann');
      await ledger.commit({ offer: bobs }, 'job of bob');
      await ledger.commit({ prioritize: bobs.map((one) => ({ ...one, priority: 6 })) }, 'job of bob');
      const leases = await ledger.claim('worker', 5);
      expect(leases.map(({ item: { id } }) => id)).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3']);
    });

    it('keeps since when it waits, and takes nothing that is not known', async () => {
      await ledger.offer(item('a'));
      ledger.at = 1_000;
      await ledger.commit({ prioritize: [item('a', { priority: 9 }), item('unknown', { priority: 9 })] });
      expect(Object.fromEntries(await ledger.of.queues())).to.deep.equal({
        FACE: { waiting: 1, held: 0, oldestMs: 1_000 },
      });
    });
  });

  describe('when work is withdrawn', () => {
    it('drops at once what waits, and what it does not know', async () => {
      await ledger.offer(item('a'), item('stays'));
      await ledger.withdraw('a', 'unknown');
      expect(ledger.dropped).to.deep.equal(['job: key of a', 'job: key of unknown']);
      expect(await ledger.takeWaiting()).to.deep.equal(['stays']);
    });

    it('tells the worker with its next heartbeat, and drops the item uncounted when it lets go', async () => {
      const lease = await ledger.takeItem('a');
      await ledger.withdraw('a');
      expect(ledger.dropped).to.deep.equal([]);
      expect(await ledger.beat(lease)).to.equal('cancelled');
      await ledger.of.release(lease.token, 'worker');
      expect([ledger.dropped, ledger.lost]).to.deep.equal([['job: key of a'], []]);
      expect(await ledger.takeWaiting()).to.deep.equal([]);
    });

    it('names a worker that does not stop within its grace after it was told', async () => {
      const lease = await ledger.takeItem('a');
      ledger.at = 1_000;
      await ledger.withdraw('a');
      ledger.at = 3_000;
      await ledger.beat(lease);
      await ledger.tickAt(7_999);
      expect(ledger.expired).to.deep.equal([]);
      await ledger.tickAt(8_000);
      expect(ledger.expired).to.deep.equal(['worker: did not stop within 5000 ms of being cancelled']);
      expect([ledger.dropped, ledger.lost]).to.deep.equal([['job: key of a'], []]);
    });

    it('does not wait longer for one that goes on beating, or whose item is withdrawn again', async () => {
      const lease = await ledger.takeItem('a');
      await ledger.withdraw('a');
      for (ledger.at = 1_000; ledger.at < 6_000; ledger.at += 1_000) {
        await ledger.beat(lease, ledger.at);
        await ledger.withdraw('a');
      }
      await ledger.tickAt(6_000);
      expect(ledger.expired).to.have.lengthOf(1);
    });

    it('does not wait much longer for one that does not even beat', async () => {
      await ledger.takeItem('a');
      await ledger.withdraw('a');
      await ledger.tickAt(9_999);
      expect(ledger.expired).to.deep.equal([]);
      await ledger.tickAt(10_000);
      expect(ledger.dropped).to.deep.equal(['job: key of a']);
    });

    for (const [how, end] of Object.entries<(of: WorkLedger, token: string) => Promise<unknown>>({
      'its answer is garbage': (of, token) => of.reject(token, 'garbage'),
      'its worker dies': (of) => of.releaseWorker('worker', true, 'died'),
      'its worker is stopped': (of) => of.releaseWorker('worker', false, 'stopped'),
    }))
      it(`drops it, and counts nothing, when ${how}`, async () => {
        const { token } = await ledger.takeItem('a');
        await ledger.withdraw('a');
        await end(ledger.of, token);
        expect([ledger.dropped, ledger.lost]).to.deep.equal([['job: key of a'], []]);
        expect(await ledger.takeWaiting()).to.deep.equal([]);
      });
  });

  describe('when work comes back', () => {
    it('unharmed, hands it out again, and it does not count', async () => {
      const { token } = await ledger.takeItem('a');
      expect(await ledger.of.release(token, 'worker')).to.equal(true);
      expect(ledger.lost).to.deep.equal([]);
      const [again] = await ledger.claim('other');
      expect(again?.item.id).to.equal('a');
      expect(again?.token).to.not.equal(token);
    });

    it('unharmed again and again, counts it in the end', async () => {
      await ledger.offer(item('a'));
      for (let n = 0; n <= 20; n++) await ledger.of.release((await ledger.claim())[0]!.token, 'worker');
      expect(ledger.lost[0]).to.contain('it was given back 20 times');
    });

    it('as garbage, counts it and does not hand it out before its actor offers it again', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.of.reject(token, 'no JSON');
      expect(ledger.lost).to.deep.equal([`a (${token}): no JSON`]);
      expect(await ledger.takeWaiting()).to.deep.equal([]);
      await ledger.offer(item('a', { attempt: 2 }));
      expect(await ledger.takeWaiting()).to.deep.equal(['a']);
    });

    it('from a worker that does not hold it, takes nothing', async () => {
      const { token } = await ledger.takeItem('a');
      expect(await ledger.of.release(token, 'thief')).to.equal(false);
      expect(await ledger.of.look(token, 'thief')).to.equal('lost');
      expect(await ledger.of.beat(token, 'thief', 1, 1)).to.equal('lost');
      expect(await ledger.of.look(token, 'worker')).to.include({ token });
    });
  });

  describe('when a worker is gone', () => {
    it('by its own doing, counts what it held, and only that', async () => {
      const mine = await ledger.takeItem('a');
      const other = await ledger.takeItem('c', 'other');
      await ledger.of.releaseWorker('worker', true, 'it died');
      expect(ledger.lost).to.deep.equal([`a (${mine.token}): it died`]);
      expect(await ledger.beat(other)).to.equal('on');
    });

    it('with several single claims counts none: the answer of a claim may never have reached it', async () => {
      await ledger.takeItem('unreceived');
      const working = await ledger.takeItem('working');
      await ledger.beat(working);
      await ledger.of.releaseWorker('worker', true, 'it died');
      expect(ledger.lost).to.deep.equal([]);
    });

    it('with several that it had claimed one by one, has each handed out with no other beside it', async () => {
      await ledger.takeItem('a');
      await ledger.takeItem('b');
      await ledger.of.releaseWorker('worker', true, 'it died');
      const ids = (leases: readonly Lease[]) => leases.map(({ item: { id } }) => id);
      expect(ids(await ledger.claim('one', 9))).to.deep.equal(['a']);
      expect(await ledger.claim('one'), 'it holds another').to.deep.equal([]);
      await ledger.of.releaseWorker('one', true, 'it died again');
      expect(ledger.lost, 'it was alone').to.have.length(1);
      expect(ids(await ledger.claim('two', 9))).to.deep.equal(['b']);
    });

    it('with several, has nobody get others beside one of them', async () => {
      await ledger.takeItem('a');
      await ledger.takeItem('b');
      await ledger.of.releaseWorker('worker', true, 'it died');
      await ledger.commit({ offer: [item('other', { actor: actor('another') })] }, 'another');
      const [lease] = await ledger.claim('one');
      expect(await ledger.claim('one'), 'it holds one that is to have no other beside it').to.deep.equal([]);
      await ledger.of.releaseWorker('one', true, 'it died again');
      expect(ledger.lost).to.deep.equal([`a (${lease!.token}): it died again`]);
    });

    it('because it was stopped, hands out again what it held', async () => {
      await ledger.takeItem('a');
      await ledger.of.releaseWorker('worker', false, 'stopped');
      expect(ledger.lost).to.deep.equal([]);
      expect(await ledger.takeWaiting()).to.deep.equal(['a']);
    });
  });

  describe('what became of an item', () => {
    it('stays until its actor has taken it in, so that news that got lost is told again', async () => {
      const { token } = await ledger.takeItem('lost');
      await ledger.of.reject(token, 'garbage');
      await ledger.takeItem('kept');
      await ledger.withdraw('dropped');
      const ids = async () => (await ledger.of.news(10)).map(({ what, item: { id } }) => `${what} ${id}`);
      expect(await ids()).to.deep.equal(['lost lost', 'dropped dropped']);
      expect(await ledger.of.news(1)).to.have.lengthOf(1);
      await ledger.commit({ settle: ['dropped'], offer: [item('lost', { attempt: 2 })] });
      expect(await ids()).to.deep.equal([]);
    });

    it('goes when its actor has nothing to do with it, but not what has become of it since', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.of.reject(token, 'garbage');
      const [news] = await ledger.of.news(1);
      await ledger.offer(item('a', { attempt: 2 }));
      await ledger.of.dismiss(news!);
      expect(await ledger.takeWaiting()).to.deep.equal(['a']);
      await ledger.of.releaseWorker('taker 0', true, 'died');
      await ledger.of.dismiss((await ledger.of.news(1))[0]!);
      expect(await ledger.of.listIds(actor('job'))).to.deep.equal(new Set());
    });

    it('is over when it is settled, wherever it was', async () => {
      await ledger.takeItem('held');
      await ledger.offer(item('waiting'));
      await ledger.withdraw('dropped');
      expect((await ledger.of.listIds(actor('job'))).size).to.equal(3);
      await ledger.commit({ settle: ['held', 'waiting', 'dropped', 'unknown'] });
      expect(await ledger.of.listIds(actor('job'))).to.deep.equal(new Set());
      expect([await ledger.takeWaiting(), await ledger.of.news(9), await ledger.of.leases()]).to.deep.equal([
        [],
        [],
        [],
      ]);
    });

    it('is forgotten once all work of the actor is cleared; whoever holds some is told', async () => {
      const lease = await ledger.takeItem('held');
      await ledger.offer(item('waiting'), item('other', { actor: actor('other') }));
      await ledger.commit({ clear: true });
      expect(await ledger.beat(lease)).to.equal('cancelled');
      await ledger.of.release(lease.token, 'worker');
      expect([ledger.dropped, ledger.lost, await ledger.of.news(9)]).to.deep.equal([[], [], []]);
      expect(await ledger.of.listIds(actor('job'))).to.deep.equal(new Set());
      expect(await ledger.takeWaiting()).to.deep.equal(['other']);
    });

    it('is nothing when nobody knows what it is for', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.of.forget(token);
      expect(await ledger.of.listIds(actor('job'))).to.deep.equal(new Set());
      expect(await ledger.of.look(token, 'worker')).to.equal('lost');
    });
  });

  describe('when an answer is taken', () => {
    it('remembers its token, so that a repeated answer is answered as the first', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.commit({ settle: ['a'] });
      expect(await ledger.of.look(token, 'worker')).to.equal('settled');
      await ledger.tickAt(100_000);
      expect(ledger.lost).to.deep.equal([]);
    });

    it('remembers which answer it was: the first that had come', async () => {
      const { token } = await ledger.takeItem('a');
      expect(await ledger.of.answerOf(token), 'it is not accepted yet').to.equal(undefined);
      expect(await ledger.of.noteArrival(token, false)).to.equal(true);
      expect(await ledger.of.noteArrival(token, true, 'first')).to.equal(true);
      expect(await ledger.of.noteArrival(token, true, 'first'), 'the same once more').to.equal(true);
      expect(await ledger.of.noteArrival(token, true, 'other')).to.equal(false);
      await ledger.commit({ settle: ['a'] });
      expect(await ledger.of.answerOf(token)).to.equal('first');
      expect(await ledger.of.noteArrival(token, true, 'other'), 'the lease is over').to.equal(true);
    });

    it('knows no answer of a lease that nobody has answered, or that is held anew', async () => {
      const { token } = await ledger.takeItem('a');
      await ledger.commit({ settle: ['a'] });
      expect(await ledger.of.answerOf(token)).to.equal(undefined);
      const before = await ledger.takeItem('b');
      await ledger.of.noteArrival(before.token, true, 'first');
      await ledger.of.release(before.token, 'worker');
      const [after] = await ledger.of.claim({ queues: ['FACE'], max: 1, worker: 'other' });
      expect(await ledger.of.noteArrival(after!.token, true, 'other')).to.equal(true);
    });

    it('remembers the last thousand', async () => {
      await ledger.offer(...Array.from({ length: 1_001 }, (_, n) => item(`${n}`)));
      const leases = await ledger.of.claim({ queues: ['FACE'], max: 1_001, worker: 'worker' });
      expect(leases).to.have.length(1_001);
      for (const [n, { token }] of leases.entries()) await ledger.of.noteArrival(token, true, `answer ${n}`);
      await ledger.commit({ settle: leases.map(({ item: { id } }) => id) });
      const found = await Promise.all([0, 1, 1_000].map((n) => ledger.of.look(leases[n]!.token, 'worker')));
      expect(found).to.deep.equal(['lost', 'settled', 'settled']);
      const answers = await Promise.all([0, 1, 1_000].map((n) => ledger.of.answerOf(leases[n]!.token)));
      expect(answers).to.deep.equal([undefined, 'answer 1', 'answer 1000']);
    });
  });

  describe('when a worker does several items in turn', () => {
    const inTurn = (max: number, worker = 'worker') =>
      ledger.of.claim({ queues: ['FACE'], max, worker, inTurn: true });
    const ids = (leases: readonly Lease[]) => leases.map(({ item: { id } }) => id);
    const offerItems = (count: number) =>
      ledger.offer(...Array.from({ length: count }, (_, n) => item(`i${n}`)));

    it('gets at most half of many that wait, so that others get some as well', async () => {
      await offerItems(60);
      expect(ids(await inTurn(64, 'a'))).to.have.length(30);
      expect(ids(await inTurn(64, 'b'))).to.have.length(16);
      expect(ids(await inTurn(64, 'a'))).to.have.length(14);
    });

    it('gets items of several actors in turn, so that a large one holds up no small one', async () => {
      await offerItems(20);
      await ledger.commit({ offer: [item('other', { actor: actor('small') })] }, 'small');
      expect(ids(await inTurn(4))).to.deep.equal(['i0', 'other', 'i1', 'i2']);
    });

    it('is told which of them is all that its actor waits for', async () => {
      await offerItems(6);
      await ledger.commit({ offer: [item('other', { actor: actor('small') })] }, 'small');
      const leases = await inTurn(4);
      expect(leases.map(({ item: { id }, last = false }) => [id, last])).to.deep.equal([
        ['i0', false],
        ['other', true],
        ['i1', false],
        ['i2', false],
      ]);
    });

    it('costs none of them an attempt when it dies; each is then handed out alone', async () => {
      await offerItems(4);
      expect(ids(await inTurn(2))).to.deep.equal(['i0', 'i1']);
      await ledger.of.releaseWorker('worker', true, 'it crashed');
      expect(ledger.lost).to.deep.equal([]);
      expect(ids(await inTurn(64))).to.deep.equal(['i2', 'i3']);
      // A worker that holds other items does not get it.
      expect(await inTurn(64)).to.deep.equal([]);
      expect(ids(await inTurn(64, 'b'))).to.deep.equal(['i0']);
      expect(ids(await inTurn(64, 'c'))).to.deep.equal(['i1']);
    });

    it('costs the one that was handed out alone its attempts, and stays alone with it', async () => {
      await offerItems(4);
      await inTurn(2);
      await ledger.of.releaseWorker('worker', true, 'it crashed');
      expect(ids(await ledger.claim('other', 2))).to.deep.equal(['i2', 'i3']);
      const [lease] = await inTurn(64);
      await ledger.of.releaseWorker('worker', true, 'it crashed again');
      expect(ledger.lost).to.deep.equal([`i0 (${lease!.token}): it crashed again`]);
      await ledger.offer(item('i0', { attempt: 2 }), item('new'), item('newer'));
      expect(ids(await inTurn(64, 'a'))).to.deep.equal(['i1']);
      expect(ids(await inTurn(64, 'b'))).to.deep.equal(['i0']);
    });

    it('costs none of them an attempt when it hangs; it is named once', async () => {
      await offerItems(4);
      await inTurn(2);
      await ledger.tickAt(15_001);
      expect(ledger.lost).to.deep.equal([]);
      expect(ledger.expired).to.deep.equal(['worker: no heartbeat for 15000 ms']);
      expect(await ledger.takeWaiting()).to.have.members(['i0', 'i1', 'i2', 'i3']);
    });

    it('keeps all of them with a heartbeat for one, and only its own', async () => {
      await offerItems(4);
      const [first] = await inTurn(2);
      await inTurn(1, 'silent');
      ledger.at = 14_000;
      await ledger.beat(first!, 1);
      await ledger.tickAt(20_000);
      expect(ledger.expired).to.deep.equal(['silent: no heartbeat for 15000 ms']);
      ledger.at = 28_000;
      await ledger.beat(first!, 2);
      await ledger.tickAt(29_000);
      expect(ledger.expired).to.have.length(1);
    });

    it('loses what it has not begun after SILENCE_MS while it works on others, uncounted', async () => {
      await offerItems(3);
      const [first] = await inTurn(1);
      const [second] = await inTurn(1);
      // The response to this claim gets lost.
      await inTurn(1);
      await ledger.beat(second!);
      for (let done = 1; ledger.at < 130_000; done++) {
        ledger.at += 10_000;
        await ledger.beat(first!, done);
        await ledger.tick();
      }
      expect(await ledger.takeWaiting()).to.deep.equal(['i2']);
      expect([ledger.lost, ledger.expired]).to.deep.equal([[], []]);
      expect([await ledger.beat(first!), await ledger.beat(second!)]).to.deep.equal(['on', 'on']);
    });

    it('gives back what it has not begun as often as it likes', async () => {
      await ledger.offer(item('a'));
      for (let n = 0; n <= 40; n++) await ledger.of.release((await inTurn(1))[0]!.token, 'worker', false);
      expect(ledger.lost).to.deep.equal([]);
      expect(await ledger.takeWaiting()).to.deep.equal(['a']);
    });

    it('drops what was cancelled meanwhile when it dies', async () => {
      await offerItems(4);
      await inTurn(2);
      await ledger.withdraw('i0');
      await ledger.of.releaseWorker('worker', true, 'it crashed');
      expect(ledger.dropped).to.deep.equal(['job: key of i0']);
      expect(await ledger.takeWaiting()).to.have.members(['i1', 'i2', 'i3']);
    });
  });

  it('gives up what waits in a queue that nobody can serve, and nothing else', async () => {
    const running = await ledger.takeItem('running');
    await ledger.offer(item('a'), item('b'), item('text', { queue: 'TEXT' }));
    await ledger.of.unavailable('FACE', 'it cannot be started');
    expect(ledger.lost).to.deep.equal(['a (): it cannot be started', 'b (): it cannot be started']);
    expect(await ledger.beat(running)).to.equal('on');
    expect((await ledger.claim('w', 9, ['TEXT'])).map((lease) => lease.item.id)).to.deep.equal(['text']);
  });

  it('tells of each queue what waits, how long, and what is held', async () => {
    await ledger.takeItem('a');
    await ledger.offer(item('b'));
    ledger.at = 700;
    await ledger.offer(item('c'), item('b'), item('text', { queue: 'TEXT' }));
    expect(await ledger.of.queues()).to.deep.equal(
      new Map([
        ['FACE', { waiting: 2, held: 1, oldestMs: 700 }],
        ['TEXT', { waiting: 1, held: 0, oldestMs: 0 }],
      ]),
    );
    await ledger.commit({ settle: ['a', 'b', 'c', 'text'] });
    expect(await ledger.of.queues()).to.deep.equal(new Map());
  });

  it('counts what waits and what is held in each queue, and forgets empty ones', async () => {
    await ledger.offer(item('a', { queue: 'LOAD/x/me' }), item('b', { queue: 'LOAD/x/me' }));
    await ledger.offer(item('c', { queue: 'LOAD/y/me' }));
    await ledger.claim('w', 1, ['LOAD/x/me']);
    const counts = await ledger.of.counts();
    expect([...counts.keys()]).to.have.members(['LOAD/x/me', 'LOAD/y/me']);
    expect(counts.get('LOAD/x/me')).to.include({ waiting: 1, held: 1 });
    expect(counts.get('LOAD/y/me')).to.include({ waiting: 1, held: 0 });
    await ledger.commit({ settle: ['a', 'b', 'c'] });
    expect((await ledger.of.counts()).size).to.equal(0);
  });

  it('tells of single actors what is held, and how many items are before theirs in each queue', async () => {
    const lease = await ledger.takeItem('a');
    await ledger.offer(
      item('b'),
      item('c', { actor: actor('other') }),
      item('d', { actor: actor('other'), queue: 'TEXT' }),
    );
    expect(await ledger.of.workStatus([actor('job'), actor('other'), actor('unknown')])).to.deep.equal([
      { leases: [lease], ahead: new Map([['FACE', 0]]) },
      {
        leases: [],
        ahead: new Map([
          ['FACE', 1],
          ['TEXT', 0],
        ]),
      },
      { leases: [], ahead: new Map() },
    ]);
  });
}

/** The contract as one map: the state of each item, by id. */
interface Modelled {
  readonly attempt: number;
  readonly state: 'waiting' | 'held' | 'withdrawn' | 'orphan' | 'lost' | 'dropped';
}

export function ledgerModel(open: Open): void {
  it(`does what a plain map does, whatever happens to its items ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEvent, { maxLength: 60 }), async (events) => {
        const real = await Watched.on(open);
        const model = new Map<string, Modelled>();
        for (const event of events) {
          await happens(event, real, model);
          const ids = (...states: readonly Modelled['state'][]) =>
            [...model]
              .filter(([, { state }]) => states.includes(state))
              .map(([id]) => id)
              .toSorted();
          const leases = await real.of.leases();
          expect(leases.map((lease) => lease.item.id).toSorted(), 'held').to.deep.equal(
            ids('held', 'withdrawn', 'orphan'),
          );
          const news = await real.of.news(100);
          expect(
            news
              .filter(({ what }) => what === 'lost')
              .map((one) => one.item.id)
              .toSorted(),
          ).to.deep.equal(ids('lost'));
          expect(
            news
              .filter(({ what }) => what === 'dropped')
              .map((one) => one.item.id)
              .toSorted(),
          ).to.deep.equal(ids('dropped'));
          expect([...(await real.of.listIds(actor('job')))].toSorted(), 'known').to.deep.equal(
            [...model.keys()].toSorted(),
          );
          const figures = (await real.of.queues()).get('FACE');
          expect([figures?.waiting ?? 0, figures?.held ?? 0]).to.deep.equal([
            ids('waiting').length,
            leases.length,
          ]);
        }
      }),
      runs(300),
    );
  });
}

const anId = fc.nat(5).map(String);
const anEvent = fc.oneof(
  fc.record({ type: fc.constantFrom('offer', 'offer next', 'withdraw', 'settle', 'dismiss'), id: anId }),
  fc.record({ type: fc.constantFrom('release', 'reject', 'forget'), id: anId }),
  fc.record({
    type: fc.constantFrom('claim', 'gone', 'stopped', 'time passes', 'unavailable', 'clear'),
    id: anId,
  }),
);

async function happens(
  { type, id }: { readonly type: string; readonly id: string },
  real: Watched,
  model: Map<string, Modelled>,
): Promise<void> {
  const known = model.get(id);
  const lease = (await real.of.leases()).find((one) => one.item.id === id);
  const all = (change: (one: Modelled) => Modelled | undefined) => {
    for (const [of, one] of [...model]) put(model, of, change(one));
  };
  const isHeld = ({ state }: Modelled) => state === 'held' || state === 'withdrawn' || state === 'orphan';
  const lose = (one: Modelled): Modelled | undefined => {
    if (one.state === 'orphan') return undefined;
    return { ...one, state: one.state === 'withdrawn' ? 'dropped' : 'lost' };
  };
  const back = (one: Modelled) =>
    one.state === 'held' ? ({ ...one, state: 'waiting' } as const) : lose(one);
  const ofOne = [...model.values()].filter(isHeld).length === 1;
  switch (type) {
    case 'offer':
    case 'offer next': {
      const attempt = type === 'offer' ? (known?.attempt ?? 1) : (known?.attempt ?? 0) + 1;
      await real.offer(item(id, { attempt }));
      const isTold = known?.state === 'lost' || known?.state === 'dropped';
      if (known === undefined || (isTold && attempt > known.attempt))
        model.set(id, { attempt, state: 'waiting' });
      break;
    }
    case 'withdraw':
      await real.commit({ withdraw: [item(id, { attempt: known?.attempt ?? 1 })] });
      if (known?.state === 'held') model.set(id, { ...known, state: 'withdrawn' });
      else if (known === undefined || !isHeld(known))
        model.set(id, { attempt: known?.attempt ?? 1, state: 'dropped' });
      break;
    case 'settle':
      await real.commit({ settle: [id] });
      model.delete(id);
      break;
    case 'dismiss': {
      const news = (await real.of.news(100)).find((one) => one.item.id === id);
      if (news === undefined) break;
      await real.of.dismiss(news);
      model.delete(id);
      break;
    }
    case 'release':
      if (lease === undefined) break;
      await real.of.release(lease.token, lease.worker);
      put(model, id, back(known!));
      break;
    case 'reject':
      if (lease === undefined) break;
      await real.of.reject(lease.token, 'garbage');
      put(model, id, lose(known!));
      break;
    case 'forget':
      if (lease === undefined) break;
      await real.of.forget(lease.token);
      model.delete(id);
      break;
    case 'claim':
      for (const claimed of await real.claim('worker', 2)) {
        const one = model.get(claimed.item.id);
        expect(one?.state, 'what is handed out waited').to.equal('waiting');
        model.set(claimed.item.id, { ...one!, state: 'held' });
      }
      break;
    case 'gone':
    case 'stopped':
      await real.of.releaseWorker('worker', type === 'gone', 'it is gone');
      all((one) => (isHeld(one) ? (type === 'gone' && ofOne ? lose(one) : back(one)) : one));
      break;
    case 'time passes':
      await real.tickAt(real.at + 15_000);
      all((one) => (isHeld(one) ? lose(one) : one));
      break;
    case 'unavailable':
      await real.of.unavailable('FACE', 'it cannot be started');
      all((one) => (one.state === 'waiting' ? { ...one, state: 'lost' } : one));
      break;
    case 'clear':
      await real.commit({ clear: true });
      all((one) => (isHeld(one) ? { ...one, state: 'orphan' } : undefined));
  }
}

function put(model: Map<string, Modelled>, id: string, one: Modelled | undefined): void {
  if (one === undefined) model.delete(id);
  else model.set(id, one);
}
