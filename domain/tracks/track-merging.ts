/**
 * MERGE_TRACKS: joins a track that ends with a segment and one that begins with the next. Only the ends of tracks decide, so callers need
 * not keep whole tracks in memory.
 */
import type { Detection, MediaType, Properties, Track } from '../types.ts';
import { iou, isEmptyBox, type Box } from '../geometry/geometry.ts';
import { groupBy } from '../grouping.ts';
import { booleanOf, integerOf, numberOf } from '../properties/properties.ts';
import { firstIndex } from '../first-index.ts';

/** Data of a track for merging. */
export interface TrackEnds {
  readonly type: string;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly firstBox: Box;
  readonly lastBox: Box;
  /** The detection property CLASSIFICATION. It matters only for tracks of the type CLASS. */
  readonly firstClassification?: string | undefined;
  readonly lastClassification?: string | undefined;
}

export interface MergeRule {
  /** MIN_GAP_BETWEEN_TRACKS: tracks with fewer frames from stop to start may be merged. Tracks in consecutive frames always may. */
  readonly gap: number;
  /** MIN_OVERLAP: minimum intersection over union of the last box and the first box. */
  readonly minOverlap: number;
}

/** Types that are neither merged nor dropped if they are short. */
const EXEMPT_TYPES: ReadonlySet<string> = new Set(['SPEECH', 'SCENE', 'SOUND']);

/** How tracks of this type on such a medium are merged and pruned. `merge` is null if they are not merged. */
export function mergePlan(
  properties: Properties,
  mediaType: MediaType,
  trackType: string,
): { readonly merge: MergeRule | null; readonly minLength: number } {
  if (mediaType !== 'VIDEO' || EXEMPT_TYPES.has(trackType.toUpperCase()))
    return { merge: null, minLength: 1 };
  const merge = {
    gap: integerOf(properties, 'MIN_GAP_BETWEEN_TRACKS'),
    minOverlap: numberOf(properties, 'MIN_OVERLAP'),
  };
  return {
    merge: booleanOf(properties, 'MERGE_TRACKS') ? merge : null,
    minLength: integerOf(properties, 'MIN_TRACK_LENGTH'),
  };
}

export function trackEnds(track: Track): TrackEnds {
  const first = track.detections[0];
  const last = track.detections.at(-1);
  if (first === undefined || last === undefined)
    throw new RangeError('A track must have at least one detection.');
  return {
    type: track.type,
    startFrame: track.startFrame,
    stopFrame: track.stopFrame,
    firstBox: boxOf(first),
    lastBox: boxOf(last),
    firstClassification: first.properties['CLASSIFICATION'],
    lastClassification: last.properties['CLASSIFICATION'],
  };
}

function boxOf({ x, y, width, height }: Detection): Box {
  return { x, y, width, height };
}

/**
 * Indexes of the tracks to join, each group in frame order, the groups in the order of their first track. The earliest track takes the
 * earliest later track that fits its end, and continues from there. Then the earliest remaining track starts the next group. Each step only
 * checks tracks that begin inside the gap.
 */
export function mergeGroups(ends: readonly TrackEnds[], rule: MergeRule): readonly (readonly number[])[] {
  const groups: { readonly at: number; readonly members: readonly number[] }[] = [];
  const order = ends.map((_, index) => index).toSorted((a, b) => compareEnds(ends, a, b));
  const ofType = groupBy(order, (index) => ends[index]?.type.toUpperCase() ?? '');
  const position = new Map(order.map((index, at) => [index, at]));
  for (const indices of ofType.values()) {
    for (const members of mergeOneType(ends, indices, rule)) {
      groups.push({ at: position.get(members[0] ?? -1) ?? 0, members });
    }
  }
  return groups.toSorted((a, b) => a.at - b.at).map((group) => group.members);
}

function compareEnds(ends: readonly TrackEnds[], a: number, b: number): number {
  const [x, y] = [ends[a], ends[b]];
  if (x === undefined || y === undefined) return 0;
  return x.startFrame - y.startFrame || x.stopFrame - y.stopFrame || a - b;
}

