import type { Row } from '../../store/store.ts';
import {
  kindOf,
  memberKey,
  nameOf,
  personKey,
  type Alias,
  type Apart,
  type JobOfFaces,
  type Member,
  type Person,
  type RowBodies,
} from './rows.ts';
import { unpackVector } from './vectors.ts';

/** All rows in memory, with what is looked for in them. */
export class PeopleState {
  readonly persons = new Map<string, Person>();
  readonly members = new Map<string, Member>();
  readonly jobs = new Map<number, JobOfFaces>();
  readonly #aliases = new Map<string, string>();
  /** Ids of persons that were merged into this one. */
  readonly #merged = new Map<string, Set<string>>();
  readonly #apart = new Map<string, Apart>();
  /** Keys of members. */
  readonly #ofPerson = new Map<string, Set<string>>();
  readonly #ofJob = new Map<number, Set<string>>();
  /** Vectors of representatives, by the key of the member. */
  readonly #vectors = new Map<string, Float32Array>();

  /** Takes in a row, or takes it out. */
  set(key: string, body: unknown): void {
    const kind = kindOf(key);
    if (kind === 'person') this.#setPerson(nameOf(key), body as RowBodies['person'] | undefined);
    else if (kind === 'member') this.#setMember(key, body as Member | undefined);
    else if (kind === 'job') put(this.jobs, Number(nameOf(key)), body as JobOfFaces | undefined);
    else put(this.#apart, key, body as Apart | undefined);
  }

  get(key: string): unknown {
    const kind = kindOf(key);
    if (kind === 'member') return this.members.get(key);
    if (kind === 'job') return this.jobs.get(Number(nameOf(key)));
    if (kind === 'apart') return this.#apart.get(key);
    const id = nameOf(key);
    const alias = this.#aliases.get(id);
    return alias === undefined ? this.persons.get(id) : ({ alias } satisfies Alias);
  }

  apartOf(key: string): Apart | undefined {
    return this.#apart.get(key);
  }

  /** Ids of the persons that were merged into this one. */
  aliasesOf(id: string): readonly string[] {
    return [...(this.#merged.get(id) ?? [])];
  }

  /** The person that this id stands for now. */
  idOf(id: string): string {
    return this.#aliases.get(id) ?? id;
  }

  /** Keys of the members of a person, also of those that were merged into it. */
  membersOf(id: string): readonly string[] {
    return [id, ...this.aliasesOf(id)].flatMap((one) => [...(this.#ofPerson.get(one) ?? [])]);
  }

  membersOfJob(job: number): readonly string[] {
    return [...(this.#ofJob.get(job) ?? [])];
  }

  /** The vector of a representative. */
  vector(key: string): Float32Array | undefined {
    let vector = this.#vectors.get(key);
    const member = this.members.get(key);
    if (vector !== undefined || member === undefined) return vector;
    vector = unpackVector(member.vector);
    this.#vectors.set(key, vector);
    return vector;
  }

  #setPerson(id: string, body: RowBodies['person'] | undefined): void {
    for (const key of this.persons.get(id)?.representatives ?? []) this.#vectors.delete(key);
    const known = this.#aliases.get(id);
    if (known !== undefined) take(this.#merged, known, id);
    const isAlias = body !== undefined && 'alias' in body;
    if (isAlias) add(this.#merged, body.alias, id);
    put(this.#aliases, id, isAlias ? body.alias : undefined);
    put(this.persons, id, isAlias ? undefined : body);
  }

  #setMember(key: string, body: Member | undefined): void {
    const known = this.members.get(key);
    if (known !== undefined) {
      take(this.#ofPerson, known.person, key);
      take(this.#ofJob, known.job, key);
    }
    this.#vectors.delete(key);
    put(this.members, key, body);
    if (body === undefined) return;
    add(this.#ofPerson, body.person, key);
    add(this.#ofJob, body.job, key);
  }
}

/** Changes of a state that are not stored yet: they are seen by whoever makes them, then taken back and stored. */
export class Draft {
  readonly state: PeopleState;
  readonly #before = new Map<string, unknown>();
  /** undefined: the row goes. */
  readonly #after = new Map<string, unknown>();

  constructor(state: PeopleState) {
    this.state = state;
  }

  put(key: string, body: unknown): void {
    if (!this.#before.has(key)) this.#before.set(key, this.state.get(key));
    this.#after.set(key, body);
    this.state.set(key, body);
  }

  remove(key: string): void {
    this.put(key, undefined);
  }

  putPerson(person: Person): void {
    this.put(personKey(person.id), person);
  }

  putMember(member: Member): void {
    this.put(memberKey(member), member);
  }

  /** Takes all changes back, and answers them. */
  end(): RowChanges {
    for (const [key, body] of this.#before) this.state.set(key, body);
    const changed = [...this.#after];
    return {
      putRows: changed.flatMap(([key, body]) => (body === undefined ? [] : [{ key, body }])),
      removeRows: changed.flatMap(([key, body]) =>
        body === undefined && this.#before.get(key) !== undefined ? [key] : [],
      ),
    };
  }
}

export interface RowChanges {
  readonly putRows: readonly Row[];
  readonly removeRows: readonly string[];
}

function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function add<K>(map: Map<K, Set<string>>, key: K, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function take<K>(map: Map<K, Set<string>>, key: K, value: string): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
