/** What every work queue promises (store/queue.ts). */
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { WorkItem, WorkQueue } from '../../store/queue.ts';
import { runs, seeded } from '../actors/seed.ts';

const item = (id: string, jobId = 'job', priority = 4, queue = 'FACE'): WorkItem => ({
  id,
  jobId,
  priority,
  queue,
});
const ids = (items: readonly WorkItem[]) => items.map(({ id }) => id).join(' ');

export function queueContract(open: () => Promise<WorkQueue>): void {
  let queue: WorkQueue;
  beforeEach(async () => {
    queue = await open();
  });
  const take = async (max: number, ...queues: readonly string[]) =>
    ids(await queue.take(queues.length === 0 ? ['FACE'] : queues, max));

  it('gives the items of a job in the order in which they were offered, each once', async () => {
    await queue.offer([item('a'), item('b'), item('c')]);
    await queue.offer([item('d')]);
    expect([await take(2), await take(9), await take(9)]).to.deep.equal(['a b', 'c d', '']);
  });

  it('gives what is urgent first: 9 before 0', async () => {
    await queue.offer([item('p0', 'j', 0), item('p9', 'j', 9), item('p4', 'k', 4), item('p5', 'j', 5)]);
    expect(await take(9)).to.equal('p9 p5 p4 p0');
  });

  it('lets jobs of one priority take turns, so that a large job never starves a small one', async () => {
    await queue.offer(Array.from({ length: 100 }, (_, n) => item(`large${n}`, 'large')));
    expect(await take(1)).to.equal('large0');
    await queue.offer([item('small0', 'small'), item('small1', 'small'), item('tiny0', 'tiny')]);
    expect(await take(6)).to.equal('large1 small0 tiny0 large2 small1 large3');
  });

  it('keeps the turn of a job over takes of several queues', async () => {
    await queue.offer([
      item('a1', 'a'),
      item('a2', 'a'),
      item('b1', 'b'),
      item('t1', 'a', 4, 'TEXT'),
      item('t9', 'a', 9, 'TEXT'),
    ]);
    expect(await take(2, 'FACE', 'TEXT')).to.equal('t9 a1');
    expect(await take(9, 'FACE', 'TEXT')).to.equal('b1 a2 t1');
  });

  it('gives nothing of queues that were not named', async () => {
    await queue.offer([item('t', 'j', 9, 'TEXT')]);
    expect([await take(9), await take(9, 'NEVER HEARD OF'), await take(9, 'TEXT')]).to.deep.equal([
      '',
      '',
      't',
    ]);
  });

  it('takes what is offered again while it is there only once, and again when it was taken', async () => {
    await queue.offer([item('a'), item('a')]);
    await queue.offer([item('a', 'job', 9)]);
    expect(await take(9)).to.equal('a');
    await queue.offer([item('a')]);
    expect(await take(9)).to.equal('a');
  });

  it('removes by id, and answers what was there', async () => {
    await queue.offer([item('a'), item('b'), item('c', 'other')]);
    expect(ids(await queue.remove(['b', 'unknown', 'c', 'b']))).to.equal('b c');
    expect(await queue.remove(['b'])).to.deep.equal([]);
    expect(await take(9)).to.equal('a');
    await queue.offer([item('b')]);
    expect(await take(9)).to.equal('b');
  });

  it('tells the length of each queue and the jobs that have items', async () => {
    await queue.offer([item('a', 'j'), item('b', 'k'), item('c', 'k', 4, 'TEXT')]);
    const lengths = await queue.lengths();
    expect([lengths.get('FACE'), lengths.get('TEXT')]).to.deep.equal([2, 1]);
    expect(await queue.jobs()).to.deep.equal(new Set(['j', 'k']));
    await take(1);
    await queue.remove(['c']);
    const after = await queue.lengths();
    expect([after.get('FACE'), after.get('TEXT') ?? 0]).to.deep.equal([1, 0]);
    expect(await queue.jobs()).to.deep.equal(new Set(['k']));
  });

  it('tells how many items are taken before the first of a job, queue by queue', async () => {
    await queue.offer([
      item('l1', 'large'),
      item('l2', 'large'),
      item('s1', 'small'),
      item('u1', 'urgent', 9),
    ]);
    await queue.offer([item('u2', 'urgent', 9), item('t1', 'small', 0, 'TEXT')]);
    const ahead = async (jobId: string) => Object.fromEntries(await queue.ahead(jobId));
    expect(await ahead('small')).to.deep.equal({ FACE: 3, TEXT: 0 });
    expect(await ahead('large')).to.deep.equal({ FACE: 2 });
    expect([await ahead('urgent'), await ahead('unknown')]).to.deep.equal([{ FACE: 0 }, {}]);
    expect(await take(4)).to.equal('u1 u2 l1 s1');
    expect([await ahead('small'), await ahead('large')]).to.deep.equal([{ TEXT: 0 }, { FACE: 0 }]);
  });

  it(`does what a plain list does, whatever is offered, taken and removed ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { maxLength: 80 }), async (commands) => {
        const real = await open();
        const model = new PlainList();
        for (const command of commands) {
          if (command.type === 'offer') {
            await real.offer(command.items);
            model.offer(command.items);
          } else if (command.type === 'take')
            expect(ids(await real.take(command.queues, command.max)), 'taken').to.equal(
              ids(model.take(command.queues, command.max)),
            );
          else
            expect(ids(await real.remove(command.ids)), 'removed').to.equal(ids(model.remove(command.ids)));
          expect(await real.jobs()).to.deep.equal(new Set(model.items.map(({ jobId }) => jobId)));
          for (const jobId of new Set(model.items.map(({ jobId: of }) => of)))
            expect(Object.fromEntries(await real.ahead(jobId)), jobId).to.deep.equal(model.ahead(jobId));
          for (const [name, length] of await real.lengths())
            expect(length).to.equal(model.items.filter(({ queue: of }) => of === name).length);
        }
      }),
      runs(300),
    );
  });
}

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
      if (!turns.includes(offered.jobId)) turns.push(offered.jobId);
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
        (candidate) => candidate.jobId === jobId && this.#turnsOf(candidate) === turns,
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
      if (!this.#has(found)) turns.splice(turns.indexOf(found.jobId), 1);
      return [found];
    });
  }

  /** Takes from a copy until the job's turn comes. */
  ahead(jobId: string): Readonly<Record<string, number>> {
    const queues = new Set(
      this.items.filter((candidate) => candidate.jobId === jobId).map(({ queue }) => queue),
    );
    const places = [...queues].map((queue) => {
      const copy = new PlainList();
      copy.items = [...this.items];
      for (const [name, turns] of this.#turns) copy.#turns.set(name, [...turns]);
      let taken = 0;
      while (copy.take([queue], 1)[0]?.jobId !== jobId) taken++;
      return [queue, taken] as const;
    });
    return Object.fromEntries(places);
  }

  #drop(gone: WorkItem): void {
    this.items = this.items.filter((other) => other !== gone);
  }

  #has({ jobId, queue, priority }: WorkItem): boolean {
    return this.items.some(
      (other) => other.jobId === jobId && other.queue === queue && other.priority === priority,
    );
  }

  #turnsOf({ queue, priority }: WorkItem): string[] {
    const name = `${queue} ${priority}`;
    const turns = this.#turns.get(name) ?? [];
    this.#turns.set(name, turns);
    return turns;
  }
}
