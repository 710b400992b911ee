import { expect } from 'chai';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { JobCommand, JobReply } from '../../../actors/batch-job/state/commands.ts';
import { JOB_MACHINE } from '../../../actors/batch-job/life-cycle/transitions.ts';
import { commandsOf } from '../../../actors/runtime/machine.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { PendingClaims } from '../../../actors/dispatcher/pending-claims.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { PlainTree } from '../runtime/plain-tree.ts';
import { ActorSystem } from '../../../actors/runtime/system.ts';
import { FrameService } from '../../../actors/frames/frame-service.ts';
import { WorkerGateway, type WorkerGatewayDeps } from '../../../actors/worker-gateway/gateway.ts';
import type { FrameWork } from '../../../protocol/media-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import type { WorkItem, WorkLedger } from '../../../store/ledger.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';
import { until, within } from '../../support/until.ts';
import { INTENSITY, turns } from '../runtime/probe.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('A claim', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let pendingClaims: PendingClaims;
  const open = new AbortController().signal;
  /** Sub-jobs whose loss counted as an attempt. */
  let lost: string[];
  /** Processes without work. */
  let resting: string[];
  let files = 0;

  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
    pendingClaims = new PendingClaims();
    lost = [];
    resting = [];
    store.work.watch({
      onOffer(queues) {
        for (const [queue, { waiting }] of queues) pendingClaims.wake(queue, waiting);
      },
      news: (news) => lost.push(...news.map(({ item: { id } }) => id)),
    });
  });
  afterEach(async () => {
    await store.close();
  });

  const gatewayWith = (more: Partial<WorkerGatewayDeps> = {}) =>
    new WorkerGateway({
      store,
      pendingClaims,
      arrivalRate: { over: () => Promise.resolve() },
      isSilent: () => false,
      mayServe: () => true,
      openQueues: (queues) => queues,
      rest: (worker) => resting.push(worker),
      clock: systemClock,
      jobs: undefined as never,
      streams: undefined as never,
      frames: undefined as never,
      checker: undefined as never,
      meter: { jobEnded() {}, subJobEnded() {}, countFound() {} },
      catalog: { versionOf: () => undefined },
      logger: silent,
      dataDir: path(''),
      realDataDir: path(''),
      serverId: 'server',
      fetchLimits: { mediaRoots: [], excluded: [], maxBytes: 1, timeoutMs: 1, allowPrivate: false },
      movedFiles: [],
      heartbeatMs: 1_000,
      resultLimits: { maxBytes: 1, maxLines: 1 },
      bearer: () => Promise.resolve(undefined),
      localPath: () => Promise.resolve(undefined),
      ...more,
    });
  const claimOf = (gateway: WorkerGateway, { queues = ['FACE'], waitMs = 0, max = 1, gone = open } = {}) =>
    gateway.claim({ queues, max, waitMs, worker: 'worker', lasting: false }, gone);

  /** Stores sub-jobs that wait in these queues. */
  async function storeWork(...queues: readonly string[]): Promise<void> {
    const rows = queues.map((queue, index) => rowOf(queue, index));
    await store.commit({
      actor: { kind: BATCH_JOB, id: '1' },
      expected: 0,
      owner: { server: 's', epoch: 1 },
      record: {},
      snapshot: { schema: 1, body: {} },
      putRows: rows.map((row) => ({ key: row.key, body: row })),
      work: { offer: rows.map(onOffer) },
    });
  }
  const rowOf = (queue: string, index: number) =>
    ({
      key: `0001/${index}`,
      id: `j.1.${index}`,
      kind: 'DETECT',
      queue,
      state: 'QUEUED',
      attempts: 0,
      work: { medium: { path: 'media/j.1/1-0' } },
    }) as SubJobRow;
  const onOffer = ({ id, key, queue }: SubJobRow): WorkItem => ({
    id,
    key,
    queue,
    actor: { kind: BATCH_JOB, id: '1' },
    kind: 'DETECT',
    priority: 4,
    attempt: 1,
    share: 0,
  });

  it('that cannot be answered because the store fails leaves its work to the next one, uncounted', async () => {
    await storeWork('FACE', 'FACE');
    let broken = true;
    const failing = around<Store>(store, {
      rows: (actor, options) =>
        broken ? Promise.reject(new Error('disk full')) : store.rows(actor, options),
    });
    const gateway = gatewayWith({ store: failing });
    const failed = await claimOf(gateway, { max: 2 }).catch((error: unknown) => error);
    expect(String(failed)).to.contain('disk full');
    broken = false;
    const { work } = await claimOf(gateway, { max: 2 });
    expect(work.map(({ id, attempt }) => [id, attempt])).to.deep.equal([
      ['j.1.0', 1],
      ['j.1.1', 1],
    ]);
    expect(lost).to.deep.equal([]);
  });

  it('gives a process that waits no work that a registered component is to do now', async () => {
    let isReplaced = false;
    const gateway = gatewayWith({ mayServe: (service) => service !== 'Faces' || !isReplaced });
    const claim = { queues: ['FACE'], max: 1, waitMs: 60_000, lasting: false };
    const installed = gateway.claim({ ...claim, worker: 'host:Faces:1#1', service: 'Faces' }, open);
    const registered = gateway.claim({ ...claim, worker: 'token of ann' }, open);
    isReplaced = true;
    // The process of the installed component has waited longest, so it gets this work.
    await storeWork('FACE');
    expect((await registered).work.map(({ id }) => id)).to.deep.equal(['j.1.0']);
    expect((await installed).work).to.deep.equal([]);
    expect(resting).to.include('host:Faces:1#1');
  });

  it('hands out other work beside a sub-job whose tracks have gone from the disk, which fails', async () => {
    await storeWork('FACE', 'FACE');
    const fed = { file: path('gone.ndjson'), indexAt: 0, piece: 0, annotate: false };
    await store.commit({
      actor: { kind: BATCH_JOB, id: '1' },
      expected: 1,
      owner: { server: 's', epoch: 1 },
      snapshot: { schema: 1, body: {} },
      putRows: [{ key: '0001/0', body: { ...rowOf('FACE', 0), fed } }],
    });
    const told: JobCommand[] = [];
    const system = new ActorSystem(new PlainTree(), systemClock);
    const jobs = system.register<JobCommand, JobReply>({
      name: BATCH_JOB,
      accepts: commandsOf(JOB_MACHINE),
      mailbox: 10,
      intensity: INTENSITY,
      load: () =>
        Promise.resolve({
          handle({ command }) {
            told.push(command);
            return Promise.resolve({ kind: 'done' as const });
          },
        }),
    });
    const { work } = await claimOf(gatewayWith({ jobs }), { max: 2 });
    expect(work.map(({ id }) => id)).to.deep.equal(['j.1.1']);
    const [failed] = told;
    expect(failed).to.include({ type: 'workFailed', key: '0001/0', code: 'LOCAL_STORAGE' });
    expect(told).to.have.length(1);
    await system.stop(0);
  });

  it('for media work alternates jobs and frames, and gets frames if there is nothing else', async () => {
    const settings = { atOnce: 10, waitMs: 60_000, cacheBytes: 0 };
    const frames = new FrameService({
      serverId: 'here',
      alone: true,
      ...{ store, clock: systemClock, dataDir: path('data'), heartbeatMs: 1_000, settings },
    });
    const { FRAME, PREPARE } = MEDIA_QUEUES;
    for (let place = 0; place < 5; place++) {
      void frames.makeFile(`frames/j.2/${place}.json`, { frame: null } as Omit<FrameWork, 'to'>);
      await until(
        `${place + 1} frames wait`,
        async () => (await store.work.queues()).get(FRAME)?.waiting,
        (waiting) => waiting === place + 1,
      );
    }
    await storeWork(PREPARE, PREPARE);
    const gateway = gatewayWith({ frames });
    const kinds: string[] = [];
    for (let i = 0; i < 7; i++) {
      const { work } = await claimOf(gateway, { queues: [FRAME, PREPARE] });
      kinds.push(...work.map(({ algorithm }) => algorithm));
    }
    expect(kinds).to.deep.equal([FRAME, PREPARE, FRAME, PREPARE, FRAME, FRAME, FRAME]);
  });

  it('of one that has hung up before takes nothing', async () => {
    await storeWork('FACE');
    const gone = AbortSignal.abort();
    expect((await claimOf(gatewayWith(), { gone })).work).to.deep.equal([]);
    expect((await store.work.queues()).get('FACE')).to.include({ waiting: 1, held: 0 });
  });

  describe('during a burst of jobs', () => {
    function burst() {
      let end = () => {};
      const over = new Promise<void>((resolve) => (end = resolve));
      return { gateway: gatewayWith({ arrivalRate: { over: () => over } }), end };
    }

    it('gets the work of all of them', async () => {
      const { gateway, end } = burst();
      const claimed = claimOf(gateway, { max: 8 });
      await storeWork('FACE', 'FACE', 'FACE');
      expect((await store.work.queues()).get('FACE')).to.include({ waiting: 3, held: 0 });
      end();
      expect((await claimed).work.map(({ id }) => id)).to.deep.equal(['j.1.0', 'j.1.1', 'j.1.2']);
    });

    it('gets none when it hung up meanwhile', async () => {
      const { gateway, end } = burst();
      const hangsUp = new AbortController();
      const claimed = claimOf(gateway, { max: 8, gone: hangsUp.signal });
      await storeWork('FACE');
      hangsUp.abort();
      end();
      expect((await claimed).work).to.deep.equal([]);
      expect((await store.work.queues()).get('FACE')).to.include({ waiting: 1, held: 0 });
    });

    it('of a component that takes little at a time gets it at once', async () => {
      const { gateway } = burst();
      await storeWork('FACE', 'FACE');
      const { work } = await claimOf(gateway, { max: 7 });
      expect(work.map(({ id }) => id)).to.deep.equal(['j.1.0', 'j.1.1']);
    });
  });

  describe('that waits', () => {
    const POLL_MS = 25_000;
    const idsOf = async (work: Promise<{ work: readonly { readonly id: string }[] }>) =>
      (await within(5_000, 'the poll is answered', work)).work.map(({ id }) => id);

    it('gets what is offered between its look and its wait', async () => {
      let looked = false;
      const work = around<WorkLedger>(store.work, {
        async claim(claim) {
          const leases = await store.work.claim(claim);
          if (!looked) {
            looked = true;
            await storeWork('FACE');
          }
          return leases;
        },
      });
      const late = around<Store>(store, { work });
      expect(await idsOf(claimOf(gatewayWith({ store: late }), { waitMs: POLL_MS }))).to.deep.equal([
        'j.1.0',
      ]);
    });

    it('is answered after its time also when the wall clock is set back', async () => {
      const real = Date.now;
      const poll = claimOf(gatewayWith(), { waitMs: 100 });
      try {
        Date.now = () => real() - 3_600_000;
        expect(await idsOf(poll)).to.deep.equal([]);
      } finally {
        Date.now = real;
      }
    });

    it('for a live stream in vain tells that there is nothing to do for its process', async () => {
      const STREAMS = ['STREAM:FACE'];
      const gateway = gatewayWith();
      await claimOf(gateway, { waitMs: 20, queues: ['FACE'] });
      const hangsUp = new AbortController();
      const waiting = claimOf(gateway, { waitMs: POLL_MS, queues: STREAMS, gone: hangsUp.signal });
      hangsUp.abort();
      await waiting;
      expect(resting, 'another one, and one that hung up').to.deep.equal([]);
      expect(await idsOf(claimOf(gateway, { waitMs: 20, queues: STREAMS }))).to.deep.equal([]);
      expect(resting).to.deep.equal(['worker']);
      await storeWork('STREAM:FACE');
      expect(await idsOf(claimOf(gateway, { waitMs: 20, queues: STREAMS }))).to.deep.equal(['j.1.0']);
      expect(resting, 'one that got work').to.deep.equal(['worker']);
    });

    it('beside others is woken when there is work for it, too', async () => {
      const gateway = gatewayWith();
      const polls = [1, 2, 3].map(() => claimOf(gateway, { waitMs: POLL_MS }));
      await storeWork('FACE', 'FACE', 'FACE');
      const got = await Promise.all(polls.map(idsOf));
      expect(got.flat().toSorted()).to.deep.equal(['j.1.0', 'j.1.1', 'j.1.2']);
    });
  });
});

