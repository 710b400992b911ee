import { expect } from 'chai';
import { WaitingTurns } from '../../../actors/admission/waiting-turns.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { WAITING_JOBS, waitingJobsOf, waitingScore } from '../../../actors/batch-job/state/indexes.ts';
import { parseUserShares } from '../../../domain/users/user-shares.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';

describe('Jobs that wait for admission', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let files = 0;
  let jobs = 0;
  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
  });
  afterEach(() => store.close());

  const turnsWith = (shares: string) =>
    new WaitingTurns({ store, shares: parseUserShares(shares), clock: systemClock });
  /** Stores a waiting job like its actor does, and returns its number. */
  async function wait(turns: WaitingTurns, user: string | undefined, priority = 4): Promise<string> {
    const owner = user === undefined ? undefined : { user };
    const score = waitingScore(priority, await turns.next({ priority, owner }));
    const id = `${user} ${++jobs}`;
    await store.commit({
      actor: { kind: 'batch-job', id },
      expected: 0,
      owner: { server: 'here', epoch: 1 },
      snapshot: { schema: 1, body: {} },
      index: { [WAITING_JOBS]: score, [waitingJobsOf(user ?? '')]: score },
    });
    return id;
  }
  const users = async (limit: number) =>
    (await store.list(WAITING_JOBS, { limit })).map(({ id }) => id.split(' ')[0]);

  it('are admitted in the turns of their users, however many one of them has', async () => {
    const turns = turnsWith('');
    for (let n = 0; n < 50; n++) await wait(turns, 'alice');
    for (let n = 0; n < 3; n++) await wait(turns, 'bob');
    expect((await users(8)).filter((user) => user === 'bob')).to.have.lengthOf(3);
  });

  it('have turns by the weights of their users, also after a restart', async () => {
    const before = turnsWith('alice=3');
    for (let n = 0; n < 20; n++) await wait(before, 'alice');
    const after = turnsWith('alice=3');
    for (let n = 0; n < 10; n++) await wait(after, 'bob');
    const last = await wait(after, 'alice');
    const firsts = await users(16);
    expect(firsts.filter((user) => user === 'alice').length).to.be.within(11, 13);
    const alices = (await store.list(waitingJobsOf('alice'), { limit: 100 })).map(({ id }) => id);
    expect(alices.at(-1), "a user's jobs stay in order").to.equal(last);
  });

  it('that are asked for at once get a turn each', async () => {
    const turns = turnsWith('');
    await wait(turns, 'alice');
    const next = Array.from({ length: 10 }, () => turns.next({ priority: 4, owner: { user: 'alice' } }));
    expect(new Set(await Promise.all(next)).size).to.equal(10);
  });

  it('do not wait behind jobs of a lower priority', async () => {
    const turns = turnsWith('');
    for (let n = 0; n < 5; n++) await wait(turns, 'alice', 4);
    await wait(turns, 'alice', 9);
    await wait(turns, undefined, 0);
    expect(await users(1)).to.deep.equal(['alice']);
    expect((await users(9)).at(-1)).to.equal('undefined');
    expect((await store.list(WAITING_JOBS, { limit: 1 }))[0]?.score).to.equal(waitingScore(9, 0));
  });
});
