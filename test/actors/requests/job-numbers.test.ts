import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { JobNumbers } from '../../../actors/requests/job-numbers.ts';
import { highestJobIn } from '../../../results/highest-job.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('Numbers of new jobs', () => {
  const folder = temporaryFolder();
  let store: SqliteStore;
  let dataDir: string;
  let tests = 0;
  beforeEach(() => {
    dataDir = folder(`data-${++tests}`);
    mkdirSync(dataDir);
    store = new SqliteStore(path.join(dataDir, 'troupe.db'));
  });
  afterEach(() => store.close());

  const make = (name: string) => mkdirSync(path.join(dataDir, name), { recursive: true });
  const numbers = (of: Pick<Store, 'next' | 'shared'> = store) =>
    new JobNumbers({ store: of, dataDir, jobIdHost: 'here', logger: silent });

  it('begin at 1 in a new folder, and leave none out', async () => {
    const all = numbers();
    expect([await all.next(), await all.next()]).to.deep.equal([1, 2]);
    expect([await numbers().next(), await store.next('job')], 'after a restart').to.deep.equal([3, 4]);
  });

  for (const name of [
    'output-objects/here-12.1',
    'output-objects/12',
    'output-objects/other.host-12',
    'artifacts/here-12.3',
    'markup/here-12.1',
    'derivative-media/here-12.1',
    'media-selectors-output/here-12.1',
    'spool/here-12.1',
    'media/here-12.1.m0',
    'frames/here-12.1',
    'streams/12',
    'requests/here-12.0123456789abcdef',
  ])
    it(`are higher than that of ${name}`, async () => {
      make(name);
      make('output-objects/here-3.1');
      expect(await numbers().next()).to.equal(13);
    });

  it('do not heed names that no job has', async () => {
    for (const name of ['output-objects/notes', 'uploads/here-99.1', `spool/here-${'9'.repeat(15)}`])
      make(name);
    writeFileSync(path.join(dataDir, 'media'), 'no folder');
    expect(await highestJobIn(dataDir)).to.equal(0);
    expect(await numbers().next()).to.equal(1);
  });

  it('are each given once when many ask while the store is older than the folders', async () => {
    make('output-objects/here-40.1');
    const all = numbers();
    const given = await Promise.all(Array.from({ length: 20 }, () => all.next()));
    expect(new Set(given).size).to.equal(20);
    expect(Math.min(...given)).to.be.greaterThan(40);
  });

  it('skip those of another server that a shared store has forgotten', async () => {
    const all = numbers({ shared: true, next: (sequence, n) => store.next(sequence, n) });
    expect(await all.next()).to.equal(1);
    make('output-objects/here-2.1');
    make('spool/here-9.1');
    expect(await all.next()).to.equal(10);
  });

  it('are joined by runs that no folder of results has', async () => {
    for (const name of [
      'output-objects/here-5.2',
      'artifacts/here-5.3',
      'markup/here-5.5',
      'markup/here-6.4',
    ])
      make(name);
    expect(await numbers().runAfter('here-5', 1)).to.equal(4);
    expect(await numbers().runAfter('here-5', 5)).to.equal(6);
    expect(await numbers().runAfter('here-7', 1)).to.equal(2);
  });

  it('do not go back with a shared store that has lost its last commits', async () => {
    let last = 0;
    const all = numbers({ shared: true, next: (_, n = 1) => Promise.resolve((last += n) - n + 1) });
    expect([await all.next(), await all.next(), await all.next()]).to.deep.equal([1, 2, 3]);
    last = 0;
    expect(await all.next()).to.equal(4);
  });
});
