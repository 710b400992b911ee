import { expect } from 'chai';
import { dispatcherKind, startTicking } from '../../../actors/dispatcher/actor.ts';
import type {
  DispatcherCommand,
  DispatcherReply,
  Lease,
  SubJob,
} from '../../../actors/dispatcher/commands.ts';
import { VirtualClock } from '../../../actors/runtime/clock.ts';
import type { Behavior } from '../../../actors/runtime/system.ts';
import { MemoryQueue } from '../../../store/memory-queue.ts';

const SETTINGS = { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 600_000, cancelGraceMs: 5_000 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const subJob = (id: string, more: Partial<SubJob> = {}): SubJob => ({
  id,
  key: `key of ${id}`,
  jobId: 'job',
  queue: 'FACE',
  kind: 'DETECT',
  priority: 4,
  attempt: 1,
  share: 0,
  releases: 0,
  ...more,
});

/** A dispatcher, the clock of its messages, and what it told others. */
class Desk {
  /** The time of the next message. */
  at = 0;
  readonly #clock = new VirtualClock();
  readonly lost: string[] = [];
  readonly dropped: string[] = [];
  readonly waiting: string[] = [];
  readonly killed: string[] = [];
  readonly #behavior: Behavior<DispatcherCommand, DispatcherReply>;

  private constructor(
    behavior: (desk: Desk) => Promise<Behavior<DispatcherCommand, DispatcherReply>>,
    made: Behavior<DispatcherCommand, DispatcherReply>[] = [],
  ) {
    this.#behavior = { handle: async (envelope) => (made[0] ??= await behavior(this)).handle(envelope) };
  }

  static open(): Desk {
    return new Desk((desk) =>
      dispatcherKind({
        queue: new MemoryQueue<SubJob>(),
        settings: SETTINGS,
        clock: desk.#clock,
        logger: silent,
        mailbox: 10,
        lost: ({ id }, token, reason) => desk.lost.push(`${id} (${token}): ${reason}`),
        dropped: (jobId, keys) => desk.dropped.push(`${jobId}: ${keys.join(', ')}`),
        waiting: (queue, length, busy) => desk.waiting.push(`${queue}: ${length} wait, ${busy} run`),
        kill: (worker, reason) => desk.killed.push(`${worker}: ${reason}`),
      }).load(''),
    );
  }

  async tell(command: DispatcherCommand): Promise<DispatcherReply> {
    await this.#clock.advance(this.at - this.#clock.now());
    return this.#behavior.handle({ id: '', command, at: this.at, context: {} });
  }

  offer(...subJobs: readonly SubJob[]): Promise<DispatcherReply> {
    return this.tell({ type: 'offer', subJobs });
  }

  async claim(worker = 'worker', max = 1, queues: readonly string[] = ['FACE']): Promise<readonly Lease[]> {
    const reply = await this.tell({ type: 'claim', queues, max, worker });
    return reply.kind === 'claimed' ? reply.leases : [];
  }

  /** A sub-job in the hands of a worker. */
  async leased(id: string, worker = 'worker'): Promise<Lease> {
    await this.offer(subJob(id));
    const [lease] = await this.claim(worker);
    return lease!;
  }

  beat({ token, worker }: Lease, done = 0): Promise<DispatcherReply> {
    return this.tell({ type: 'heartbeat', token, worker, done, total: 100 });
  }

  cancel(...ids: readonly string[]): Promise<DispatcherReply> {
    return this.tell({ type: 'cancel', subJobs: ids.map((id) => subJob(id)) });
  }

  async tickAt(at: number): Promise<void> {
    this.at = at;
    await this.tell({ type: 'tick' });
  }

  /** Beats without progress up to this time, every 10 s. */
  async beatingUntil(lease: Lease, at: number): Promise<void> {
    while (this.at + 10_000 < at) {
      this.at += 10_000;
      await this.beat(lease, lease.done);
      await this.tell({ type: 'tick' });
    }
    this.at = at;
  }

  async queued(): Promise<readonly string[]> {
    return (await this.claim('whoever', 100)).map(({ subJob: { id } }) => id);
  }
}

describe('The dispatcher', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.open();
  });

  describe('when work is claimed', () => {
    it('hands out what is urgent first, at most what was asked for, of the queues that were named', async () => {
      await desk.offer(
        subJob('slow', { priority: 1 }),
        subJob('urgent', { priority: 9 }),
        subJob('text', { queue: 'TEXT', priority: 9 }),
      );
      expect((await desk.claim('w', 1)).map((lease) => lease.subJob.id)).to.deep.equal(['urgent']);
      expect((await desk.claim('w', 5)).map((lease) => lease.subJob.id)).to.deep.equal(['slow']);
      expect(await desk.claim('w', 5)).to.deep.equal([]);
    });

    it('gives every lease a token of its own, which no other start of the server gives, whatever that one remembers', async () => {
      const tokens: string[] = [];
      for (const start of [desk, Desk.open()]) {
        await start.offer(subJob('a'), subJob('b'));
        tokens.push(...(await start.claim('w', 2)).map(({ token }) => token));
      }
      expect(new Set(tokens).size).to.equal(4);
      // 128 bits in letters that a URL and a file name take.
      for (const token of tokens) expect(token).to.match(/^[\w-]{22}$/);
    });

    it('counts what runs, queue by queue, whatever becomes of it', async () => {
      await desk.offer(...['a', 'b', 'c', 'd'].map((id) => subJob(id)), subJob('text', { queue: 'TEXT' }));
      const [a, b, c] = await desk.claim('w', 3, ['FACE', 'TEXT']);
      await desk.beat(a!, 1);
      await desk.tell({ type: 'settle', token: a!.token });
      await desk.tell({ type: 'release', token: b!.token, worker: 'w' });
      await desk.tell({ type: 'reject', token: c!.token, reason: 'garbage' });
      await desk.tell({ type: 'settle', token: c!.token });
      desk.waiting.length = 0;
      await desk.claim('w', 1, ['TEXT']);
      await desk.offer(subJob('e'), subJob('more', { queue: 'TEXT' }));
      expect(desk.waiting).to.deep.equal(['FACE: 3 wait, 0 run', 'TEXT: 1 wait, 1 run']);
    });

    it('tells how much waits and runs in a queue whenever something is offered there', async () => {
      await desk.offer(subJob('a'), subJob('b'));
      await desk.claim();
      await desk.offer(subJob('c'));
      expect(desk.waiting).to.deep.equal(['FACE: 2 wait, 0 run', 'FACE: 2 wait, 1 run']);
    });

    it('hands out nothing more while the server drains', async () => {
      const lease = await desk.leased('a');
      await desk.offer(subJob('b'));
      await desk.tell({ type: 'drain' });
      expect(await desk.claim()).to.deep.equal([]);
      expect(await desk.beat(lease)).to.deep.equal({ kind: 'go', go: 'on' });
    });
  });

  describe('when work is offered again', () => {
    it('takes it once, while it waits and while it is leased', async () => {
      await desk.offer(subJob('a'));
      await desk.offer(subJob('a'), subJob('b'));
      const [lease] = await desk.claim();
      await desk.offer(subJob('a'), subJob('b'));
      expect(await desk.queued()).to.deep.equal(['b']);
      expect(await desk.tell({ type: 'lookUp', token: lease!.token, worker: 'worker' })).to.include({
        kind: 'lease',
      });
    });
  });

  describe('watches three clocks', () => {
    it('the lease: no heartbeat for 15 s, and the sub-job is lost and its worker killed', async () => {
      const { token } = await desk.leased('a');
      await desk.tickAt(14_999);
      expect([desk.lost, desk.killed]).to.deep.equal([[], []]);
      await desk.tickAt(15_000);
      expect(desk.lost).to.deep.equal([`a (${token}): no heartbeat for 15000 ms`]);
      expect(desk.killed).to.deep.equal(['worker: no heartbeat for 15000 ms']);
      await desk.tickAt(30_000);
      expect(desk.lost).to.have.lengthOf(1);
    });

    it('the lease is moved by every heartbeat', async () => {
      const lease = await desk.leased('a');
      desk.at = 10_000;
      await desk.beat(lease);
      await desk.tickAt(24_999);
      expect(desk.lost).to.deep.equal([]);
      await desk.tickAt(25_000);
      expect(desk.lost).to.have.lengthOf(1);
    });

    it('silence: heartbeats without progress for 120 s do not help', async () => {
      const lease = await desk.leased('a');
      await desk.beatingUntil(lease, 119_999);
      await desk.beat(lease, 0);
      await desk.tickAt(119_999);
      expect(desk.lost).to.deep.equal([]);
      await desk.tickAt(120_000);
      expect(desk.lost[0]).to.contain('no progress for 120000 ms');
      expect(desk.killed).to.have.lengthOf(1);
    });

    it('silence is moved by progress, and not by progress that falls back', async () => {
      const lease = await desk.leased('a');
      await desk.beatingUntil(lease, 100_000);
      await desk.beat(lease, 5);
      await desk.beatingUntil({ ...lease, done: 3 }, 219_000);
      await desk.beat(lease, 4);
      await desk.tickAt(219_999);
      expect(desk.lost).to.deep.equal([]);
      await desk.tickAt(220_000);
      expect(desk.lost[0]).to.contain('no progress');
    });

    it('silence and lease are moved by what arrives of an answer; once all of it is here, silence is over', async () => {
      const lease = await desk.leased('a');
      const { token } = lease;
      await desk.beatingUntil(lease, 119_000);
      await desk.tell({ type: 'arriving', token, whole: false });
      await desk.tickAt(133_999);
      expect(desk.lost).to.deep.equal([]);
      await desk.beatingUntil(lease, 238_000);
      await desk.tell({ type: 'arriving', token, whole: true });
      await desk.beatingUntil(lease, 500_000);
      expect(desk.lost).to.deep.equal([]);
      await desk.tickAt(515_000);
      expect(desk.lost[0]).to.contain('no heartbeat');
    });

    it('the whole: in the end nothing helps', async () => {
      const lease = await desk.leased('a');
      for (let done = 1; desk.at < 590_000; done++) {
        desk.at += 10_000;
        await desk.beat(lease, done);
        await desk.tell({ type: 'tick' });
      }
      await desk.tickAt(599_999);
      expect(desk.lost).to.deep.equal([]);
      await desk.tickAt(600_000);
      expect(desk.lost[0]).to.contain('not done after 600000 ms');
    });

    it('and tells a late heartbeat, and a late answer, that the lease is lost', async () => {
      const lease = await desk.leased('a');
      await desk.tickAt(15_000);
      expect(await desk.beat(lease)).to.deep.equal({ kind: 'lost' });
      const { token, worker } = lease;
      for (const command of [
        { type: 'lookUp', token, worker },
        { type: 'settle', token },
        { type: 'release', token, worker },
        { type: 'reject', token, reason: '' },
      ] as const)
        expect(await desk.tell(command), command.type).to.deep.equal({ kind: 'lost' });
      expect(desk.lost).to.have.lengthOf(1);
    });
  });

  describe('when work is cancelled', () => {
    it('drops at once what waits, and what it does not know, job by job', async () => {
      await desk.offer(subJob('a'), subJob('b', { jobId: 'other' }), subJob('stays'));
      await desk.tell({
        type: 'cancel',
        subJobs: [subJob('a'), subJob('b', { jobId: 'other' }), subJob('unknown')],
      });
      expect(desk.dropped).to.deep.equal(['job: key of a, key of unknown', 'other: key of b']);
      expect(await desk.queued()).to.deep.equal(['stays']);
    });

    it('tells the worker with its next heartbeat, and drops the sub-job when it lets go; that does not count', async () => {
      const lease = await desk.leased('a');
      await desk.cancel('a');
      expect(desk.dropped).to.deep.equal([]);
      expect(await desk.beat(lease)).to.deep.equal({ kind: 'go', go: 'cancelled' });
      await desk.tell({ type: 'release', token: lease.token, worker: 'worker' });
      expect([desk.dropped, desk.lost]).to.deep.equal([['job: key of a'], []]);
      expect(await desk.queued()).to.deep.equal([]);
    });

    it('kills a worker that does not stop within its grace after it was told', async () => {
      const lease = await desk.leased('a');
      desk.at = 1_000;
      await desk.cancel('a');
      desk.at = 3_000;
      await desk.beat(lease);
      await desk.tickAt(7_999);
      expect(desk.killed).to.deep.equal([]);
      await desk.tickAt(8_000);
      expect(desk.killed).to.deep.equal(['worker: did not stop within 5000 ms of being cancelled']);
      expect([desk.dropped, desk.lost]).to.deep.equal([['job: key of a'], []]);
    });

    it('does not wait longer for one that goes on beating, or whose job cancels again', async () => {
      const lease = await desk.leased('a');
      await desk.cancel('a');
      for (desk.at = 1_000; desk.at < 6_000; desk.at += 1_000) {
        await desk.beat(lease, desk.at);
        await desk.cancel('a');
      }
      await desk.tickAt(6_000);
      expect(desk.killed).to.have.lengthOf(1);
    });

    it('does not wait much longer for one that does not even beat', async () => {
      await desk.leased('a');
      await desk.cancel('a');
      await desk.tickAt(9_999);
      expect(desk.killed).to.deep.equal([]);
      await desk.tickAt(10_000);
      expect(desk.dropped).to.deep.equal(['job: key of a']);
    });

    for (const [how, end] of Object.entries<(token: string) => DispatcherCommand>({
      'its answer is garbage': (token) => ({ type: 'reject', token, reason: 'garbage' }),
      'its worker dies': () => ({ type: 'workerGone', worker: 'worker', counted: true, reason: 'died' }),
      'its worker is stopped': () => ({
        type: 'workerGone',
        worker: 'worker',
        counted: false,
        reason: 'stopped',
      }),
    }))
      it(`drops it, and counts nothing, when ${how}`, async () => {
        const { token } = await desk.leased('a');
        await desk.cancel('a');
        await desk.tell(end(token));
        expect([desk.dropped, desk.lost]).to.deep.equal([['job: key of a'], []]);
        expect(await desk.queued()).to.deep.equal([]);
      });
  });

  describe('when work comes back', () => {
    it('unharmed, hands it out again, and it does not count', async () => {
      const { token } = await desk.leased('a');
      expect(await desk.tell({ type: 'release', token, worker: 'worker' })).to.deep.equal({ kind: 'done' });
      expect(desk.lost).to.deep.equal([]);
      const [again] = await desk.claim('other');
      expect(again?.subJob.id).to.equal('a');
      expect(again?.token).to.not.equal(token);
    });

    it('as garbage, counts it and does not hand it out before its job offers it again', async () => {
      const { token } = await desk.leased('a');
      await desk.tell({ type: 'reject', token, reason: 'no JSON' });
      expect(desk.lost).to.deep.equal([`a (${token}): no JSON`]);
      expect(await desk.queued()).to.deep.equal([]);
      await desk.offer(subJob('a', { attempt: 2 }));
      expect(await desk.queued()).to.deep.equal(['a']);
    });

    it('from a worker that does not hold it, takes nothing', async () => {
      const { token } = await desk.leased('a');
      for (const command of [
        { type: 'release', token, worker: 'thief' },
        { type: 'lookUp', token, worker: 'thief' },
        { type: 'heartbeat', token, worker: 'thief', done: 1, total: 1 },
      ] as const)
        expect(await desk.tell(command), command.type).to.deep.equal({ kind: 'lost' });
      expect(await desk.tell({ type: 'lookUp', token, worker: 'worker' })).to.include({ kind: 'lease' });
    });
  });

  describe('when a worker is gone', () => {
    it('by its own doing, counts all that it held, and only that', async () => {
      const mine = [await desk.leased('a'), await desk.leased('b')];
      const other = await desk.leased('c', 'other');
      await desk.tell({ type: 'workerGone', worker: 'worker', counted: true, reason: 'it died' });
      expect(desk.lost).to.deep.equal(mine.map(({ token, subJob: { id } }) => `${id} (${token}): it died`));
      expect(await desk.beat(other)).to.deep.equal({ kind: 'go', go: 'on' });
    });

    it('because we stopped it, hands out again what it held', async () => {
      await desk.leased('a');
      await desk.tell({ type: 'workerGone', worker: 'worker', counted: false, reason: 'stopped' });
      expect(desk.lost).to.deep.equal([]);
      expect(await desk.queued()).to.deep.equal(['a']);
    });

    it('because one of its sub-jobs hung, counts that one and not the others', async () => {
      const hanging = await desk.leased('hanging');
      desk.at = 10_000;
      const healthy = await desk.leased('healthy');
      await desk.tickAt(15_000);
      expect(desk.lost).to.deep.equal([`hanging (${hanging.token}): no heartbeat for 15000 ms`]);
      expect(await desk.beat(healthy, 1), 'until the process is gone').to.deep.equal({
        kind: 'go',
        go: 'on',
      });
      await desk.tell({ type: 'workerGone', worker: 'worker', counted: true, reason: 'ended by SIGKILL' });
      expect(desk.lost).to.have.lengthOf(1);
      expect(await desk.queued()).to.deep.equal(['healthy']);
    });
  });

  describe('when a worker was ended for one of its sub-jobs', () => {
    it('and its end did not count, blames it for its next one all the same', async () => {
      await desk.leased('hanging');
      await desk.tickAt(15_000);
      await desk.tell({ type: 'workerGone', worker: 'worker', counted: false, reason: 'stopped' });
      const { token } = await desk.leased('next');
      await desk.tell({ type: 'workerGone', worker: 'worker', counted: true, reason: 'it died' });
      expect(desk.lost.at(-1)).to.equal(`next (${token}): it died`);
    });
  });

  describe('when an answer is taken', () => {
    it('remembers its token, so that a repeated answer is answered as the first', async () => {
      const { token } = await desk.leased('a');
      expect(await desk.tell({ type: 'settle', token })).to.deep.equal({ kind: 'done' });
      expect(await desk.tell({ type: 'lookUp', token, worker: 'worker' })).to.deep.equal({ kind: 'settled' });
      await desk.tickAt(100_000);
      expect(desk.lost).to.deep.equal([]);
    });

    it('remembers the last thousand', async () => {
      const leases: Lease[] = [];
      for (let n = 0; n < 1_001; n++) leases.push(await desk.leased(`${n}`));
      for (const { token } of leases) await desk.tell({ type: 'settle', token });
      const kinds = await Promise.all(
        [0, 1, 1_000].map(
          async (n) => (await desk.tell({ type: 'lookUp', token: leases[n]!.token, worker: 'worker' })).kind,
        ),
      );
      expect(kinds).to.deep.equal(['lost', 'settled', 'settled']);
    });
  });

  it('gives up what waits in a queue that nobody can serve, and nothing else', async () => {
    const running = await desk.leased('running');
    await desk.offer(subJob('a'), subJob('b'), subJob('text', { queue: 'TEXT' }));
    await desk.tell({ type: 'unavailable', queue: 'FACE', reason: 'it cannot be started' });
    expect(desk.lost).to.deep.equal(['a (): it cannot be started', 'b (): it cannot be started']);
    expect(await desk.beat(running)).to.deep.equal({ kind: 'go', go: 'on' });
    expect((await desk.claim('w', 9, ['TEXT'])).map((lease) => lease.subJob.id)).to.deep.equal(['text']);
  });

  it('lets who serves several queues begin with another one each time, so that none of them starves', async () => {
    const queues = ['PREPARE', 'FINISH', 'DOCUMENT'];
    const numbers = Array.from({ length: 9 }, (_, n) => n);
    for (const queue of queues) await desk.offer(...numbers.map((n) => subJob(`${queue}-${n}`, { queue })));
    const served: string[] = [];
    for (let n = 0; n < 9; n++)
      served.push(...(await desk.claim('w', 1, queues)).map(({ subJob: { queue } }) => queue));
    for (const queue of queues) expect(served.filter((one) => one === queue)).to.have.lengthOf(3);
  });

  it('reports what runs, what waits and which jobs have anything here', async () => {
    const lease = await desk.leased('a');
    await desk.offer(subJob('b', { jobId: 'other' }));
    desk.at = 700;
    await desk.offer(subJob('c', { jobId: 'other' }), subJob('b', { jobId: 'other' }));
    expect(await desk.tell({ type: 'report' })).to.deep.equal({
      kind: 'report',
      leases: [lease],
      jobs: new Set(['job', 'other']),
      waiting: new Map([['FACE', 2]]),
      oldest: new Map([['FACE', 700]]),
    });
    await desk.tell({ type: 'settle', token: lease.token });
    expect(await desk.tell({ type: 'report' })).to.deep.equal({
      kind: 'report',
      leases: [],
      jobs: new Set(['other']),
      waiting: new Map([['FACE', 2]]),
      oldest: new Map([['FACE', 700]]),
    });
  });

  it('tells of single jobs what runs, and how many sub-jobs go before their first in each queue', async () => {
    const lease = await desk.leased('a');
    await desk.offer(
      subJob('b'),
      subJob('c', { jobId: 'other' }),
      subJob('d', { jobId: 'other', queue: 'TEXT' }),
    );
    expect(await desk.tell({ type: 'standing', jobIds: ['job', 'other', 'unknown'] })).to.deep.equal({
      kind: 'standing',
      jobs: new Map([
        ['job', { leases: [lease], ahead: new Map([['FACE', 0]]) }],
        [
          'other',
          {
            leases: [],
            ahead: new Map([
              ['FACE', 1],
              ['TEXT', 0],
            ]),
          },
        ],
        ['unknown', { leases: [], ahead: new Map() }],
      ]),
    });
  });

  it('is ticked four times a second, until that is ended', async () => {
    const clock = new VirtualClock();
    let ticks = 0;
    const end = startTicking(clock, () => ticks++);
    await clock.advance(1_000);
    expect(ticks).to.equal(4);
    end();
    await clock.advance(1_000);
    expect(ticks).to.equal(4);
  });
});
