/** Adds the faces of jobs to groups, and removes them when their jobs are deleted. */
import type { Owner } from '../../domain/users/owner.ts';
import type { DocumentFace } from '../../store/search.ts';
import {
  areVisibleAtOnce,
  chooseRepresentatives,
  JOIN_DISTANCE,
  LEAST_SIDE,
  qualityOf,
  withMember,
} from './grouping.ts';
import { apartKey, jobKey, memberKey, type Member, type Person } from './rows.ts';
import type { Draft, PeopleState } from './state.ts';
import { packVector, unpackVector } from './vectors.ts';

export interface JobFaces {
  readonly number: number;
  readonly run: number;
  readonly jobId: string;
  readonly owner?: Owner | undefined;
  /** Creation of a live stream, whose faces come segment by segment. Undefined for a batch job. */
  readonly createdAt?: number | undefined;
  /** Circle in the form of `circleOf`. */
  readonly circle: string;
  /** Faces in the order of `facesInOrder`. */
  readonly faces: readonly DocumentFace[];
}

export interface Making {
  /** Milliseconds since the epoch. */
  readonly now: number;
  newId(): string;
}

/** Faces that are large enough to be grouped. The best are first, because the first ones become representatives. */
export const facesInOrder = (faces: readonly DocumentFace[]): readonly DocumentFace[] =>
  faces
    .filter(({ side }) => side >= LEAST_SIDE)
    .toSorted((a, b) => qualityOf(b) - qualityOf(a) || (a.trackId < b.trackId ? -1 : 1));

/** True if the faces of this run, or of a later one, are grouped. */
export const isTaken = (state: PeopleState, { number, run }: Pick<JobFaces, 'number' | 'run'>): boolean => {
  const job = state.jobs.get(number);
  return job !== undefined && (job.run > run || (job.run === run && job.isWhole && !job.isStale));
};

/** Groups at most `most` faces, starting at `at`, and returns the next position. A face that already has a person keeps it. */
export function takeFaces(draft: Draft, job: JobFaces, at: number, most: number, making: Making): number {
  const end = Math.min(job.faces.length, at + most);
  for (const face of job.faces.slice(at, end)) takeFace(draft, job, face, making);
  const isWhole = end === job.faces.length;
  const { jobId, run, owner } = job;
  if (job.createdAt !== undefined && draft.state.jobs.get(job.number)?.isWhole === true) return end;
  if (isWhole) leaveEarlierRuns(draft, job);
  draft.put(jobKey(job.number), {
    ...{ jobId, run, owner, isWhole },
    isStale: !isWhole && (draft.state.jobs.get(job.number)?.isStale ?? false),
  });
  return end;
}

function takeFace(draft: Draft, job: JobFaces, face: DocumentFace, making: Making): void {
  const { state } = draft;
  const key = memberKey({ ...face, job: job.number });
  const known = state.members.get(key);
  if (known?.run === job.run) return growMember(draft, job, face, known);
  const apart = state.apartOf(apartKey(face.trackId));
  if (apart?.forgotten === true) return;
  const not = new Set([...(apart?.not ?? []).map((id) => state.idOf(id)), ...seenBeside(state, job, face)]);
  const { model, vector } = face;
  const sought = { vector, model, circle: job.circle, not, most: JOIN_DISTANCE };
  const person =
    personOf(state, known, model) ?? state.nearestPerson(sought) ?? newPerson(job, model, making);
  draft.putMember(memberOf(job, face, person.id));
  // A run with another model assigned the track to another person.
  if (known !== undefined && state.idOf(known.person) !== person.id)
    tidyPerson(draft, state.idOf(known.person));
  const representatives = withMember(state, person.representatives, key, vector);
  if (representatives !== person.representatives || !state.persons.has(person.id))
    draft.putPerson({ ...person, representatives });
}

