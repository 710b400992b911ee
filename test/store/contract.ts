/** The contract of every store backend (store/store.ts), tested with a real one. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  allEntries,
  allRows,
  changesSince,
  commitAfter,
  NotStorable,
  rowsOfCommit,
  VersionConflict,
  type ActorKey,
  type Commit,
  type IndexEntry,
  type Notice,
  type Row,
  type Store,
  type StoredActor,
} from '../../store/store.ts';
import { runs, seeded } from '../support/seed.ts';
import { around } from './folder.ts';
import { ModelStore } from './model-store.ts';

export interface Backend {
  /** Opens the store at this place: a new one, or an earlier one that was closed. */
  open(place: string): Promise<Store>;
}

const JOB: ActorKey = { kind: 'job', id: '1' };
const OWNER = { server: 'here', epoch: 1 };

function commitOf(more: Partial<Commit> = {}): Commit {
  return { actor: JOB, expected: 0, owner: OWNER, snapshot: { schema: 1, body: {} }, ...more };
}

const conflictOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no conflict',
    (error: unknown) => error,
  );

async function expectConflict(work: Promise<unknown>): Promise<void> {
  expect(await conflictOf(work)).to.be.instanceOf(VersionConflict);
}

async function everything<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}

/** Everything that the store returns about some actors and indexes. */
async function dump(store: Store, actors: readonly ActorKey[], indexes: readonly string[]): Promise<unknown> {
  const shown: unknown[] = [];
  for (const actor of actors)
    shown.push(actor, await store.load(actor), await everything(allRows(store, actor)));
  for (const index of indexes)
    shown.push(index, await store.count(index), await everything(allEntries(store, index)));
  return shown;
}

let places = 0;

