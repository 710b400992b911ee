/**
 * What a network found in overlapping regions of a picture as one list, with each object once.
 *
 * Two boxes of a class are one object when they agree on the part of the picture that both regions show. Boxes that lie whole in their
 * regions agree by intersection over union, so that a child before an adult is kept. A box that ends at the border of its tile may
 * be a part of an object: it agrees by the intersection over the smaller box.
 */
import { intersection, iou, type Box } from '../../../domain/geometry/geometry.ts';
import { groupBy } from '../../../domain/grouping.ts';
import type { Size } from './tiles.ts';

/** A box as it was found, in pixels of the picture. */
export interface Seen<T> {
  readonly box: Box;
  /** The part of the picture that the network looked at. */
  readonly region: Box;
  /** Only boxes of one class are one object. */
  readonly kind: string | number;
  readonly confidence: number;
  readonly what: T;
}

export interface JoinRules {
  readonly picture: Size;
  /** Intersection over union from which on two whole boxes are one object. */
  readonly sameOverlap: number;
}

/** An object with all boxes that were found of it, the surest of the whole ones first. */
interface Group<T> {
  readonly whole: boolean;
  readonly members: readonly Seen<T>[];
}

/** Share of a region's side from its border within which a box ends there. */
const BORDER = 0.015;
/** Intersection over the smaller of two boxes from which on they are parts of one object. */
const SAME_PART = 0.5;
/** Share of a tile's side up to which an object may be known by its parts alone. */
const LARGEST_OF_PARTS = 0.5;
/** Boxes that are compared with each other; a picture shows fewer things. */
const MOST_BOXES = 3_000;

/** Objects, the surest first; each has the class and `what` of its surest box. */
export function joinRegions<T>(seen: readonly Seen<T>[], rules: JoinRules): readonly Seen<T>[] {
  const surest = seen.toSorted((a, b) => b.confidence - a.confidence).slice(0, MOST_BOXES);
  const kinds = [...groupBy(surest, ({ kind }) => kind).values()];
  return kinds
    .flatMap((boxes) => groupsOf(boxes, rules).filter(isSure).map(objectOf))
    .toSorted((a, b) => b.confidence - a.confidence);
}

function groupsOf<T>(boxes: readonly Seen<T>[], rules: JoinRules): readonly Group<T>[] {
  const [whole, cut] = [boxes.filter((one) => !isCut(one, rules)), boxes.filter((one) => isCut(one, rules))];
  let groups: Group<T>[] = [];
  for (const one of whole) {
    const known = groups.findIndex(({ members }) => isSame(members[0]!, one, rules));
    if (known < 0) groups.push({ whole: true, members: [one] });
    else groups[known] = { whole: true, members: [...groups[known]!.members, one] };
  }
  for (const one of cut) groups = withPart(groups, one);
  return groups;
}

/** A part belongs to a whole object if it can, else with all parts that agree with it. */
function withPart<T>(groups: readonly Group<T>[], part: Seen<T>): Group<T>[] {
  const near = groups.filter(({ members }) => members.some((member) => isSamePart(member, part)));
  const object = near.find(({ whole }) => whole);
  const joined = object === undefined ? near : [object];
  const members = [...joined.flatMap((group) => group.members), part];
  return [...groups.filter((group) => !joined.includes(group)), { whole: object !== undefined, members }];
}

/**
 * Parts of a large thing look like other things: without a whole box of it, nobody knows. Small objects lie whole in one of the tiles, and
 * large ones are seen in the whole picture.
 */
function isSure<T>({ whole, members }: Group<T>): boolean {
  if (whole) return true;
  const { width, height } = boxAround(members);
  const { region } = members[0]!;
  return Math.max(width, height) <= LARGEST_OF_PARTS * Math.max(region.width, region.height);
}

/** The surest whole box, or the one around all parts. */
function objectOf<T>({ whole, members }: Group<T>): Seen<T> {
  if (whole) return members[0]!;
  const surest = members.reduce((best, one) => (one.confidence > best.confidence ? one : best));
  return { ...surest, box: boxAround(members) };
}

function boxAround<T>(members: readonly Seen<T>[]): Box {
  const [x, y] = [Math.min(...members.map(({ box }) => box.x)), Math.min(...members.map(({ box }) => box.y))];
  const right = Math.max(...members.map(({ box }) => box.x + box.width));
  const bottom = Math.max(...members.map(({ box }) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** It ends at a border of its region that is none of the picture. */
function isCut<T>({ box, region }: Seen<T>, { picture }: JoinRules): boolean {
  const [across, along] = [region.width * BORDER, region.height * BORDER];
  return (
    (region.x > 0 && box.x <= region.x + across) ||
    (region.y > 0 && box.y <= region.y + along) ||
    (region.x + region.width < picture.width && box.x + box.width >= region.x + region.width - across) ||
    (region.y + region.height < picture.height && box.y + box.height >= region.y + region.height - along)
  );
}

function isSame<T>(a: Seen<T>, b: Seen<T>, { sameOverlap }: JoinRules): boolean {
  if (a.region === b.region) return false;
  const both = intersection(a.region, b.region);
  return iou(intersection(a.box, both), intersection(b.box, both)) > sameOverlap;
}

function isSamePart<T>(a: Seen<T>, b: Seen<T>): boolean {
  if (a.region === b.region) return false;
  const both = intersection(a.region, b.region);
  return overSmaller(intersection(a.box, both), intersection(b.box, both)) > SAME_PART;
}

/** Intersection over the area of the smaller box, 0 to 1. */
function overSmaller(a: Box, b: Box): number {
  const { width, height } = intersection(a, b);
  if (!(width > 0 && height > 0)) return 0;
  return (width * height) / Math.min(a.width * a.height, b.width * b.height);
}
