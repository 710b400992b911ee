/** People as a user sees them: only faces of jobs that the user may see. */
import { isSeen, type Sight } from '../../domain/users/owner.ts';
import { foldedName, foldedWords } from '../../domain/text/words.ts';
import { qualityOf } from './grouping.ts';
import { memberKey, type Member, type Person } from './rows.ts';
import type { PeopleState } from './state.ts';

/** A face track as users see it. */
export interface ShownMember extends Omit<Member, 'vector' | 'run' | 'person'> {
  readonly jobId: string;
}

export interface ShownPerson extends Pick<Person, 'id' | 'name' | 'model' | 'created'> {
  readonly tracks: number;
  /** Number of distinct media, by URI. */
  readonly media: number;
  readonly jobs: number;
  /** The best face. */
  readonly best: ShownMember;
}

export interface PeopleQuery {
  /** A part of the name, case-insensitive. */
  readonly name?: string | undefined;
  /** True: only people with a name. False: only those without. */
  readonly named?: boolean | undefined;
  /** Number of a job, and id of a medium in it, in which the people appear. */
  readonly job?: number | undefined;
  readonly mediaId?: number | undefined;
  readonly sight: Sight;
  readonly limit: number;
  readonly cursor?: PeoplePlace | undefined;
}

/** A track that a run of a job found. */
export type TrackOfRun = Pick<Member, 'job' | 'run' | 'mediaId' | 'trackId'>;
export type NamedPerson = Pick<Person, 'id' | 'name'>;

/** Start of the next page. */
export interface PeoplePlace {
  readonly tracks: number;
  readonly id: string;
}

export interface PeoplePage {
  /** People with the most tracks first. */
  readonly people: readonly ShownPerson[];
  readonly total: number;
  readonly next: PeoplePlace | null;
  /** For one job: true if all of its faces are grouped. */
  readonly isWhole: boolean;
}

export interface MembersQuery {
  readonly id: string;
  readonly sight: Sight;
  readonly limit: number;
  readonly cursor?: MemberPlace | undefined;
}
export type MemberPlace = Pick<Member, 'job' | 'mediaId' | 'startFrame' | 'trackId'>;

export interface MembersPage {
  readonly person: ShownPerson;
  /** Members of the newest job first. */
  readonly members: readonly ShownMember[];
  readonly next: MemberPlace | null;
}

export function pageOfPeople(state: PeopleState, query: PeopleQuery): PeoplePage {
  const { sight, limit, cursor } = query;
  const isShown = shownTo(state, sight);
  const ids = query.job === undefined ? undefined : idsIn(state, query.job, query.mediaId, isShown);
  const counted = (ids === undefined ? [...state.persons.keys()] : [...ids])
    .map((id) => state.persons.get(id)!)
    .filter((person) => fits(person, query))
    .map((person) => ({ person, members: shownMembers(state, person.id, isShown) }))
    .filter(({ members }) => members.length > 0)
    .toSorted((a, b) => b.members.length - a.members.length || (a.person.id < b.person.id ? -1 : 1));
  const isAfter = (place: PeoplePlace, tracks: number, id: string) =>
    tracks < place.tracks || (tracks === place.tracks && id > place.id);
  const left = cursor
    ? counted.filter(({ person, members }) => isAfter(cursor, members.length, person.id))
    : counted;
  const some = left.slice(0, limit);
  const last = left.length > limit ? some.at(-1)! : undefined;
  return {
    people: some.map(({ person, members }) => shownPerson(state, person, members)),
    total: counted.length,
    isWhole: query.job === undefined || (isGrouped(state, query.job) && seesJob(state, query.job, sight)),
    next: last === undefined ? null : { tracks: last.members.length, id: last.person.id },
  };
}

export function pageOfMembers(state: PeopleState, query: MembersQuery): MembersPage | undefined {
  const { id, sight, limit, cursor } = query;
  const person = state.persons.get(state.idOf(id));
  if (person === undefined) return undefined;
  const members = shownMembers(state, person.id, shownTo(state, sight)).toSorted(byPlace);
  if (members.length === 0) return undefined;
  const left = cursor ? members.filter((member) => byPlace(cursor, member) < 0) : members;
  const some = left.slice(0, limit);
  return {
    person: shownPerson(state, person, members),
    members: some.map((member) => shownMember(state, member)),
    next: left.length > limit ? some.at(-1)! : null,
  };
}