export function storeContract(backend: Backend): void {
  let place = '';
  let store: Store;
  beforeEach(async () => {
    place = `place-${++places}`;
    store = await backend.open(place);
  });
  afterEach(() => store.close());
  const reopen = async () => {
    await store.close();
    store = await backend.open(place);
  };
  const keys = async (prefix = '') => (await everything(allRows(store, JOB, prefix))).map(({ key }) => key);
  const withRows = (...names: readonly string[]): Partial<Commit> => ({
    putRows: names.map((key) => ({ key, body: `body of ${key}` })),
  });

  describe('commit and load', () => {
    it('an actor that was never stored is not there', async () => {
      expect(await store.load(JOB)).to.equal(undefined);
      expect(await keys()).to.deep.equal([]);
    });

    it('what was committed is loaded as it was, with its new version', async () => {
      const snapshot = {
        schema: 3,
        body: { text: 'Größe — 日本語 😀 "\\\n\u0000', list: [1, null, { deep: true }], zero: 0 },
      };
      const id = 'first';
      expect(await store.commit(commitOf({ id, snapshot, record: { asked: ['for', 1] } }))).to.equal(1);
      expect(await store.load(JOB)).to.deep.equal({
        version: 1,
        commit: id,
        owner: OWNER,
        snapshot,
        record: { asked: ['for', 1] },
      });
    });

    it('versions count up, the record stays, owner and snapshot are replaced', async () => {
      await store.commit(commitOf({ record: 'the request' }));
      const owner = { server: 'there', epoch: 2 };
      expect(
        await store.commit(
          commitOf({ id: 'second', expected: 1, owner, snapshot: { schema: 2, body: 'new' } }),
        ),
      ).to.equal(2);
      expect(await store.load(JOB)).to.deep.equal({
        version: 2,
        commit: 'second',
        owner,
        snapshot: { schema: 2, body: 'new' },
        record: 'the request',
      });
    });

    it('loads a record as it was, whatever other records share its parts or are removed', async () => {
      const [plan, other, list] = [{ tasks: ['FACE', { n: 1 }] }, 'a text', [1, null]];
      const common = ['plan', 'list', 'absent'];
      const records: readonly object[] = [
        { id: 1, plan, list },
        { plan, id: 2 },
        { id: 3, plan: other, list: null },
        {},
      ];
      const keyOf = (n: number) => ({ kind: 'job', id: `${n}` });
      const listRows = async () =>
        Promise.all(records.map(async (_, n) => (await store.load(keyOf(n)))?.record));
      for (const [n, record] of records.entries())
        await store.commit(commitOf({ actor: keyOf(n), record, common }));
      expect(await listRows()).to.deep.equal(records);
      await store.commit(commitOf({ actor: keyOf(0), expected: 1, snapshot: null }));
      await store.quarantine(keyOf(2), 'it makes no sense');
      await reopen();
      expect(await listRows()).to.deep.equal([undefined, records[1], undefined, {}]);
      await store.commit(commitOf({ actor: keyOf(1), expected: 1, snapshot: null }));
      await store.commit(commitOf({ actor: keyOf(0), record: records[0]!, common }));
      expect(await listRows()).to.deep.equal([records[0], undefined, undefined, {}]);
    });

    it('loads a large record with the newest snapshot, and replaces and removes it', async () => {
      const large = (text: string) => ({ text, media: Array.from({ length: 20_000 }, (_, n) => `${n}.mp4`) });
      const load = async () => {
        const { version, snapshot, record } = (await store.load(JOB))!;
        return { version, body: snapshot.body, record };
      };
      await store.commit(commitOf({ record: large('a') }));
      expect(await load()).to.deep.equal({ version: 1, body: {}, record: large('a') });
      await store.commit(commitOf({ expected: 1, snapshot: { schema: 1, body: { n: 2 } } }));
      expect(await load()).to.deep.equal({ version: 2, body: { n: 2 }, record: large('a') });
      await store.commit(commitOf({ expected: 2, record: large('b') }));
      expect(await load()).to.deep.equal({ version: 3, body: {}, record: large('b') });
      await expectConflict(store.commit(commitOf({ expected: 2, record: large('c') })));
      expect(await load()).to.deep.equal({ version: 3, body: {}, record: large('b') });
      await store.commit(commitOf({ expected: 3, snapshot: null }));
      expect(await store.load(JOB)).to.equal(undefined);
    });

    it('replaces a record by that of a later commit, whatever other records share its parts', async () => {
      const other = { kind: 'job', id: '2' };
      const common = ['plan'];
      await store.commit(commitOf({ record: { id: 1, plan: ['a'] }, common }));
      await store.commit(commitOf({ actor: other, record: { id: 2, plan: ['a'] }, common }));
      const recordOf = async (actor: ActorKey) => (await store.load(actor))?.record;
      for (const [n, record] of [{ plan: ['b'] }, { id: 1 }, 'a text', { plan: ['a'] }].entries()) {
        await store.commit(commitOf({ expected: n + 1, record, common }));
        expect(await recordOf(JOB)).to.deep.equal(record);
      }
      await store.commit(commitOf({ expected: 5, snapshot: null }));
      await reopen();
      expect([await recordOf(JOB), await recordOf(other)]).to.deep.equal([undefined, { id: 2, plan: ['a'] }]);
    });

    it('actors are told apart by kind and by id', async () => {
      for (const [kind, id] of [
        ['job', '1'],
        ['job', '11'],
        ['jo', 'b1'],
        ['stream', '1'],
      ] as const)
        await store.commit(
          commitOf({
            actor: { kind, id },
            snapshot: { schema: 1, body: `${kind}/${id}` },
            putRows: [{ key: 'k', body: `${kind}/${id}` }],
          }),
        );
      for (const [kind, id] of [
        ['job', '1'],
        ['job', '11'],
        ['jo', 'b1'],
        ['stream', '1'],
      ] as const) {
        expect((await store.load({ kind, id }))?.snapshot.body).to.equal(`${kind}/${id}`);
        expect(await store.rows({ kind, id }, { prefix: '', limit: 9 })).to.deep.equal([
          { key: 'k', body: `${kind}/${id}` },
        ]);
      }
    });

    it('everything is still there after the store was closed and opened again', async () => {
      await store.commit(commitOf({ record: 'r', ...withRows('a', 'b'), index: { live: 5 } }));
      await store.commit(commitOf({ expected: 1, synced: true, ...withRows('c') }));
      const before = await dump(store, [JOB], ['live']);
      await reopen();
      expect(await dump(store, [JOB], ['live'])).to.deep.equal(before);
    });

    it('what was committed before the store is closed is there, though nobody waited for it', async () => {
      const asked = [
        store.commit(commitOf()),
        store.commit(commitOf({ actor: { kind: 'job', id: '2' }, synced: true })),
      ];
      await reopen();
      expect(await Promise.all(asked)).to.deep.equal([1, 1]);
      expect((await store.load(JOB))?.version).to.equal(1);
      expect((await store.load({ kind: 'job', id: '2' }))?.version).to.equal(1);
    });
  });

  describe('a version conflict', () => {
    for (const expected of [0, 1, 3, 4])
      it(`refuses a commit on version ${expected} when the stored one is 2, and leaves no trace`, async () => {
        await store.commit(commitOf({ record: 'r', ...withRows('a', 'b'), index: { live: 1 } }));
        await store.commit(commitOf({ expected: 1 }));
        const before = await dump(store, [JOB], ['live', 'other']);
        await expectConflict(
          store.commit(
            commitOf({
              expected,
              record: 'x',
              snapshot: { schema: 9, body: 'x' },
              ...withRows('c'),
              removeRows: ['a'],
              index: { live: 9, other: 9 },
            }),
          ),
        );
        expect(await dump(store, [JOB], ['live', 'other'])).to.deep.equal(before);
      });

    it('refuses a commit that follows another commit than the stored one, at the same version', async () => {
      await store.commit(commitOf({ id: 'kept', record: 'r', ...withRows('a') }));
      const before = await dump(store, [JOB], []);
      for (const snapshot of [{ schema: 9, body: 'x' }, null])
        await expectConflict(store.commit(commitOf({ expected: 1, after: 'lost', snapshot })));
      expect(await dump(store, [JOB], [])).to.deep.equal(before);
      expect(await store.commit(commitOf({ expected: 1, after: 'kept' }))).to.equal(2);
    });

    it('refuses a commit on a version of an actor that does not exist', async () => {
      await expectConflict(store.commit(commitOf({ expected: 1 })));
      expect(await store.load(JOB)).to.equal(undefined);
    });

    it('of a commit without an id: the store gives each one of its own', async () => {
      await store.commit(commitOf());
      const first = await store.load(JOB);
      await store.commit({ ...commitOf(), ...commitAfter(first) });
      const second = await store.load(JOB);
      expect(second?.commit).to.be.a('string').and.not.equal(first?.commit);
      await expectConflict(store.commit(commitOf({ expected: 2, after: first!.commit })));
    });

    it('names the actor and the version', async () => {
      await store.commit(commitOf());
      expect(String(await conflictOf(store.commit(commitOf()))))
        .to.contain('job/1')
        .and.to.contain('version 0');
    });
  });

  describe('commits of one turn', () => {
    for (const synced of [false, true])
      it(`that conflict do not hurt each other, and the first of them wins${synced ? ' (synced)' : ''}`, async () => {
        const other = { kind: 'job', id: '2' };
        const outcomes = await Promise.all([
          store.commit(commitOf({ synced, snapshot: { schema: 1, body: 'first' } })),
          conflictOf(
            store.commit(
              commitOf({
                synced,
                snapshot: { schema: 1, body: 'second' },
                ...withRows('x'),
                index: { live: 1 },
              }),
            ),
          ),
          store.commit(commitOf({ synced, actor: other })),
          store.commit(commitOf({ synced, expected: 1, snapshot: { schema: 1, body: 'third' } })),
          conflictOf(store.commit(commitOf({ synced, actor: other, expected: 7 }))),
        ]);
        expect(
          outcomes.map((outcome) => (outcome instanceof VersionConflict ? 'conflict' : outcome)),
        ).to.deep.equal([1, 'conflict', 1, 2, 'conflict']);
        expect((await store.load(JOB))?.snapshot.body).to.equal('third');
        expect([await keys(), await store.count('live')]).to.deep.equal([[], 0]);
      });

    for (const [what, broken] of Object.entries<Partial<Commit>>({
      'a score that is no number': { index: { live: 3, wrong: Number.NaN } },
      'a row that cannot be written as JSON': { putRows: [{ key: 'b', body: 1n }] },
    }))
      it(`of which one cannot be stored (${what}) leave no trace of that one, and all of the others`, async () => {
        await store.commit(commitOf({ ...withRows('a'), index: { live: 1 } }));
        const before = await dump(store, [JOB], ['live', 'wrong']);
        const others = [2, 3].map((id): ActorKey => ({ kind: 'job', id: `${id}` }));
        const outcomes = await Promise.all([
          store.commit(commitOf({ actor: others[0]! })),
          conflictOf(store.commit(commitOf({ expected: 1, removeRows: ['a'], ...broken }))),
          store.commit(commitOf({ actor: others[1]! })),
        ]);
        expect(outcomes[1]).to.be.instanceOf(NotStorable);
        expect([outcomes[0], outcomes[2]]).to.deep.equal([1, 1]);
        expect(await dump(store, [JOB], ['live', 'wrong'])).to.deep.equal(before);
        for (const actor of others) expect((await store.load(actor))?.version).to.equal(1);
      });
  });

  describe('rows', () => {
    it('are read one by one as they were committed last', async () => {
      const read = async (key: string, actor = JOB) => {
        const [row] = await store.rows(actor, { prefix: key, limit: 1 });
        return row?.key === key ? row.body : undefined;
      };
      const put = (...rows: readonly (readonly [string, unknown])[]) => ({
        putRows: rows.map(([key, body]) => ({ key, body })),
      });
      await store.commit(commitOf(put(['a', { n: 1, gone: undefined }], ['ab', 'other'], ['b', 2])));
      expect([await read('a'), await read('ab'), await read('b')]).to.deep.equal([{ n: 1 }, 'other', 2]);
      const wrong = { ...put(['a', 'never']), index: { wrong: Number.NaN } };
      const neighbour = { kind: 'job', id: '2' };
      await Promise.all([
        conflictOf(store.commit(commitOf({ expected: 1, ...wrong }))),
        store.commit(commitOf({ actor: neighbour, ...put(['a', 'its own']) })),
      ]);
      await expectConflict(store.commit(commitOf(put(['a', 'late']))));
      expect([await read('a'), await read('a', neighbour)]).to.deep.equal([{ n: 1 }, 'its own']);
      await store.commit(commitOf({ expected: 1, ...put(['a', 3]) }));
      expect(await read('a')).to.equal(3);
      await store.commit(commitOf({ expected: 2, removeRows: ['a'], ...put(['a', 4]) }));
      expect([await read('a'), await read('ab'), await read('b')]).to.deep.equal([4, undefined, 2]);
      await store.commit(commitOf({ expected: 3, removeRows: ['a'] }));
      expect([await read('a'), await read('b')]).to.deep.equal([undefined, 2]);
      await store.quarantine(JOB, 'a test');
      await store.commit(commitOf({ actor: neighbour, expected: 1, snapshot: null }));
      expect([await read('b'), await read('a', neighbour)]).to.deep.equal([undefined, undefined]);
    });

    it('are replaced by key, and go by prefix, in the order: first what goes, then what comes', async () => {
      await store.commit(commitOf(withRows('a/1', 'a/2', 'ab', 'b')));
      await store.commit(
        commitOf({ expected: 1, removeRows: ['a/', 'nothing'], putRows: [{ key: 'a/2', body: 'new' }] }),
      );
      expect(await store.rows(JOB, { prefix: '', limit: 9 })).to.deep.equal([
        { key: 'a/2', body: 'new' },
        { key: 'ab', body: 'body of ab' },
        { key: 'b', body: 'body of b' },
      ]);
    });

    it('and counters are found below a prefix whatever character follows, to the last there is', async () => {
      const names = [
        'a',
        'ab',
        'a\u0000',
        'a\uD7FF',
        'a\uE000',
        'a\u{10FFFF}',
        'a\u{10FFFF}b',
        '\u{10FFFF}',
        'b',
      ];
      const counters = Object.fromEntries(names.map((name) => [name, 1]));
      await store.commit(commitOf({ ...withRows(...names), counters }));
      for (const prefix of ['', 'a', 'a\uD7FF', 'a\u{10FFFF}', '\u{10FFFF}']) {
        const below = names.filter((name) => name.startsWith(prefix));
        expect(await keys(prefix), JSON.stringify(prefix)).to.have.members(below);
        expect([...(await store.counters(prefix)).keys()]).to.have.members(below);
      }
      await store.commit(commitOf({ expected: 1, removeRows: ['a\u{10FFFF}'] }));
      expect(await keys('a\u{10FFFF}')).to.deep.equal([]);
      expect(await keys('')).to.have.lengthOf(names.length - 2);
    });

    it('go all of them by the empty prefix, and only those of the actor', async () => {
      const other = { kind: 'job', id: '2' };
      await store.commit(commitOf(withRows('a', 'b')));
      await store.commit(commitOf({ actor: other, ...withRows('a') }));
      await store.commit(commitOf({ expected: 1, removeRows: [''] }));
      expect(await keys()).to.deep.equal([]);
      expect(await store.rows(other, { prefix: '', limit: 9 })).to.have.lengthOf(1);
    });

    it('go exactly, where one key begins like another, whatever signs are in it', async () => {
      const names = ['a', 'a%', 'a%b', 'a*', 'a_b', 'axb', 'a[1]', 'ä', 'a\u{1F600}', 'A'];
      await store.commit(commitOf(withRows(...names)));
      await store.commit(commitOf({ expected: 1, removeRows: ['a%', 'a_', 'a*', 'a[', 'A'] }));
      expect(await keys()).to.deep.equal(['a', 'axb', 'a\u{1F600}', 'ä']);
    });

    it('are read page by page in the order of their keys, below a prefix', async () => {
      const names = Array.from({ length: 25 }, (_, n) => `p/${String(n).padStart(3, '0')}`);
      await store.commit(commitOf(withRows('a', ...names.toReversed(), 'q')));
      const page = await store.rows(JOB, { prefix: 'p/', after: 'p/009', limit: 5 });
      expect(page.map(({ key }) => key)).to.deep.equal(names.slice(10, 15));
      expect(await store.rows(JOB, { prefix: 'p/', after: 'p/024', limit: 5 })).to.deep.equal([]);
      for (const size of [1, 5, 25, 26])
        expect((await everything(allRows(store, JOB, 'p/', size))).map(({ key }: Row) => key)).to.deep.equal(
          names,
        );
    });
  });

  describe('an index', () => {
    const enter = (id: string, index: Commit['index'], expected = 0) =>
      store.commit(
        commitOf({ actor: { kind: 'job', id }, expected, ...(index === undefined ? {} : { index }) }),
      );

    it('lists by score, then by id, both ways and page by page', async () => {
      const entries: IndexEntry[] = [
        ['c', 2],
        ['a', 1],
        ['b', 1],
        ['e', -5],
        ['d', 1.5],
        ['f', 9e12],
      ].map(([id, score]) => ({ id: id as string, score: score as number }));
      for (const { id, score } of entries) await enter(id, { live: score });
      const ids = async (after?: IndexEntry, descending?: boolean) =>
        (
          await store.list('live', {
            limit: 4,
            ...(after === undefined ? {} : { after }),
            ...(descending === undefined ? {} : { descending }),
          })
        )
          .map(({ id }) => id)
          .join('');
      expect(await ids()).to.equal('eabd');
      expect(await ids({ id: 'a', score: 1 })).to.equal('bdcf');
      expect(await ids(undefined, true)).to.equal('fcdb');
      expect(await ids({ id: 'b', score: 1 }, true)).to.equal('ae');
      expect(await ids({ id: 'b', score: 1.2 })).to.equal('dcf');
      for (const size of [1, 2, 6, 7])
        expect((await everything(allEntries(store, 'live', size))).map(({ id }) => id).join('')).to.equal(
          'eabdcf',
        );
      expect(await store.count('live')).to.equal(6);
    });

    it('has an actor in an index once: a new score moves it, null removes it', async () => {
      await enter('a', { live: 1, all: 1 });
      await enter('b', { live: 2 });
      await enter('a', { live: 3 }, 1);
      expect(await store.list('live', { limit: 9 })).to.deep.equal([
        { id: 'b', score: 2 },
        { id: 'a', score: 3 },
      ]);
      await enter('a', { live: null, other: null }, 2);
      expect(await store.list('live', { limit: 9 })).to.deep.equal([{ id: 'b', score: 2 }]);
      expect(await store.list('all', { limit: 9 })).to.deep.equal([{ id: 'a', score: 1 }]);
      expect(await store.count('never')).to.equal(0);
    });
  });

  describe('the outbox', () => {
    const notice = (id: string, due: number, destination = 'http://a') => ({
      id,
      destination,
      due,
      body: { to: id },
    });
    const ids = async (destination = 'http://a') =>
      (await store.outbox(destination, { limit: 99 })).map(({ id }) => id);

    it('lists the notices of a destination by due time, page by page, with their actors', async () => {
      await store.commit(commitOf({ outbox: { put: [notice('b', 2), notice('c', 1), notice('a', 2)] } }));
      await store.commit(
        commitOf({
          actor: { kind: 'job', id: '2' },
          outbox: { put: [notice('d', 3), notice('e', 1, 'http://b')] },
        }),
      );
      expect(await ids()).to.deep.equal(['c', 'a', 'b', 'd']);
      expect(await ids('http://b')).to.deep.equal(['e']);
      expect(await store.outbox('http://a', { limit: 1, after: { id: 'b', due: 2 } })).to.deep.equal([
        { ...notice('d', 3), actor: { kind: 'job', id: '2' } },
      ]);
      expect(await store.destinations({ limit: 9 })).to.deep.equal(['http://a', 'http://b']);
      expect(await store.destinations({ limit: 1, after: 'http://a' })).to.deep.equal(['http://b']);
    });

    it('keeps a notice until its actor removes it, also over a restart; no other actor can', async () => {
      await store.commit(commitOf({ outbox: { put: [notice('a', 1), notice('b', 2)] } }));
      await store.commit(
        commitOf({ actor: { kind: 'job', id: '2' }, outbox: { put: [notice('b', 9)], remove: ['a'] } }),
      );
      await reopen();
      expect(await ids()).to.deep.equal(['a', 'b']);
      await store.commit(commitOf({ expected: 1, outbox: { put: [notice('b', 5)], remove: ['a'] } }));
      expect((await store.outbox('http://a', { limit: 9 })).map(({ id, due }) => [id, due])).to.deep.equal([
        ['b', 5],
      ]);
    });
  });

  describe('counters', () => {
    it('add up what commits bring, a refused commit adds nothing, and a counter at 0 is not there', async () => {
      await store.commit(commitOf({ counters: { 'n/a': 2, 'n/b': 1, m: 5 } }));
      await store.commit(commitOf({ expected: 1, counters: { 'n/a': 3, 'n/b': -1 } }));
      await expectConflict(store.commit(commitOf({ expected: 1, counters: { 'n/a': 100 } })));
      expect([...(await store.counters('n/'))]).to.deep.equal([['n/a', 5]]);
      await reopen();
      expect([...(await store.counters(''))]).to.deep.equal([
        ['m', 5],
        ['n/a', 5],
      ]);
    });
  });

  describe('counters that lie together', () => {
    it('are found below their common name and add up as others do', async () => {
      await store.commit(commitOf({ counters: { '@user:a/x': 2, '@user:a/y': 1, '@user:ab/x': 4, x: 5 } }));
      await store.commit(commitOf({ expected: 1, counters: { '@user:a/x': 3, '@user:a/y': -1 } }));
      await reopen();
      expect([...(await store.counters('@user:a/'))]).to.deep.equal([['@user:a/x', 5]]);
      expect([...(await store.counters('@user:ab/'))]).to.deep.equal([['@user:ab/x', 4]]);
      expect([...(await store.counters('x'))]).to.deep.equal([['x', 5]]);
    });
  });

  it('removes an actor whose commit has no snapshot with its rows, counters and indexes', async () => {
    const put = [{ id: 'a', destination: 'http://a', due: 1, body: 1 }];
    await store.commit(commitOf({ record: 'r', ...withRows('a'), index: { live: 1 }, outbox: { put } }));
    await expectConflict(store.commit(commitOf({ expected: 2, snapshot: null })));
    expect(await store.commit(commitOf({ expected: 1, snapshot: null, counters: { gone: 1 } }))).to.equal(0);
    expect(await store.load(JOB)).to.equal(undefined);
    expect([await keys(), await store.count('live'), await store.destinations({ limit: 9 })]).to.deep.equal([
      [],
      0,
      [],
    ]);
    expect([...(await store.counters(''))]).to.deep.equal([['gone', 1]]);
    await expectConflict(store.commit(commitOf({ expected: 1, snapshot: null })));
    expect(await store.commit(commitOf())).to.equal(1);
    expect((await store.load(JOB))?.record).to.equal(undefined);
  });

  describe('a sequence', () => {
    it('starts at 1 and gives every number once, also when many ask at a time', async () => {
      expect(await store.next('job')).to.equal(1);
      const asked = await Promise.all(Array.from({ length: 50 }, () => store.next('job')));
      expect(asked.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n + 2));
    });

    it('reserves several at a time, and is counted on its own', async () => {
      expect(await store.next('medium', 10)).to.equal(1);
      expect(await store.next('medium', 2)).to.equal(11);
      expect(await store.next('medium')).to.equal(13);
      expect(await store.next('job')).to.equal(1);
    });

    it('never goes back, though the store is closed and opened again', async () => {
      await store.next('job', 5);
      await reopen();
      expect(await store.next('job')).to.equal(6);
    });
  });

  describe('quarantine', () => {
    it('moves an actor out of the way with all it has, and nobody else', async () => {
      const other = { kind: 'job', id: '2' };
      for (const actor of [JOB, other])
        await store.commit(commitOf({ actor, record: 'r', ...withRows('a'), index: { live: 1, all: 1 } }));
      await store.quarantine(JOB, 'it makes no sense');
      expect(await store.load(JOB)).to.equal(undefined);
      expect(await keys()).to.deep.equal([]);
      for (const index of ['live', 'all'])
        expect(await store.list(index, { limit: 9 })).to.deep.equal([{ id: '2', score: 1 }]);
      expect((await store.load(other))?.record).to.equal('r');
    });

    it('leaves room for another under the same name, without its rows and record', async () => {
      await store.commit(commitOf({ record: 'r', ...withRows('a') }));
      await store.quarantine(JOB, 'it makes no sense');
      expect(await store.commit(commitOf())).to.equal(1);
      expect((await store.load(JOB))?.record).to.equal(undefined);
      expect(await keys()).to.deep.equal([]);
      await store.quarantine(JOB, 'again');
    });

    it('leaves an actor that somebody has changed since it was seen', async () => {
      await store.commit(commitOf());
      const before = (await store.load(JOB))!;
      await store.commit(commitOf({ expected: 1 }));
      const now = (await store.load(JOB))!;
      for (const seen of [before, { ...now, commit: before.commit }])
        expect(await store.quarantine(JOB, 'it made no sense', { seen })).to.equal(false);
      expect((await store.load(JOB))?.version).to.equal(2);
      expect(await store.quarantine(JOB, 'it makes no sense', { seen: now })).to.equal(true);
      expect(await store.load(JOB)).to.equal(undefined);
    });

    it('of an actor that is not there does nothing', async () => {
      expect(await store.quarantine(JOB, 'why not', { counters: { jobs: -1 } })).to.equal(false);
      expect(await store.load(JOB)).to.equal(undefined);
      expect([...(await store.counters(''))]).to.deep.equal([]);
    });

    it('counts what it is told to, with the move', async () => {
      await store.commit(commitOf({ counters: { jobs: 2, ms: 70 } }));
      expect(await store.quarantine(JOB, 'it makes no sense', { counters: { jobs: -1, ms: -70 } })).to.equal(
        true,
      );
      expect([...(await store.counters(''))]).to.deep.equal([['jobs', 1]]);
    });
  });

  it('reads rows with the snapshot that they belong to, or not at all', async () => {
    const rows = (value: number) => Array.from({ length: 700 }, (_, n) => ({ key: `r${n}`, body: value }));
    await store.commit(commitOf({ putRows: rows(1) }));
    const busy = around<Store>(store, {
      async rows(actor, options) {
        const page = await store.rows(actor, options);
        if (options.after === undefined) await store.commit(commitOf({ expected: 1, putRows: rows(2) }));
        return page;
      },
    });
    const first = (await store.load(JOB))!;
    expect(await rowsOfCommit(busy, JOB, 'r', first), 'somebody has committed between two pages').to.equal(
      undefined,
    );
    const second = (await store.load(JOB))!;
    expect(await rowsOfCommit(store, JOB, 'r', { ...second, commit: first.commit })).to.equal(undefined);
    const read = await rowsOfCommit(store, JOB, 'r', second);
    expect(new Set(read?.map(({ body }) => body))).to.deep.equal(new Set([2]));
  });

  it('a store that works says so', async () => {
    await store.check();
  });

  it('a store that is closed says that it does not work, and refuses commits', async () => {
    await store.close();
    expect(await conflictOf(store.check())).to.be.instanceOf(Error);
    for (const synced of [false, true])
      expect(await conflictOf(store.commit(commitOf({ synced })))).to.be.instanceOf(Error);
    store = await backend.open(place);
  });

  it(`any sequence of commands leads to what a plain model says, also over restarts ${seeded}`, async function () {
    this.timeout(240_000);
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { maxLength: 60 }), async (commands) => {
        const name = `place-${++places}`;
        const model = new ModelStore();
        const past: Past[] = [];
        let real = await backend.open(name);
        try {
          for (const command of commands) {
            if (command.type === 'reopen') {
              await real.close();
              real = await backend.open(name);
            } else
              expect(await outcomesOf(real, model, command), 'the outcome').to.deep.equal(
                await outcomesOf(model, model, command),
              );
            for (const actor of ACTORS) past.push(await pastOf(model, actor));
          }
          for (const seen of past) await expectTold(real, model, seen);
          expect(await dump(real, ACTORS, INDEXES)).to.deep.equal(await dump(model, ACTORS, INDEXES));
        } finally {
          await real.close();
        }
      }),
      runs(200),
    );
  });
}

