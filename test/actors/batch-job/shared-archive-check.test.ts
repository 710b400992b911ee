/** For each run of a job, only one of the servers that share a store checks the archive. */
import { expect } from 'chai';
import { ArchiveChecks } from '../../../actors/batch-job/completion/archive-checks.ts';
import { FailureGroups } from '../../../actors/batch-job/failures/failure-groups.ts';
import { batchJobKind } from '../../../actors/batch-job/actor.ts';
import type { JobCommand, JobReply } from '../../../actors/batch-job/state/commands.ts';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { DEFAULT_INTENSITY } from '../../../actors/runtime/supervision.ts';
import { ActorSystem, type Family } from '../../../actors/runtime/system.ts';
import { storedJob } from '../../../actors/batch-job/state/stored-job.ts';
import type { ArchiveFinding } from '../../../domain/types.ts';
import { LOCAL_LOCKS, StoredLocks, type ClusterLocks } from '../../../store/cluster-locks.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { allRows } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';
import { PlainTree } from '../runtime/plain-tree.ts';
import { doneWith, OBJECT_ID, recordOf, settingsOf, type GivenJob } from './jobs.ts';

const URL = 'http://archive.example';
const GIVEN: GivenJob = { media: [{ archiveUrl: URL, properties: { ARCHIVE_URL: URL } }] };
const NONE: ArchiveFinding = { kind: 'none' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('The check of the archive by one of several servers', () => {
  const path = temporaryFolder();
  let files = 0;
  let store: SqliteStore;
  let now: number;
  /** The servers that have sent a check, with a function that answers it. */
  let asked: { readonly server: string; readonly answer: (finding: ArchiveFinding) => void }[];
  const systems: ActorSystem[] = [];
  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
    now = 1_000_000;
    asked = [];
  });
  afterEach(async () => {
    for (const { answer } of asked) answer(NONE);
    await Promise.all(systems.splice(0).map((system) => system.stop(1_000)));
    await store.close();
  });

  interface Server {
    readonly jobs: Family<JobCommand, JobReply>;
    /** Drives the heartbeat of the server. */
    readonly clock: VirtualClock;
  }
  function server(name: string, locks?: ClusterLocks): Server {
    const system = new ActorSystem(new PlainTree(), systemClock);
    systems.push(system);
    const owner = { server: name, epoch: 1 };
    const clock = new VirtualClock();
    const jobs: Family<JobCommand, JobReply> = system.register(
      batchJobKind({
        ...{ store, owner, logger: silent, mailbox: 100, intensity: DEFAULT_INTENSITY, idleMs: 60_000 },
        settings: settingsOf({ dataDir: path('data') }),
        clock: systemClock,
        failures: new FailureGroups(store, systemClock),
        findDocument: () => Promise.resolve(),
        checkArchive: (record, state) => void checks.checkInspected(record, state),
        deliver() {},
        forget() {},
        timers: { set() {} },
        onEnd() {},
        search: { wake() {}, remove: () => Promise.resolve(true) },
      }),
    );
    const checks = new ArchiveChecks({
      ...{ store, jobs, clock, logger: silent, dataDir: path('data'), movedFiles: [] },
      locks: locks ?? new StoredLocks(store, owner, () => now),
      ask: () => new Promise((answer) => asked.push({ server: name, answer })),
      post: () => Promise.resolve(undefined),
    });
    return { jobs, clock };
  }

  /** A job with inspected media, so the archive check is next. */
  async function inspectMedia({ jobs }: Server): Promise<void> {
    const record = recordOf(GIVEN);
    await jobs.ask('7', { type: 'accept', record, admitted: true, objectId: OBJECT_ID, archive: 'later' });
    const [row] = await rows();
    await jobs.ask('7', doneWith(GIVEN, row!));
    await until('the archive is asked', () => asked.length === 1);
  }
  async function rows(): Promise<readonly SubJobRow[]> {
    const found: SubJobRow[] = [];
    for await (const { body } of allRows(store, { kind: BATCH_JOB, id: '7' })) found.push(body as SubJobRow);
    return found;
  }
  /** All servers resume the job, as after a start. */
  const resume = (...servers: readonly Server[]) =>
    Promise.all(servers.map(({ jobs }) => jobs.ask('7', { type: 'resume' })));
  const stage = async () => (await storedJob(store, 7))?.snapshot.stage.name;
  const goesOn = () => until('the job goes on', stage, (name) => name === 'TASK');

  it('is made once, whichever servers take the job up meanwhile', async () => {
    const [one, two, three] = [server('one'), server('two'), server('three')];
    await inspectMedia(one);
    for (let n = 0; n < 5; n++) await resume(two, three, one);
    asked[0]!.answer(NONE);
    await goesOn();
    await resume(two, three, one);
    expect(asked.map((each) => each.server)).to.deep.equal(['one']);
    const done = (await rows()).filter(({ state }) => state === 'DONE').map(({ kind }) => kind);
    expect(done).to.deep.equal(['PREPARE']);
  });

  it('is made again by another server when the one that asked is gone, and counts once', async () => {
    const [one, two] = [server('one'), server('two')];
    await inspectMedia(one);
    for (let second = 0; second < 60; second++) {
      now += 1_000;
      await one.clock.advance(1_000);
      await resume(two);
    }
    expect(asked, 'as long as it says that it is there').to.have.length(1);
    // The server sends no more heartbeats.
    now += 60_000;
    await resume(two);
    await until('the other one asks', () => asked.length === 2);
    asked[1]!.answer(NONE);
    await goesOn();
    asked[0]!.answer({ kind: 'failed', reason: 'late' });
    await resume(one, two);
    expect((await storedJob(store, 7))?.snapshot.issues).to.deep.equal([]);
    expect(asked.map((each) => each.server)).to.deep.equal(['one', 'two']);
  });

  it('is not made for a job that has its answer', async () => {
    const alone = server('alone', LOCAL_LOCKS);
    await inspectMedia(alone);
    asked[0]!.answer(NONE);
    await goesOn();
    await resume(alone);
    expect(asked).to.have.length(1);
  });
});
