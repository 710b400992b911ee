/** Parts that several records have in common are stored once, as long as one record uses them. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { hashOf } from '../../store/shared-parts.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { NotStorable, StoreDamaged, VersionConflict, type Commit } from '../../store/store.ts';
import { runs, seeded } from '../support/seed.ts';
import { temporaryFolder } from './folder.ts';

const OWNER = { server: 'here', epoch: 1 };
const SNAPSHOT = { schema: 1, body: {} };
const PLAN = { tasks: ['a plan of many'] };
const OTHER = { tasks: ['another one'] };
const SETTINGS = { 'detection.confidence': '0.5' };
const COMMON = ['plan', 'settings'];

const actor = (id: string) => ({ kind: 'job', id });
const creationOf = (id: string, record: unknown, more: Partial<Commit> = {}): Commit => ({
  ...{ actor: actor(id), expected: 0, owner: OWNER, snapshot: SNAPSHOT, record, common: COMMON },
  ...more,
});
const removalOf = (id: string, expected = 1): Commit => ({
  ...{ actor: actor(id), expected, owner: OWNER, snapshot: null },
});

interface Kept {
  readonly parts: ReadonlyMap<string, number>;
  /** By actor. */
  readonly records: ReadonlyMap<string, { readonly body: string; readonly parts: string }>;
  readonly aside: readonly string[];
}

/** The content of a database file that no store has open. */
function keptIn(file: string): Kept {
  const database = new Database(file, { readonly: true });
  try {
    const parts = database.prepare<[], [string, number]>('select body, users from parts').raw().all();
    const records = database
      .prepare<[], { id: string; body: string; parts: string }>('select id, body, parts from records')
      .all();
    const aside = database.prepare<[], string>('select body from quarantine').pluck().all();
    const ofRecords = records.map(({ id, body, parts: listed }) => [id, { body, parts: listed }] as const);
    return { parts: new Map(parts), records: new Map(ofRecords), aside };
  } finally {
    database.close();
  }
}