// Generated commands.

const ACTORS: readonly ActorKey[] = ['a', 'b', 'ab'].flatMap((id) => [
  { kind: 'job', id },
  { kind: 'stream', id },
]);
/** An index lists actors of one kind. */
const INDEXES = ['job-live', 'job-all', 'stream-live', 'stream-all'];
const KEYS = ['', 'a', 'a/', 'a/1', 'a/10', 'a/2', 'b', 'b%', 'B', 'ä', '\u{1F600}', '\uFF5E'];

interface Change extends Omit<Commit, 'actor' | 'expected' | 'owner' | 'index' | 'record' | 'outbox'> {
  readonly actor: ActorKey;
  /** Difference between the expected version and the stored one. */
  readonly off: number;
  /** The commit that it follows: the stored one, another one, or any. */
  readonly follows: 'stored' | 'other' | 'any';
  readonly id: string;
  readonly record: unknown;
  /** Whether the record is written again if the actor already has one. */
  readonly replaces: boolean;
  readonly live: number | null | undefined;
  readonly all: number | null | undefined;
  readonly notices: readonly Notice[];
  readonly settled: readonly string[];
}

type AnyCommand =
  | { readonly type: 'commits'; readonly changes: readonly Change[]; readonly synced: boolean }
  | { readonly type: 'load' | 'quarantine'; readonly actor: ActorKey }
  | {
      readonly type: 'rows';
      readonly actor: ActorKey;
      readonly prefix: string;
      readonly after: string | undefined;
      readonly limit: number;
    }
  | {
      readonly type: 'list';
      readonly index: string;
      readonly after: IndexEntry | undefined;
      readonly limit: number;
      readonly descending: boolean;
    }
  | {
      readonly type: 'outbox';
      readonly destination: string;
      readonly after: { readonly id: string; readonly due: number } | undefined;
      readonly limit: number;
    }
  | { readonly type: 'destinations'; readonly after: string | undefined; readonly limit: number }
  | { readonly type: 'counters'; readonly prefix: string }
  | { readonly type: 'count'; readonly index: string }
  | { readonly type: 'next'; readonly sequence: string; readonly n: number }
  | { readonly type: 'reopen' };

