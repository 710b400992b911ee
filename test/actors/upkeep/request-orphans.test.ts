import { expect } from 'chai';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import { ALL_JOBS } from '../../../actors/batch-job/state/indexes.ts';
import { initialState } from '../../../actors/batch-job/state/initial-state.ts';
import { JOB_SCHEMA, toSnapshot } from '../../../actors/batch-job/state/snapshot.ts';
import { RequestOrphans } from '../../../actors/upkeep/request-orphans.ts';
import { DAY_MS } from '../../../actors/basics/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { recordOf } from '../batch-job/jobs.ts';

const NOW = 100 * DAY_MS;
const HOUR_MS = DAY_MS / 24;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

describe('Files of requests without a job', () => {
  const path = temporaryFolder();
  beforeEach(() => {
    rmSync(path('requests'), { recursive: true, force: true });
    mkdirSync(path('requests'));
  });
  const nameOf = (number: number) => `host-${number}.${String(number).padStart(16, '0')}`;
  const makeFile = (name: string, at: number) => {
    writeFileSync(path(`requests/${name}`), 'data:,x');
    utimesSync(path(`requests/${name}`), at / 1000, at / 1000);
  };
  /** Stores a job with this record, valid or not. */
  const keep = (store: SqliteStore, stored: object) => {
    const record = recordOf();
    const start = { run: 1, priority: 4, admitted: true, objectId: 'o', at: 0 };
    return store.commit({
      actor: { kind: BATCH_JOB, id: String(record.number) },
      expected: 0,
      owner: { server: 's', epoch: 1 },
      record: stored,
      snapshot: {
        schema: JOB_SCHEMA,
        body: { state: toSnapshot(record, initialState(record, start)), seen: [] },
      },
      index: { [ALL_JOBS]: record.number },
    });
  };
  const listLeft = async () => (await readdir(path('requests'))).toSorted();

  it('go when they are a day old and the store knows a later job; an empty store removes none', async () => {
    const store = new SqliteStore(path('troupe.db'));
    const clock = new VirtualClock(NOW);
    const orphans = new RequestOrphans({ store, clock, logger: silent, dataDir: path('.') });
    const record = recordOf();
    const { number } = record;
    const [own, earlier, fresh, later, broken] = [
      nameOf(number),
      nameOf(number - 1),
      nameOf(number - 2),
      nameOf(number + 1),
      `${nameOf(number)}.6f1c.part`,
    ] as const;
    for (const name of [own, earlier, later]) makeFile(name, NOW - 2 * DAY_MS);
    makeFile(fresh, NOW - HOUR_MS);
    await orphans.remove();
    expect(await listLeft()).to.deep.equal([own, earlier, later, fresh].toSorted());

    const uriAt = { path: `requests/${own}`, offset: 0, bytes: 7 };
    await keep(store, { ...record, media: record.media.map((medium) => ({ ...medium, uriAt })) });
    makeFile(broken, NOW - DAY_MS);
    await clock.advance(2 * HOUR_MS);
    await orphans.remove();
    expect(await listLeft()).to.deep.equal([own, later, fresh].toSorted());
    await clock.advance(DAY_MS);
    await orphans.remove();
    expect(await listLeft()).to.deep.equal([own, later].toSorted());
    await store.close();
  });

  it('stay when their job cannot be read, and do not keep the others', async () => {
    const store = new SqliteStore(path('damaged.db'));
    const clock = new VirtualClock(NOW);
    const warned: unknown[] = [];
    const logger = { ...silent, warn: (facts: object) => void warned.push(facts) };
    const orphans = new RequestOrphans({ store, clock, logger, dataDir: path('.') });
    const { number, jobId } = recordOf();
    await keep(store, { jobId });
    makeFile(nameOf(number), NOW - 2 * DAY_MS);
    makeFile('z-file', NOW - 2 * DAY_MS);
    await orphans.remove();
    expect(await listLeft())
      .to.include(nameOf(number))
      .and.not.to.include('z-file');
    expect(warned).to.have.length(1);
    await store.close();
  });

  it('that cannot be removed do not keep the others, and are tried again', async () => {
    const store = new SqliteStore(path('other.db'));
    const clock = new VirtualClock(NOW);
    const warned: unknown[] = [];
    const logger = { ...silent, warn: (facts: object) => void warned.push(facts) };
    const orphans = new RequestOrphans({ store, clock, logger, dataDir: path('.') });
    const folder = path('requests/a-folder');
    mkdirSync(folder);
    utimesSync(folder, 0, 0);
    makeFile('b-file', NOW - 2 * DAY_MS);
    await orphans.remove();
    expect(await listLeft())
      .to.include('a-folder')
      .and.not.to.include('b-file');
    await clock.advance(2 * HOUR_MS);
    await orphans.remove();
    expect(warned).to.have.length(2);
    await store.close();
  });
});
