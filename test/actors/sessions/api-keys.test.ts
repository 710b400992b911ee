import { expect } from 'chai';
import { ApiKeys } from '../../../actors/sessions/api-keys.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ANNA = { name: 'Anna', subject: 'a-1', client: null, group: 'red' };
const BOB = { name: 'Bob', subject: null, client: 'b-tool', group: null };
const WANTED = { name: 'import', role: 'USER', days: 2 } as const;
const DAY_MS = 86_400_000;

describe('API keys', () => {
  const path = temporaryFolder();
  let store: Store;
  let clock: VirtualClock;
  let keys: ApiKeys;
  let opened = 0;
  const server = () => new ApiKeys(store, { server: 'test', epoch: 1 }, clock);
  beforeEach(() => {
    store = new SqliteStore(path(`${opened++}.db`));
    clock = new VirtualClock(1_000_000);
    keys = server();
  });
  afterEach(() => store.close());

  const make = async (owner: typeof ANNA | typeof BOB = ANNA) => {
    const made = await keys.create(owner, WANTED);
    if (made === 'FULL') throw new Error('There are too many keys.');
    return made;
  };

  it('stand for the user who made them, until they expire', async () => {
    const { token, key } = await make();
    expect(token).to.match(/^troupe_[0-9a-f]{16}_[\w-]{43}$/);
    expect(await keys.find(token)).to.deep.include({ id: key.id, owner: ANNA, role: 'USER' });
    await clock.advance(2 * DAY_MS - 1);
    expect((await keys.find(token))?.id).to.equal(key.id);
    await clock.advance(1);
    expect(await keys.find(token)).to.equal(undefined);
  });

  it('are nothing without their secret, of which the store has only a hash', async () => {
    const { token, key } = await make();
    const other = await make();
    const secret = token.slice(-43);
    for (const wrong of [
      `troupe_${key.id}_${other.token.slice(-43)}`,
      `troupe_${other.key.id}_${secret}`,
      `troupe_0123456789abcdef_${secret}`,
      token.slice(0, -1),
      `${token}x`,
      `troupe_${key.id}_`,
      '',
    ])
      expect(await keys.find(wrong), wrong).to.equal(undefined);
    const stored = await store.load({ kind: 'api-key', id: key.id });
    expect(JSON.stringify(stored)).to.not.include(secret);
    expect(JSON.stringify(await keys.list())).to.not.include(secret);
  });

  it('that are revoked end at once, on other servers within a second', async () => {
    const [{ token, key }, other] = [await make(), server()];
    expect((await other.find(token))?.id).to.equal(key.id);
    expect(await keys.revoke(key.id, BOB), 'by another user').to.equal(false);
    expect(await keys.revoke(key.id, ANNA)).to.equal(true);
    expect(await keys.find(token)).to.equal(undefined);
    await clock.advance(999);
    expect(await other.find(token)).to.equal(undefined);
    expect(await keys.revoke(key.id, ANNA), 'a second time').to.equal(false);
    expect(await keys.revoke('no id')).to.equal(false);
  });

  it('are listed by user, newest first, with their last use to the minute', async () => {
    const first = await make();
    await clock.advance(1_000);
    const second = await make();
    const bobs = await make(BOB);
    await clock.advance(5_000);
    await keys.find(first.token);
    await clock.advance(30_000);
    await keys.find(first.token);
    const listed = await keys.list(ANNA);
    expect(listed.map(({ id }) => id)).to.deep.equal([second.key.id, first.key.id]);
    expect(listed.map(({ used }) => used)).to.deep.equal([null, 1_006_000]);
    expect((await keys.list()).map(({ id }) => id)).to.have.members([
      ...[first, second, bobs].map(({ key }) => key.id),
    ]);
    expect(await keys.revoke(bobs.key.id), 'by an ADMIN').to.equal(true);
  });

  it('of one user are at most 100 that have not expired', async () => {
    for (let n = 0; n < 100; n++) await make();
    expect(await keys.create(ANNA, WANTED)).to.equal('FULL');
    expect(await keys.create(BOB, WANTED)).to.not.equal('FULL');
    await clock.advance(2 * DAY_MS);
    await make();
    expect((await keys.list(ANNA)).length, 'without those whose time is over').to.equal(1);
  });
});
