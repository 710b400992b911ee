/** Answers to several sub-jobs in one request, and concurrent events while the job processes them. */
import { expect } from 'chai';
import { Readable } from 'node:stream';
import { existsSync } from 'node:fs';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { JobCommand, JobReply } from '../../../actors/batch-job/state/commands.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { JOB_MACHINE } from '../../../actors/batch-job/life-cycle/transitions.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { PendingClaims } from '../../../actors/dispatcher/pending-claims.ts';
import { commandsOf } from '../../../actors/runtime/machine.ts';
import { ActorSystem } from '../../../actors/runtime/system.ts';
import { Intake } from '../../../actors/worker-gateway/results/intake.ts';
import { answerPlace } from '../../../results/answer-place.ts';
import { ResultChecker } from '../../../results/check/check.ts';
import { pathOf } from '../../../results/file-keys.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { INTENSITY } from '../runtime/probe.ts';
import { PlainTree } from '../runtime/plain-tree.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const JOB = { kind: BATCH_JOB, id: '1' };
const OWNER = { server: 's', epoch: 1 };
const WORKER = 'host:Face:1#1';
const TRACK = JSON.stringify({
  startFrame: 0,
  stopFrame: 0,
  confidence: 0.5,
  properties: {},
  detections: [{ frame: 0, x: 0, y: 0, width: 1, height: 1, confidence: 0.5, properties: {} }],
});
const ROW = {
  key: '0001/0',
  id: 'j.1.0',
  jobId: 'j',
  run: 1,
  kind: 'DETECT',
  queue: 'FACE',
  state: 'QUEUED',
  attempts: 0,
  range: { start: 0, stop: 0 },
  work: { medium: { path: 'media/j.1/1-0' } },
} as unknown as SubJobRow;

describe('Small answers of a component', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let system: ActorSystem;
  let files = 0;
  let checker: ResultChecker;
  /** Runs right before the job processes the answers. */
  let meanwhile: () => Promise<void>;

  beforeEach(async () => {
    store = new SqliteStore(path(`${++files}.db`));
    system = new ActorSystem(new PlainTree(), systemClock);
    checker = new ResultChecker();
    await store.commit({
      ...{ actor: JOB, expected: 0, owner: OWNER, record: {}, snapshot: { schema: 1, body: {} } },
      putRows: [{ key: ROW.key, body: ROW }],
      work: {
        offer: [
          {
            ...{ id: ROW.id, key: ROW.key, queue: 'FACE', actor: JOB, kind: 'DETECT' },
            priority: 4,
            attempt: 1,
            share: 0,
          },
        ],
      },
    });
  });
  afterEach(async () => {
    await system.stop(0);
    await checker.close();
    await store.close();
  });

  /** A job that accepts every answer with the commit that a real job makes. */
  const jobs = () =>
    system.register<JobCommand, JobReply>({
      name: BATCH_JOB,
      accepts: commandsOf(JOB_MACHINE),
      mailbox: 10,
      intensity: INTENSITY,
      load: () =>
        Promise.resolve({
          async handle({ command }) {
            if (command.type !== 'workAnswered') throw new Error(`It is told of ${command.type}.`);
            await meanwhile();
            const [answer] = command.answers;
            if (answer?.type !== 'workDone') throw new Error('It is told of no result.');
            const { token, file } = answer;
            await store.commit({
              ...{ actor: JOB, expected: 1, owner: OWNER, snapshot: { schema: 1, body: {} } },
              putRows: [{ key: ROW.key, body: { ...ROW, state: 'DONE', token, file } }],
              work: { settle: [ROW.id] },
            });
            return { kind: 'done' as const };
          },
        }),
    });
  const intake = () =>
    new Intake({
      ...{ store, checker, clock: systemClock, logger: silent, jobs: jobs() },
      meter: { jobEnded() {}, subJobEnded() {}, countFound() {} },
      catalog: { versionOf: () => undefined },
      pendingClaims: new PendingClaims(),
      ...{ dataDir: path(''), realDataDir: path(''), serverId: 'server', heartbeatMs: 1_000 },
      resultLimits: { maxBytes: 10_000, maxLines: 10 },
      streams: undefined as never,
      frames: undefined as never,
      localPath: () => Promise.resolve(undefined),
    });
  const claimWork = async () => {
    const [lease] = await store.work.claim({ queues: ['FACE'], max: 1, worker: WORKER, lasting: false });
    return lease!.token;
  };
  const listStored = async () => {
    const [row] = await store.rows(JOB, { prefix: ROW.key, limit: 1 });
    return row!.body as SubJobRow;
  };

  for (const [what, how] of [
    ['lives', () => Promise.resolve()],
    ['dies, and what it held is given back', () => store.work.releaseWorker(WORKER, false, '')],
    [
      'dies, and what it held is lost',
      () => store.work.releaseWorker(WORKER, true, 'the process was ended by SIGKILL'),
    ],
  ] as const)
    it(`are kept when it ${what} while the job takes them in`, async () => {
      meanwhile = how;
      const token = await claimWork();
      expect(await intake().answers(WORKER, [{ token, lines: `${TRACK}\n` }])).to.deep.equal([
        { kind: 'accepted' },
      ]);
      const { state, file } = await listStored();
      expect(state).to.equal('DONE');
      expect(existsSync(answerPlace(pathOf(path(''), file!)).path)).to.equal(true);
    });

  it('are refused while the job accepts another answer', async () => {
    const token = await claimWork();
    let other: unknown;
    const failure = { code: 'OTHER', message: 'It failed.' } as const;
    meanwhile = async () => {
      other = await intake().failure(token, WORKER, failure);
    };
    const lines = `${TRACK}\n`;
    const answers = intake();
    expect(await answers.answers(WORKER, [{ token, lines }])).to.deep.equal([{ kind: 'accepted' }]);
    expect(other).to.deep.equal({ kind: 'differs' });
    expect(await answers.answers(WORKER, [{ token, lines }]), 'the same').to.deep.equal([
      { kind: 'accepted' },
    ]);
    expect(await answers.result(token, WORKER, Readable.from([lines]))).to.deep.equal({ kind: 'accepted' });
    expect(await answers.result(token, WORKER, Readable.from(['']))).to.deep.equal({ kind: 'differs' });
    expect((await listStored()).state).to.equal('DONE');
  });
});
