/** Compares boxes of the document with those of the truth: precision, recall and quality of tracking. */
import type { BoxTable, BoxRow } from './box-table.ts';
import { meanPrecision, PrecisionMeter, type AveragePrecision } from './measures/average-precision.ts';
import {
  countedIn,
  f1Of,
  overlap,
  precisionOf,
  recallOf,
  sureOnes,
  surestFirst,
  type Counts,
} from './measures/box-matching.ts';
import {
  nearestPairs,
  sumCounts,
  Tracking,
  trackingMeasures,
  type NearPair,
  type TrackedFrame,
  type TrackingMeasures,
} from './measures/tracking.ts';

export interface BoxMeasures extends AveragePrecision, Counts {
  /** Number of boxes of the truth that must be found, and number of detections with any confidence. */
  readonly truths: number;
  readonly found: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
}

export interface BoxResult {
  readonly boxes: ByClass<BoxMeasures>;
  /** Undefined if the truth has no tracks. */
  readonly tracking: ByClass<TrackingMeasures> | undefined;
}

export interface ByClass<T> {
  readonly overall: T;
  readonly classes: readonly ({ readonly class: string } & T)[];
}

export interface BoxRules {
  /** Minimum confidence of detections for precision, recall and tracking. */
  readonly threshold: number;
  /** Minimum overlap of matching boxes for precision, recall and tracking. */
  readonly iou: number;
}

interface Picture {
  readonly number: number;
  readonly truths: readonly BoxRow[];
  readonly found: readonly BoxRow[];
}

export interface Judged {
  readonly truth: BoxTable;
  readonly found: BoxTable;
  /** Names of classes by their numbers. */
  readonly classes: readonly string[];
  readonly isFrame: (picture: number) => boolean;
}

export function judgeBoxes({ truth, found, classes, isFrame }: Judged, rules: BoxRules): BoxResult {
  const [truths, others] = [numbersByPicture(truth), numbersByPicture(found)];
  const isTracked = hasTracks(truth, isFrame);
  const all = classes.map((name, label) => ({
    name,
    ...judgeClass(
      picturesOf(truths.get(label), others.get(label), { truth, found }),
      rules,
      (picture) => isTracked && isFrame(picture),
    ),
  }));
  const overall = {
    precision: meanPrecision(all.map(({ precision }) => precision)),
    counts: sumOf(all.map(({ counts }) => counts)),
  };
  const tracked = all.map((one) => ({ class: one.name, counts: one.tracked }));
  return {
    boxes: {
      overall: boxMeasures(overall.precision, overall.counts),
      classes: all.map(({ name, precision, counts }) => ({ class: name, ...boxMeasures(precision, counts) })),
    },
    tracking: isTracked
      ? {
          overall: trackingMeasures(sumCounts(tracked.map(({ counts }) => counts))),
          classes: tracked.map((one) => ({ class: one.class, ...trackingMeasures(one.counts) })),
        }
      : undefined,
  };
}

type Counted = Counts & { readonly truths: number; readonly found: number };

const boxMeasures = (precision: AveragePrecision, counts: Counted): BoxMeasures => ({
  ...precision,
  ...counts,
  precision: precisionOf(counts),
  recall: recallOf(counts),
  f1: f1Of(counts),
});

/** Evaluates a class. Pictures are processed one after the other, so that only the boxes of one are in memory. */
function judgeClass(pictures: Iterable<Picture>, rules: BoxRules, isTracked: (picture: number) => boolean) {
  const meter = new PrecisionMeter();
  const tracking = new Tracking();
  let counts: Counted = { truths: 0, found: 0, truePositives: 0, falsePositives: 0, falseNegatives: 0 };
  for (const picture of pictures) {
    meter.add(picture);
    const truths = picture.truths.filter(({ ignored }) => !ignored).length;
    counts = sumOf([counts, { truths, found: picture.found.length, ...countedIn(picture, rules) }]);
    if (isTracked(picture.number)) tracking.add(trackedFrame(picture, rules));
  }
  return { precision: meter.result, counts, tracked: tracking.result };
}

function sumOf(all: readonly Counted[]): Counted {
  const sum = { truths: 0, found: 0, truePositives: 0, falsePositives: 0, falseNegatives: 0 };
  for (const counts of all)
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
  return sum;
}

/** Numbers of boxes by class and picture. */
type Numbers = ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>;

function numbersByPicture(table: BoxTable): Numbers {
  const all = new Map<number, Map<number, number[]>>();
  for (let index = 0; index < table.count; index++) {
    const { label, picture } = table.at(index);
    let ofClass = all.get(label);
    if (ofClass === undefined) all.set(label, (ofClass = new Map<number, number[]>()));
    const ofPicture = ofClass.get(picture);
    if (ofPicture === undefined) ofClass.set(picture, [index]);
    else ofPicture.push(index);
  }
  return all;
}

/** Yields pictures in the order of their numbers. */
function* picturesOf(
  truths: ReadonlyMap<number, readonly number[]> = new Map(),
  found: ReadonlyMap<number, readonly number[]> = new Map(),
  tables: { readonly truth: BoxTable; readonly found: BoxTable },
): Generator<Picture> {
  for (const number of [...new Set([...truths.keys(), ...found.keys()])].toSorted((a, b) => a - b))
    yield {
      number,
      truths: (truths.get(number) ?? []).map((index) => tables.truth.at(index)),
      found: surestFirst((found.get(number) ?? []).map((index) => tables.found.at(index))),
    };
}

/** True if each box of a video belongs to a track. */
function hasTracks(truth: BoxTable, isFrame: (picture: number) => boolean): boolean {
  let isThere = false;
  for (const { picture, track, ignored } of truth) {
    if (ignored || !isFrame(picture)) continue;
    if (track < 0) return false;
    isThere = true;
  }
  return isThere;
}

function trackedFrame({ truths, found }: Picture, { threshold, iou }: BoxRules): TrackedFrame {
  const sure = sureOnes(found, threshold);
  const counting = truths.filter(({ ignored }) => !ignored);
  const kept = counting.length === truths.length ? sure : withoutIgnored(truths, sure, iou);
  return {
    truths: counting.map(({ track }) => track),
    found: kept.map(({ track }) => track),
    pairs: nearOnes(counting, kept, iou).map(({ truth, found: other, distance }) => ({
      truth: counting[truth]!.track,
      found: kept[other]!.track,
      distance,
    })),
  };
}

/** Returns pairs by the indexes of boxes. */
function nearOnes(truths: readonly BoxRow[], found: readonly BoxRow[], iou: number): readonly NearPair[] {
  return truths.flatMap((one, truth) =>
    found.flatMap((other, number) => {
      const shared = overlap(other, one);
      return shared >= iou && shared > 0 ? [{ truth, found: number, distance: 1 - shared }] : [];
    }),
  );
}

/** Removes detections that match an ignored box, as MOTChallenge does before it counts. */
function withoutIgnored(truths: readonly BoxRow[], found: readonly BoxRow[], iou: number): readonly BoxRow[] {
  const pairs = nearestPairs(nearOnes(truths, found, iou));
  const ofFound = new Map(pairs.map((pair) => [pair.found, truths[pair.truth]!]));
  const crowds = truths.filter(({ crowd }) => crowd);
  return found.filter((one, number) => {
    const truth = ofFound.get(number);
    return truth === undefined ? crowds.every((crowd) => overlap(one, crowd) < iou) : !truth.ignored;
  });
}
