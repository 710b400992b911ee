/** Agreement of the boxes of another job with those of this job. Uses the measures of `troupe evaluate`, with this job as the truth. */
import { nameOfTrack, type Box, type Lane } from '../kit/findings/types.ts';

/** Minimum overlap of two boxes that count as the same. */
const LEAST_OVERLAP = 0.5;

export interface Agreement {
  /** Class or type. */
  readonly name: string;
  readonly own: number;
  readonly other: number;
  readonly same: number;
  /** Sum of the overlaps of matching boxes. */
  readonly overlap: number;
}

export interface JobBoxes {
  readonly boxes: readonly Box[];
  readonly lanes: readonly Lane[];
}

/** Returns the agreement by class, classes with most boxes first. Only frames up to `lastFrame` count. */
export function agreementOf(own: JobBoxes, other: JobBoxes, lastFrame: number): readonly Agreement[] {
  const [truths, found] = [own, other].map((one) => boxesByPlace(one, lastFrame)) as [Places, Places];
  const sums = new Map<string, Agreement>();
  for (const key of new Set([...truths.keys(), ...found.keys()])) {
    const name = key.slice(key.indexOf(' ') + 1);
    const before = sums.get(name) ?? { name, own: 0, other: 0, same: 0, overlap: 0 };
    const [mine, theirs] = [truths.get(key) ?? [], found.get(key) ?? []];
    const overlaps = pairsOf(mine, theirs);
    sums.set(name, {
      name,
      own: before.own + mine.length,
      other: before.other + theirs.length,
      same: before.same + overlaps.length,
      overlap: before.overlap + overlaps.reduce((sum, one) => sum + one, 0),
    });
  }
  return [...sums.values()].toSorted((a, b) => b.own + b.other - a.own - a.other);
}

/** Boxes by frame and class. */
type Places = ReadonlyMap<string, readonly Box[]>;

function boxesByPlace({ boxes, lanes }: JobBoxes, lastFrame: number): Places {
  const places = new Map<string, Box[]>();
  for (const box of boxes) {
    if (box.frame > lastFrame) continue;
    const key = `${box.frame} ${nameOfTrack(lanes, box)}`;
    const some = places.get(key);
    if (some === undefined) places.set(key, [box]);
    else some.push(box);
  }
  return places;
}

/** Returns the overlaps of matching boxes. As in COCO, the most confident box chooses first, and takes the box with the largest overlap. */
function pairsOf(truths: readonly Box[], found: readonly Box[]): readonly number[] {
  const free = new Set(truths);
  const overlaps: number[] = [];
  for (const box of found.toSorted((a, b) => b.confidence - a.confidence)) {
    let [best, most]: [Box | undefined, number] = [undefined, LEAST_OVERLAP];
    for (const truth of free) {
      const share = overlapOf(box, truth);
      if (share >= most) [best, most] = [truth, share];
    }
    if (best === undefined) continue;
    free.delete(best);
    overlaps.push(most);
  }
  return overlaps;
}

/** Returns the overlap from 0 to 1. */
function overlapOf(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const common = width * height;
  return common / (a.width * a.height + b.width * b.height - common);
}

/** Returns undefined if there is nothing to measure. */
const ratioOf = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);

export const precisionOf = ({ same, other }: Agreement) => ratioOf(same, other);
export const recallOf = ({ same, own }: Agreement) => ratioOf(same, own);
export const f1Of = ({ same, own, other }: Agreement) => ratioOf(2 * same, own + other);
export const meanOverlapOf = ({ same, overlap }: Agreement) => ratioOf(overlap, same);