/** Adds a later part of a live track. The better picture stays. Nothing changes if the part is known, such as every part of a batch job. */
function growMember(draft: Draft, job: JobFaces, face: DocumentFace, known: Member): void {
  if (job.createdAt === undefined) return;
  const startFrame = Math.min(known.startFrame, face.startFrame);
  const stopFrame = Math.max(known.stopFrame, face.stopFrame);
  const isBetter = qualityOf(face) > qualityOf(known);
  if (!isBetter && startFrame === known.startFrame && stopFrame === known.stopFrame) return;
  draft.putMember({
    ...(isBetter ? memberOf(job, face, known.person) : known),
    ...{ startFrame, stopFrame },
    startMs: Math.min(known.startMs, face.startMs),
    stopMs: Math.max(known.stopMs, face.stopMs),
  });
}

/** The person of a track that an earlier run found, too. */
function personOf(state: PeopleState, known: Member | undefined, model: string): Person | undefined {
  const person = known && state.persons.get(state.idOf(known.person));
  return person?.model === model ? person : undefined;
}

const newPerson = ({ circle }: JobFaces, model: string, { now, newId }: Making): Person => ({
  ...{ id: newId(), name: null, model, circle, created: now, representatives: [] },
});

/** Persons of tracks of this medium that are visible together with the face. */
function* seenBeside(state: PeopleState, { number, run }: JobFaces, face: DocumentFace): Generator<string> {
  for (const member of state.membersOfMedium({ job: number, mediaId: face.mediaId }))
    if (member.run === run && areVisibleAtOnce(member, face)) yield state.idOf(member.person);
}

function memberOf(job: JobFaces, face: DocumentFace, person: string): Member {
  const { vector, model: _, ...shown } = face;
  const { number, run, createdAt } = job;
  const ofStream = createdAt === undefined ? {} : { createdAt };
  return { ...shown, person, job: number, run, ...ofStream, vector: packVector(vector) };
}

/** Removes faces of earlier runs. Only the newest run counts. */
function leaveEarlierRuns(draft: Draft, { number, run }: JobFaces): void {
  const { members } = draft.state;
  removeMembers(
    draft,
    draft.state.membersOfJob(number).filter((key) => members.get(key)!.run < run),
  );
}

/** Removes the faces of a deleted job. */
export function removeJob(draft: Draft, number: number): void {
  removeMembers(draft, draft.state.membersOfJob(number));
  draft.remove(jobKey(number));
}

/** Removes the faces of a live stream that were last seen before this time. */
export function removeOldFaces(draft: Draft, number: number, before: number): void {
  const { members } = draft.state;
  const isOld = ({ createdAt = 0, stopMs }: Member) => createdAt + stopMs < before;
  removeMembers(
    draft,
    draft.state.membersOfJob(number).filter((key) => isOld(members.get(key)!)),
  );
}

/** Removes members, and persons that have no members left, even named ones. */
export function removeMembers(draft: Draft, keys: readonly string[]): void {
  const { state } = draft;
  const ids = new Set(keys.map((key) => state.idOf(state.members.get(key)!.person)));
  for (const key of keys) draft.remove(key);
  for (const id of ids) tidyPerson(draft, id);
}

/** Repairs a person after members were removed: chooses new representatives, or removes a person without members. */
export function tidyPerson(draft: Draft, id: string): void {
  const { state } = draft;
  const person = state.persons.get(id);
  if (person === undefined) return;
  const keys = state.membersOf(id);
  if (keys.length === 0) return removePerson(draft, id);
  const mine = new Set(keys);
  const left = person.representatives.filter((key) => mine.has(key));
  if (left.length === person.representatives.length && left.length > 0) return;
  draft.putPerson({ ...person, representatives: left.length > 0 ? left : representativesOf(state, keys) });
}

export function removePerson(draft: Draft, id: string): void {
  for (const one of [id, ...draft.state.aliasesOf(id)]) draft.remove(`person/${one}/`);
}

export const representativesOf = (state: PeopleState, keys: readonly string[]): readonly string[] =>
  chooseRepresentatives(keys.map((key) => [key, state.members.get(key)!] as const));

/** The vector of a member. */
export const vectorOf = ({ vector }: Member): Float32Array => unpackVector(vector);
