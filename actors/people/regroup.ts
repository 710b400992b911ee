/** Regroups faces after a change of JOB_VISIBILITY, so that users who do not see each other's jobs share no person. */
import type { Visibility } from '../../domain/users/owner.ts';
import { TimeSlices } from '../basics/time-slices.ts';
import { circleOf } from './grouping.ts';
import type { Person } from './rows.ts';
import type { Draft, PeopleState } from './state.ts';
import type { StoredPeople } from './stored-people.ts';
import { representativesOf, type Making } from './take-faces.ts';

/** Maximum number of people checked, and of faces moved, in a commit. */
const [PEOPLE_AT_ONCE, MOVED_AT_ONCE] = [100, 500];
/** Maximum number of members from which the representatives of a part are chosen. */
const MOST_CHOSEN_FROM = 500;

export interface Regrouping extends Making {
  readonly visibility: Visibility;
}

/** New persons for the parts of people: ids by person and circle. */
type Begun = Map<string, string>;

/**
 * Divides each person into one person per circle of users with members in it. All parts keep the name, because everyone who sees a part has
 * already seen the name.
 */
export async function regroupAll(people: StoredPeople, how: Regrouping): Promise<void> {
  if (await people.isEmpty()) return;
  const ids = await people.read((state) => [...state.persons.keys()]);
  const begun: Begun = new Map();
  for (let at = 0; at < ids.length; at += PEOPLE_AT_ONCE) {
    const some = ids.slice(at, at + PEOPLE_AT_ONCE);
    while (await people.change((draft) => regroupSome(draft, some, begun, how)));
  }
}

/** Returns true if more members must be moved. */
async function regroupSome(
  draft: Draft,
  ids: readonly string[],
  begun: Begun,
  how: Regrouping,
): Promise<boolean> {
  const slices = new TimeSlices();
  let room = MOVED_AT_ONCE;
  for (const id of ids) {
    if (slices.due) await slices.next();
    const person = draft.state.persons.get(id);
    if (person === undefined) continue;
    const foreign = regroupPerson(draft, person, { ...how, begun, most: room });
    if (foreign > room) return true;
    room -= foreign;
  }
  return false;
}

interface Step extends Regrouping {
  readonly begun: Begun;
  /** Maximum number of members to move. */
  readonly most: number;
}

/** Divides a person. The largest part keeps the id. Returns the number of members in other parts. */
function regroupPerson(draft: Draft, person: Person, step: Step): number {
  const { state } = draft;
  const [own, ...others] = partsOf(state, person.id, step.visibility);
  if (own === undefined || (others.length === 0 && own.circle === person.circle)) return 0;
  let room = step.most;
  for (const { circle, keys } of others) {
    const moved = keys.slice(0, room);
    room -= moved.length;
    if (moved.length > 0) movePart(draft, person, { circle, keys: moved }, step);
  }
  const left = new Set(own.keys);
  const kept = person.representatives.filter((key) => left.has(key));
  const representatives = kept.length > 0 ? kept : chosenOf(state, own.keys);
  draft.putPerson({ ...person, circle: own.circle, representatives });
  return others.reduce((sum, { keys }) => sum + keys.length, 0);
}

interface Part {
  readonly circle: string;
  /** Keys of members. */
  readonly keys: readonly string[];
}

/** Parts of a person, the largest first. */
function partsOf(state: PeopleState, id: string, visibility: Visibility): readonly Part[] {
  const parts = new Map<string, string[]>();
  for (const key of state.membersOf(id)) {
    const circle = circleOf(state.jobs.get(state.members.get(key)!.job)?.owner, visibility);
    const keys = parts.get(circle);
    if (keys === undefined) parts.set(circle, [key]);
    else keys.push(key);
  }
  return [...parts]
    .map(([circle, keys]) => ({ circle, keys }))
    .toSorted((a, b) => b.keys.length - a.keys.length || (a.circle < b.circle ? -1 : 1));
}

function movePart(draft: Draft, person: Person, { circle, keys }: Part, { begun, newId }: Step): void {
  const { state } = draft;
  const place = `${person.id} ${circle}`;
  const known = state.persons.get(begun.get(place) ?? '');
  const part = known ?? { ...person, id: newId(), circle, representatives: chosenOf(state, keys) };
  for (const key of keys) draft.putMember({ ...state.members.get(key)!, person: part.id });
  if (known !== undefined) return;
  draft.putPerson(part);
  begun.set(place, part.id);
  // Tracks that were split off the person do not belong to its parts either.
  for (const [key, apart] of state.apartFrom(person.id))
    draft.put(key, { ...apart, not: [...apart.not, part.id] });
}

const chosenOf = (state: PeopleState, keys: readonly string[]): readonly string[] =>
  representativesOf(state, keys.slice(0, MOST_CHOSEN_FROM));
