/** Changes to people that users make. */
import { representativesOf, removeMembers, removePerson, tidyPerson, type Making } from './take-faces.ts';
import { apartKey, memberKey, personKey, type Alias, type Member, type Person } from './rows.ts';
import type { Draft, PeopleState } from './state.ts';

/** Reasons why nothing was changed. */
export type EditRefusal =
  | { readonly refusal: 'NO_PERSON'; readonly id: string }
  | { readonly refusal: 'SAME' | 'MODELS' | 'CIRCLES' | 'ALL_TRACKS' }
  | { readonly refusal: 'NO_MEMBER'; readonly trackId: string };

/** Identifies a track in a medium of a job. */
export type TrackPlace = Pick<Member, 'job' | 'mediaId' | 'trackId'>;

/** The person with this id, or the one that it was merged into. */
export function findPerson(state: PeopleState, id: string): Person | undefined {
  return state.persons.get(state.idOf(id));
}

export function namePerson(draft: Draft, person: Person, name: string | null): Person {
  const named = { ...person, name };
  draft.putPerson(named);
  return named;
}

/** Merges the second person into the first; its id then refers to the first. */
export function mergePeople(draft: Draft, into: Person, from: Person): Person | EditRefusal {
  if (into.id === from.id) return { refusal: 'SAME' };
  if (into.model !== from.model) return { refusal: 'MODELS' };
  if (into.circle !== from.circle) return { refusal: 'CIRCLES' };
  const { state } = draft;
  rejoin(draft, into, from);
  for (const id of [...state.aliasesOf(from.id), from.id])
    draft.put(personKey(id), { alias: into.id } satisfies Alias);
  const both = [...into.representatives, ...from.representatives].filter((key) => state.members.has(key));
  const merged = {
    ...into,
    name: into.name ?? from.name,
    created: Math.min(into.created, from.created),
    representatives: representativesOf(state, both),
  };
  draft.putPerson(merged);
  return merged;
}

/** Tracks that were split off one of the two may belong to it again. */
function rejoin(draft: Draft, into: Person, from: Person): void {
  const { state } = draft;
  for (const id of [into.id, from.id])
    for (const key of state.membersOf(id)) {
      const { trackId } = state.members.get(key)!;
      const apart = state.apartOf(apartKey(trackId));
      if (apart === undefined) continue;
      const not = apart.not.filter((one) => ![into.id, from.id].includes(state.idOf(one)));
      if (not.length === apart.not.length) continue;
      draft.put(apartKey(trackId), not.length === 0 ? undefined : { ...apart, not });
    }
}

/** Moves these tracks into a new person. Grouping never moves them back. */
export function splitPerson(
  draft: Draft,
  person: Person,
  tracks: readonly TrackPlace[],
  { now, newId }: Making,
): Person | EditRefusal {
  const { state } = draft;
  const mine = new Set(state.membersOf(person.id));
  const keys = [...new Set(tracks.map(memberKey))];
  const unknown = tracks.find((track) => !mine.has(memberKey(track)));
  if (unknown !== undefined) return { refusal: 'NO_MEMBER', trackId: unknown.trackId };
  if (keys.length === mine.size) return { refusal: 'ALL_TRACKS' };
  const id = newId();
  for (const key of keys) {
    const member = state.members.get(key)!;
    const apart = state.apartOf(apartKey(member.trackId));
    const not = [...new Set([...(apart?.not ?? []), person.id])].filter((one) => one !== id);
    draft.putMember({ ...member, person: id });
    draft.put(apartKey(member.trackId), { forgotten: false, not });
  }
  const made: Person = { ...person, id, name: null, created: now, representatives: [] };
  const split = { ...made, representatives: representativesOf(state, keys) };
  draft.putPerson(split);
  tidyPerson(draft, person.id);
  return split;
}

/** Deletes a person with its vectors and members. Its tracks are not grouped again, even when another job finds them. */
export function forgetPerson(draft: Draft, person: Person): void {
  const { state } = draft;
  const keys = state.membersOf(person.id);
  for (const key of keys) {
    const { trackId } = state.members.get(key)!;
    draft.put(apartKey(trackId), { forgotten: true, not: [] });
  }
  removeMembers(draft, keys);
  removePerson(draft, person.id);
}
