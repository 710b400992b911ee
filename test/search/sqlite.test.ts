import { expect } from 'chai';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { SqliteSearch } from '../../search/sqlite/sqlite-search.ts';
import { SearchBroken, SearchBusy } from '../../store/search.ts';
import { temporaryFolder } from '../store/folder.ts';
import { until } from '../support/until.ts';
import { searchContract } from './contract.ts';
import { askedOf, givenDocument } from './documents.ts';
import { openAt } from './open.ts';

searchContract('SQLite', (folder, options) => openAt(`${folder}.db`, options));

describe('The search file', () => {
  const path = temporaryFolder();
  let index: SqliteSearch;
  afterEach(() => index.close());

  for (const [what, damage] of [
    ['is no database', (file: string) => writeFileSync(file, 'no database '.repeat(1_000))],
    [
      'is of another version',
      (file: string) => {
        const database = new Database(file);
        database.pragma('user_version = 99');
        database.close();
      },
    ],
  ] as const)
    it(`that ${what} is told to be broken, and is made anew`, async () => {
      const file = path(`${what}.db`);
      damage(file);
      index = openAt(file);
      for (const ask of [() => index.mark(), () => index.find(askedOf({}))])
        expect(await ask().catch((error: unknown) => error)).to.be.instanceOf(SearchBroken);
      await index.clear();
      expect(await index.mark()).to.equal('begun');
      expect((await index.find(askedOf({}))).hits).to.deep.equal([]);
    });

  it('that cannot be removed is removed another time', async () => {
    const file = path('kept.db');
    index = openAt(file);
    mkdirSync(`${file}-wal`);
    expect(await index.clear().catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(await index.find(askedOf({})).catch((error: unknown) => error)).to.be.instanceOf(SearchBusy);
    rmdirSync(`${file}-wal`);
    await index.clear();
    expect((await index.find(askedOf({}))).hits).to.deep.equal([]);
  });

  it('keeps no rows of what was removed', async () => {
    const file = path('removed.db');
    index = openAt(file);
    const tracks = Array.from({ length: 800 }, (_, n) => ({ text: `word${n}`, class: 'car' }));
    await index.put([givenDocument(path('1.json'), { number: 1, tracks })]);
    await index.put([givenDocument(path('2.json'), { number: 2, tracks: [{ text: 'stays' }] })]);
    await index.remove(1, 1);
    const database = new Database(file, { readonly: true });
    const count = (table: string) =>
      database.prepare<[], { n: number }>(`select count(*) as n from ${table}`).get()!.n;
    await until('all rows are gone but one', () => count('jobs') === 1);
    expect(['tracks', 'words', 'media'].map(count)).to.deep.equal([1, 1, 1]);
    database.close();
  });

  it('is asked by a bounded number at a time', async () => {
    index = openAt(path('waiting.db'), { maxWaiting: 2 });
    await index.mark();
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => index.find(askedOf({}))));
    const refused = answers.filter((one) => one.status === 'rejected' && one.reason instanceof SearchBusy);
    expect(refused.length).to.be.greaterThan(0);
    expect(answers.filter(({ status }) => status === 'fulfilled')).to.have.length(10 - refused.length);
    expect((await index.find(askedOf({}))).hits).to.deep.equal([]);
  });
});
