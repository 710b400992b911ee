import { expect } from 'chai';
import Database from 'better-sqlite3';
import type { Clock } from '../../../actors/basics/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { loadDurable } from '../../../actors/runtime/durable.ts';
import type { DurableKind } from '../../../actors/runtime/durable-kind.ts';
import { NewerSchema } from '../../../actors/runtime/load-actor.ts';
import { TransientError } from '../../../actors/basics/errors.ts';
import type { Decision, Reply } from '../../../actors/runtime/machine.ts';
import type { Steps } from '../../../actors/runtime/steps.ts';
import type { Behavior, Envelope } from '../../../actors/runtime/system.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { NotStorable, VersionConflict, type Commit, type Store } from '../../../store/store.ts';
import { around, temporaryFolder } from '../../store/folder.ts';
import { gate, turns } from './probe.ts';

/** A purse: its content is the snapshot, and each coin is a row. */
interface Purse {
  readonly total: number;
  readonly coins: readonly number[];
}
type PurseCommand =
  | { readonly type: 'open'; readonly owner: string }
  | { readonly type: 'put'; readonly coin: number }
  | { readonly type: 'look' };
interface PurseTypes {
  readonly state: Purse;
  readonly command: PurseCommand;
  readonly effect: string;
  readonly reply: string;
  readonly refusal: never;
  readonly context: undefined;
  readonly status: never;
}
type PurseReply = Reply<PurseTypes>;
type PurseKind = DurableKind<{ readonly owner: string }, PurseTypes>;

const OWNER = { server: 'here', epoch: 1 };
const ACTOR = { kind: 'purse', id: '1' };