describe('Those who wait for work', () => {
  const open = new AbortController().signal;
  /** Claims that wait for these queues. `woken` lists them in the order in which they wake. */
  function waitForQueues(pendingClaims: PendingClaims, queues: readonly (readonly string[])[]) {
    const woken: number[] = [];
    const all = queues.map((own, index) => {
      const waiter = pendingClaims.join(own);
      waiter.look();
      void waiter.wait(60_000, open).then(() => woken.push(index));
      return waiter;
    });
    return { woken, all };
  }

  it('are woken in the order in which they came, as many as there are items', async () => {
    const pendingClaims = new PendingClaims();
    const { woken } = waitForQueues(pendingClaims, [['FACE'], ['TEXT'], ['FACE'], ['FACE', 'TEXT']]);
    pendingClaims.wake('FACE', 2);
    await turns(2);
    expect(woken).to.deep.equal([0, 2]);
    pendingClaims.wake('FACE', 2);
    await turns(2);
    expect(woken).to.deep.equal([0, 2, 3]);
  });

  it('wake the next one when they go away, and do not when they looked and found nothing', async () => {
    const pendingClaims = new PendingClaims();
    const { woken, all } = waitForQueues(pendingClaims, [['FACE'], ['FACE'], ['FACE']]);
    pendingClaims.wake('FACE', 1);
    await turns(2);
    // This claim finds work in another queue, so the work that woke it is still there.
    all[0]!.look();
    all[0]!.leave();
    await turns(2);
    expect(woken).to.deep.equal([0, 1]);
    all[1]!.look();
    const stays = new AbortController();
    const idle = all[1]!.wait(60_000, stays.signal);
    stays.abort();
    await idle;
    all[1]!.leave();
    await turns(2);
    expect(woken).to.deep.equal([0, 1]);
    all[2]!.wake('FACE');
  });
});
