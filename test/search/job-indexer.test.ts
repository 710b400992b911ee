/** The keeper of the search index rebuilds it, whichever operation finds the damage. */
import { expect } from 'chai';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UNINDEXED_JOBS } from '../../actors/batch-job/state/indexes.ts';
import { BATCH_JOB } from '../../actors/batch-job/state/keys.ts';
import { JobIndexer } from '../../actors/search/job-indexer.ts';
import { systemClock } from '../../actors/basics/clock.ts';
import type { Logger } from '../../config/logger.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../store/folder.ts';
import { until } from '../support/until.ts';
import { askedOf, givenDocument } from './documents.ts';
import { openAt } from './open.ts';

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

describe('The index of the search', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let indexer: JobIndexer | undefined;
  afterEach(async () => {
    await indexer?.close();
    await store.close();
  });

  /** Creates an intact index and damages `table`, in a place that opening the file does not check. */
  const givenDamaged = async (name: string, table: string) => {
    const file = path(`${name}.db`);
    const before = openAt(file);
    await before.put([givenDocument(path('1.json'), { number: 1, tracks: [{ text: 'word' }] })]);
    await before.setMark(null);
    await before.close();
    damage(file, table);
    store = new SqliteStore(path(`${name}-jobs.db`));
    indexer = new JobIndexer({
      ...{ store, index: openAt(file), clock: systemClock, logger: silent, dataDir: path('') },
      jobs: () => ({ ask: () => Promise.reject(new Error('There are no jobs.')) }),
    });
    indexer.wake();
    return indexer;
  };
  const wholeAgain = (of: JobIndexer) =>
    until(
      'it is made again, and has nothing, as there are no jobs',
      () => of.find(askedOf({ text: 'word' })),
      (page) => 'hits' in page && page.complete && page.hits.length === 0,
    );

  it('is whole without a file where no job has ended, and says so in the file with the first one', async () => {
    const file = path('unmade.db');
    store = new SqliteStore(path('unmade-jobs.db'));
    const told: string[] = [];
    const logger = { ...silent, info: (_: object, message: string) => void told.push(message) };
    indexer = new JobIndexer({
      ...{ store, index: openAt(file), clock: systemClock, logger, dataDir: path('') },
      jobs: () => ({ ask: () => Promise.reject(new Error('There is no actor of the job.')) }),
    });
    indexer.wake();
    await until('it is whole', () => told.includes('the search has all documents'));
    expect(existsSync(file)).to.equal(false);

    await store.commit({
      ...{ actor: { kind: BATCH_JOB, id: '1' }, expected: 0, owner: { server: 'a', epoch: 1 } },
      ...{ snapshot: { schema: 1, body: {} }, index: { [UNINDEXED_JOBS]: 1 } },
    });
    indexer.wake();
    await until('the file is there', () => existsSync(file));
    await indexer.close();
    const after = openAt(file);
    expect(await after.mark()).to.equal(null);
    await after.close();
  });

  it('is made again when a search meets the damage', async () => {
    const damaged = await givenDamaged('searched', 'words_data');
    expect(await damaged.find(askedOf({ text: 'word' })))
      .to.have.property('busy')
      .that.includes('damaged');
    await wholeAgain(damaged);
  });

  it('is made again when a removal meets the damage', async () => {
    const damaged = await givenDamaged('removed', 'jobs');
    expect(await damaged.remove(1, 1)).to.equal(true);
    // No search reads the damaged part here.
    await until(
      'it is forgotten, and there are no jobs to make it of',
      () => jobsIn(path('removed.db')),
      (count) => count === 0,
    );
  });
});

/** Overwrites the first page of a table or index with random bytes. */
function damage(file: string, name: string): void {
  const database = new Database(file);
  const root = database
    .prepare<[string], { page: number }>('select rootpage as page from sqlite_schema where name = ?')
    .get(name)!.page;
  const size = Number(database.pragma('page_size', { simple: true }));
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  const bytes = openSync(file, 'r+');
  writeSync(bytes, Buffer.alloc(size, 0xff), 0, size, (root - 1) * size);
  closeSync(bytes);
}

/**
 * Number of indexed jobs. Undefined: the index is damaged or being built. Without documents there is no file.
 */
function jobsIn(file: string): number | undefined {
  if (!existsSync(file)) return 0;
  try {
    const database = new Database(file, { readonly: true });
    try {
      return database.prepare<[], { n: number }>('select count(id) as n from jobs not indexed').get()?.n;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}
