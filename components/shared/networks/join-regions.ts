/**
 * Merges a network's results of overlapping regions of a picture into one list, with each object once.
 *
 * Two boxes of a class are one object if they agree on the part of the picture that both regions show. Boxes that are completely inside
 * their regions agree by intersection over union, so that a child in front of an adult is kept. A box that ends at the border of its tile
 * may be a part of an object. It agrees by the intersection over the smaller box.
 */
import { intersection, iou, type Box } from '../../../domain/geometry/geometry.ts';
import { groupBy } from '../../../domain/grouping.ts';
import type { Size } from './tiles.ts';

/** A found box, in pixels of the picture. */
export interface Seen<T> {
  readonly box: Box;
  /** Part of the picture that the network processed. */
  readonly region: Box;
  /** Class. Only boxes of the same class can be one object. */
  readonly kind: string | number;
  readonly confidence: number;
  readonly what: T;
}

export interface JoinRules {
  readonly picture: Size;
  /** Minimum intersection over union of two whole boxes of one object. */
  readonly sameOverlap: number;
}

/** An object with all boxes found of it. The whole box with the highest confidence is first. */
interface Group<T> {
  readonly whole: boolean;
  readonly members: readonly Seen<T>[];
}

/** Distance from a region's border within which a box counts as cut, as a share of the region's side. */
const BORDER = 0.015;
/** Minimum intersection over the smaller box of two parts of one object. */
const SAME_PART = 0.5;
/** Maximum size of an object without a whole box, as a share of a tile's side. */
const LARGEST_OF_PARTS = 0.5;
/** Maximum number of boxes that are compared. Pictures show fewer objects. */
const MOST_BOXES = 3_000;

/** Returns the objects by descending confidence. Each has the class and `what` of its box with the highest confidence. */
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

/** Adds a part to a whole object if possible, otherwise to all parts that agree with it. */
function withPart<T>(groups: readonly Group<T>[], part: Seen<T>): Group<T>[] {
  const near = groups.filter(({ members }) => members.some((member) => isSamePart(member, part)));
  const object = near.find(({ whole }) => whole);
  const joined = object === undefined ? near : [object];
  const members = [...joined.flatMap((group) => group.members), part];
  return [...groups.filter((group) => !joined.includes(group)), { whole: object !== undefined, members }];
}

/**
 * True if the object is certain. Parts of a large object look like other objects, so a large object needs a whole box. Small objects are
 * completely inside one of the tiles, and large ones are found in the whole picture.
 */
function isSure<T>({ whole, members }: Group<T>): boolean {
  if (whole) return true;
  const { width, height } = boxAround(members);
  const { region } = members[0]!;
  return Math.max(width, height) <= LARGEST_OF_PARTS * Math.max(region.width, region.height);
}

/** Returns the whole box with the highest confidence, or the box around all parts. */
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

/** True if the box ends at a border of its region that is not a border of the picture. */
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

/** Returns the intersection divided by the area of the smaller box, 0 to 1. */
function overSmaller(a: Box, b: Box): number {
  const { width, height } = intersection(a, b);
  if (!(width > 0 && height > 0)) return 0;
  return (width * height) / Math.min(a.width * a.height, b.width * b.height);
}
