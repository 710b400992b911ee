import { expect } from 'chai';
import { Repeats, type Repeatable } from '../../../actors/requests/idempotency.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { OWNER } from '../batch-job/simulation/served-jobs.ts';

const FIRST: Repeatable = { user: 'anna', key: 'key 1', requestHash: 'a' };

describe('An Idempotency-Key', () => {
  const place = temporaryFolder();
  let stores = 0;
  let store: SqliteStore;
  let repeats: Repeats;
  const open = () => {
    store = new SqliteStore(place(`${stores}.db`));
    repeats = new Repeats(store, OWNER);
  };
  beforeEach(() => {
    stores++;
    open();
  });
  afterEach(() => store.close());

  it('stands for nothing until it is used', async () => {
    expect(await repeats.find(FIRST)).to.equal(undefined);
  });

  it('stands for the job of its first request, also after a restart', async () => {
    expect(await repeats.reserve(FIRST, 7, 1_000)).to.equal(7);
    expect(await repeats.find(FIRST)).to.deep.equal({ jobNumber: 7 });
    expect(await repeats.reserve(FIRST, 8, 2_000), 'the same request again').to.equal(7);
    await store.close();
    open();
    expect(await repeats.find(FIRST)).to.deep.equal({ jobNumber: 7 });
  });

  it('is in conflict with another body, and still stands for the first', async () => {
    await repeats.reserve(FIRST, 7, 1_000);
    const other = { ...FIRST, requestHash: 'b' };
    expect([await repeats.find(other), await repeats.reserve(other, 8, 2_000)]).to.deep.equal([
      'conflict',
      'conflict',
    ]);
    expect(await repeats.find(FIRST)).to.deep.equal({ jobNumber: 7 });
  });

  it('is each user’s own, whatever the characters', async () => {
    const keys: readonly Repeatable[] = [
      FIRST,
      { ...FIRST, user: 'berta' },
      { ...FIRST, key: 'key 2' },
      { ...FIRST, user: 'anna","key 1', key: '' },
      { ...FIRST, user: '', key: 'annakey 1' },
      { ...FIRST, user: 'annakey 1', key: '' },
      { ...FIRST, key: '🙂'.repeat(300) },
    ];
    for (const [number, key] of keys.entries()) await repeats.reserve(key, number, 1_000);
    for (const [jobNumber, key] of keys.entries())
      expect(await repeats.find(key)).to.deep.equal({ jobNumber });
  });

  it('gives all that use it at once one number', async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
    const reserved = await Promise.all(numbers.map((number) => repeats.reserve(FIRST, number, 1_000)));
    expect(new Set(reserved).size).to.equal(1);
    expect(await repeats.find(FIRST)).to.deep.equal({ jobNumber: reserved[0] });
  });

  it('gives one of two different requests at once the number, and the other a conflict', async () => {
    const reserved = await Promise.all([
      repeats.reserve(FIRST, 1, 1_000),
      repeats.reserve({ ...FIRST, requestHash: 'b' }, 2, 1_000),
    ]);
    expect(reserved.filter((answer) => answer === 'conflict')).to.have.lengthOf(1);
  });

  it('is forgotten when its time is over, and only then', async () => {
    const keyOf = (n: number): Repeatable => ({ ...FIRST, key: `key ${n}` });
    for (let n = 0; n < 5; n++) await repeats.reserve(keyOf(n), n, 1_000 + n);
    const answer = { kind: 'accepted', jobId: 'here-4', archiveCheckStatus: 'NO_MATCH' } as const;
    for (const n of [0, 4]) await repeats.keep(keyOf(n), { ...answer, jobId: `here-${n}` });
    await repeats.forget(1_003);
    const found = await Promise.all([0, 1, 2, 3, 4].map((n) => repeats.find(keyOf(n))));
    expect(found).to.deep.equal([
      undefined,
      undefined,
      undefined,
      { jobNumber: 3 },
      { jobNumber: 4, answer },
    ]);
    expect(await store.count('idempotency-keys')).to.equal(2);
    expect(await repeats.reserve({ ...keyOf(0), requestHash: 'b' }, 9, 2_000)).to.equal(9);
  });

  it('is forgotten with all others of its time, however many', async () => {
    const keys = Array.from({ length: 1_200 }, (_, n) => ({ ...FIRST, key: `key ${n}` }));
    await Promise.all(keys.map((key, n) => repeats.reserve(key, n, 1_000)));
    await repeats.forget(1_001);
    expect(await store.count('idempotency-keys')).to.equal(0);
  });
});
