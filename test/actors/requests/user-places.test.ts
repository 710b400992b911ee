import { expect } from 'chai';
import { UserPlaces } from '../../../actors/requests/user-places.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const WRITER = { server: 'test', epoch: 1 };

describe('The places of a user', () => {
  const path = temporaryFolder();
  let store: Store;
  let opened = 0;
  let made = 0;
  beforeEach(() => {
    store = new SqliteStore(path(`${opened++}.db`));
  });
  afterEach(() => store.close());

  /** A job in the index of the user. */
  const make = (user: string) => async () => {
    const actor = { kind: 'batch-job', id: String(++made) };
    await store.commit({
      ...{ actor, expected: 0, owner: WRITER, record: {}, snapshot: { schema: 1, body: {} } },
      index: { [`user:${user}/live-jobs`]: made },
    });
    return 'made' as const;
  };
  const end = (id: number) =>
    store.commit({
      ...{ actor: { kind: 'batch-job', id: String(id) }, expected: 1, owner: WRITER, snapshot: null },
    });
  const serversOf = (clock = new VirtualClock()) => [1, 2, 3].map(() => new UserPlaces(store, WRITER, clock));

  it('are never exceeded, however many requests reach however many servers at once', async () => {
    const servers = serversOf();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => servers[n % 3]!.within('anna', 'live-jobs', 7, make('anna'))),
    );
    const places = outcomes.filter((outcome) => outcome === 'made').length;
    expect(await store.count('user:anna/live-jobs')).to.equal(places);
    expect(places).to.be.within(1, 7);
    for (let n = places; n < 7; n++)
      expect(await servers[n % 3]!.within('anna', 'live-jobs', 7, make('anna'))).to.equal('made');
    expect(await servers[0]!.within('anna', 'live-jobs', 7, make('anna'))).to.equal('FULL');
    expect(await servers[0]!.within('bob', 'live-jobs', 7, make('bob'))).to.equal('made');
  });

  it('are free again when a job ends, and when none was made', async () => {
    const [server] = serversOf();
    expect(await server!.within('anna', 'live-jobs', 1, make('anna'))).to.equal('made');
    expect(await server!.within('anna', 'live-jobs', 1, make('anna'))).to.equal('FULL');
    await end(made);
    const failed = await server!
      .within('anna', 'live-jobs', 1, () => Promise.reject(new Error('refused')))
      .catch((error: Error) => error.message);
    expect(failed).to.equal('refused');
    expect(await server!.within('anna', 'live-jobs', 1, make('anna'))).to.equal('made');
  });

  it('that a server held when it died are free after a minute', async () => {
    const clock = new VirtualClock();
    const [dead, other] = serversOf(clock);
    void dead!.within('anna', 'live-jobs', 1, () => new Promise(() => undefined));
    let seen: string | undefined;
    while (seen !== 'FULL') seen = await other!.within('anna', 'live-jobs', 1, () => Promise.resolve('free'));
    await clock.advance(60_001);
    expect(await other!.within('anna', 'live-jobs', 1, make('anna'))).to.equal('made');
  });
});
