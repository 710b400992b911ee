import type { Clock } from '../basics/clock.ts';
import type { ActorKind } from './behavior.ts';

/** `BACKING_OFF`: it failed and waits for its restart delay. `ESCALATED`: it failed too many times and is not loaded. */
export const CELL_STATES = ['IDLE', 'WORKING', 'BACKING_OFF', 'ESCALATED'] as const;
export type CellState = (typeof CELL_STATES)[number];

/** State of one cell. Times are milliseconds since the epoch. */
export interface CellLook {
  readonly state: CellState;
  /** Status that the loaded actor reports. */
  readonly status: string | undefined;
  /** Number of messages behind the one that is being handled. */
  readonly waiting: number;
  /** Failures that count towards the restart intensity now. */
  readonly recentFailures: number;
  /** The last message whose handling began. */
  readonly lastMessage: { readonly type: string; readonly at: number } | undefined;
  /** Number of milliseconds since then; undefined if it has been handled. */
  readonly runningMs: number | undefined;
  /** undefined if the actor is not loaded yet. */
  readonly loadedAt: number | undefined;
}

export interface Failure {
  readonly message: string;
  readonly at: number;
  /** false if the cause was outside the actor. */
  readonly counted: boolean;
}

export interface ActorLook extends CellLook {
  /** `<kind>/<id>`, as in the log. */
  readonly name: string;
  readonly kind: RosterKind;
  readonly id: string;
  readonly totalFailures: number;
  readonly lastFailure: Failure | undefined;
}

export type RosterKind = Pick<
  ActorKind<never, unknown>,
  'name' | 'mailbox' | 'intensity' | 'parent' | 'idleMs'
>;

/** Position of an actor in the list of all. Actors of a kind are in the order in which they were loaded. */
export interface Place {
  readonly kind: string;
  readonly order: number;
}

export interface RosterQuery {
  readonly limit: number;
  readonly after?: Place | undefined;
  /** Only actors of this kind. */
  readonly kind?: string | undefined;
  /** Only actors with remembered failures. */
  readonly failed?: boolean | undefined;
}

export interface RosterPage {
  readonly actors: readonly ActorLook[];
  /** Where the next page begins, after this position; undefined on the last page. */
  readonly next: Place | undefined;
}

interface Entry {
  readonly name: string;
  readonly id: string;
  readonly roll: Roll;
  readonly order: number;
  readonly look: () => CellLook;
}

/** The actors of one kind, in order. */
interface Roll {
  readonly kind: RosterKind;
  readonly entries: Entry[];
}

interface FailureRecord {
  readonly total: number;
  readonly last: Failure;
}

/** Most escalated actors that stay in the list without a new message. */
const KEPT_ESCALATED = 100;
/** Most actors whose failures are remembered after they were unloaded. */
const KEPT_FAILURES = 1_000;
const MESSAGE_LENGTH = 1_000;

/** The list of actors, for operators. The cost of reading a page depends only on its length. */
export class Roster {
  readonly #clock: Clock;
  readonly #rolls = new Map<string, Roll>();
  readonly #entries = new Map<string, Entry>();
  /** Names of escalated actors, the oldest first. All have an entry. */
  readonly #escalated = new Set<string>();
  /** Failures by name, the latest last. */
  readonly #failures = new Map<string, FailureRecord>();
  #order = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  register(kind: RosterKind): void {
    if (!this.#rolls.has(kind.name)) this.#rolls.set(kind.name, { kind, entries: [] });
  }

  addActor(kind: string, id: string, look: () => CellLook): void {
    const name = `${kind}/${id}`;
    this.removeActor(name);
    this.#add({ name, id, roll: this.#rolls.get(kind)!, order: ++this.#order, look });
  }

  removeActor(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#escalated.delete(name);
    const { entries } = entry.roll;
    entries.splice(firstAfter(entries, entry.order - 1), 1);
  }

  /** Keeps an escalated actor in the list with its last state, until it is loaded again. */
  onEscalation(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const last = entry.look();
    const over = { state: 'ESCALATED', waiting: 0, runningMs: undefined, loadedAt: undefined } as const;
    this.removeActor(name);
    this.#add({ ...entry, order: ++this.#order, look: () => ({ ...last, ...over }) });
    this.#escalated.add(name);
    const [oldest] = this.#escalated;
    if (this.#escalated.size > KEPT_ESCALATED && oldest !== undefined) this.removeActor(oldest);
  }

  onFailure(name: string, error: unknown, counted: boolean): void {
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_LENGTH);
    const total = (this.#failures.get(name)?.total ?? 0) + (counted ? 1 : 0);
    this.#failures.delete(name);
    this.#failures.set(name, { total, last: { message, at: this.#clock.now(), counted } });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > KEPT_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  clear(): void {
    for (const { entries } of this.#rolls.values()) entries.length = 0;
    this.#entries.clear();
    this.#escalated.clear();
  }

  /** Kinds that stay loaded come first, each followed by the kinds that it supervises. Kinds that are unloaded when idle follow. */
  kinds(): readonly { readonly kind: RosterKind; readonly size: number }[] {
    return this.#rollsInOrder().map(({ kind, entries }) => ({ kind, size: entries.length }));
  }

  page({ limit, after, kind: only, failed = false }: RosterQuery): RosterPage {
    const all = this.#rollsInOrder().filter(({ kind }) => only === undefined || kind.name === only);
    const rolls = failed ? all.map((roll) => this.#failedOf(roll)) : all;
    const begin = after === undefined ? 0 : rolls.findIndex(({ kind }) => kind.name === after.kind);
    const found: Entry[] = [];
    for (const [n, { entries }] of rolls.slice(Math.max(0, begin)).entries()) {
      const from = n === 0 && after !== undefined ? firstAfter(entries, after.order) : 0;
      found.push(...entries.slice(from, from + limit + 1 - found.length));
    }
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const isMore = found.length > limit && last !== undefined;
    return {
      actors: shown.map((entry) => this.#look(entry)),
      next: isMore ? { kind: last.roll.kind.name, order: last.order } : undefined,
    };
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.name, entry);
    entry.roll.entries.push(entry);
  }

  #failedOf(roll: Roll): Roll {
    const entries = [...this.#failures.keys()].flatMap((name) => {
      const entry = this.#entries.get(name);
      return entry?.roll === roll ? [entry] : [];
    });
    return { kind: roll.kind, entries: entries.toSorted((a, b) => a.order - b.order) };
  }

  #look({ name, id, roll, look }: Entry): ActorLook {
    const failures = this.#failures.get(name);
    const { total: totalFailures = 0, last: lastFailure } = failures ?? {};
    return { ...look(), name, id, kind: roll.kind, totalFailures, lastFailure };
  }

  #rollsInOrder(): readonly Roll[] {
    const byName = [...this.#rolls.values()].toSorted((a, b) => (a.kind.name < b.kind.name ? -1 : 1));
    const below = (above?: string) => byName.filter(({ kind }) => kind.parent?.kind === above);
    const withAllBelow = (roll: Roll): readonly Roll[] => [
      roll,
      ...below(roll.kind.name).flatMap(withAllBelow),
    ];
    const top = below();
    const staying = top.filter(({ kind }) => kind.idleMs === undefined);
    const leaving = top.filter(({ kind }) => kind.idleMs !== undefined);
    return [...staying, ...leaving].flatMap(withAllBelow);
  }
}

/** Returns the index of the first entry with a higher order. */
function firstAfter(entries: readonly Entry[], order: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.order <= order) low = middle + 1;
    else high = middle;
  }
  return low;
}