describe('Parts that records in a SQLite file have in common', () => {
  const path = temporaryFolder();
  let files = 0;
  let file: string;
  let store: SqliteStore;
  beforeEach(() => {
    file = path(`${++files}.db`);
    store = new SqliteStore(file);
  });
  afterEach(() => store.close());

  const readKept = async (): Promise<Kept> => {
    const copy = path(`${++files}.copy.db`);
    await store.backup(copy);
    return keptIn(copy);
  };
  const parts = async () => Object.fromEntries((await readKept()).parts);
  const recordOf = async (id: string) => (await store.load(actor(id)))?.record;
  /** Changes the database directly, which no store does. */
  const damage = async (statement: string, ...values: readonly string[]) => {
    await store.close();
    const database = new Database(file);
    database.prepare(statement).run(...values);
    database.close();
    store = new SqliteStore(file);
  };
  const text = JSON.stringify;

  it('are kept once with the number of records that have them, and go with the last', async () => {
    const ids = ['a', 'b', 'c'];
    await Promise.all(ids.map((id) => store.commit(creationOf(id, { id, plan: PLAN, settings: SETTINGS }))));
    await store.commit(creationOf('d', { id: 'd', plan: { ...PLAN }, settings: {} }));
    const { parts: all, records } = await readKept();
    expect(all).to.deep.equal(
      new Map([
        [text(PLAN), 4],
        [text(SETTINGS), 3],
        [text({}), 1],
      ]),
    );
    expect([...records.values()].map(({ body }) => body)).to.deep.equal(
      ['a', 'b', 'c', 'd'].map((id) => text({ id })),
    );
    await store.commit(removalOf('a'));
    await store.quarantine(actor('d'), 'it makes no sense');
    expect(await parts()).to.deep.equal({ [text(PLAN)]: 2, [text(SETTINGS)]: 2 });
    expect(await recordOf('b')).to.deep.equal({ id: 'b', plan: PLAN, settings: SETTINGS });
    await Promise.all([store.commit(removalOf('b')), store.commit(removalOf('c'))]);
    expect(await parts()).to.deep.equal({});
    await store.commit(creationOf('e', { plan: PLAN }));
    expect(await parts()).to.deep.equal({ [text(PLAN)]: 1 });
  });

  it('are kept for as long as somebody has them who comes with the last that goes', async () => {
    await store.commit(creationOf('a', { plan: PLAN }));
    await Promise.all([
      store.commit(removalOf('a')),
      store.commit(creationOf('b', { plan: PLAN })),
      store.commit(creationOf('c', { plan: OTHER, settings: OTHER })),
    ]);
    expect(await parts()).to.deep.equal({ [text(PLAN)]: 1, [text(OTHER)]: 2 });
    expect(await recordOf('b')).to.deep.equal({ plan: PLAN });
    expect(await recordOf('c')).to.deep.equal({ plan: OTHER, settings: OTHER });
    await store.commit(removalOf('c'));
    expect(await parts()).to.deep.equal({ [text(PLAN)]: 1 });
  });

  it('of a record that is replaced are left, and those of the new one taken', async () => {
    await store.commit(creationOf('a', { plan: PLAN, settings: SETTINGS }));
    await store.commit(creationOf('a', { plan: OTHER, settings: SETTINGS }, { expected: 1 }));
    expect(await parts()).to.deep.equal({ [text(OTHER)]: 1, [text(SETTINGS)]: 1 });
    expect(await recordOf('a')).to.deep.equal({ plan: OTHER, settings: SETTINGS });
    await store.commit({ ...creationOf('a', undefined, { expected: 2 }) });
    expect(await recordOf('a'), 'a commit without record').to.deep.equal({ plan: OTHER, settings: SETTINGS });
    await store.commit(creationOf('a', 'a text', { expected: 3 }));
    expect([await parts(), await recordOf('a')]).to.deep.equal([{}, 'a text']);
  });

  it('are not counted for commits that are refused or fail, and are for the rest', async () => {
    await store.commit(creationOf('a', { plan: PLAN }));
    const outcomes = await Promise.allSettled([
      store.commit(creationOf('b', { plan: PLAN })),
      store.commit(creationOf('a', { plan: OTHER })),
      store.commit(removalOf('a', 7)),
      store.commit(creationOf('c', { plan: PLAN }, { putRows: [{ key: 'row', body: 1n }] })),
      store.commit(creationOf('d', { plan: { n: 1n } })),
      store.commit(creationOf('e', { plan: PLAN, settings: SETTINGS })),
    ]);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused.map((error) => error instanceof VersionConflict)).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
    expect(refused.map((error) => error instanceof NotStorable)).to.deep.equal([false, false, true, true]);
    expect(await parts()).to.deep.equal({ [text(PLAN)]: 3, [text(SETTINGS)]: 1 });
  });

  it('are read once for all who have them', async () => {
    for (const id of ['a', 'b']) await store.commit(creationOf(id, { id, plan: PLAN }));
    const [a, b] = [await recordOf('a'), await recordOf('b')] as { plan: object }[];
    expect(a!.plan).to.deep.equal(PLAN);
    expect(b!.plan).to.equal(a!.plan);
  });

  it('stand with their record in quarantine and in a backup', async () => {
    const record = { own: 1, plan: PLAN, settings: SETTINGS };
    for (const id of ['a', 'b']) await store.commit(creationOf(id, record));
    await store.quarantine(actor('a'), 'it makes no sense');
    const { record: aside } = JSON.parse((await readKept()).aside[0]!) as { record: string };
    expect(JSON.parse(aside)).to.deep.equal(record);
    const copy = path('backup.db');
    await store.backup(copy);
    await store.close();
    store = new SqliteStore(copy);
    expect(await recordOf('b')).to.deep.equal(record);
  });

  describe('that cannot be joined with their record', () => {
    const asideOf = async (id: string) => {
      const error = await store.load(actor(id)).catch((reason: unknown) => reason);
      expect(await store.quarantine(actor(id), String(error))).to.equal(true);
      const { record } = JSON.parse((await readKept()).aside[0]!) as { record: string };
      return [error, JSON.parse(record)] as const;
    };

    it('that miss one are reported as damaged, and stay in quarantine unchanged', async () => {
      await store.commit(creationOf('a', { own: 1, plan: PLAN, settings: SETTINGS }));
      await damage('delete from parts where body = ?', text(PLAN));
      const [error, record] = await asideOf('a');
      expect(error).to.be.instanceOf(StoreDamaged);
      expect(record).to.deep.equal({ own: '{"own":1}', parts: { plan: null, settings: text(SETTINGS) } });
      expect(await parts()).to.deep.equal({});
    });

    for (const [what, sql] of [
      ['is gone', 'delete from parts where body = ?'],
      ['is no JSON', "update parts set body = '{' where body = ?"],
    ] as const)
      it(`can be read again when another with the part that ${what} is stored`, async () => {
        await store.commit(creationOf('a', { own: 1, plan: PLAN }));
        await damage(sql, text(PLAN));
        expect(await store.load(actor('a')).catch((reason: unknown) => String(reason))).to.be.a('string');
        await store.commit(creationOf('b', { own: 2, plan: PLAN }));
        for (const [id, own] of [
          ['a', 1],
          ['b', 2],
        ] as const)
          expect(await recordOf(id)).to.deep.equal({ own, plan: PLAN });
      });

    it('with a text that is no JSON are quarantined, and others keep them', async () => {
      for (const id of ['a', 'b']) await store.commit(creationOf(id, { plan: PLAN }));
      await damage('update records set body = ? where id = ?', '{"own":', 'a');
      const [error, record] = await asideOf('a');
      expect(error).to.be.instanceOf(SyntaxError);
      expect(record).to.deep.equal({ own: '{"own":', parts: { plan: text(PLAN) } });
      expect(await recordOf('b')).to.deep.equal({ plan: PLAN });
    });

    it('because nothing tells which they are do not keep the actor from going into quarantine', async () => {
      await store.commit(creationOf('a', { plan: PLAN }));
      await damage('update records set parts = ? where id = ?', 'nonsense,:,plan:', 'a');
      const [error] = await asideOf('a');
      expect(error).to.be.instanceOf(StoreDamaged);
      expect(await recordOf('a')).to.equal(undefined);
    });
  });

  it('name files at the new place of a moved folder, also when a later record has the old text', async () => {
    await store.close();
    const from = { folder: '/data', real: '/data' };
    // A subfolder of the earlier folder, so that the text of one part becomes that of another.
    const to = { folder: '/data/deeper', real: '/data/deeper' };
    const at = (...folders: readonly string[]) => ({ files: folders.map((folder) => `${folder}/spool/x`) });
    const records = {
      a: { own: at('/data'), plan: at('/data') },
      b: { plan: at('/data/deeper'), settings: SETTINGS },
      c: { plan: at('/data'), settings: at('/data/deeper') },
    };
    store = new SqliteStore(file, { place: from });
    for (const [id, record] of Object.entries(records)) await store.commit(creationOf(id, record));
    await store.close();
    store = new SqliteStore(file, { place: to });
    const [once, twice] = [at('/data/deeper'), at('/data/deeper/deeper')];
    expect(await recordOf('a')).to.deep.equal({ own: once, plan: once });
    expect(await recordOf('b')).to.deep.equal({ plan: twice, settings: SETTINGS });
    expect(await recordOf('c')).to.deep.equal({ plan: once, settings: twice });
    expect(await parts()).to.deep.equal({ [text(once)]: 2, [text(twice)]: 2, [text(SETTINGS)]: 1 });
    await store.commit(creationOf('d', { plan: at('/data'), settings: once }));
    expect(await recordOf('d')).to.deep.equal({ plan: at('/data'), settings: once });
    for (const id of ['a', 'b', 'c', 'd']) await store.commit(removalOf(id));
    expect(await parts()).to.deep.equal({});
  });

  it(`are always exactly those that the records have ${seeded}`, async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(turnOfCommits, { maxLength: 12 }), async (turns) => {
        const each = new SqliteStore(path(`${++files}.db`));
        for (const turn of turns) {
          const outcomes = turn.map(({ id, quarantined, ...change }) =>
            quarantined
              ? each.quarantine(actor(id), 'why not')
              : each.commit({ ...change, actor: actor(id) }),
          );
          await Promise.allSettled(outcomes);
        }
        const copy = path(`${++files}.db`);
        await each.backup(copy);
        await each.close();
        const { parts: all, records } = keptIn(copy);
        const used = new Map<string, number>();
        for (const [, { parts: listed }] of records)
          for (const hash of listed.match(/(?<=:)[^,]+/g) ?? []) used.set(hash, (used.get(hash) ?? 0) + 1);
        expect(new Map([...all].map(([body, users]) => [hashOf(body), users]))).to.deep.equal(used);
      }),
      runs(200),
    );
  });
});

/** Commits in one turn of the event loop, most of which conflict with the stored state. */
const turnOfCommits = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    quarantined: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
    expected: fc.constantFrom(0, 1, 2),
    owner: fc.constant(OWNER),
    snapshot: fc.oneof({ weight: 3, arbitrary: fc.constant(SNAPSHOT) }, fc.constant(null)),
    record: fc.dictionary(fc.constantFrom('plan', 'settings', 'own'), fc.constantFrom(PLAN, OTHER, 1)),
    common: fc.subarray(COMMON),
    putRows: fc.constantFrom([], [], [], [{ key: 'cannot be written', body: 1n }]),
  }),
  { maxLength: 4 },
);
