import { expect } from 'chai';
import * as fc from 'fast-check';
import type { WorkItem } from '../../store/ledger.ts';
import { actorName } from '../../store/store.ts';
import { TurnQueue } from '../../store/turn-queue.ts';
import { runs, seeded } from '../support/seed.ts';
import { actor, item as anItem } from './ledger-contract.ts';

const item = (id: string, job = 'job', priority = 4, queue = 'FACE'): WorkItem =>
  anItem(id, { actor: actor(job), priority, queue });
const nameOf = (job: string) => actorName(actor(job));
const nameOfItem = (one: WorkItem) => actorName(one.actor);
const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id).join(' ');

describe('The queue in which actors take turns', () => {
  let queue: TurnQueue;
  beforeEach(() => {
    queue = new TurnQueue();
  });
  const take = (max: number, ...queues: readonly string[]) =>
    ids(queue.take(queues.length === 0 ? ['FACE'] : queues, max));

  it('gives the items of a job in the order in which they were offered, each once', () => {
    queue.offer([item('a'), item('b'), item('c')]);
    queue.offer([item('d')]);
    expect([take(2), take(9), take(9)]).to.deep.equal(['a b', 'c d', '']);
  });

  it('gives what is urgent first: 9 before 0', () => {
    queue.offer([item('p0', 'j', 0), item('p9', 'j', 9), item('p4', 'k', 4), item('p5', 'j', 5)]);
    expect(take(9)).to.equal('p9 p5 p4 p0');
  });

  it('lets jobs of one priority take turns, so that a large job never starves a small one', () => {
    queue.offer(Array.from({ length: 100 }, (_, n) => item(`large${n}`, 'large')));
    expect(take(1)).to.equal('large0');
    queue.offer([item('small0', 'small'), item('small1', 'small'), item('tiny0', 'tiny')]);
    expect(take(6)).to.equal('large1 small0 tiny0 large2 small1 large3');
  });

  it('keeps the turn of a job over takes of several queues', () => {
    queue.offer([
      item('a1', 'a'),
      item('a2', 'a'),
      item('b1', 'b'),
      item('t1', 'a', 4, 'TEXT'),
      item('t9', 'a', 9, 'TEXT'),
    ]);
    expect(take(2, 'FACE', 'TEXT')).to.equal('t9 a1');
    expect(take(9, 'FACE', 'TEXT')).to.equal('b1 a2 t1');
  });

  it('gives nothing of queues that were not named', () => {
    queue.offer([item('t', 'j', 9, 'TEXT')]);
    expect([take(9), take(9, 'NEVER HEARD OF'), take(9, 'TEXT')]).to.deep.equal(['', '', 't']);
  });

  it('takes what is offered again while it is there only once, and again when it was taken', () => {
    queue.offer([item('a'), item('a')]);
    queue.offer([item('a', 'job', 9)]);
    expect(take(9)).to.equal('a');
    queue.offer([item('a')]);
    expect(take(9)).to.equal('a');
  });

  it('removes by id, and answers what was there', () => {
    queue.offer([item('a'), item('b'), item('c', 'other')]);
    expect(ids(queue.remove(['b', 'unknown', 'c', 'b']))).to.equal('b c');
    expect(queue.remove(['b'])).to.deep.equal([]);
    expect(take(9)).to.equal('a');
    queue.offer([item('b')]);
    expect(take(9)).to.equal('b');
  });

  it('tells the length of each queue', () => {
    queue.offer([item('a', 'j'), item('b', 'k'), item('c', 'k', 4, 'TEXT')]);
    const lengths = queue.lengths();
    expect([lengths.get('FACE'), lengths.get('TEXT')]).to.deep.equal([2, 1]);
    take(1);
    queue.remove(['c']);
    const after = queue.lengths();
    expect([after.get('FACE'), after.get('TEXT') ?? 0]).to.deep.equal([1, 0]);
  });

  it('tells how many items are taken before the first of a job, queue by queue', () => {
    queue.offer([item('l1', 'large'), item('l2', 'large'), item('s1', 'small'), item('u1', 'urgent', 9)]);
    queue.offer([item('u2', 'urgent', 9), item('t1', 'small', 0, 'TEXT')]);
    const ahead = (job: string) => Object.fromEntries(queue.ahead(nameOf(job)));
    expect(ahead('small')).to.deep.equal({ FACE: 3, TEXT: 0 });
    expect(ahead('large')).to.deep.equal({ FACE: 2 });
    expect([ahead('urgent'), ahead('unknown')]).to.deep.equal([{ FACE: 0 }, {}]);
    expect(take(4)).to.equal('u1 u2 l1 s1');
    expect([ahead('small'), ahead('large')]).to.deep.equal([{ TEXT: 0 }, { FACE: 0 }]);
  });

  it(`does what a plain list does, whatever is offered, taken and removed ${seeded}`, () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 80 }), (commands) => {
        const real = new TurnQueue();
        const model = new PlainList();
        for (const command of commands) {
          if (command.type === 'offer') {
            real.offer(command.items);
            model.offer(command.items);
          } else if (command.type === 'take')
            expect(ids(real.take(command.queues, command.max)), 'taken').to.equal(
              ids(model.take(command.queues, command.max)),
            );
          else expect(ids(real.remove(command.ids)), 'removed').to.equal(ids(model.remove(command.ids)));
          for (const name of new Set(model.items.map(nameOfItem)))
            expect(Object.fromEntries(real.ahead(name)), name).to.deep.equal(model.ahead(name));
          for (const [name, length] of real.lengths())
            expect(length).to.equal(model.items.filter(({ queue: of }) => of === name).length);
        }
      }),
      runs(300),
    );
  });
});

const anId = fc.integer({ min: 0, max: 40 });
/** All of an item follows from its number, as the row of a sub-job does not change. */
const numbered = (n: number): WorkItem =>
  item(`${n}`, `job ${n % 4}`, [0, 4, 4, 4, 9][n % 5], n % 3 === 0 ? 'TEXT' : 'FACE');
const anyCommand = fc.oneof(
  fc.record({ type: fc.constant('offer' as const), items: fc.array(anId.map(numbered), { maxLength: 8 }) }),
  fc.record({
    type: fc.constant('take' as const),
    queues: fc.constantFrom(['FACE'], ['TEXT'], ['FACE', 'TEXT'], ['TEXT', 'FACE'], []),
    max: fc.nat(5),
  }),
  fc.record({ type: fc.constant('remove' as const), ids: fc.array(anId.map(String), { maxLength: 4 }) }),
);

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

  take(queues: readonly string[], max: number): readonly WorkItem[] {
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

  remove(wanted: readonly string[]): readonly WorkItem[] {
    return wanted.flatMap((id) => {
      const found = this.items.find((candidate) => candidate.id === id);
      if (found === undefined) return [];
      this.#drop(found);
      const turns = this.#turnsOf(found);
      if (!this.#has(found)) turns.splice(turns.indexOf(nameOfItem(found)), 1);
      return [found];
    });
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
      while (nameOfItem(copy.take([queue], 1)[0]!) !== jobId) taken++;
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
