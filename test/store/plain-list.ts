import { LEDGER_LIMITS } from '../../store/ledger-limits.ts';
import type { WorkItem } from '../../store/ledger.ts';
import { actorName } from '../../store/store.ts';

interface Turn {
  pass: number;
  turn: number;
}

const levelOf = ({ queue, priority }: WorkItem) => `${queue} ${priority}`;
const userOf = ({ user = '' }: WorkItem) => user;

/** The order that a work ledger guarantees, implemented with lists and linear search. */
export class PlainList {
  readonly #weightOf: (item: WorkItem) => number;
  #waiting: WorkItem[] = [];
  #held: WorkItem[] = [];
  /** Jobs in the order of their turns, by level and user. */
  #jobs = new Map<string, string[]>();
  /** By level, then by user. */
  #turns = new Map<string, Map<string, Turn>>();
  /** Virtual time, by level. */
  #times = new Map<string, number>();
  #turn = 0;

  constructor(weightOf: (item: WorkItem) => number) {
    this.#weightOf = weightOf;
  }

  offer(items: readonly WorkItem[]): void {
    for (const offered of items) {
      if ([...this.#waiting, ...this.#held].some(({ id }) => id === offered.id)) continue;
      const level = levelOf(offered);
      const isNew = !this.#at(level).some((one) => userOf(one) === userOf(offered));
      this.#waiting.push(offered);
      const jobs = this.#jobsOf(offered);
      if (!jobs.includes(actorName(offered.actor))) jobs.push(actorName(offered.actor));
      this.#turn++;
      if (!isNew) continue;
      const turns = this.#turns.get(level) ?? new Map<string, Turn>();
      const pass = Math.max(this.#times.get(level) ?? 0, turns.get(userOf(offered))?.pass ?? 0);
      this.#turns.set(level, turns.set(userOf(offered), { pass, turn: this.#turn }));
    }
  }

  claim(queues: readonly string[], max: number): readonly WorkItem[] {
    const taken: WorkItem[] = [];
    while (taken.length < max) {
      const best = this.#waiting
        .filter(({ queue }) => queues.includes(queue))
        .toSorted((a, b) => b.priority - a.priority || queues.indexOf(a.queue) - queues.indexOf(b.queue))[0];
      if (best === undefined) break;
      taken.push(this.#take(levelOf(best)));
    }
    return taken;
  }

  settle(ids: readonly string[]): void {
    for (const id of ids) {
      const waiting = this.#waiting.find((one) => one.id === id);
      if (waiting !== undefined) this.#drop(waiting);
      this.#held = this.#held.filter((one) => one.id !== id);
    }
  }

  release(id: string): void {
    const item = this.#held.find((one) => one.id === id)!;
    this.#held = this.#held.filter((one) => one !== item);
    this.offer([item]);
  }

  /** For each queue, the number of items that are assigned before the first one of a job. Uses a copy. */
  ahead(job: string): ReadonlyMap<string, number> {
    const isOfJob = (one: WorkItem) => actorName(one.actor) === job;
    const queues = new Set(this.#waiting.filter(isOfJob).map(({ queue }) => queue));
    return new Map(
      [...queues].map((queue) => {
        const copy = this.#copy();
        let taken = 0;
        while (!isOfJob(copy.claim([queue], 1)[0]!)) taken++;
        return [queue, taken] as const;
      }),
    );
  }

  figures(queue: string): readonly [waiting: number, held: number] {
    const of = (items: readonly WorkItem[]) => items.filter((one) => one.queue === queue).length;
    return [of(this.#waiting), of(this.#held)];
  }

  /** The waiting user with the lowest pass. */
  #take(level: string): WorkItem {
    const waiting = this.#at(level);
    const heldBy = (one: WorkItem) =>
      this.#held.filter(({ queue, user }) => queue === one.queue && (user ?? '') === userOf(one)).length;
    const least = Math.min(...waiting.map((one) => (heldBy(one) + 1) / this.#weightOf(one)));
    const turnOf = (one: WorkItem) => this.#turns.get(level)!.get(userOf(one))!;
    const [chosen] = waiting
      .filter((one) => heldBy(one) / this.#weightOf(one) < least)
      .toSorted((a, b) => turnOf(a).pass - turnOf(b).pass || turnOf(a).turn - turnOf(b).turn);
    const jobs = this.#jobsOf(chosen!);
    const item = waiting.find((one) => userOf(one) === userOf(chosen!) && actorName(one.actor) === jobs[0])!;
    const time = Math.max(this.#times.get(level) ?? 0, turnOf(item).pass);
    this.#times.set(level, time);
    const pass = time + Math.round(LEDGER_LIMITS.STRIDE / this.#weightOf(item));
    this.#turns.get(level)!.set(userOf(item), { pass, turn: ++this.#turn });
    this.#held.push(item);
    this.#drop(item);
    const at = jobs.indexOf(actorName(item.actor));
    if (at >= 0) jobs.push(...jobs.splice(at, 1));
    return item;
  }

  #drop(item: WorkItem): void {
    this.#waiting = this.#waiting.filter((one) => one !== item);
    const rest = this.#at(levelOf(item));
    const jobs = this.#jobsOf(item);
    if (!rest.some((one) => actorName(one.actor) === actorName(item.actor)))
      jobs.splice(jobs.indexOf(actorName(item.actor)), 1);
    if (rest.length > 0) return;
    this.#turns.delete(levelOf(item));
    this.#times.delete(levelOf(item));
  }

  #at(level: string): readonly WorkItem[] {
    return this.#waiting.filter((one) => levelOf(one) === level);
  }

  #jobsOf(item: WorkItem): string[] {
    const name = `${levelOf(item)} ${userOf(item)}`;
    const jobs = this.#jobs.get(name) ?? [];
    this.#jobs.set(name, jobs);
    return jobs;
  }

  #copy(): PlainList {
    const copy = new PlainList(this.#weightOf);
    copy.#waiting = [...this.#waiting];
    copy.#held = [...this.#held];
    copy.#jobs = new Map([...this.#jobs].map(([name, jobs]) => [name, [...jobs]]));
    copy.#turns = new Map([...this.#turns].map(([level, turns]) => [level, new Map(turns)]));
    copy.#times = new Map(this.#times);
    copy.#turn = this.#turn;
    return copy;
  }
}
