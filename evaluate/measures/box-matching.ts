/**
 * Matches the boxes of a picture with those of the truth, by the rule of the COCO evaluation (cocodataset.org, Detection Evaluation;
 * COCOeval.evaluateImg of pycocotools 2.0). The most confident detection chooses first, and takes the box with the largest overlap.
 */
import { intersection, isEmptyBox, type Box } from '../../domain/geometry/geometry.ts';
import { ratioOf } from './ratio.ts';

export interface TrueBox extends Box {
  /** Area from the truth: pixels. It may be that of an outline. */
  readonly area: number;
  /** True if the box counts neither as missed nor as a false detection. */
  readonly ignored: boolean;
  /** True if the box represents a group: it may contain any number of detections. Such a box is ignored, too. */
  readonly crowd: boolean;
}

export interface FoundBox extends Box {
  /** Confidence. -1 if the detector reports none. */
  readonly score: number;
}

/** One class in one picture or frame. */
export interface PictureCase {
  readonly truths: readonly TrueBox[];
  /** Detections, most confident first. */
  readonly found: readonly FoundBox[];
}

export const surestFirst = <T extends FoundBox>(found: readonly T[]): readonly T[] =>
  found.toSorted((a, b) => b.score - a.score);

/** Returns the overlap of two boxes, from 0 to 1. For a crowd, returns the fraction of the detection within it. */
export function overlap(found: Box, truth: TrueBox): number {
  const common = intersection(found, truth);
  if (isEmptyBox(common)) return 0;
  const area = common.width * common.height;
  const own = found.width * found.height;
  return area / (truth.crowd ? own : own + truth.width * truth.height - area);
}

/** A box of the truth that overlaps a detection enough to match, by its number. */
export interface Candidate {
  readonly truth: number;
  readonly share: number;
}

/** Returns for each detection the boxes of the truth with at least this overlap. */
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

/** Returns for each detection the number of its box in the truth, or -1. `isIgnored` receives the number of a box. */
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
    // A box that counts has priority over an ignored one.
    const best = counting >= 0 ? counting : bestOf(some, true);
    if (best >= 0) taken[best] = 1;
    found[number] = best;
  }
  return found;
}

export interface Counts {
  /** Number of correct detections, of wrong ones, and of boxes of the truth without a detection. */
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
}

/** Returns the detections with at least the confidence `threshold`. Detections without a confidence always count. */
export const sureOnes = <T extends FoundBox>(found: readonly T[], threshold: number): readonly T[] =>
  found.filter(({ score }) => score < 0 || score >= threshold);

/** Counts the detections of a picture with sufficient confidence, at one overlap. */
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
/** Returns the harmonic mean of precision and recall. */
export const f1Of = ({ truePositives, falsePositives, falseNegatives }: Counts): number | null =>
  ratioOf(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
