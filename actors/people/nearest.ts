/** Finds the person nearest to a face. The centres of all persons are contiguous in memory, so that comparing them is fast. */
import { unpackVector } from './vectors.ts';

/** Numbers compared between two checks whether the vectors are already too far apart. */
const STEP = 32;
const FIRST_SLOTS = 64;
/** Tolerance for rounding errors of distances. Persons that are too far away by less than this are still checked. */
const ROUNDING = 1e-4;

/** Representatives of a person whose vectors have the same length, and the slot of their centre. */
interface Place {
  readonly space: Space;
  readonly standing: Standing;
  /** All vectors in sequence. */
  readonly vectors: Float32Array;
  slot: number;
}

/** A person in the index. */
interface Standing {
  readonly id: string;
  /** Of two equally near persons, the first is found. */
  readonly order: number;
  places: readonly Place[];
}

/** The fields of a person that the index needs. */
export interface Represented {
  readonly model: string;
  readonly circle: string;
  /** Vectors in the form of `packVector`. */
  readonly vectors: readonly string[];
}

export interface Sought {
  readonly vector: Float32Array;
  readonly model: string;
  readonly circle: string;
  /** Ids of persons to which the face does not belong. */
  readonly not: ReadonlySet<string>;
  /** Maximum distance. */
  readonly most: number;
}

/** Finds the person with the nearest representative by comparing the centres of all persons. */
export class NearestPersons {
  readonly #look: (id: string) => Represented | undefined;
  readonly #standings = new Map<string, Standing>();
  readonly #spaces = new Map<string, Space>();
  /** Persons that changed since their last placement. */
  readonly #changed = new Set<string>();
  #orders = 0;

  /** `look` returns the current state of a person. Undefined: the person was deleted. */
  constructor(look: (id: string) => Represented | undefined) {
    this.#look = look;
  }

  /** Registers a new or changed person. */
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

  /** Registers that the vectors of a person may have changed, if the person exists. */
  updateVectors(id: string): void {
    if (this.#standings.has(id)) this.#changed.add(id);
  }

  /** The id of the nearest person at a distance below `most`. */
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
    const { model, circle } = represented;
    const vectors = represented.vectors.map((packed) => unpackVector(packed));
    return [...new Set(vectors.map(({ length }) => length))].map((length) => {
      const key = spaceKey(model, circle, length);
      const space = this.#spaces.get(key) ?? new Space(length);
      this.#spaces.set(key, space);
      return space.add(
        standing,
        vectors.filter((vector) => vector.length === length),
      );
    });
  }
}

const spaceKey = (model: string, circle: string, length: number) => JSON.stringify([model, circle, length]);

function leavePlaces(standing: Standing): void {
  for (const place of standing.places) place.space.remove(place);
  standing.places = [];
}

/** Persons with vectors of one model, circle and length. */
class Space {
  readonly #length: number;
  /** Centres of all slots in sequence. */
  #centres: Float32Array<ArrayBuffer>;
  /** By slot: distance of the farthest representative from the centre. */
  #reaches = new Float64Array(FIRST_SLOTS);
  readonly #places: Place[] = [];

  constructor(length: number) {
    this.#length = length;
    this.#centres = new Float32Array(FIRST_SLOTS * length);
  }

  add(standing: Standing, vectors: readonly Float32Array[]): Place {
    const length = this.#length;
    const slot = this.#places.length;
    if (slot === this.#reaches.length) this.#grow();
    const place = { space: this, standing, slot, vectors: new Float32Array(vectors.length * length) };
    for (const [n, vector] of vectors.entries()) place.vectors.set(vector, n * length);
    const centre = centreOf(vectors, length);
    this.#centres.set(centre, slot * length);
    this.#reaches[slot] =
      Math.sqrt(Math.max(...vectors.map((vector) => squares(vector, 0, centre, 0, length)))) + ROUNDING;
    this.#places.push(place);
    return place;
  }

  /** Removes a place. The last place moves to its slot. */
  remove({ slot }: Place): void {
    const length = this.#length;
    const place = this.#places.pop()!;
    const last = place.slot;
    if (last === slot) return;
    this.#centres.copyWithin(slot * length, last * length, (last + 1) * length);
    this.#reaches[slot] = this.#reaches[last]!;
    place.slot = slot;
    this.#places[slot] = place;
  }

  #grow(): void {
    const [centres, reaches] = [this.#centres, this.#reaches];
    this.#centres = new Float32Array(centres.length * 2);
    this.#reaches = new Float64Array(reaches.length * 2);
    this.#centres.set(centres);
    this.#reaches.set(reaches);
  }

  find({ vector, not, most }: Sought): Standing | undefined {
    let [found, least]: [Standing | undefined, number] = [undefined, most * most];
    for (let slot = this.#nextNear(vector, 0, most); slot !== -1;) {
      const { standing, vectors } = this.#places[slot]!;
      const sum = nearestOf(vectors, vector, least);
      const isNearer = sum < least || (sum === least && found !== undefined && standing.order < found.order);
      if (isNearer && !not.has(standing.id)) [found, least] = [standing, sum];
      slot = this.#nextNear(vector, slot + 1, Math.sqrt(least));
    }
    return found;
  }

  /** The next slot, from this one on, that may contain a vector within the distance. -1 if there is none. */
  #nextNear(vector: Float32Array, from: number, most: number): number {
    const [centres, reaches, length] = [this.#centres, this.#reaches, this.#length];
    const count = this.#places.length;
    for (let slot = from; slot < count; slot++) {
      const limit = (most + reaches[slot]!) ** 2;
      if (sumBelow(centres, slot * length, vector, limit) <= limit) return slot;
    }
    return -1;
  }
}

function centreOf(vectors: readonly Float32Array[], length: number): Float32Array {
  const centre = new Float32Array(length);
  for (const vector of vectors) for (let n = 0; n < length; n++) centre[n]! += vector[n]! / vectors.length;
  return centre;
}

/** The smallest sum of squared differences. More than `most` if no sum is below it. */
function nearestOf(vectors: Float32Array, vector: Float32Array, most: number): number {
  let least = Infinity;
  for (let at = 0; at < vectors.length; at += vector.length)
    least = Math.min(least, sumBelow(vectors, at, vector, Math.min(least, most)));
  return least;
}

/** The sum of squared differences. More than `most` if it is not below that. */
function sumBelow(a: Float32Array, atA: number, b: Float32Array, most: number): number {
  let sum = 0;
  for (let n = 0; n < b.length && sum <= most; n += STEP)
    sum += squares(a, atA + n, b, n, Math.min(STEP, b.length - n));
  return sum;
}

/** Sum of squared differences of a part of two vectors. Four partial sums let the processor add in parallel. */
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
