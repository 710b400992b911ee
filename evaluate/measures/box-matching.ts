/**
 * Which box of a picture belongs to which of the truth, by the rule of the COCO evaluation (cocodataset.org, Detection Evaluation;
 * COCOeval.evaluateImg of pycocotools 2.0): the surest detection chooses first, and takes the box that it shares most with.
 */
import { intersection, isEmptyBox, type Box } from '../../domain/geometry/geometry.ts';
import { ratioOf } from './ratio.ts';

export interface TrueBox extends Box {
  /** Pixels: what the truth says, which may be those of an outline. */
  readonly area: number;
  /** Neither to be found nor wrong to be found. */
  readonly ignored: boolean;
  /** Stands for many: any number of detections may lie in it. Such a box is ignored, too. */
  readonly crowd: boolean;
}

export interface FoundBox extends Box {
  /** Confidence; -1 where the detector gives none. */
  readonly score: number;
}

/** One picture, or one frame, of one class. */
export interface PictureCase {
  readonly truths: readonly TrueBox[];
  /** The surest first. */
  readonly found: readonly FoundBox[];
}

export const surestFirst = <T extends FoundBox>(found: readonly T[]): readonly T[] =>
  found.toSorted((a, b) => b.score - a.score);

/** The overlap of two boxes, from 0 to 1; of a crowd, the part of the detection within it. */
export function overlap(found: Box, truth: TrueBox): number {
  const common = intersection(found, truth);
  if (isEmptyBox(common)) return 0;
  const area = common.width * common.height;
  const own = found.width * found.height;
  return area / (truth.crowd ? own : own + truth.width * truth.height - area);
}

/** A box of the truth that a detection shares enough with to be it, by its number. */
export interface Candidate {
  readonly truth: number;
  readonly share: number;
}

/** Of each detection those boxes of the truth that it shares at least so much with. */
export const candidatesOf = (
  { truths, found }: PictureCase,
  least: number,
): readonly (readonly Candidate[])[] =>
  found.map((one) => {
    const candidates: Candidate[] = [];
    for (const [truth, box] of truths.entries()) {
      const share = overlap(one, box);
      if (share > 0 && share >= least) candidates.push({ truth, share });
    }
    return candidates;
  });

/** Of each detection the number of the box of the truth, or -1. `isIgnored` by the number of the box. */
export function matchBoxes(
  candidates: readonly (readonly Candidate[])[],
  truths: readonly TrueBox[],
  isIgnored: readonly boolean[],
  least: number,
): Int32Array {
  const taken = new Uint8Array(truths.length);
  const bestOf = (some: readonly Candidate[], ignored: boolean): number => {
    let [best, most] = [-1, Math.min(least, 1 - 1e-10)];
    for (const { truth, share } of some)
      if (
        isIgnored[truth] === ignored &&
        share >= most &&
        (taken[truth] === 0 || truths[truth]?.crowd === true)
      )
        [best, most] = [truth, share];
    return best;
  };
  const found = new Int32Array(candidates.length);
  for (const [number, some] of candidates.entries()) {
    const counting = bestOf(some, false);
    // A box that counts is taken before one that does not.
    const best = counting >= 0 ? counting : bestOf(some, true);
    if (best >= 0) taken[best] = 1;
    found[number] = best;
  }
  return found;
}

export interface Counts {
  /** Detections that belong to the truth, those that do not, and boxes of the truth that nothing was found for. */
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
}

/** The detections that are at least as sure as `threshold`; those without a confidence count always. */
export const sureOnes = <T extends FoundBox>(found: readonly T[], threshold: number): readonly T[] =>
  found.filter(({ score }) => score < 0 || score >= threshold);

/** Of the detections of a picture that are sure enough, at one overlap. */
export function countedIn(
  { truths, found }: PictureCase,
  { threshold, iou }: { readonly threshold: number; readonly iou: number },
): Counts {
  const sure = sureOnes(found, threshold);
  const ignored = truths.map((truth) => truth.ignored);
  const pairs = matchBoxes(candidatesOf({ truths, found: sure }, iou), truths, ignored, iou);
  let [right, wrong] = [0, 0];
  for (const truth of pairs)
    if (truth < 0) wrong += 1;
    else if (ignored[truth] === false) right += 1;
  const wanted = ignored.filter((is) => !is).length;
  return { truePositives: right, falsePositives: wrong, falseNegatives: wanted - right };
}

export const precisionOf = ({ truePositives, falsePositives }: Counts): number | null =>
  ratioOf(truePositives, truePositives + falsePositives);
export const recallOf = ({ truePositives, falseNegatives }: Counts): number | null =>
  ratioOf(truePositives, truePositives + falseNegatives);
/** The harmonic mean of both. */
export const f1Of = ({ truePositives, falsePositives, falseNegatives }: Counts): number | null =>
  ratioOf(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