/** Number of people in each medium, by its id. Only for jobs (by number) whose faces are all grouped. */
export function countPeople(
  state: PeopleState,
  jobs: readonly number[],
): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const countsOf = (job: number): ReadonlyMap<number, number> => {
    const ids = new Map<number, Set<string>>();
    for (const key of state.membersOfJob(job)) {
      const member = state.members.get(key)!;
      const found = ids.get(member.mediaId) ?? new Set();
      ids.set(member.mediaId, found.add(state.idOf(member.person)));
    }
    return new Map([...ids].map(([mediaId, found]) => [mediaId, found.size]));
  };
  return new Map(jobs.filter((job) => isGrouped(state, job)).map((job) => [job, countsOf(job)]));
}

/** True if all faces of the last run are grouped, and none of an earlier run. */
export function isGrouped(state: PeopleState, number: number): boolean {
  const job = state.jobs.get(number);
  return job !== undefined && job.isWhole && !job.isStale;
}

const seesJob = (state: PeopleState, number: number, sight: Sight): boolean =>
  isSeen(state.jobs.get(number)?.owner, sight);

/** The newest tracks of the persons with this id or name, at most `most`. */
export function tracksOf(
  state: PeopleState,
  idOrName: string,
  sight: Sight,
  most: number,
): readonly Pick<Member, 'job' | 'trackId'>[] {
  const isShown = shownTo(state, sight);
  const one = state.persons.get(state.idOf(idOrName));
  const name = comparedName(idOrName);
  const found = one
    ? [one]
    : [...state.persons.values()].filter((person) => person.name && comparedName(person.name) === name);
  return found
    .flatMap(({ id }) => shownMembers(state, id, isShown))
    .toSorted((a, b) => b.job - a.job)
    .slice(0, most);
}

/** The person of each track. Null if it has none, if the user may not see its job, or if the job runs again. */
export function personsOf(
  state: PeopleState,
  tracks: readonly TrackOfRun[],
  sight: Sight,
): readonly (NamedPerson | null)[] {
  return tracks.map((track) => {
    const member = state.members.get(memberKey(track));
    const job = state.jobs.get(track.job);
    const isShown = member?.run === track.run && job?.run === track.run && !job.isStale;
    if (!isShown || !isSeen(job.owner, sight)) return null;
    const { id, name } = state.persons.get(state.idOf(member.person))!;
    return { id, name };
  });
}

/** Returns a test. It is true if the user may see the job of a track and the job does not run again. */
export function shownTo(state: PeopleState, sight: Sight): (member: Member) => boolean {
  const runs = new Map<number, number>();
  for (const [number, { owner, isStale, run }] of state.jobs)
    if (!isStale && isSeen(owner, sight)) runs.set(number, run);
  return ({ job, run }) => runs.get(job) === run;
}

export const shownMembers = (
  state: PeopleState,
  id: string,
  isShown: (member: Member) => boolean,
): readonly Member[] =>
  state
    .membersOf(id)
    .map((key) => state.members.get(key)!)
    .filter(isShown);

function idsIn(
  state: PeopleState,
  job: number,
  mediaId: number | undefined,
  isShown: (member: Member) => boolean,
): ReadonlySet<string> {
  const members = state.membersOfJob(job).map((key) => state.members.get(key)!);
  const meant = members.filter(
    (member) => isShown(member) && (mediaId === undefined || member.mediaId === mediaId),
  );
  return new Set(meant.map(({ person }) => state.idOf(person)));
}

const fits = ({ name }: Person, query: PeopleQuery): boolean =>
  (query.named === undefined || (name !== null) === query.named) &&
  (query.name === undefined || comparedName(name ?? '').includes(comparedName(query.name)));

export function shownPerson(state: PeopleState, person: Person, members: readonly Member[]): ShownPerson {
  const best = members.reduce((one, other) => (qualityOf(other) > qualityOf(one) ? other : one));
  const { id, name, model, created } = person;
  return {
    ...{ id, name, model, created },
    tracks: members.length,
    media: new Set(members.map(({ mediaUri }) => mediaUri)).size,
    jobs: new Set(members.map(({ job }) => job)).size,
    best: shownMember(state, best),
  };
}

function shownMember(state: PeopleState, member: Member): ShownMember {
  const { vector: _, run: __, person: ___, ...shown } = member;
  return { ...shown, jobId: state.jobs.get(member.job)!.jobId };
}

/** Order: newest job first; within a medium, by appearance. */
const byPlace = (a: MemberPlace, b: MemberPlace): number =>
  b.job - a.job ||
  a.mediaId - b.mediaId ||
  a.startFrame - b.startFrame ||
  (a.trackId < b.trackId ? -1 : Number(a.trackId > b.trackId));

/** The name for comparisons. Case, accents and punctuation are ignored, unless a name consists of punctuation. */
const comparedName = (name: string): string => foldedWords(name).join(' ') || foldedName(name);
