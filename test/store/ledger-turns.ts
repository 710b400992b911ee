/** The order in which a work ledger assigns items. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { WorkItem, WorkLedger } from '../../store/ledger.ts';
import { actorName } from '../../store/store.ts';
import { runs, seeded } from '../support/seed.ts';
import { actor, item, type Open } from './ledger-contract.ts';
import { PlainList } from './plain-list.ts';

const SETTINGS = { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 600_000, cancelGraceMs: 5_000 };
const JOBS = ['0', '1', '2', '3', '4', '5'].map((n) => actor(`job ${n}`));
/** Each has two jobs. The undefined user stands for items stored before users were recorded. */
const USERS = ['alice', 'bob', undefined];

const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id).join(' ');

const anId = fc.integer({ min: 0, max: 60 });
/** Derives an item from its number, because the row of a sub-job never changes. */
const itemOfNumber = (n: number): WorkItem => {
  const user = USERS[n % 3];
  return item(`${n}`, {
    actor: JOBS[n % 6]!,
    priority: [0, 4, 4, 4, 9][n % 5]!,
    queue: n % 7 === 0 ? 'TEXT' : 'FACE',
    ...(user === undefined ? {} : { user }),
  });
};
const aCommand = fc.oneof(
  fc.record({
    type: fc.constant('offer' as const),
    items: fc.array(anId.map(itemOfNumber), { maxLength: 8 }),
  }),
  fc.record({
    type: fc.constant('claim' as const),
    queues: fc.constantFrom(['FACE'], ['TEXT'], ['FACE', 'TEXT'], ['TEXT', 'FACE']),
    max: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ type: fc.constant('settle' as const), ids: fc.array(anId.map(String), { maxLength: 4 }) }),
  fc.record({ type: fc.constant('release' as const), n: fc.nat(20) }),
);
type Command = typeof aCommand extends fc.Arbitrary<infer C> ? C : never;
const aWeight = fc.constantFrom(1, 2, 3, 10);
const weights = fc.oneof(fc.constant([1, 1, 1]), fc.tuple(aWeight, aWeight, aWeight));

/** A worker of several queues begins with the next queue each time. */
const fromTurn = (queues: readonly string[], turn: number) => [
  ...queues.slice(turn % queues.length),
  ...queues.slice(0, turn % queues.length),
];

/** Applies the same changes to a ledger and a plain list. */
class Compared {
  readonly #ledger: WorkLedger;
  readonly #settle: (ids: readonly string[]) => Promise<void>;
  readonly model: PlainList;
  #claims = 0;

  constructor(ledger: WorkLedger, settle: (ids: readonly string[]) => Promise<void>, model: PlainList) {
    this.#ledger = ledger;
    this.#settle = settle;
    this.model = model;
  }

  async run(command: Command): Promise<void> {
    switch (command.type) {
      case 'offer':
        await this.#ledger.offer(command.items);
        return this.model.offer(command.items);
      case 'claim': {
        const turn = this.#claims++;
        const leases = await this.#ledger.claim({ ...command, worker: `worker ${turn}` });
        const expected = this.model.claim(fromTurn(command.queues, turn), command.max);
        return void expect(ids(leases.map((lease) => lease.item))).to.equal(ids(expected));
      }
      case 'settle':
        await this.#settle(command.ids);
        return this.model.settle(command.ids);
      case 'release': {
        const leases = await this.#ledger.leases();
        const lease = leases.toSorted((a, b) => Number(a.item.id) - Number(b.item.id))[command.n];
        if (lease === undefined) return;
        await this.#ledger.release(lease.token, lease.worker, false);
        this.model.release(lease.item.id);
      }
    }
  }

  /** @param slack tolerance for the reported number of items before a job */
  async check(slack: number): Promise<void> {
    for (const [n, { ahead }] of (await this.#ledger.workStatus(JOBS)).entries()) {
      const expected = this.model.ahead(actorName(JOBS[n]!));
      expect([...ahead.keys()].toSorted(), `queues of job ${n}`).to.deep.equal(
        [...expected.keys()].toSorted(),
      );
      for (const [queue, places] of expected)
        expect(ahead.get(queue), `${queue} of job ${n}`).to.be.closeTo(places, slack);
    }
    for (const [name, { waiting, held }] of await this.#ledger.queues())
      expect([waiting, held], name).to.deep.equal(this.model.figures(name));
  }
}

/**
 * Checks the order: urgent items first, then users of one priority by share, a user's jobs in turn, and the
 * items of a job in order, each once. Compares with a plain list while items are offered, claimed, released
 * and settled.
 */
export function ledgerTurns(open: Open): void {
  it(`hands out in the order of a plain list, and tells how many come before a job ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(weights, fc.array(aCommand, { maxLength: 40 }), async (shares, commands) => {
        const weightOf = ({ user }: WorkItem) => shares[USERS.indexOf(user)]!;
        const { ledger, apply, close } = await open({ settings: SETTINGS, now: () => 0, weightOf });
        const settle = (settled: readonly string[]) => apply(JOBS[0]!, { settle: settled });
        const compared = new Compared(ledger, settle, new PlainList(weightOf));
        const isEven = new Set(shares).size === 1;
        for (const command of commands) {
          await compared.run(command);
          await compared.check(isEven ? 0 : SLACK);
        }
        await close?.();
      }),
      runs(200),
    );
  });

  it(`lets nobody wait longer than one sub-job while another has more than their share ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(aLoad, async ({ shares, slots, arrivals }) => {
        const weightOf = ({ user }: WorkItem) => shares[Number(user)]!;
        const { ledger, apply, close } = await open({ settings: SETTINGS, now: () => 0, weightOf });
        const run = new LoadRun(ledger, (id) => apply(JOBS[0]!, { settle: [id] }), weightOf);
        await run.all(arrivals, slots);
        await close?.();
      }),
      runs(100),
    );
  });
}