describe('A durable actor', () => {
  const path = temporaryFolder();
  let files = 0;
  let file = '';
  let store: SqliteStore;
  /** Effects and decisions of the actor. */
  let effects: string[];
  let decisions: number;
  beforeEach(() => {
    file = path(`${++files}.db`);
    store = new SqliteStore(file);
    effects = [];
    decisions = 0;
  });
  afterEach(() => store.close());

  const kind = (more: Partial<PurseKind> = {}): PurseKind => ({
    kind: 'purse',
    schema: 1,
    rowsOf: () => 'coin/',
    restore: (_, body, rows) => ({
      total: (body as Purse).total,
      coins: rows.map((row) => row.body as number),
    }),
    snapshot: (_, { total }) => ({ total }),
    decide: (record, state, { command }) => {
      decisions++;
      return decide(record, state, command);
    },
    recover: ({ total }) => [`recover ${total}`],
    perform: async (_, { total }, wanted) => {
      await turns(1);
      effects.push(...wanted.map((effect) => `${effect} at ${total}`));
    },
    ...more,
  });

  function decide(
    record: { owner: string } | undefined,
    state: Purse | undefined,
    command: PurseCommand,
  ): Decision<PurseTypes> {
    if (command.type === 'open') {
      const record = { owner: command.owner };
      return {
        reply: `opened for ${command.owner}`,
        state: { total: 0, coins: [] },
        record,
        index: { purses: 7 },
      };
    }
    if (state === undefined) return { reply: 'no purse' };
    if (command.type === 'look')
      return { reply: `${record?.owner}: ${state.coins.join('+')} = ${state.total}` };
    const { coin } = command;
    const after = { total: state.total + coin, coins: [...state.coins, coin] };
    const key = `coin/${String(state.coins.length).padStart(3, '0')}`;
    return {
      reply: `total ${after.total}`,
      state: after,
      putRows: [{ key, body: coin }],
      effects: [`put ${coin}`],
    };
  }

  let envelopes = 0;
  const envelope = (command: PurseCommand, id = `envelope ${++envelopes}`): Envelope<PurseCommand> => ({
    id,
    command,
    at: 0,
  });
  type Loaded = Behavior<PurseCommand, PurseReply>;
  const load = (more: Partial<PurseKind> = {}, from: Store = store, clock?: Clock): Promise<Loaded> =>
    loadDurable(kind(more), from, OWNER, '1', undefined, clock);
  const put = (purse: Loaded, coin: number, id?: string) => purse.handle(envelope({ type: 'put', coin }, id));
  const look = (purse: Loaded) => purse.handle(envelope({ type: 'look' }));
  const openPurse = async (
    more: Partial<PurseKind> = {},
    from: Store = store,
    clock?: Clock,
  ): Promise<Loaded> => {
    const purse = await load(more, from, clock);
    await purse.handle(envelope({ type: 'open', owner: 'Ada' }));
    return purse;
  };
  const version = async () => (await store.load(ACTOR))?.version;
  const failure = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no failure',
      (error: unknown) => error,
    );

  it('replies only when its state is committed', async () => {
    const { opened: released, open } = gate();
    const slow = around<Store>(store, { commit: (commit) => released.then(() => store.commit(commit)) });
    const purse = await load({}, slow);
    let replied = false;
    const reply = purse.handle(envelope({ type: 'open', owner: 'Ada' })).then((text) => {
      replied = true;
      return text;
    });
    await turns(10);
    expect([replied, await version()]).to.deep.equal([false, undefined]);
    open();
    expect(await reply).to.equal('opened for Ada');
    expect(await version()).to.equal(1);
  });

  it('performs its effects after the commit, on the new state', async () => {
    const order: string[] = [];
    const watched = around<Store>(store, {
      commit: async (commit) => {
        const stored = await store.commit(commit);
        order.push('commit');
        return stored;
      },
    });
    const purse = await openPurse(
      {
        perform: async (_, { total }, wanted) =>
          void order.push(...wanted.map((effect) => `${effect} at ${total}`)),
      },
      watched,
    );
    await put(purse, 5);
    expect(order).to.deep.equal(['commit', 'commit', 'put 5 at 5']);
  });

  it('finds record, snapshot and rows again when it is loaded', async () => {
    const purse = await openPurse();
    for (const coin of [1, 2, 3]) await put(purse, coin);
    expect(await look(await load())).to.equal('Ada: 1+2+3 = 6');
  });

  it('stores nothing for a decision that changes nothing', async () => {
    const purse = await openPurse();
    await look(purse);
    expect(await version()).to.equal(1);
    expect(await look(await loadDurable(kind(), store, OWNER, '2'))).to.equal('no purse');
    expect(await store.load({ kind: 'purse', id: '2' })).to.equal(undefined);
  });

  it('says so when its first change brings no record', async () => {
    const purse = await load({ decide: () => ({ reply: '', state: { total: 0, coins: [] } }) });
    expect(String(await failure(look(purse)))).to.contain('purse/1 has no record');
  });

  it('performs at load the effects of its state, and none if it does not exist yet', async () => {
    const purse = await openPurse();
    await put(purse, 4);
    effects = [];
    await load();
    expect(effects).to.deep.equal(['recover 4 at 4']);
    effects = [];
    await loadDurable(kind(), store, OWNER, 'unknown');
    expect(effects).to.deep.equal([]);
  });

  it('is restored, and prepares its decisions, in turns with other work', async () => {
    await put(await openPurse(), 4);
    let others = 0;
    const other = setInterval(() => others++, 0);
    function* slowly<T>(value: T): Steps<T> {
      others = 0;
      // Runs until other actors have had their turn.
      for (const end = performance.now() + 20_000; others < 2 && performance.now() < end;) yield;
      return value;
    }
    try {
      const purse = await load({ restore: (...stored) => slowly(kind().restore(...stored) as Purse) });
      expect(others, 'while it was restored').to.be.greaterThan(1);
      expect(await look(purse)).to.equal('Ada: 4 = 4');
      const careful = await load({ ahead: () => slowly(undefined) });
      expect(await put(careful, 3)).to.equal('total 7');
      expect(others, 'before it decided').to.be.greaterThan(1);
    } finally {
      clearInterval(other);
    }
  });

  it('is read as it was at one moment, though somebody commits while it is read', async () => {
    const other = await openPurse();
    let once = true;
    const busy = around<Store>(store, {
      async rows(actor, options) {
        if (once) {
          once = false;
          await put(other, 7);
        }
        return store.rows(actor, options);
      },
    });
    // A snapshot and rows of different moments do not match, and would put a healthy actor into quarantine.
    const strict: Partial<PurseKind> = {
      restore(record, body, rows) {
        const purse = kind().restore(record, body, rows) as Purse;
        if (purse.total !== purse.coins.reduce((sum, coin) => sum + coin, 0))
          throw new Error('the sum is wrong');
        return purse;
      },
    };
    expect(await look(await load(strict, busy))).to.equal('Ada: 7 = 7');
  });

  describe('that is given the same envelope again', () => {
    it('answers as the first time, and commits and does nothing', async () => {
      const purse = await openPurse();
      expect(await put(purse, 5, 'same')).to.equal('total 5');
      await put(purse, 1);
      const before = { effects: [...effects], version: await version() };
      expect(await put(purse, 5, 'same')).to.equal('total 5');
      expect({ effects, version: await version() }).to.deep.equal(before);
    });

    it('does so also after it was loaded afresh', async () => {
      await put(await openPurse(), 5, 'same');
      const purse = await load();
      expect(await put(purse, 5, 'same')).to.equal('total 5');
      expect([await version(), await look(purse)]).to.deep.equal([2, 'Ada: 5 = 5']);
    });

    it('does so for the last 32 changes', async () => {
      const purse = await openPurse();
      for (let n = 1; n <= 32; n++) await put(purse, 1, `coin ${n}`);
      expect(await put(purse, 1, 'coin 1')).to.equal('total 1');
      await put(purse, 1, 'coin 33');
      expect(await put(await load(), 1, 'coin 2')).to.equal('total 2');
      expect(await look(purse)).to.contain('= 33');
    });

    it('because its effects had failed, keeps its commit, and its next load performs them', async () => {
      let broken = true;
      const fragile: Partial<PurseKind> = {
        perform: (_, __, wanted) => {
          if (broken) return Promise.reject(new Error('no dispatcher'));
          effects.push(...wanted);
          return Promise.resolve();
        },
      };
      const purse = await openPurse(fragile);
      expect(String(await failure(put(purse, 5, 'same')))).to.contain('no dispatcher');
      broken = false;
      const again = await load(fragile);
      expect(effects).to.deep.equal(['recover 5']);
      expect(await put(again, 5, 'same')).to.equal('total 5');
      expect(await version()).to.equal(2);
    });
  });

  describe('that finds that somebody else has committed', () => {
    it('looks at the new state and decides once more', async () => {
      const mine = await openPurse();
      const other = await load();
      await put(other, 10);
      await put(other, 20);
      decisions = 0;
      expect(await put(mine, 1)).to.equal('total 31');
      expect(decisions).to.equal(2);
      expect(await look(await load())).to.equal('Ada: 10+20+1 = 31');
    });

    it('answers as the first time when it was its own command that was committed', async () => {
      const mine = await openPurse();
      await put(await load(), 10, 'same');
      expect(await put(mine, 10, 'same')).to.equal('total 10');
      expect(await look(await load())).to.equal('Ada: 10 = 10');
    });

    /** A store that refuses all commits but the first while `refuse` returns true. */
    const contestStore = (refuse: () => boolean) =>
      around<Store>(store, {
        commit: (commit: Commit) =>
          commit.expected > 0 && refuse()
            ? Promise.reject(new VersionConflict(commit.actor, commit.expected))
            : store.commit(commit),
      });
    /** Advances the clock until the promise settles, and returns the result or the error. */
    const passTime = async (clock: VirtualClock, work: Promise<unknown>): Promise<unknown> => {
      let outcome: unknown;
      const settled = failure(work).then((seen) => (outcome = seen ?? 'no answer'));
      while (outcome === undefined) await clock.advance(50);
      return settled;
    };

    it('decides again as often as it takes', async () => {
      const clock = new VirtualClock();
      let left = 5;
      const purse = await openPurse(
        {},
        contestStore(() => left-- > 0),
        clock,
      );
      await passTime(clock, put(purse, 1));
      expect(await look(await load())).to.equal('Ada: 1 = 1');
      expect(left).to.equal(-1);
    });

    it('is not to blame when that goes on for too long', async () => {
      const clock = new VirtualClock();
      const purse = await openPurse(
        {},
        contestStore(() => true),
        clock,
      );
      const error = await passTime(clock, put(purse, 1));
      expect(error).to.be.instanceOf(TransientError);
      expect((error as Error).cause).to.be.instanceOf(VersionConflict);
      expect(clock.now()).to.be.within(1_000, 30_000);
    });

    it('does what the state stands for that it has then', async () => {
      const mine = await openPurse();
      await put(await load(), 10);
      effects = [];
      await put(mine, 1);
      expect(effects).to.deep.equal(['recover 10 at 10', 'put 1 at 11']);
    });

    it('does what it had decided when it was its own commit, of which the store had not told it', async () => {
      let breaks = true;
      const repeating = around<Store>(store, {
        commit: async (commit: Commit) => {
          const version = await store.commit(commit);
          if (commit.expected === 0 || !breaks) return version;
          breaks = false;
          // Like a client that repeats a request after its connection broke.
          return store.commit(commit);
        },
      });
      const purse = await openPurse({}, repeating);
      expect(await put(purse, 5)).to.equal('total 5');
      expect(effects).to.deep.equal(['recover 5 at 5', 'put 5 at 5']);
      expect(await look(await load())).to.equal('Ada: 5 = 5');
    });
  });

  describe('whose store fails', () => {
    it('to write is not to blame, has not changed, and does nothing', async () => {
      let full = false;
      const failing = around<Store>(store, {
        commit: (commit) => (full ? Promise.reject(new Error('disk full')) : store.commit(commit)),
      });
      const purse = await openPurse({}, failing);
      full = true;
      expect(await failure(put(purse, 1))).to.be.instanceOf(TransientError);
      full = false;
      expect(effects).to.deep.equal([]);
      expect(await put(purse, 2)).to.equal('total 2');
    });

    it('to write what cannot be written at all is to blame itself', async () => {
      const purse = await openPurse({ snapshot: (_, { total }) => ({ total: total === 0 ? 0 : 1n }) });
      expect(await failure(put(purse, 1))).to.be.instanceOf(NotStorable);
    });

    for (const verb of ['load', 'rows'] as const)
      it(`to read (${verb}) is not to blame, and is not put into quarantine`, async () => {
        await openPurse();
        const failing = around<Store>(store, { [verb]: () => Promise.reject(new Error('connection lost')) });
        expect(await failure(load({}, failing))).to.be.instanceOf(TransientError);
        expect(await look(await load())).to.equal('Ada:  = 0');
      });
  });

  describe('that cannot be read', () => {
    const expectQuarantine = async (error: unknown, reason: string) => {
      expect(String(error)).to.contain('purse/1 could not be read and was put into quarantine');
      expect(await store.load(ACTOR)).to.equal(undefined);
      expect(await store.list('purses', { limit: 10 })).to.deep.equal([]);
      await store.close();
      const database = new Database(file);
      const kept = database.prepare('select kind, id, reason, body from quarantine').all() as {
        reason: string;
        body: string;
      }[];
      database.close();
      store = new SqliteStore(file);
      expect(kept).to.have.lengthOf(1);
      expect(kept[0]).to.include({ kind: 'purse', id: '1' });
      expect(kept[0]!.reason).to.contain(reason);
      expect(JSON.parse(kept[0]!.body)).to.have.keys(
        ...['schema', 'version', 'snapshot', 'record', 'rows', 'notices'],
      );
    };

    it('is quarantined with the reason, out of every index, and is then as if it never existed', async () => {
      await put(await openPurse(), 3);
      const unreadable: Partial<PurseKind> = {
        restore: () => {
          throw new Error('a purse without a bottom');
        },
      };
      await expectQuarantine(await failure(load(unreadable)), 'a purse without a bottom');
      expect(await look(await load())).to.equal('no purse');
    });

    it('because the text in the database is broken is put into quarantine, too', async () => {
      await openPurse();
      await store.close();
      const database = new Database(file);
      database.exec(`update actors set snapshot = '{"state":'`);
      database.close();
      store = new SqliteStore(file);
      await expectQuarantine(await failure(load()), 'JSON');
    });

    it('because a newer version wrote it is refused with a sentence and left as it is', async () => {
      await openPurse({ schema: 2 });
      const before = await store.load(ACTOR);
      const error = await failure(load());
      expect(error).to.be.instanceOf(NewerSchema);
      expect(String(error)).to.contain(
        'stored by a newer version of Troupe (schema 2, this version knows 1)',
      );
      expect(await store.load(ACTOR)).to.deep.equal(before);
    });
  });
});