/** `indices` are sorted by start. */
function mergeOneType(
  ends: readonly TrackEnds[],
  indices: readonly number[],
  rule: MergeRule,
): readonly (readonly number[])[] {
  const sorted = indices.flatMap((index) => ends[index] ?? []);
  const free = freeSlots(sorted.length);
  const reach = Math.max(1, rule.gap - 1);
  const groups: number[][] = [];
  for (let slot = free.from(0); slot < sorted.length; slot = free.from(slot + 1)) {
    const group: number[] = [];
    let next: number | undefined = slot;
    while (next !== undefined) {
      free.take(next);
      const index = indices[next];
      const end: TrackEnds | undefined = sorted[next];
      if (index === undefined || end === undefined) break;
      group.push(index);
      next = findNext(sorted, free, end, { ...rule, reach });
    }
    groups.push(group);
  }
  return groups;
}

function findNext(
  sorted: readonly TrackEnds[],
  free: { readonly from: (slot: number) => number },
  end: TrackEnds,
  { reach, minOverlap }: { readonly reach: number; readonly minOverlap: number },
): number | undefined {
  const first = firstIndex(sorted.length, (index) => sorted[index]!.startFrame > end.stopFrame);
  for (let slot = free.from(first); slot < sorted.length; slot = free.from(slot + 1)) {
    const candidate = sorted[slot];
    if (candidate === undefined || candidate.startFrame - end.stopFrame > reach) return undefined;
    if (fits(end, candidate, minOverlap)) return slot;
  }
  return undefined;
}

function fits(a: TrackEnds, b: TrackEnds, minOverlap: number): boolean {
  if (a.type.toUpperCase() === 'CLASS') {
    if (a.lastClassification?.toUpperCase() !== b.firstClassification?.toUpperCase()) return false;
  }
  if (isEmptyBox(a.lastBox) || isEmptyBox(b.firstBox)) return false;
  return iou(a.lastBox, b.firstBox) >= minOverlap;
}

/** Free slots. `from` finds the next one in nearly constant time by skipping used runs. */
function freeSlots(count: number): { from: (slot: number) => number; take: (slot: number) => void } {
  const next = Int32Array.from({ length: count + 2 }, (_, slot) => slot);
  const from = (slot: number): number => {
    let found = Math.min(slot, count);
    while (next[found] !== found) {
      const skipped: number = next[next[found] ?? found] ?? found;
      next[found] = skipped;
      found = skipped;
    }
    return found;
  };
  return { from, take: (slot) => void (next[slot] = slot + 1) };
}

/** Joins two tracks, `b` being the later one: all detections, the higher confidence, and the properties of both. */
export function uniteTracks(a: Track, b: Track): Track {
  const detections = [...a.detections, ...b.detections];
  return {
    startFrame: a.startFrame,
    stopFrame: b.stopFrame,
    startTime: a.startTime,
    stopTime: b.stopTime,
    type: a.type,
    confidence: Math.max(a.confidence, b.confidence),
    properties: uniteProperties(a.properties, b.properties),
    detections: isInOrder(a, b) ? detections : detections.toSorted((x, y) => x.frame - y.frame),
  };
}

function isInOrder(a: Track, b: Track): boolean {
  return (a.detections.at(-1)?.frame ?? -1) <= (b.detections[0]?.frame ?? Infinity);
}

/** Equal values are kept, different ones are listed. */
function uniteProperties(a: Properties, b: Properties): Properties {
  const both = Object.entries(b).map(([name, value]) => {
    const other = Object.hasOwn(a, name) ? a[name] : undefined;
    return [name, other === undefined || other === value ? value : `${other}; ${value}`] as const;
  });
  return { ...a, ...Object.fromEntries(both) };
}

/** MIN_TRACK_LENGTH: true if a track spans fewer frames. */
export function isTooShort(track: Pick<Track, 'startFrame' | 'stopFrame'>, minLength: number): boolean {
  return track.stopFrame - track.startFrame < minLength - 1;
}
