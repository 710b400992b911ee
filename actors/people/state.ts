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
import { NearestPersons, type Represented, type Sought } from './nearest.ts';

/** All rows in memory, with indexes for lookups. */
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
  /** Tracks by medium of a job, then by key. */
  readonly #ofMedium = new Map<string, Map<string, Member>>();
  readonly #nearest = new NearestPersons((id) => this.#represent(id));

  /** Adds, replaces or removes a row. `body` undefined: removes it. */
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

  /** Tracks that do not belong to this person, by key. */
  apartFrom(id: string): readonly (readonly [key: string, apart: Apart])[] {
    return [...this.#apart].filter(([, { not }]) => not.some((one) => this.idOf(one) === id));
  }

  /** Ids of the persons that were merged into this one. */
  aliasesOf(id: string): readonly string[] {
    return [...(this.#merged.get(id) ?? [])];
  }

  /** The id of the person into which this one was merged, or the same id. */
  idOf(id: string): string {
    return this.#aliases.get(id) ?? id;
  }

  /** Keys of the members of a person, including those of persons that were merged into it. */
  membersOf(id: string): readonly string[] {
    return [id, ...this.aliasesOf(id)].flatMap((one) => [...(this.#ofPerson.get(one) ?? [])]);
  }

  membersOfJob(job: number): readonly string[] {
    return [...(this.#ofJob.get(job) ?? [])];
  }

  membersOfMedium(medium: Pick<Member, 'job' | 'mediaId'>): Iterable<Member> {
    return this.#ofMedium.get(mediumKey(medium))?.values() ?? [];
  }

  /** The person with the nearest representative. Undefined if none is near enough. */
  nearestPerson(sought: Sought): Person | undefined {
    const id = this.#nearest.find(sought);
    return id === undefined ? undefined : this.persons.get(id);
  }

  #represent(id: string): Represented | undefined {
    const person = this.persons.get(id);
    if (person === undefined) return undefined;
    const { model, circle, representatives } = person;
    const vectors = representatives.flatMap((key) => this.members.get(key)?.vector ?? []);
    return { model, circle, vectors };
  }

  #setPerson(id: string, body: RowBodies['person'] | undefined): void {
    const known = this.#aliases.get(id);
    if (known !== undefined) take(this.#merged, known, id);
    const isAlias = body !== undefined && 'alias' in body;
    if (isAlias) add(this.#merged, body.alias, id);
    put(this.#aliases, id, isAlias ? body.alias : undefined);
    const person = isAlias ? undefined : body;
    put(this.persons, id, person);
    if (person === undefined) this.#nearest.remove(id);
    else this.#nearest.update(id);
  }

  #setMember(key: string, body: Member | undefined): void {
    const known = this.members.get(key);
    if (known !== undefined) {
      take(this.#ofPerson, known.person, key);
      take(this.#ofJob, known.job, key);
      this.#takeFromMedium(key, known);
      this.#updateVectors(key, known);
    }
    put(this.members, key, body);
    if (body === undefined) return;
    add(this.#ofPerson, body.person, key);
    add(this.#ofJob, body.job, key);
    this.#addToMedium(key, body);
    this.#updateVectors(key, body);
  }

  /** Updates the index if the member is a representative of its person. Most members are not. */
  #updateVectors(key: string, member: Member): void {
    const id = this.idOf(member.person);
    if (this.persons.get(id)?.representatives.includes(key) === true) this.#nearest.updateVectors(id);
  }

  #addToMedium(key: string, member: Member): void {
    const medium = mediumKey(member);
    const tracks = this.#ofMedium.get(medium);
    if (tracks === undefined) this.#ofMedium.set(medium, new Map([[key, member]]));
    else tracks.set(key, member);
  }

  #takeFromMedium(key: string, member: Member): void {
    const medium = mediumKey(member);
    const tracks = this.#ofMedium.get(medium);
    tracks?.delete(key);
    if (tracks?.size === 0) this.#ofMedium.delete(medium);
  }
}

/** Changes of a state before they are stored. The author of the changes sees them, then the state is reset until the commit. */
export class Draft {
  readonly state: PeopleState;
  readonly #before = new Map<string, unknown>();
  /** Undefined: the row is removed. */
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

  /** Undoes all changes in the state and returns them. */
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

const mediumKey = ({ job, mediaId }: Pick<Member, 'job' | 'mediaId'>): string => `${job}/${mediaId}`;

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