const anActor = fc.constantFrom(...ACTORS);
const aKey = fc.constantFrom(...KEYS.slice(1));
const aPrefix = fc.constantFrom(...KEYS);
const aScore = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, 9e12, -1e12));
const aMove = fc.oneof(fc.constant(undefined), fc.constant(null), aScore);
const aNotice = fc.constantFrom('n1', 'n2', 'n3');
const aDestination = fc.constantFrom('http://a', 'http://b', 'http://ab');
const aPart = fc.constantFrom('p', 'q', 'r');
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });

const aChange: fc.Arbitrary<Change> = fc.record({
  actor: anActor,
  off: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1) }),
  follows: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('stored' as const, 'any' as const) },
    { weight: 1, arbitrary: fc.constant('other' as const) },
  ),
  id: fc.uuid(),
  snapshot: fc.option(fc.record({ schema: fc.nat(5), body: fc.jsonValue({ maxDepth: 2 }) }), {
    freq: 6,
    nil: null,
  }),
  notices: fc.array(
    fc.record({
      id: aNotice,
      destination: aDestination,
      due: fc.integer({ min: 0, max: 3 }),
      body: fc.jsonValue({ maxDepth: 1 }),
    }),
    { maxLength: 2 },
  ),
  settled: fc.array(aNotice, { maxLength: 2 }),
  counters: fc.dictionary(fc.constantFrom('n/a', 'n/b', 'm'), fc.integer({ min: -2, max: 2 })),
  record: maybe(
    fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.dictionary(aPart, fc.constantFrom('x', 'y', null))),
  ),
  replaces: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  common: fc.subarray(['p', 'q']),
  putRows: fc.array(fc.record({ key: aKey, body: fc.jsonValue({ maxDepth: 1 }) }), { maxLength: 5 }),
  removeRows: fc.array(aPrefix, { maxLength: 2 }),
  live: aMove,
  all: aMove,
});

