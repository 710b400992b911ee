/** Cleanup with servers that share a store: one of them cleans up for all. */
import { expect } from 'chai';
import { startCleaning } from '../../../actors/upkeep/retention.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { StoredLocks } from '../../../store/cluster-locks.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';

const EVERY_MS = 60_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('Clearing up', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let clock: VirtualClock;
  let done: string[];
  before(() => (store = new SqliteStore(path('cleaning.db'))));
  after(() => store.close());

  const cleaner = (server: string) => {
    const note = (what: string) => {
      done.push(`${server}: ${what}`);
      return Promise.resolve();
    };
    return startCleaning({
      ...{ clock, logger: silent, everyMs: EVERY_MS },
      locks: new StoredLocks(store, { server, epoch: 1 }, () => clock.now()),
      retention: { look: () => note('retention').then(() => 0) },
      sessions: { removeExpired: () => note('sessions') },
      uploads: { removeExpired: () => note('uploads'), lookAgain: () => note('look at uploads') },
      removeOrphans: () => note('orphans'),
    });
  };
  /** The tasks done in one round of every server. */
  const look = async (servers: number, passed = EVERY_MS) => {
    done = [];
    await clock.advance(passed);
    const countLooks = () => done.filter((one) => one.endsWith('look at uploads')).length;
    await until('each has looked', () => countLooks() === servers);
    return done.toSorted();
  };

  it('is one server’s, until it is gone; each server looks which uploads there are', async () => {
    clock = new VirtualClock(1_000_000);
    done = [];
    const all = ['look at uploads', 'orphans', 'retention', 'sessions', 'uploads'];
    const by = (server: string, what = all) => what.map((one) => `${server}: ${one}`);
    const stopOne = cleaner('one');
    expect(await look(1, 1)).to.deep.equal(by('one'));
    const stopTwo = cleaner('two');
    expect(await look(1, 1)).to.deep.equal(['two: look at uploads']);
    for (let n = 0; n < 5; n++) expect(await look(2)).to.deep.equal([...by('one'), 'two: look at uploads']);
    stopOne();
    const byTwo: (readonly string[])[] = [];
    for (let n = 0; n < 4; n++) byTwo.push(await look(1));
    expect(byTwo.at(0)).to.deep.equal(['two: look at uploads']);
    expect(byTwo.at(-1)).to.deep.equal(by('two'));
    stopTwo();
  });
});
