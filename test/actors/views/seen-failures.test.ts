/** GET /rest/failures when users see only their own jobs or those of their group. */
import { expect } from 'chai';
import type { Sight } from '../../../domain/users/owner.ts';
import { listFailures } from '../../../actors/views/failures.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { storeJob, type GivenJob } from './ended-jobs.ts';

const [DAMAGED, EMPTY] = ['The file is damaged.', 'The file is empty.'];
const JOBS: readonly GivenJob[] = [
  { number: 1, endedAt: 1_000, owner: { user: 'anna', group: 'red' }, failures: [DAMAGED, DAMAGED] },
  { number: 2, endedAt: 2_000, owner: { user: 'bob', group: 'red' }, failures: [DAMAGED, EMPTY] },
  { number: 3, endedAt: 3_000, owner: { user: 'anna', group: 'blue' }, failures: [DAMAGED] },
  { number: 4, endedAt: 4_000, owner: { user: 'anna' }, failures: [EMPTY] },
  { number: 5, endedAt: 5_000, owner: { user: 'carl' }, failures: [EMPTY, EMPTY] },
  { number: 6, endedAt: 6_000, failures: [DAMAGED] },
];

describe('Groups of failures', () => {
  const path = temporaryFolder();
  let store: Store;
  before(async () => {
    store = new SqliteStore(path('failures.db'));
    for (const job of JOBS) await storeJob(store, job);
  });
  after(() => store.close());

  const seen = async (sight: Sight) => {
    const query = { limit: 50, from: undefined, component: undefined, code: undefined, sight };
    return (await listFailures(store, query)).map(({ message, count, jobs, examples, first, last }) => ({
      ...{ message, count, jobs, examples, first, last },
    }));
  };

  it('count all jobs for those who see all', async () => {
    expect(await seen('ALL')).to.deep.equal([
      {
        ...{ message: DAMAGED, count: 5, jobs: 4, first: 1_000, last: 6_000 },
        examples: ['host-6', 'host-3', 'host-2'],
      },
      {
        ...{ message: EMPTY, count: 4, jobs: 3, first: 2_000, last: 5_000 },
        examples: ['host-5', 'host-4', 'host-2'],
      },
    ]);
  });

  it('count the own jobs of a user, whatever group they were made in', async () => {
    expect(await seen({ user: 'anna' })).to.deep.equal([
      { message: EMPTY, count: 1, jobs: 1, first: 4_000, last: 4_000, examples: ['host-4'] },
      { message: DAMAGED, count: 3, jobs: 2, first: 1_000, last: 3_000, examples: ['host-3', 'host-1'] },
    ]);
  });

  it('count a job of the user and of the group once', async () => {
    expect(await seen({ user: 'anna', group: 'red' })).to.deep.equal([
      { message: EMPTY, count: 2, jobs: 2, first: 2_000, last: 4_000, examples: ['host-4', 'host-2'] },
      {
        ...{ message: DAMAGED, count: 4, jobs: 3, first: 1_000, last: 3_000 },
        examples: ['host-3', 'host-2', 'host-1'],
      },
    ]);
  });

  it('are none for a user who sees no job', async () => {
    expect(await seen({})).to.deep.equal([]);
    expect(await seen({ user: 'dora', group: 'green' })).to.deep.equal([]);
  });
});
