/** Simulated time, which passes as fast as the events can be computed. */
import type { Clock } from '../../actors/basics/clock.ts';

/** Value of `Date.now` at the start of a simulation. Any constant works. */
const EPOCH = 1_700_000_000_000;

interface Due {
  readonly at: number;
  readonly order: number;
  /** Undefined: cancelled. */
  task: (() => void) | undefined;
}

const isBefore = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.order < b.order);

/** All pending events in order. After each one, all promises settle before the next. */
export class SimulatedTime {
  now = 0;
  #order = 0;
  /** A binary heap: each item is due before the two at twice its index. */
  readonly #due: Due[] = [];

  /** Runs `task` after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void {
    const due: Due = { at: this.now + Math.max(0, ms), order: this.#order++, task };
    this.#push(due);
    return () => (due.task = undefined);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs until `isOver`. It never waits for real time, and `random` is the only source of random numbers. */
  async run(isOver: () => boolean, random: () => number): Promise<void> {
    const [ownRandom, ownNow] = [Math.random, performance.now.bind(performance)];
    Math.random = random;
    performance.now = () => this.now;
    try {
      await settlePromises();
      while (!isOver()) {
        const next = this.#pop();
        if (next === undefined) return;
        if (next.task === undefined) continue;
        this.now = next.at;
        next.task();
        await settlePromises();
      }
    } finally {
      Math.random = ownRandom;
      performance.now = ownNow;
    }
  }

  #push(due: Due): void {
    const heap = this.#due;
    let at = heap.push(due) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(due, heap[up]!); up = (at - 1) >> 1) {
      heap[at] = heap[up]!;
      at = up;
    }
    heap[at] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#due;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let down = 1; down < heap.length; down = 2 * at + 1) {
      const next = down + 1 < heap.length && isBefore(heap[down + 1]!, heap[down]!) ? down + 1 : down;
      if (!isBefore(heap[next]!, last)) break;
      heap[at] = heap[next]!;
      at = next;
    }
    heap[at] = last;
    return first;
  }
}

/** Promises settle before this callback runs, except for those that wait for the disk. */
async function settlePromises(): Promise<void> {
  do await new Promise<void>((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq')));
}

/** The clock of one process. It can be frozen, and ends with the process. */
export class ProcessClock implements Clock {
  readonly #time: SimulatedTime;
  #offset = 0;
  #state: 'runs' | 'frozen' | 'dead' = 'runs';
  /** Tasks that became due while it was frozen. */
  #late: (() => void)[] = [];

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  now(): number {
    return EPOCH + this.#time.now + this.#offset;
  }

  steady(): number {
    return this.#time.now;
  }

  after(ms: number, task: () => void): () => void {
    let isWanted = true;
    const cancel = this.#time.after(ms, () => {
      this.soon(() => {
        if (isWanted) task();
      });
    });
    return () => {
      isWanted = false;
      cancel();
    };
  }

  /** Runs at once, or when the process continues; never if it has ended. */
  soon(task: () => void): void {
    if (this.#state === 'frozen') this.#late.push(task);
    else if (this.#state === 'runs') task();
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Sets the difference of the wall clock from those of the others. */
  setWrong(ms: number): void {
    this.#offset = ms;
  }

  /** Freezes the process for `ms`. Tasks that become due run afterwards. */
  freeze(ms: number): void {
    if (this.#state !== 'runs') return;
    this.#state = 'frozen';
    this.#time.after(ms, () => {
      if (this.#state !== 'frozen') return;
      this.#state = 'runs';
      for (const task of this.#late.splice(0)) this.after(0, task);
    });
  }

  /** Ends the process: no task runs any more. */
  kill(): void {
    this.#state = 'dead';
    this.#late = [];
  }
}