const anyCommand: fc.Arbitrary<AnyCommand> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('commits' as const),
      changes: fc.array(aChange, { minLength: 1, maxLength: 4 }),
      synced: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('load' as const), actor: anActor }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('quarantine' as const), actor: anActor }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('rows' as const),
      actor: anActor,
      prefix: aPrefix,
      after: maybe(aKey),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('list' as const),
      index: fc.constantFrom(...INDEXES),
      after: maybe(fc.record({ id: fc.constantFrom('a', 'aa', 'b', 'ab'), score: aScore })),
      limit: fc.integer({ min: 1, max: 4 }),
      descending: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('outbox' as const),
      destination: aDestination,
      after: maybe(fc.record({ id: aNotice, due: fc.integer({ min: 0, max: 3 }) })),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('destinations' as const),
      after: maybe(aDestination),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('counters' as const),
      prefix: fc.constantFrom('', 'n/', 'n/a', 'x'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('count' as const), index: fc.constantFrom(...INDEXES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('next' as const),
      sequence: fc.constantFrom('s', 't'),
      n: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' as const }) },
);

/** The results of the store. The model knows which versions were stored before. */
async function outcomesOf(
  store: Store,
  model: ModelStore,
  command: Exclude<AnyCommand, { type: 'reopen' }>,
): Promise<unknown> {
  switch (command.type) {
    case 'commits': {
      const commits = await Promise.all(
        command.changes.map((change) => toCommit(model, change, command.synced)),
      );
      const outcomes = await Promise.allSettled(commits.map((commit) => store.commit(commit)));
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).name,
      );
    }
    case 'load':
      return store.load(command.actor);
    case 'quarantine':
      return store.quarantine(command.actor, 'why not');
    case 'rows': {
      const { actor, prefix, after, limit } = command;
      return store.rows(actor, { prefix, limit, ...(after === undefined ? {} : { after }) });
    }
    case 'list': {
      const { index, after, limit, descending } = command;
      return store.list(index, { limit, descending, ...(after === undefined ? {} : { after }) });
    }
    case 'outbox': {
      const { destination, after, limit } = command;
      return store.outbox(destination, { limit, ...(after === undefined ? {} : { after }) });
    }
    case 'destinations': {
      const { after, limit } = command;
      return store.destinations({ limit, ...(after === undefined ? {} : { after }) });
    }
    case 'counters':
      return [...(await store.counters(command.prefix))];
    case 'count':
      return store.count(command.index);
    case 'next':
      return store.next(command.sequence, command.n);
  }
}

