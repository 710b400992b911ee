/** Decides to which person a face belongs, and which faces represent a person. */
import type { Owner, Visibility } from '../../domain/users/owner.ts';
import type { Member } from './rows.ts';
import type { PeopleState } from './state.ts';
import { distanceBelow, unpackVector } from './vectors.ts';

/** Faces closer than this to a representative may belong to its person. See docs/reference/accuracy.md for the measurements. */
export const JOIN_DISTANCE = 0.5;
/** Smallest side in pixels of a face that is grouped. The vectors of smaller faces are close to those of other persons. */
export const LEAST_SIDE = 48;
export const MOST_REPRESENTATIVES = 8;
/** A face closer than this to a representative does not become one. */
const SPREAD = 0.2;

/** The circle of an owner. Faces are grouped together only if their owners see each other's jobs. */
export function circleOf(owner: Owner | undefined, visibility: Visibility): string {
  if (visibility === 'all' || owner === undefined) return '';
  const isOfGroup = visibility === 'group' && owner.group !== undefined;
  return isOfGroup ? `group:${owner.group}` : `user:${owner.user}`;
}

/** Distance to the nearest of these representatives. */
function distanceTo(
  state: PeopleState,
  representatives: readonly string[],
  vector: Float32Array,
  most: number,
): number {
  let least = most;
  let other: Float32Array | undefined;
  for (const key of representatives) {
    const known = state.members.get(key);
    if (known === undefined) continue;
    other = unpackVector(known.vector, other);
    least = Math.min(least, distanceBelow(vector, other, least));
  }
  return least;
}

/** The representatives after a new member, which becomes one if it differs from all others. */
export function withMember(
  state: PeopleState,
  representatives: readonly string[],
  key: string,
  vector: Float32Array,
): readonly string[] {
  if (representatives.length >= MOST_REPRESENTATIVES || representatives.includes(key)) return representatives;
  const isNew = distanceTo(state, representatives, vector, SPREAD) === SPREAD;
  return isNew ? [...representatives, key] : representatives;
}

/** Chooses representatives among members: the best face first, then those that differ most from the chosen ones. */
export function chooseRepresentatives(
  members: readonly (readonly [key: string, member: Member])[],
): readonly string[] {
  const left = members
    .toSorted(([a, one], [b, other]) => qualityOf(other) - qualityOf(one) || (a < b ? -1 : 1))
    .map(([key, { vector }]) => ({ key, vector: unpackVector(vector), distance: Infinity }));
  const chosen: string[] = [];
  for (let next = left[0]; next !== undefined && chosen.length < MOST_REPRESENTATIVES;) {
    chosen.push(next.key);
    for (const one of left) one.distance = Math.min(one.distance, distanceOf(one.vector, next.vector));
    const farthest = left.reduce((one, other) => (other.distance > one.distance ? other : one));
    next = farthest.distance >= SPREAD ? farthest : undefined;
  }
  return chosen;
}

const distanceOf = (a: Float32Array, b: Float32Array) => distanceBelow(a, b, Number.MAX_VALUE);

/** Large and certain faces are the best. */
export const qualityOf = ({ side, confidence }: Pick<Member, 'side' | 'confidence'>): number =>
  side * Math.max(0.01, confidence);

type Span = Pick<Member, 'startFrame' | 'stopFrame'>;

/** True if two tracks are visible at the same time, so they show different persons. */
export const areVisibleAtOnce = (one: Span, other: Span): boolean =>
  one.startFrame <= other.stopFrame && other.startFrame <= one.stopFrame;
