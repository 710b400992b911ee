import { expect } from 'chai';
import { BATCH_JOB } from '../../../actors/batch-job/keys.ts';
import type { SubJobRow } from '../../../actors/batch-job/state.ts';
import { DISPATCHER, dispatcherKind } from '../../../actors/dispatcher/actor.ts';
import type { DispatcherCommand, DispatcherReply, SubJob } from '../../../actors/dispatcher/commands.ts';
import { WorkWaiters } from '../../../actors/dispatcher/waiters.ts';
import { systemClock } from '../../../actors/runtime/clock.ts';
import { PlainTree } from '../../../actors/runtime/plain-tree.ts';
import { ActorSystem, type Family } from '../../../actors/runtime/system.ts';
import { WorkDesk } from '../../../actors/work-desk/desk.ts';
import { MemoryQueue } from '../../../store/memory-queue.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';

const LEASES = { leaseMs: 60_000, silenceMs: 120_000, wholeMs: 600_000, cancelGraceMs: 5_000 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('A claim', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let system: ActorSystem;
  let dispatcher: Family<DispatcherCommand, DispatcherReply>;
  let waiters: WorkWaiters;
  const open = new AbortController().signal;
  /** Sub-jobs that cost an attempt. */
  let lost: string[];
  let files = 0;

  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
    system = new ActorSystem(new PlainTree(), systemClock);
    waiters = new WorkWaiters();
    lost = [];
    dispatcher = system.register(
      dispatcherKind({
        queue: new MemoryQueue<SubJob>(),
        settings: LEASES,
        clock: systemClock,
        logger: silent,
        mailbox: 100,
        epoch: 1,
        lost: ({ id }) => lost.push(id),
        dropped() {},
        waiting: (queue) => waiters.wake(queue),
        kill() {},
      }),
    );
  });
  afterEach(async () => {
    await system.stop(1_000);
    await store.close();
  });

  const deskWith = (more: { store?: Store; dispatcher?: typeof dispatcher } = {}) =>
    new WorkDesk({
      store,
      dispatcher,
      waiters,
      jobs: undefined as never,
      checker: undefined as never,
      meter: undefined as never,
      logger: silent,
      dataDir: path(''),
      heartbeatMs: 1_000,
      resultLimits: { maxBytes: 1, maxLines: 1 },
      bearer: () => Promise.resolve(undefined),
      localPath: () => Promise.resolve(undefined),
      ...more,
    });
  const claimOf = (desk: WorkDesk, { queues = ['FACE'], waitMs = 0, max = 1, gone = open } = {}) =>
    desk.claim({ queues, max, waitMs, worker: 'worker' }, gone);

  /** Sub-jobs that wait in these queues, with their rows. */
  async function given(...queues: readonly string[]): Promise<void> {
    const rows = queues.map((queue, index) => rowOf(queue, index));
    await store.commit({
      actor: { kind: BATCH_JOB, id: '1' },
      expected: 0,
      owner: { server: 's', epoch: 1 },
      record: {},
      snapshot: { schema: 1, body: {} },
      putRows: rows.map((row) => ({ key: row.key, body: row })),
    });
    await dispatcher.ask(DISPATCHER, { type: 'offer', subJobs: rows.map(offered) });
  }
  const rowOf = (queue: string, index: number) =>
    ({
      key: `0001/${index}`,
      id: `j.1.${index}`,
      kind: 'DETECT',
      queue,
      state: 'QUEUED',
      attempts: 0,
      work: {},
    }) as SubJobRow;
  const offered = ({ id, key, queue }: SubJobRow): SubJob => ({
    id,
    key,
    queue,
    jobId: '1',
    kind: 'DETECT',
    priority: 4,
    attempt: 1,
    share: 0,
    releases: 0,
  });

  it('that cannot be answered because the store fails leaves its work to the next one, uncounted', async () => {
    await given('FACE', 'FACE');
    let broken = true;
    const failing = around<Store>(store, {
      rows: (actor, options) =>
        broken ? Promise.reject(new Error('disk full')) : store.rows(actor, options),
    });
    const desk = deskWith({ store: failing });
    const failed = await claimOf(desk, { max: 2 }).catch((error: unknown) => error);
    expect(String(failed)).to.contain('disk full');
    broken = false;
    const { work } = await claimOf(desk, { max: 2 });
    expect(work.map(({ id, attempt }) => [id, attempt])).to.deep.equal([
      ['j.1.0', 1],
      ['j.1.1', 1],
    ]);
    expect(lost).to.deep.equal([]);
  });

  it('of one that has hung up before takes nothing', async () => {
    await given('FACE');
    const gone = AbortSignal.abort();
    expect((await claimOf(deskWith(), { gone })).work).to.deep.equal([]);
    const report = await dispatcher.ask(DISPATCHER, { type: 'report' });
    expect(report).to.deep.include({ leases: [], waiting: new Map([['FACE', 1]]) });
  });
});
