/** The number of live jobs of all servers is cached for a moment, not read for each job. */
import { expect } from 'chai';
import { SharedFigureReader } from '../../../actors/admission/shared-figures.ts';
import { LIVE_JOBS, WAITING_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';

describe('The numbers of jobs of all servers', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let files = 0;
  beforeEach(() => {
    store = new SqliteStore(path(`${++files}.db`));
  });
  afterEach(() => store.close());

  const put = (id: string, index: string) =>
    store.commit({
      actor: { kind: 'batch-job', id },
      expected: 0,
      owner: { server: 'another', epoch: 1 },
      snapshot: { schema: 1, body: {} },
      index: { [index]: 1 },
    });
  const readerAt = () => {
    const clock = new VirtualClock();
    return { clock, reader: new SharedFigureReader({ store, clock }) };
  };

  it('are those of a moment ago for a moment, and unknown before and after it', async () => {
    const { clock, reader } = readerAt();
    expect(reader.recent).to.equal(undefined);
    await put('1', LIVE_JOBS);
    expect(await reader.read()).to.deep.equal({ unended: 1, waiting: 0 });
    await put('2', LIVE_JOBS);
    await clock.advance(150);
    expect(reader.recent).to.deep.equal({ unended: 1, waiting: 0 });
    await clock.advance(100);
    expect(reader.recent).to.equal(undefined);
    expect(await reader.read()).to.deep.equal({ unended: 2, waiting: 0 });
  });

  it('are asked for each time while a job of this server may be on its way to wait', async () => {
    const { clock, reader } = readerAt();
    await reader.read();
    reader.noteWaiting();
    expect(reader.recent).to.equal(undefined);
    await put('1', WAITING_JOBS);
    expect(await reader.read()).to.deep.equal({ unended: 0, waiting: 1 });
    expect(reader.recent).to.equal(undefined);
    await clock.advance(2_000);
    await reader.read();
    expect(reader.recent).to.deep.equal({ unended: 0, waiting: 1 });
  });
});
