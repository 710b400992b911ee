import type { WorkItem } from '../ledger.ts';
import { actorName } from '../store.ts';
import { comparePlaces, countAhead, nextPlace, strideOf, type Place } from './fair-order.ts';

/** A user's waiting items at one level. Actors take turns (a Map keeps their order), and an actor's items keep their order. */
interface UserLine extends Place {
  readonly user: string;
  held: number;
  pass: number;
  turn: number;
  waiting: number;
  readonly actors: Map<string, WorkItem[]>;
}

export const userOf = ({ user = '' }: WorkItem): string => user;

/** Waiting items of one queue and priority. Users take turns by their shares. */
export class Level {
  readonly #lines = new Map<string, UserLine>();
  /** Users by weight, each list in the order of turns. */
  readonly #ordered = new Map<number, UserLine[]>();
  /** Passes of users without waiting items, while others wait. A user who returns does not get an extra turn. */
  readonly #passes = new Map<string, number>();
  /** Pass of the latest turn. No new user starts with an earlier pass. */
  #time = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param turn higher than all earlier ones */
  add(item: WorkItem, { weight, held, turn }: Omit<Place, 'pass'>): void {
    const user = userOf(item);
    const line = this.#lines.get(user) ?? this.#begin(user, { weight, held, turn });
    const items = line.actors.get(actorName(item.actor));
    if (items === undefined) line.actors.set(actorName(item.actor), [item]);
    else items.push(item);
    line.waiting++;
    this.#length++;
  }

  /** Returns the next item and leaves it in the level. */
  first(): WorkItem | undefined {
    return this.#next()?.actors.values().next().value?.[0];
  }

  /** Removes the next item for a worker. */
  take(turn: number): void {
    const line = this.#next()!;
    const [actor, items] = line.actors.entries().next().value!;
    items.shift();
    if (items.length === 0) line.actors.delete(actor);
    else if (line.actors.size > 1) {
      line.actors.delete(actor);
      line.actors.set(actor, items);
    }
    this.#move(line, () => {
      this.#time = Math.max(this.#time, line.pass);
      line.pass = this.#time + strideOf(line.weight);
      line.turn = turn;
      line.held++;
      this.#shorten(line);
    });
  }

  remove(item: WorkItem): void {
    const line = this.#lines.get(userOf(item))!;
    const name = actorName(item.actor);
    const rest = line.actors.get(name)!.filter(({ id }) => id !== item.id);
    if (rest.length > 0) line.actors.set(name, rest);
    else line.actors.delete(name);
    this.#move(line, () => this.#shorten(line));
  }

  /** Sets the number of items of the queue that a user holds. */
  setHeld(user: string, held: number): void {
    const line = this.#lines.get(user);
    if (line !== undefined && line.held !== held) this.#move(line, () => (line.held = held));
  }

  waitingOf(user: string): number {
    return this.#lines.get(user)?.waiting ?? 0;
  }

  /**
   * Returns the number of items that are handed out before the first of this item's actor.
   * @param above number of a user's items at higher levels, which are handed out first
   */
  ahead(item: WorkItem, above: (user: string) => number): number {
    const places = [...this.#lines.values()].map((line) => ({ ...line, held: line.held + above(line.user) }));
    const mine = places.find(({ user }) => user === userOf(item))!;
    const rank = [...mine.actors.keys()].indexOf(actorName(item.actor));
    return rank + countAhead(places, mine, rank, this.#time);
  }

  #next(): UserLine | undefined {
    return nextPlace([...this.#ordered.values()].map(([first]) => first!));
  }

  #begin(user: string, place: Omit<Place, 'pass'>): UserLine {
    const pass = Math.max(this.#time, this.#passes.get(user) ?? 0);
    const line = { ...place, user, pass, waiting: 0, actors: new Map<string, WorkItem[]>() };
    this.#passes.delete(user);
    this.#lines.set(user, line);
    this.#insert(line);
    return line;
  }

  #shorten(line: UserLine): void {
    line.waiting--;
    this.#length--;
  }

  /** Makes a change that affects the order, and restores the order. */
  #move(line: UserLine, change: () => void): void {
    const ordered = this.#ordered.get(line.weight)!;
    const place = ordered[0] === line ? 0 : placeIn(ordered, line);
    change();
    if (line.waiting > 0 && isInOrder(ordered, place)) return;
    if (place === 0) ordered.shift();
    else ordered.splice(place, 1);
    if (ordered.length === 0) this.#ordered.delete(line.weight);
    if (line.waiting > 0) this.#insert(line);
    else this.#end(line);
  }

  #insert(line: UserLine): void {
    const ordered = this.#ordered.get(line.weight);
    if (ordered === undefined) this.#ordered.set(line.weight, [line]);
    else ordered.splice(placeIn(ordered, line), 0, line);
  }

  #end({ user, pass }: UserLine): void {
    this.#lines.delete(user);
    if (this.#lines.size > 0) return void this.#passes.set(user, pass);
    this.#passes.clear();
    this.#time = 0;
  }
}

/** True if the line at this place is in order with its neighbours. */
function isInOrder(ordered: readonly UserLine[], place: number): boolean {
  const [before, line, after] = [ordered[place - 1], ordered[place]!, ordered[place + 1]];
  return (
    (before === undefined || comparePlaces(before, line) < 0) &&
    (after === undefined || comparePlaces(line, after) < 0)
  );
}

/** Returns the place of a line in the order. */
function placeIn(ordered: readonly UserLine[], line: UserLine): number {
  // A user who just had a turn is usually the last.
  if (comparePlaces(ordered.at(-1)!, line) < 0) return ordered.length;
  let [low, high] = [0, ordered.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(ordered[middle]!, line) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