/** With different weights, `ahead` estimates the share of each other user separately. */
const SLACK = 6;
const LONGEST = 6;
const aLoad = fc.record({
  shares: fc.tuple(aWeight, aWeight, aWeight, aWeight),
  slots: fc.integer({ min: 1, max: 6 }),
  arrivals: fc.array(
    fc.record({
      user: fc.nat(3),
      at: fc.nat(40),
      count: fc.integer({ min: 1, max: 12 }),
      lasts: fc.integer({ min: 1, max: LONGEST }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});
interface Arrival {
  readonly user: number;
  readonly at: number;
  readonly count: number;
  readonly lasts: number;
}

/** Workers that claim one item at a time, in steps of a clock. */
class LoadRun {
  readonly #ledger: WorkLedger;
  readonly #settle: (id: string) => Promise<void>;
  readonly #weightOf: (item: WorkItem) => number;
  readonly #waiting = new Set<WorkItem>();
  readonly #running = new Map<WorkItem, number>();
  /** For each pair of users: the time since when one has waited while the other had more than their share. */
  #since: ReadonlyMap<string, number> = new Map();

  constructor(
    ledger: WorkLedger,
    settle: (id: string) => Promise<void>,
    weightOf: (item: WorkItem) => number,
  ) {
    this.#ledger = ledger;
    this.#settle = settle;
    this.#weightOf = weightOf;
  }

  async all(arrivals: readonly Arrival[], slots: number): Promise<void> {
    const last = Math.max(...arrivals.map(({ at }) => at));
    const lasts = new Map<string, number>();
    for (let at = 0; at <= last || this.#waiting.size + this.#running.size > 0; at++) {
      for (const [one, end] of this.#running)
        if (end <= at) {
          await this.#settle(one.id);
          this.#running.delete(one);
        }
      for (const [n, { user, count, lasts: ms }] of arrivals.filter((one) => one.at === at).entries())
        for (let k = 0; k < count; k++) {
          const one = item(`${at}.${n}.${k}`, { actor: actor(`job of ${user}`), user: String(user) });
          lasts.set(one.id, ms);
          this.#waiting.add(one);
          await this.#ledger.offer([one]);
        }
      await this.#fill(slots, (one) => at + lasts.get(one.id)!);
      this.#check(at);
    }
  }

  async #fill(slots: number, endOf: (one: WorkItem) => number): Promise<void> {
    while (this.#running.size < slots && this.#waiting.size > 0) {
      const [lease] = await this.#ledger.claim({ queues: ['FACE'], max: 1, worker: String(Math.random()) });
      const one = [...this.#waiting].find(({ id }) => id === lease!.item.id)!;
      this.#waiting.delete(one);
      this.#running.set(one, endOf(one));
    }
  }

  /**
   * More than their share: even with one item less, a user holds at least as much by weight as the waiting
   * user would with one more.
   */
  #check(at: number): void {
    const users = [...new Set([...this.#waiting, ...this.#running.keys()].map(({ user }) => user!))];
    const held = (user: string) => [...this.#running.keys()].filter((one) => one.user === user).length;
    const weight = (user: string) => this.#weightOf(item('', { user }));
    const waits = (user: string) => [...this.#waiting].some((one) => one.user === user);
    const pairs = users.flatMap((rich) => users.filter(waits).map((poor) => ({ rich, poor })));
    const unfair = pairs.filter(
      ({ rich, poor }) => (held(rich) - 1) / weight(rich) >= (held(poor) + 1) / weight(poor),
    );
    const names = unfair.map(({ rich, poor }) => `user ${poor} waits while ${rich} has more`);
    this.#since = new Map(names.map((name) => [name, this.#since.get(name) ?? at]));
    for (const [name, since] of this.#since) expect(at - since, name).to.be.lessThan(LONGEST);
  }
}
