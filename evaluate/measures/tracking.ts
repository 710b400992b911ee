/**
 * Measures how well objects are tracked from frame to frame. MOTA and MOTP: K. Bernardin and R. Stiefelhagen, "Evaluating Multiple Object
 * Tracking Performance: The CLEAR MOT Metrics" (2008), as py-motmetrics and MOTChallenge count them. IDF1: E. Ristani et al., "Performance
 * Measures and a Data Set for Multi-Target, Multi-Camera Tracking" (2016).
 */
import { heaviestPairs, type Edge } from './assignment.ts';
import { ratioOf } from './ratio.ts';

/** Two boxes of a frame that may be the same object: the numbers of their tracks, and their distance from 0 to 1. */
export interface NearPair {
  readonly truth: number;
  readonly found: number;
  readonly distance: number;
}
/** The tracks in one frame, by their numbers. */
export interface TrackedFrame {
  readonly truths: readonly number[];
  readonly found: readonly number[];
  readonly pairs: readonly NearPair[];
}

export interface TrackingCounts {
  /** Number of boxes of the truth and of the document in all frames. */
  readonly objects: number;
  readonly detections: number;
  readonly matches: number;
  readonly misses: number;
  readonly falsePositives: number;
  /** Number of times that an object is matched with another track than before. */
  readonly switches: number;
  /** Sum of the distances of all matches. */
  readonly distance: number;
  /** Number of matching boxes if each track of the truth is assigned one track of the document for all frames. */
  readonly sameIdentity: number;
}

/** Collects frames in their order. */
export class Tracking {
  /** The track with which an object was last matched. */
  readonly #lastSeenAs = new Map<number, number>();
  /** Number of common frames of two tracks. */
  readonly #common = new Map<number, Map<number, number>>();
  #counts = { objects: 0, detections: 0, matches: 0, falsePositives: 0, switches: 0, distance: 0 };

  add(frame: TrackedFrame): void {
    const counts = this.#counts;
    counts.objects += frame.truths.length;
    counts.detections += frame.found.length;
    for (const { truth, found } of frame.pairs) this.#together(truth, found);
    const made = this.#matchFrame(frame);
    for (const { truth, found, distance } of made) {
      const before = this.#lastSeenAs.get(truth);
      if (before !== undefined && before !== found) counts.switches += 1;
      this.#lastSeenAs.set(truth, found);
      counts.distance += distance;
    }
    counts.matches += made.length;
    counts.falsePositives += frame.found.length - made.length;
  }

  get result(): TrackingCounts {
    const edges: Edge[] = [];
    for (const [row, columns] of this.#common)
      for (const [column, weight] of columns) edges.push({ row, column, weight });
    const sameIdentity = heaviestPairs(edges).reduce((sum, { weight }) => sum + weight, 0);
    return { ...this.#counts, misses: this.#counts.objects - this.#counts.matches, sameIdentity };
  }

  #together(truth: number, found: number): void {
    const others = this.#common.get(truth) ?? new Map<number, number>();
    this.#common.set(truth, others.set(found, (others.get(found) ?? 0) + 1));
  }

  /**
   * Matches the boxes of a frame. An object keeps its track if possible. The others are paired to get the most pairs, then the least
   * distance.
   */
  #matchFrame({ truths, pairs }: TrackedFrame): readonly NearPair[] {
    const takenTruths = new Set<number>();
    const takenFound = new Set<number>();
    const made: NearPair[] = [];
    const take = (pair: NearPair) => {
      made.push(pair);
      takenTruths.add(pair.truth);
      takenFound.add(pair.found);
    };
    for (const truth of truths) {
      const before = this.#lastSeenAs.get(truth);
      const pair = pairs.find((one) => one.truth === truth && one.found === before);
      if (pair !== undefined && !takenFound.has(pair.found)) take(pair);
    }
    const rest = pairs.filter(({ truth, found }) => !takenTruths.has(truth) && !takenFound.has(found));
    for (const pair of nearestPairs(rest)) take(pair);
    return made;
  }
}

/** Returns the largest number of pairs, and among these solutions the one with the smallest sum of distances. */
export function nearestPairs(pairs: readonly NearPair[]): readonly NearPair[] {
  // One more pair has more weight than all distances together.
  const farthest = pairs.reduce((most, { distance }) => Math.max(most, distance), 0);
  const base = (farthest + 1) * (pairs.length + 1);
  const edges = pairs.map((pair) => ({
    row: pair.truth,
    column: pair.found,
    weight: base - pair.distance,
    pair,
  }));
  return heaviestPairs(edges).map((edge) => (edge as (typeof edges)[number]).pair);
}

export function sumCounts(all: readonly TrackingCounts[]): TrackingCounts {
  const sum = new Tracking().result as Record<keyof TrackingCounts, number>;
  for (const counts of all)
    for (const name of Object.keys(sum) as (keyof TrackingCounts)[]) sum[name] += counts[name];
  return sum;
}

export interface TrackingMeasures extends Omit<TrackingCounts, 'distance' | 'sameIdentity'> {
  readonly mota: number | null;
  /** Mean overlap of matches, as MOTChallenge reports it: 1 is best. The mean distance of the paper is 1 minus this value. */
  readonly motp: number | null;
  readonly idf1: number | null;
  readonly idPrecision: number | null;
  readonly idRecall: number | null;
}

export function trackingMeasures(counts: TrackingCounts): TrackingMeasures {
  const { distance, sameIdentity, ...told } = counts;
  const { objects, detections, matches, misses, falsePositives, switches } = told;
  const faults = ratioOf(misses + falsePositives + switches, objects);
  const apart = ratioOf(distance, matches);
  return {
    ...told,
    mota: faults === null ? null : 1 - faults,
    motp: apart === null ? null : 1 - apart,
    idf1: ratioOf(2 * sameIdentity, objects + detections),
    idPrecision: ratioOf(sameIdentity, detections),
    idRecall: ratioOf(sameIdentity, objects),
  };
}
