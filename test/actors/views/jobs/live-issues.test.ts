import { expect } from 'chai';
import { BATCH_JOB } from '../../../../actors/batch-job/state/keys.ts';
import { initialState } from '../../../../actors/batch-job/state/initial-state.ts';
import { JOB_SCHEMA, toSnapshot } from '../../../../actors/batch-job/state/snapshot.ts';
import { liveIssues } from '../../../../actors/views/jobs/live-issues.ts';
import { SqliteStore } from '../../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../../store/folder.ts';
import { recordOf } from '../../batch-job/jobs.ts';

describe('What has gone wrong so far in a large job', () => {
  const path = temporaryFolder();

  it('is read in turns with everything else', async () => {
    const store = new SqliteStore(path('large.db'));
    const record = recordOf({ media: Array.from({ length: 5_000 }, () => ({ problem: true })) });
    const start = { run: 1, priority: 4, admitted: true, objectId: 'o', at: 0 };
    const state = { ...toSnapshot(record, initialState(record, start)), status: 'IN_PROGRESS_ERRORS' };
    await store.commit({
      actor: { kind: BATCH_JOB, id: String(record.number) },
      expected: 0,
      owner: { server: 's', epoch: 1 },
      record,
      snapshot: { schema: JOB_SCHEMA, body: { state, seen: [] } },
    });
    let turns = 0;
    let isRead = false;
    const count = () => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const found = await liveIssues(store, record.number);
    isRead = true;
    expect(found).to.have.nested.property('errors.count', 5_000);
    expect(turns, 'turns of others').to.be.above(5);
    await store.close();
  });
});
