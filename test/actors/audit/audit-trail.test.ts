import { expect } from 'chai';
import { AuditTrail, type AuditCursor } from '../../../actors/audit/audit-trail.ts';
import type { AuditEntry } from '../../../actors/audit/entry.ts';
import { systemClock } from '../../../actors/basics/clock.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { StoreAway, type Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';
import { until } from '../../support/until.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ALL = { user: undefined, path: undefined, job: undefined, from: undefined, to: undefined };

describe('The audit trail', () => {
  const path = temporaryFolder();
  let store: SqliteStore;
  let stores = 0;
  beforeEach(() => (store = new SqliteStore(path(`${++stores}.db`))));
  afterEach(() => store.close());

  const trailOf = (of: Store = store, maxEntries = 1_000, server = 's') =>
    new AuditTrail({
      store: of,
      owner: { server, epoch: 1 },
      clock: systemClock,
      logger: silent,
      maxEntries,
    });
  const entry = (n: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
    ...{ at: 1_000 + n, user: 'alice', subject: 'a1', client: null, method: 'POST' },
    ...{ path: `/rest/jobs/host-${n}/cancel`, status: 200, outcome: 'done', jobId: `host-${n}` },
    ...{ ip: '192.0.2.7', requestId: `r${n}` },
    ...more,
  });
  const noteAll = async (trail: AuditTrail, entries: readonly AuditEntry[]) => {
    for (const one of entries) trail.note(one);
    await trail.close();
  };
  const many = (count: number, first = 0) => Array.from({ length: count }, (_, n) => entry(first + n));
  /** Entries of all pages. */
  const pages = async (trail: AuditTrail, filter: Partial<typeof ALL> = {}, limit = 7) => {
    const found: AuditEntry[] = [];
    let before: AuditCursor | undefined;
    do {
      const page = await trail.list({ ...ALL, ...filter, limit, before });
      expect(page.entries.length).to.be.at.most(limit);
      found.push(...page.entries);
      before = page.next;
    } while (before !== undefined);
    return found;
  };

  it('lists all entries, the newest first, page by page, also after a restart', async () => {
    await noteAll(trailOf(), many(30));
    await noteAll(trailOf(), many(450, 30));
    const numbers = (await pages(trailOf())).map(({ at }) => at - 1_000);
    expect(numbers).to.deep.equal(Array.from({ length: 480 }, (_, n) => 479 - n));
  });

  it('stores many entries with few commits', async () => {
    let commits = 0;
    const counting = around<Store>(store, {
      commit: (commit) => {
        commits++;
        return store.commit(commit);
      },
    });
    await noteAll(trailOf(counting), many(400));
    expect(commits).to.be.at.most(4);
  });

  it('is narrowed by user, path, job and time', async () => {
    await noteAll(trailOf(), [
      ...many(20),
      entry(20, { user: 'bob', subject: 'b1', path: '/rest/pipelines' }),
      entry(100_000),
    ]);
    const trail = trailOf();
    const found = async (filter: Partial<Record<keyof typeof ALL, unknown>>) =>
      (await pages(trail, filter as Partial<typeof ALL>)).map(({ at }) => at - 1_000);
    expect(await found({ user: 'bob' })).to.deep.equal([20]);
    expect(await found({ user: 'b1' })).to.deep.equal([20]);
    expect(await found({ path: 'pipelines' })).to.deep.equal([20]);
    expect(await found({ job: 'host-7' })).to.deep.equal([7]);
    expect(await found({ from: 1_018, to: 1_020 })).to.deep.equal([19, 18]);
    expect(await found({ from: 50_000 })).to.deep.equal([100_000]);
    expect(await found({ user: 'nobody' })).to.deep.equal([]);
  });

  it('keeps no more entries than it may, and removes the oldest', async () => {
    for (let n = 0; n < 10; n++) await noteAll(trailOf(store, 100), many(50, 50 * n));
    const left = await pages(trailOf());
    expect(left.length).to.be.within(50, 100);
    expect(left[0]).to.deep.equal(entry(499));
    expect((await store.counters('audit/')).get('audit/entries')).to.equal(left.length);
  });

  it('waits for a store that is away, and loses nothing', async () => {
    let isAway = true;
    const leaving = around<Store>(store, {
      commit: (commit) => (isAway ? Promise.reject(new StoreAway('away')) : store.commit(commit)),
    });
    const trail = trailOf(leaving);
    for (const one of many(3)) trail.note(one);
    expect(await pages(trail)).to.deep.equal([]);
    isAway = false;
    await until('the entries are stored', async () => (await pages(trail)).length === 3);
    await trail.close();
  });
});
