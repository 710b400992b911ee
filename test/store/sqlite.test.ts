import { expect } from 'chai';
import Database from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { allRows, NotStorable } from '../../store/store.ts';
import { until, within } from '../support/until.ts';
import { storeContract } from './contract.ts';
import { temporaryFolder } from './folder.ts';

const CHILD = fileURLToPath(new URL('./committing-child.js', import.meta.url));
const JOB = { kind: 'job', id: '1' };
/** A commit that cannot be serialised. */
const WRONG = { expected: 0, owner: { server: 'here', epoch: 1 }, snapshot: { schema: 1, body: 1n } };

describe('The store in a SQLite file', () => {
  const path = temporaryFolder();
  storeContract({ open: async (place) => new SqliteStore(path(`${place}.db`)) });

  const openingError = (file: string): string => {
    try {
      void new SqliteStore(file).close();
      return 'it was opened';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('makes the folder that it lies in', async () => {
    const store = new SqliteStore(path('some/where/new.db'));
    await store.check();
    await store.close();
  });

  it('refuses a second opener in the same process with a clear sentence, and serves the first', async () => {
    const store = new SqliteStore(path('held.db'));
    expect(openingError(path('held.db'))).to.equal(
      `${path('held.db')} is in use by another process: one server holds a data folder.`,
    );
    expect(await store.next('still')).to.equal(1);
    await store.close();
    expect(openingError(path('held.db'))).to.equal('it was opened');
  });

  it('is refused with a clear sentence to a second process, also while the first is idle', async () => {
    const store = new SqliteStore(path('taken.db'));
    const child = spawn(process.execPath, [CHILD, path('taken.db')], { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    child.stderr.on('data', (text: Buffer) => (told += text.toString()));
    child.stdout.on('data', () => child.kill('SIGKILL'));
    const [code] = (await within(20_000, 'the second process ends', once(child, 'close'))) as [number | null];
    expect(code).to.equal(1);
    expect(told).to.contain('is in use by another process: one server holds a data folder.');
    await store.close();
  });

  describe('whose folder was moved', () => {
    const PLACE = { folder: '/link "to" data', real: '/disk/100% data' };
    const body = (folder: string, real: string) => ({
      file: `${folder}/spool/h-1.1/x.ndjson`,
      uri: `${pathToFileURL(real).href}/uploads/7/file.mp4`,
      excluded: [real],
      others: [`${folder}-else/x`, `see ${folder}/x`, '/mnt/x', `file:///mnt${real}`],
    });
    const commit = (store: SqliteStore, row: object) =>
      store.commit({
        actor: JOB,
        expected: 0,
        owner: { server: 'here', epoch: 1 },
        snapshot: { schema: 1, body: { pastOutput: row } },
        record: row,
        putRows: [{ key: 'a', body: row }],
      });
    const readStored = async (store: SqliteStore) => {
      const actor = await store.load(JOB);
      const [row] = await store.rows(JOB, { prefix: '', limit: 1 });
      return [actor?.snapshot.body, actor?.record, row?.body];
    };
    const movePlace = (from: { folder: string; real: string }, to: { folder: string; real: string }) => ({
      ...body(to.folder, to.real),
      others: body(from.folder, from.real).others,
    });

    it('names its files at the new place, as JSON and as URIs, and keeps all other texts', async () => {
      const file = path('moved.db');
      const first = new SqliteStore(file, { place: PLACE });
      expect(first.movedFrom).to.equal(undefined);
      await commit(first, body(PLACE.folder, PLACE.real));
      await first.close();
      // A subfolder of the earlier folder: paths that were already moved must not be moved again.
      const to = { folder: `${PLACE.folder}/deeper`, real: `${PLACE.real}/deeper` };
      for (const from of [PLACE, undefined]) {
        const store = new SqliteStore(file, { place: to });
        expect(store.movedFrom).to.deep.equal(from);
        const row = movePlace(PLACE, to);
        expect(await readStored(store)).to.deep.equal([{ pastOutput: row }, row, row]);
        await store.close();
      }
    });

    it('knows all places where it has been, but for the one where it is', async () => {
      const file = path('often-moved.db');
      const places = ['/a', '/b', '/c', '/b'].map((folder) => ({ folder, real: `/real${folder}` }));
      const known: (readonly object[])[] = [];
      for (const place of places) {
        const store = new SqliteStore(file, { place });
        known.push(store.formerPlaces);
        await store.close();
      }
      const [a, b, c] = places;
      expect(known).to.deep.equal([[], [a], [a, b], [a, c]]);
    });
  });

  describe('of another format is refused with what to do, and left as it is', () => {
    const refused = (file: string, change: (database: Database.Database) => void): string => {
      const database = new Database(file);
      change(database);
      database.close();
      const before = readFileSync(file);
      const message = openingError(file);
      expect(readFileSync(file).equals(before), 'the file').to.equal(true);
      expect(existsSync(`${file}-wal`), 'a log').to.equal(false);
      return message;
    };

    it('when a newer version of Troupe wrote it', async () => {
      const file = path('newer.db');
      await new SqliteStore(file).close();
      expect(refused(file, (database) => database.exec('update format set version = 2'))).to.equal(
        `The database ${file} was written by a newer version of Troupe (format 2, this version knows format 1). ` +
          'Set DATA_DIR to an empty folder, or start the version that wrote it.',
      );
    });

    it('when it was written before the first format', () => {
      for (const schema of [1, 8]) {
        const file = path(`before-${schema}.db`);
        const message = refused(file, (database) => {
          database.exec(
            'create table actors (kind text, id text); create table sequences (name text, last integer)',
          );
          database.pragma(`user_version = ${schema}`);
        });
        expect(message).to.equal(
          `The database ${file} was written by a version of Troupe before its first release (schema ${schema}, this version knows format 1). ` +
            'Set DATA_DIR to an empty folder, or start the version that wrote it.',
        );
      }
    });
  });

  describe('whose log is synced', () => {
    const commitOf = (id: string, synced: boolean, counters = {}) => ({
      actor: { kind: 'job', id },
      expected: 0,
      owner: { server: 'here', epoch: 1 },
      snapshot: { schema: 1, body: {} },
      synced,
      counters,
    });

    it('acknowledges a synced commit after the sync behind it; later commits share the next sync', async () => {
      const syncs: (() => void)[] = [];
      const sync = () => new Promise<void>((resolve) => syncs.push(resolve));
      const store = new SqliteStore(path('synced.db'), { sync });
      const told: string[] = [];
      const commit = (id: string, synced: boolean) =>
        store.commit(commitOf(id, synced)).then(() => told.push(id));
      const first = commit('first', true);
      await until('the first sync has begun', () => syncs.length === 1);
      const later = [commit('second', true), commit('third', true)];
      await commit('plain', false);
      expect(told).to.deep.equal(['plain']);
      expect((await store.load({ kind: 'job', id: 'second' }))?.version, 'it is written').to.equal(1);
      syncs[0]!();
      await first;
      expect(told).to.deep.equal(['plain', 'first']);
      await until('the second sync has begun', () => syncs.length === 2);
      syncs[1]!();
      await Promise.all(later);
      expect(syncs).to.have.length(2);
      await store.close();
    });

    it('writes what must be synced only when its own sync begins, while another goes on', async () => {
      const syncs: (() => void)[] = [];
      const sync = () => new Promise<void>((resolve) => syncs.push(resolve));
      const store = new SqliteStore(path('gathered.db'), { sync });
      const versionOf = async (id: string) => (await store.load({ kind: 'job', id }))?.version;
      const first = store.commit(commitOf('first', true));
      await until('the first sync has begun', () => syncs.length === 1);
      const second = store.commit(commitOf('second', true));
      await new Promise((resolve) => setImmediate(resolve));
      const third = store.commit(commitOf('third', true));
      expect(await versionOf('second'), 'while the first sync goes on').to.equal(undefined);
      syncs[0]!();
      await first;
      await until('the second sync has begun', () => syncs.length === 2);
      expect([await versionOf('second'), await versionOf('third')]).to.deep.equal([1, 1]);
      syncs[1]!();
      expect(await Promise.all([second, third])).to.deep.equal([1, 1]);
      expect(syncs, 'one for both').to.have.length(2);
      await store.close();
    });

    it('refuses what could not be synced, and syncs what comes after it', async () => {
      let fails = true;
      const sync = (log: FileHandle) => (fails ? Promise.reject(new Error('EIO')) : log.datasync());
      const store = new SqliteStore(path('unsynced.db'), { sync });
      const refused = await store.commit(commitOf('lost', true)).catch((error: Error) => error.message);
      expect(refused).to.equal('EIO');
      fails = false;
      expect(await store.commit(commitOf('kept', true))).to.equal(1);
      await store.close();
    });

    it('does not sync for a commit that was refused', async () => {
      let syncs = 0;
      const store = new SqliteStore(path('refused.db'), { sync: async () => void syncs++ });
      await store.commit(commitOf('once', false));
      const conflict = await store.commit(commitOf('once', true)).catch((error: Error) => error.name);
      expect([conflict, syncs]).to.deep.equal(['VersionConflict', 0]);
      await store.close();
    });

    it('writes all others of a transaction when one commit cannot be written, each once', async () => {
      const store = new SqliteStore(path('together.db'));
      const wrong = { ...commitOf('wrong', true), snapshot: { schema: 1, body: 1n } };
      const outcomes = await Promise.allSettled([
        store.commit(commitOf('before', false, { made: 1 })),
        store.commit(wrong),
        store.next('number', 3),
        store.commit(commitOf('after', true, { made: 1 })),
      ]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect((outcomes[1] as PromiseRejectedResult).reason).to.be.instanceOf(NotStorable);
      expect(await store.counters('')).to.deep.equal(new Map([['made', 2]]));
      expect([await store.next('number'), await store.load({ kind: 'job', id: 'wrong' })]).to.deep.equal([
        4,
        undefined,
      ]);
      await store.close();
    });
  });

  it('reserves numbers ahead when several are asked for, and omits none after an orderly end', async () => {
    const file = path('numbers.db');
    const storedIn = (copy: string) => {
      const database = new Database(copy);
      const row = database
        .prepare<[], { last: number }>("select last from sequences where name = 'job'")
        .get();
      database.close();
      return row?.last;
    };
    const store = new SqliteStore(file);
    for (let n = 1; n <= 5; n++) expect(await store.next('job')).to.equal(n);
    expect(await store.next('job', 3)).to.equal(6);
    await store.backup(path('copy.db'));
    expect(
      storedIn(path('copy.db')),
      'a server that starts from a copy gives none of them again',
    ).to.be.at.least(8);
    for (let n = 9; n <= 200; n++) expect(await store.next('job')).to.equal(n);
    await store.close();
    expect(storedIn(file)).to.equal(200);
    const again = new SqliteStore(file);
    expect(await again.next('job')).to.equal(201);
    await again.close();
  });

  it('gives no number twice when a transaction that reserved some could not be written', async () => {
    const store = new SqliteStore(path('undone.db'));
    const given: number[] = [];
    const wrong = () => store.commit({ ...WRONG, actor: { kind: 'job', id: `${given.length}` } });
    for (let turn = 0; turn < 10; turn++) {
      const outcomes = await Promise.allSettled([store.next('job', 2), wrong(), store.next('job')]);
      const [two, refused, one] = outcomes;
      expect(refused.status).to.equal('rejected');
      const first = (two as PromiseFulfilledResult<number>).value;
      given.push(first, first + 1, (one as PromiseFulfilledResult<number>).value);
    }
    expect(given).to.deep.equal([...new Set(given)].toSorted((a, b) => a - b));
    await store.close();
  });

  it('keeps in quarantine what the actor still owed, for whoever wants to send it', async () => {
    const file = path('quarantined.db');
    const store = new SqliteStore(file);
    const notice = { id: '1.1.callback', destination: 'http://caller.example', due: 5, body: { url: 'u' } };
    await store.commit({
      actor: JOB,
      expected: 0,
      owner: { server: 'here', epoch: 1 },
      snapshot: { schema: 1, body: {} },
      outbox: { put: [notice] },
    });
    await store.quarantine(JOB, 'it makes no sense');
    expect(await store.destinations({ limit: 9 })).to.deep.equal([]);
    await store.close();
    const database = new Database(file);
    const { body } = database.prepare<[], { body: string }>('select body from quarantine').get()!;
    database.close();
    expect(JSON.parse(body)).to.deep.include({ notices: { '1.1.callback': '{"url":"u"}' } });
  });

  it('that is no database is refused, and not overwritten', () => {
    const file = path('letter.db');
    writeFileSync(file, 'Dear reader, this is no database. '.repeat(100));
    expect(openingError(file)).to.contain('not a database');
    expect(openingError(file)).to.contain('not a database');
  });

  it('loses no acknowledged commit and no number when its process is killed, again and again', async function () {
    this.timeout(240_000);
    const file = path('killed.db');
    let last = { version: 0, number: 0 };
    for (const lines of [1, 40, 90]) {
      const seen = await killedAfter(file, lines);
      expect(seen.version, 'the child went on where the one before stopped').to.be.greaterThan(last.version);
      const store = new SqliteStore(file);
      const stored = await store.load(JOB);
      expect(stored?.version, 'the stored version').to.be.within(seen.version, seen.version + 1);
      let rows = 0;
      for await (const { body } of allRows(store, JOB)) rows += (body as string).length === 200 ? 1 : 0;
      expect(stored?.snapshot.body).to.include({ rows: stored?.version });
      expect(rows, 'rows').to.equal(stored?.version);
      expect(await store.list('live', { limit: 9 })).to.deep.equal([{ id: '1', score: stored?.version }]);
      const number = await store.next('numbers');
      expect(number, 'the next number').to.be.greaterThan(seen.number);
      last = { version: stored!.version, number };
      await store.close();
    }
  });
});

/** Kills the child after this number of acknowledged commits. Returns the last acknowledged commit. */
async function killedAfter(file: string, lines: number): Promise<{ version: number; number: number }> {
  const child = spawn(process.execPath, [CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let count = 0;
  let last = '0 0';
  const reader = createInterface({ input: child.stdout }).on('line', (line) => {
    last = line;
    if (++count === lines) child.kill('SIGKILL');
  });
  await within(
    30_000,
    `the child is killed after ${lines} commits`,
    Promise.all([once(child, 'exit'), once(reader, 'close')]),
  );
  expect(child.signalCode).to.equal('SIGKILL');
  const [version, number] = last.split(' ').map(Number);
  return { version: version!, number: number! };
}