/** An actor as a server has read it. */
interface Past {
  readonly actor: ActorKey;
  readonly seen: Pick<StoredActor, 'version' | 'commit'>;
  readonly rows: readonly Row[];
}

async function pastOf(store: Store, actor: ActorKey): Promise<Past> {
  const { version = 0, commit = '' } = (await store.load(actor)) ?? {};
  return { actor, seen: { version, commit }, rows: await everything(allRows(store, actor)) };
}

/**
 * The changes that a store reports turn the earlier state into the stored state. A store may also report that
 * it does not know them.
 */
async function expectTold(real: Store, model: Store, { actor, seen, rows }: Past): Promise<void> {
  const since = await changesSince(real, actor, seen);
  if (since === 'unknown') return;
  const { seen: now, rows: stored } = await pastOf(model, actor);
  if (since === 'nothing') {
    expect(seen, 'what is stored').to.deep.equal(now);
    return;
  }
  const { version, commit, snapshot } = since;
  expect({ version, commit }).to.deep.equal(now);
  expect(snapshot).to.deep.equal((await model.load(actor))?.snapshot);
  const all = new Map([...rows, ...since.rows].map(({ key, body }) => [key, body]));
  expect(all).to.deep.equal(new Map(stored.map(({ key, body }) => [key, body])));
}

async function toCommit(
  model: ModelStore,
  { actor, off, follows, record, replaces, live, all, notices, settled, ...change }: Change,
  synced: boolean,
): Promise<Commit> {
  const stored = await model.load(actor);
  const version = stored?.version ?? 0;
  const after = follows === 'stored' ? stored?.commit : 'of another branch';
  const moves = Object.entries({ live, all }).filter(
    (move): move is [string, number | null] => move[1] !== undefined,
  );
  return {
    ...change,
    actor,
    expected: Math.max(0, version + off),
    ...(follows === 'any' || after === undefined ? {} : { after }),
    owner: OWNER,
    synced,
    index: Object.fromEntries(moves.map(([name, score]) => [`${actor.kind}-${name}`, score])),
    outbox: { put: notices, remove: settled },
    ...((version === 0 || replaces) && record !== undefined ? { record } : {}),
  };
}
