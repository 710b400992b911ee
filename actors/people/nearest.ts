/** Vectors of all representatives, one after the other in memory, so that a face is compared with each of them quickly. */
import { unpackVector } from './vectors.ts';

/** Numbers that are compared first: they tell that most vectors are too far away. */
const HEAD = 32;
/** Numbers that are compared before it is seen again whether the vectors are too far away. */
const STEP = 32;
const FIRST_SLOTS = 64;

/** Where a representative stands. */
interface Place {
  readonly space: Space;
  slot: number;
}

/** A person in the index. */
interface Standing {
  readonly id: string;
  /** The first of two that are equally near is found. */
  readonly order: number;
  places: readonly Place[];
}

/** A person, as far as the index needs it. */
export interface Represented {
  readonly model: string;
  readonly circle: string;
  /** Vectors as `packVector` makes them. */
  readonly vectors: readonly string[];
}

export interface Sought {
  readonly vector: Float32Array;
  readonly model: string;
  readonly circle: string;
  /** It belongs to none of them. */
  readonly not: ReadonlySet<string>;
  /** Further away, nobody is found. */
  readonly most: number;
}

/** Finds the person with the nearest representative, by looking at all of them. */
export class NearestPersons {
  readonly #look: (id: string) => Represented | undefined;
  readonly #standings = new Map<string, Standing>();
  readonly #spaces = new Map<string, Space>();
  /** Persons that have changed since they were placed. */
  readonly #changed = new Set<string>();
  #orders = 0;

  /** `look` tells how a person is now; undefined: it is gone. */
  constructor(look: (id: string) => Represented | undefined) {
    this.#look = look;
  }

  /** The person is there, and may have changed. */
  update(id: string): void {
    if (!this.#standings.has(id)) this.#standings.set(id, { id, order: this.#orders++, places: [] });
    this.#changed.add(id);
  }

  remove(id: string): void {
    const standing = this.#standings.get(id);
    if (standing === undefined) return;
    leavePlaces(standing);
    this.#standings.delete(id);
    this.#changed.delete(id);
  }

  /** Vectors of a person may have changed, if it is there. */
  updateVectors(id: string): void {
    if (this.#standings.has(id)) this.#changed.add(id);
  }

  /** The id of the nearest person below `most`. */
  find(sought: Sought): string | undefined {
    this.#placeChanged();
    const { model, circle, vector } = sought;
    return this.#spaces.get(spaceKey(model, circle, vector.length))?.find(sought)?.id;
  }

  #placeChanged(): void {
    for (const id of this.#changed) {
      const standing = this.#standings.get(id)!;
      leavePlaces(standing);
      standing.places = this.#placesOf(standing, this.#look(id));
    }
    this.#changed.clear();
  }

  #placesOf(standing: Standing, represented: Represented | undefined): readonly Place[] {
    if (represented === undefined) return [];
    const { model, circle, vectors } = represented;
    let vector: Float32Array | undefined;
    return vectors.map((packed) => {
      vector = unpackVector(packed, vector);
      const key = spaceKey(model, circle, vector.length);
      const space = this.#spaces.get(key) ?? new Space(vector.length);
      this.#spaces.set(key, space);
      return space.add(standing, vector);
    });
  }
}

const spaceKey = (model: string, circle: string, length: number) => JSON.stringify([model, circle, length]);

function leavePlaces(standing: Standing): void {
  for (const place of standing.places) place.space.remove(place);
  standing.places = [];
}

/** Vectors of one model, circle and length. */
class Space {
  readonly #head: number;
  readonly #tail: number;
  /** The beginning of each vector, and the rest of it. */
  #heads: Float32Array<ArrayBuffer>;
  #tails: Float32Array<ArrayBuffer>;
  /** By slot. */
  readonly #standings: Standing[] = [];
  readonly #places: Place[] = [];

  constructor(length: number) {
    this.#head = Math.min(HEAD, length);
    this.#tail = length - this.#head;
    this.#heads = new Float32Array(FIRST_SLOTS * this.#head);
    this.#tails = new Float32Array(FIRST_SLOTS * this.#tail);
  }

  add(standing: Standing, vector: Float32Array): Place {
    const slot = this.#places.length;
    if ((slot + 1) * this.#head > this.#heads.length) this.#grow();
    this.#heads.set(vector.subarray(0, this.#head), slot * this.#head);
    this.#tails.set(vector.subarray(this.#head), slot * this.#tail);
    const place: Place = { space: this, slot };
    this.#standings.push(standing);
    this.#places.push(place);
    return place;
  }

  /** The last one moves to its slot. */
  remove({ slot }: Place): void {
    const [standing, place] = [this.#standings.pop()!, this.#places.pop()!];
    const last = place.slot;
    if (last === slot) return;
    this.#heads.copyWithin(slot * this.#head, last * this.#head, (last + 1) * this.#head);
    this.#tails.copyWithin(slot * this.#tail, last * this.#tail, (last + 1) * this.#tail);
    place.slot = slot;
    this.#standings[slot] = standing;
    this.#places[slot] = place;
  }

  #grow(): void {
    const [heads, tails] = [this.#heads, this.#tails];
    this.#heads = new Float32Array(heads.length * 2);
    this.#tails = new Float32Array(tails.length * 2);
    this.#heads.set(heads);
    this.#tails.set(tails);
  }

  find({ vector, not, most }: Sought): Standing | undefined {
    const head = vector.subarray(0, this.#head);
    const tail = vector.subarray(this.#head);
    let [found, least]: [Standing | undefined, number] = [undefined, most * most];
    for (
      let slot = this.#nextNear(head, 0, least);
      slot !== -1;
      slot = this.#nextNear(head, slot + 1, least)
    ) {
      const sum = this.#sumOf(slot, head, tail, least);
      const standing = this.#standings[slot]!;
      if (sum > least || (sum === least && !(found && standing.order < found.order))) continue;
      if (not.has(standing.id)) continue;
      [found, least] = [standing, sum];
    }
    return found;
  }

  /** The next slot from this one on whose head is not too far away; -1: there is none. */
  #nextNear(head: Float32Array, from: number, most: number): number {
    const heads = this.#heads;
    const count = this.#places.length;
    const length = this.#head;
    for (let slot = from; slot < count; slot++)
      if (squares(heads, slot * length, head, 0, length) <= most) return slot;
    return -1;
  }

  /** More than `most` when it is not below. */
  #sumOf(slot: number, head: Float32Array, tail: Float32Array, most: number): number {
    let sum = squares(this.#heads, slot * this.#head, head, 0, this.#head);
    const start = slot * this.#tail;
    for (let n = 0; n < this.#tail && sum <= most; n += STEP)
      sum += squares(this.#tails, start + n, tail, n, Math.min(STEP, this.#tail - n));
    return sum;
  }
}

/** Of the differences of some numbers; in four sums, which the processor adds up at the same time. */
function squares(a: Float32Array, atA: number, b: Float32Array, atB: number, length: number): number {
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let n = 0;
  for (; n + 3 < length; n += 4) {
    const d = a[atA + n]! - b[atB + n]!;
    const e = a[atA + n + 1]! - b[atB + n + 1]!;
    const f = a[atA + n + 2]! - b[atB + n + 2]!;
    const g = a[atA + n + 3]! - b[atB + n + 3]!;
    one += d * d;
    two += e * e;
    three += f * f;
    four += g * g;
  }
  for (; n < length; n++) one += (a[atA + n]! - b[atB + n]!) ** 2;
  return one + two + (three + four);
}
