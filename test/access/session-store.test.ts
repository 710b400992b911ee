import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { VirtualClock } from '../support/virtual-clock.ts';
import { SESSIONS, SessionStore, type SessionUser } from '../../actors/sessions/session-store.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';

const MINUTE = 60_000;
const LIMITS = {
  ...{ idleMs: 10 * MINUTE, lifeMs: 60 * MINUTE, maxCount: 4, maxOfUser: 2 },
  ...{ rotateMs: 30 * MINUTE, graceMs: MINUTE },
};
const alice: SessionUser = { name: 'Alice', subject: 'a', roles: ['ADMIN'] };
const bob: SessionUser = { name: 'Bob', subject: 'b', roles: ['USER'] };

describe('Sessions in the store', () => {
  let folder: string;
  let store: SqliteStore;
  let clock: VirtualClock;
  let ended: string[];
  let stolen: string[];
  const open = (realm = 'one', settings = {}) =>
    new SessionStore({
      ...{ store, clock, realm },
      owner: { server: 'test', epoch: 1 },
      settings: { ...LIMITS, ...settings },
      onEnd: (key) => void ended.push(key),
      onTheft: ({ key }) => void stolen.push(key),
    });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-sessions-'));
    store = new SqliteStore(join(folder, 'sessions.db'));
    clock = new VirtualClock(1_000_000);
    [ended, stolen] = [[], []];
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it('are found by a secret that the store does not hold', async () => {
    const { secret, key } = await open().begin(alice, 'the ID token');
    expect(await open().find(secret)).to.deep.equal({
      key,
      user: alice,
      expires: clock.now() + 60 * MINUTE,
      idleUntil: clock.now() + 10 * MINUTE,
      idToken: 'the ID token',
    });
    const stored = JSON.stringify(await store.load({ kind: 'session', id: key }));
    expect([stored.includes(secret), key.includes(secret)]).to.deep.equal([false, false]);
    for (const guess of ['', key, secret.slice(1), `${secret.slice(0, -1)}!`, 'x'.repeat(10_000)])
      expect(await open().find(guess), guess).to.equal(undefined);
  });

  it('end when nobody has used them for a while, and after their time in any case', async () => {
    const sessions = open();
    const { secret } = await sessions.begin(alice);
    for (let minutes = 0; minutes < 54; minutes += 9) {
      await clock.advance(9 * MINUTE);
      expect(await sessions.find(secret), `after ${minutes + 9} minutes`).not.to.equal(undefined);
    }
    await clock.advance(6 * MINUTE);
    expect(await sessions.find(secret), 'its time is over').to.equal(undefined);
    const { secret: idle } = await sessions.begin(alice);
    await clock.advance(10 * MINUTE);
    expect(await sessions.find(idle), 'idle').to.equal(undefined);
  });

  describe('change their secret', () => {
    const advance = (minutes: number) => clock.advance(minutes * MINUTE);
    const sessions = () => open('one', { idleMs: 600 * MINUTE, lifeMs: 600 * MINUTE });
    /** The successor of this secret. */
    const nextOf = async (secret: string) => (await sessions().find(secret))!.nextSecret!;

    it('after a while, and not before', async () => {
      const { secret, key } = await sessions().begin(alice);
      await advance(29);
      expect((await sessions().find(secret))?.nextSecret).to.equal(undefined);
      await advance(1);
      const next = await nextOf(secret);
      expect([next === secret, next.includes(key)]).to.deep.equal([false, true]);
      expect(await sessions().find(next)).to.deep.include({ key, user: alice });
      const stored = JSON.stringify(await store.load({ kind: 'session', id: key }));
      for (const hidden of [secret, next]) expect(stored.includes(hidden.split('.')[1]!)).to.equal(false);
    });

    it('to the same one for all requests that come before it is used', async () => {
      const { secret } = await sessions().begin(alice);
      await advance(30);
      const first = await nextOf(secret);
      const others = await Promise.all([nextOf(secret), nextOf(secret), nextOf(secret)]);
      expect(new Set([first, ...others]).size).to.equal(1);
      // The response with the new secret was lost, so the browser sends the old one much later.
      await advance(120);
      expect(await nextOf(secret)).to.equal(first);
    });

    it('and accept the former one for a moment, for requests that are under way', async () => {
      const { secret, key } = await sessions().begin(alice);
      await advance(30);
      const next = await nextOf(secret);
      await sessions().find(next);
      expect((await sessions().find(secret))?.key).to.equal(key);
      expect(stolen).to.deep.equal([]);
    });

    for (const rotations of [1, 3])
      it(`and end when one is used that was followed by ${rotations}`, async () => {
        const { secret: first, key } = await sessions().begin(alice);
        let secret = first;
        for (let n = 0; n < rotations; n++) {
          await advance(30);
          secret = await nextOf(secret);
          await sessions().find(secret);
        }
        await advance(1);
        expect(await sessions().find(first)).to.equal(undefined);
        expect(await sessions().find(secret), 'nobody knows which of them is the thief').to.equal(undefined);
        expect([stolen, ended]).to.deep.equal([[key], [key]]);
      });

    it('also when they were begun by an earlier version', async () => {
      const secret = 'a'.repeat(43);
      const id = createHash('sha256').update(secret).digest('hex');
      const now = clock.now();
      const body = { realm: 'one', user: alice, began: now, used: now };
      const index = { [SESSIONS]: now + 600 * MINUTE };
      const owner = { server: 'test', epoch: 1 };
      const snapshot = { schema: 1, body };
      await store.commit({ actor: { kind: 'session', id }, expected: 0, owner, record: {}, snapshot, index });
      expect((await sessions().find(secret))?.user).to.deep.equal(alice);
      await advance(30);
      const next = await nextOf(secret);
      await sessions().find(next);
      await advance(2);
      expect((await sessions().find(next))?.user).to.deep.equal(alice);
      expect(await sessions().find(secret)).to.equal(undefined);
    });
  });

  it('are listed to their user, and ended by their key', async () => {
    const sessions = open();
    const first = await sessions.begin(alice, undefined, 'Firefox on Linux');
    await clock.advance(MINUTE);
    const second = await sessions.begin(alice);
    const { key } = await sessions.begin(bob);
    const shown = await sessions.list(alice);
    expect(shown.map((one) => [one.key, one.browser])).to.deep.equal([
      [second.key, null],
      [first.key, 'Firefox on Linux'],
    ]);
    expect(await sessions.list()).to.have.length(3);
    expect(await sessions.revoke(key, alice), 'of somebody else').to.equal(false);
    for (const guess of ['', 'x', '0'.repeat(32)]) expect(await sessions.revoke(guess)).to.equal(false);
    expect(await sessions.revoke(first.key, alice)).to.equal(true);
    expect([await sessions.find(first.secret), await sessions.isAlive(first.key)]).to.deep.equal([
      undefined,
      false,
    ]);
    expect(await sessions.isAlive(second.key)).to.equal(true);
  });

  it('do not last longer because the clock was set back', async () => {
    const { secret } = await open().begin(alice);
    clock = new VirtualClock(clock.now() - 30 * MINUTE);
    expect(await open().find(secret)).to.equal(undefined);
  });

  it('have ended when users are let in by other settings', async () => {
    const { secret } = await open('one').begin(alice);
    expect(await open('another').find(secret)).to.equal(undefined);
    expect(await open('one').find(secret)).not.to.equal(undefined);
  });

  it('stay ended, also when a request notes their use at the same time', async () => {
    const sessions = open();
    const { secret, key } = await sessions.begin(alice);
    await clock.advance(5 * MINUTE);
    await Promise.all([sessions.find(secret), sessions.end(key), sessions.find(secret), sessions.end(key)]);
    expect(await sessions.find(secret)).to.equal(undefined);
    expect(await store.count(SESSIONS)).to.equal(0);
    expect(ended).to.include(key);
  });

  it('are so many at most, of a user and of all: the one that would end first goes', async () => {
    const sessions = open();
    const begun = [];
    for (const user of [alice, alice, bob, bob, alice]) {
      await clock.advance(1_000);
      begun.push(await sessions.begin(user));
    }
    const alive = await Promise.all(
      begun.map(async ({ secret }) => (await sessions.find(secret)) !== undefined),
    );
    expect(alive).to.deep.equal([false, true, true, true, true]);
    await sessions.begin({ ...bob, subject: 'c' });
    expect([await sessions.find(begun[1]!.secret), await store.count(SESSIONS)]).to.deep.equal([
      undefined,
      4,
    ]);
    expect(ended).to.deep.equal([begun[0]!.key, begun[1]!.key]);
  });

  it('are removed when their time is over, and the others stay', async () => {
    const sessions = open();
    await sessions.begin(alice);
    await clock.advance(6 * MINUTE);
    const { secret } = await sessions.begin(bob);
    await clock.advance(5 * MINUTE);
    await sessions.removeExpired();
    expect(await store.count(SESSIONS)).to.equal(1);
    expect(await sessions.find(secret)).not.to.equal(undefined);
  });

  it('keep no ID token that is too long', async () => {
    const { secret } = await open().begin(alice, 'x'.repeat(20_000));
    expect((await open().find(secret))?.idToken).to.equal(undefined);
  });

  it('of a newer version, or damaged ones, are nobody’s', async () => {
    const { secret, key } = await open().begin(alice);
    const actor = { kind: 'session', id: key };
    const owner = { server: 'test', epoch: 1 };
    const write = async (schema: number, body: unknown) => {
      const { version = 0 } = (await store.load(actor)) ?? {};
      await store.commit({ actor, expected: version, owner, snapshot: { schema, body } });
      return open().find(secret);
    };
    expect(await write(2, { user: alice })).to.equal(undefined);
    expect(await write(1, { user: { ...alice, roles: ['ROOT'] } })).to.equal(undefined);
    await open().end(key);
    expect(await store.count(SESSIONS)).to.equal(0);
  });

  it('whose state cannot be read stands in the way of nobody', async () => {
    const { secret } = await open().begin(alice);
    await store.close();
    const file = join(folder, 'sessions.db');
    const database = new Database(file);
    database.exec(`update actors set snapshot = '{"half'`);
    database.close();
    store = new SqliteStore(file);
    expect(await open().find(secret)).to.equal(undefined);
    expect(await store.count(SESSIONS), 'it was put aside').to.equal(0);
    const { secret: next } = await open('one', { maxCount: 1 }).begin(alice);
    expect(await open().find(next)).not.to.equal(undefined);
  });
});
