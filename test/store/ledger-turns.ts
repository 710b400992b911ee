/** The turns of a work ledger: what is handed out first. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { WorkItem } from '../../store/ledger.ts';
import { actorName } from '../../store/store.ts';
import { runs, seeded } from '../support/seed.ts';
import { actor, item, type Open } from './ledger-contract.ts';

const SETTINGS = { leaseMs: 15_000, silenceMs: 120_000, wholeMs: 600_000, cancelGraceMs: 5_000 };
const JOBS = ['0', '1', '2', '3'].map((n) => actor(`job ${n}`));

const nameOfItem = (one: WorkItem) => actorName(one.actor);
const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id).join(' ');

const anId = fc.integer({ min: 0, max: 40 });
/** All of an item follows from its number, as the row of a sub-job does not change. */
const itemOfNumber = (n: number): WorkItem =>
  item(`${n}`, {
    actor: JOBS[n % 4]!,
    priority: [0, 4, 4, 4, 9][n % 5]!,
    queue: n % 3 === 0 ? 'TEXT' : 'FACE',
  });
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
);

/** Whoever serves several queues begins with another one each time. */
const fromTurn = (queues: readonly string[], turn: number) => [
  ...queues.slice(turn % queues.length),
  ...queues.slice(0, turn % queues.length),
];

/**
 * Urgent items first, actors of one priority in turn, the items of an actor in order, each once: compared with a plain list, whatever is
 * offered, claimed and settled. So a large job never starves a small one.
 */
export function ledgerTurns(open: Open): void {
  it(`hands out in the order of a plain list, and tells how many come before a job ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aCommand, { maxLength: 40 }), async (commands) => {
        const { ledger, apply, close } = await open({ settings: SETTINGS, now: () => 0 });
        const model = new PlainList();
        let claims = 0;
        for (const command of commands) {
          if (command.type === 'offer') {
            await ledger.offer(command.items);
            model.offer(command.items);
          } else if (command.type === 'claim') {
            const leases = await ledger.claim({ ...command, worker: `worker ${claims}` });
            const claimed = leases.map((lease) => lease.item);
            expect(ids(claimed)).to.equal(ids(model.claim(fromTurn(command.queues, claims++), command.max)));
            // What is over may be offered again.
            await apply(JOBS[0]!, { settle: claimed.map(({ id }) => id) });
          } else {
            await apply(JOBS[0]!, { settle: command.ids });
            model.remove(command.ids);
          }
          const status = await ledger.workStatus(JOBS);
          for (const [n, { ahead }] of status.entries())
            expect(Object.fromEntries(ahead), `job ${n}`).to.deep.equal(model.ahead(actorName(JOBS[n]!)));
          for (const [name, { waiting }] of await ledger.queues())
            expect(waiting, name).to.equal(model.items.filter(({ queue }) => queue === name).length);
        }
        await close?.();
      }),
      runs(100),
    );
  });
}

/** Items in the order of offering, and for each (queue, priority) the jobs in the order of their turns. */
class PlainList {
  items: WorkItem[] = [];
  readonly #turns = new Map<string, string[]>();

  offer(items: readonly WorkItem[]): void {
    for (const offered of items) {
      if (this.items.some(({ id }) => id === offered.id)) continue;
      this.items.push(offered);
      const turns = this.#turnsOf(offered);
      if (!turns.includes(nameOfItem(offered))) turns.push(nameOfItem(offered));
    }
  }

  claim(queues: readonly string[], max: number): readonly WorkItem[] {
    const taken: WorkItem[] = [];
    while (taken.length < max) {
      const candidates = this.items.filter(({ queue }) => queues.includes(queue));
      const best = candidates.toSorted(
        (a, b) => b.priority - a.priority || queues.indexOf(a.queue) - queues.indexOf(b.queue),
      )[0];
      if (best === undefined) break;
      const turns = this.#turnsOf(best);
      const jobId = turns.shift()!;
      const next = candidates.find(
        (candidate) => nameOfItem(candidate) === jobId && this.#turnsOf(candidate) === turns,
      )!;
      this.#drop(next);
      if (this.#has(next)) turns.push(jobId);
      taken.push(next);
    }
    return taken;
  }

  remove(wanted: readonly string[]): void {
    for (const id of wanted) {
      const found = this.items.find((candidate) => candidate.id === id);
      if (found === undefined) continue;
      this.#drop(found);
      const turns = this.#turnsOf(found);
      if (!this.#has(found)) turns.splice(turns.indexOf(nameOfItem(found)), 1);
    }
  }

  /** Takes from a copy until the job's turn comes. */
  ahead(jobId: string): Readonly<Record<string, number>> {
    const queues = new Set(
      this.items.filter((candidate) => nameOfItem(candidate) === jobId).map(({ queue }) => queue),
    );
    const places = [...queues].map((queue) => {
      const copy = new PlainList();
      copy.items = [...this.items];
      for (const [name, turns] of this.#turns) copy.#turns.set(name, [...turns]);
      let taken = 0;
      while (nameOfItem(copy.claim([queue], 1)[0]!) !== jobId) taken++;
      return [queue, taken] as const;
    });
    return Object.fromEntries(places);
  }

  #drop(gone: WorkItem): void {
    this.items = this.items.filter((other) => other !== gone);
  }

  #has(one: WorkItem): boolean {
    const { queue, priority } = one;
    return this.items.some(
      (other) =>
        nameOfItem(other) === nameOfItem(one) && other.queue === queue && other.priority === priority,
    );
  }

  #turnsOf({ queue, priority }: WorkItem): string[] {
    const name = `${queue} ${priority}`;
    const turns = this.#turns.get(name) ?? [];
    this.#turns.set(name, turns);
    return turns;
  }
}
