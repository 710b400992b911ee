/**
 * Average precision and recall of one class as COCO defines them (cocodataset.org, Detection Evaluation; COCOeval of
 * pycocotools 2.0). The average precision is the mean over ten overlaps and 101 recalls of the best precision at this
 * recall or a higher one.
 */
import { candidatesOf, matchBoxes, type Candidate, type PictureCase } from './box-matching.ts';

/** Overlaps from 0.50 to 0.95 in steps of 0.05. */
const IOUS = Array.from({ length: 10 }, (_, i) => 0.5 + i * ((0.95 - 0.5) / 9));
const RECALLS = Array.from({ length: 101 }, (_, i) => i * 0.01);
/** Ranges of areas of the truth's boxes: pixels. */
const AREAS = {
  all: [0, 1e10],
  small: [0, 32 ** 2],
  medium: [32 ** 2, 96 ** 2],
  large: [96 ** 2, 1e10],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
type AreaName = keyof typeof AREAS;
/** Maximum number of detections per picture that count. */
const MOST_DETECTIONS = 100;

/** Results. Null if the truth has no box to find. */
export interface AveragePrecision {
  readonly ap: number | null;
  readonly ap50: number | null;
  readonly ap75: number | null;
  readonly apSmall: number | null;
  readonly apMedium: number | null;
  readonly apLarge: number | null;
  /** Average recall with 1, 10 and 100 detections per picture. */
  readonly ar1: number | null;
  readonly ar10: number | null;
  readonly ar100: number | null;
  readonly arSmall: number | null;
  readonly arMedium: number | null;
  readonly arLarge: number | null;
}

/** Measures the precision of a class. Pictures are added one by one, and each detection needs about fifty bytes. */
export class PrecisionMeter {
  readonly #rankings = new Map(
    (Object.keys(AREAS) as AreaName[]).map((area) => [area, new Ranking(AREAS[area])]),
  );

  add({ truths, found }: PictureCase): void {
    const picture = { truths, found: found.slice(0, MOST_DETECTIONS) };
    const candidates = candidatesOf(picture, IOUS[0]!);
    for (const ranking of this.#rankings.values()) ranking.add(picture, candidates);
  }

  get result(): AveragePrecision {
    const of = (area: AreaName) => this.#rankings.get(area)!;
    const all = of('all');
    const precisions = all.precisions();
    return {
      ap: meanOf(precisions),
      ap50: precisions[0] ?? null,
      ap75: precisions[5] ?? null,
      apSmall: meanOf(of('small').precisions()),
      apMedium: meanOf(of('medium').precisions()),
      apLarge: meanOf(of('large').precisions()),
      ar1: meanOf(all.recalls(1)),
      ar10: meanOf(all.recalls(10)),
      ar100: meanOf(all.recalls(MOST_DETECTIONS)),
      arSmall: meanOf(of('small').recalls(MOST_DETECTIONS)),
      arMedium: meanOf(of('medium').recalls(MOST_DETECTIONS)),
      arLarge: meanOf(of('large').recalls(MOST_DETECTIONS)),
    };
  }
}

export function averagePrecision(pictures: Iterable<PictureCase>): AveragePrecision {
  const meter = new PrecisionMeter();
  for (const picture of pictures) meter.add(picture);
  return meter.result;
}

/** Returns the mean over the classes with boxes to find. */
export function meanPrecision(classes: readonly AveragePrecision[]): AveragePrecision {
  const names = Object.keys(averagePrecision([])) as (keyof AveragePrecision)[];
  return Object.fromEntries(
    names.map((name) => [name, meanOf(classes.map((one) => one[name]))]),
  ) as unknown as AveragePrecision;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

const [WRONG, RIGHT, IGNORED] = [0, 1, 2];

/** The results of the detections of a class at each overlap, for boxes of the truth in a range of areas. */
class Ranking {
  readonly #isOutside: (area: number) => boolean;
  /** Number of boxes to find. */
  #wanted = 0;
  #count = 0;
  #scores = new Float64Array(64);
  /** Rank of a detection within its picture, from 0. */
  #places = new Uint8Array(64);
  /** Result of each detection at each overlap. */
  #verdicts = new Uint8Array(64 * IOUS.length);
  /** Indexes of the detections, most confident first. */
  #order: Uint32Array | undefined;

  constructor([least, most]: readonly [number, number]) {
    this.#isOutside = (area) => area < least || area > most;
  }

  add({ truths, found }: PictureCase, candidates: readonly (readonly Candidate[])[]): void {
    const ignored = truths.map((truth) => truth.ignored || this.#isOutside(truth.area));
    this.#wanted += ignored.filter((is) => !is).length;
    this.#grow(found.length);
    for (const [place, { score }] of found.entries()) {
      this.#scores[this.#count + place] = score;
      this.#places[this.#count + place] = place;
    }
    for (const [at, iou] of IOUS.entries())
      for (const [place, truth] of matchBoxes(candidates, truths, ignored, iou).entries()) {
        const { width, height } = found[place]!;
        const isIgnored = truth < 0 ? this.#isOutside(width * height) : ignored[truth] === true;
        const verdict = isIgnored ? IGNORED : truth < 0 ? WRONG : RIGHT;
        this.#verdicts[(this.#count + place) * IOUS.length + at] = verdict;
      }
    this.#count += found.length;
    this.#order = undefined;
  }

  /** Returns the precision at each overlap. Returns none if there is nothing to find. */
  precisions(): readonly number[] {
    return this.#wanted === 0 ? [] : IOUS.map((_, at) => this.#precisionAt(at));
  }

  /** Returns the recall at each overlap, with at most this many detections per picture. */
  recalls(most: number): readonly number[] {
    if (this.#wanted === 0) return [];
    return IOUS.map((_, at) => {
      let right = 0;
      for (let one = 0; one < this.#count; one++)
        if (this.#places[one]! < most && this.#verdicts[one * IOUS.length + at] === RIGHT) right += 1;
      return right / this.#wanted;
    });
  }

  #precisionAt(at: number): number {
    const recalls = new Float64Array(this.#count);
    const precisions = new Float64Array(this.#count);
    let [right, wrong] = [0, 0];
    for (const [rank, one] of this.#rankDetections().entries()) {
      const verdict = this.#verdicts[one * IOUS.length + at];
      if (verdict === RIGHT) right += 1;
      else if (verdict === WRONG) wrong += 1;
      recalls[rank] = right / this.#wanted;
      precisions[rank] = right + wrong === 0 ? 0 : right / (right + wrong);
    }
    // Replaces each precision by the best one at this recall or a higher one.
    for (let rank = this.#count - 2; rank >= 0; rank--)
      precisions[rank] = Math.max(precisions[rank]!, precisions[rank + 1]!);
    let [rank, sum] = [0, 0];
    for (const recall of RECALLS) {
      while (rank < this.#count && recalls[rank]! < recall) rank += 1;
      sum += precisions[rank] ?? 0;
    }
    return sum / RECALLS.length;
  }

  #rankDetections(): Uint32Array {
    const scores = this.#scores;
    return (this.#order ??= Uint32Array.from({ length: this.#count }, (_, one) => one).sort(
      (a, b) => scores[b]! - scores[a]! || a - b,
    ));
  }

  #grow(more: number): void {
    if (this.#count + more <= this.#scores.length) return;
    const length = Math.max(this.#count + more, this.#scores.length * 2);
    const [scores, places, verdicts] = [this.#scores, this.#places, this.#verdicts];
    this.#scores = new Float64Array(length);
    this.#places = new Uint8Array(length);
    this.#verdicts = new Uint8Array(length * IOUS.length);
    this.#scores.set(scores);
    this.#places.set(places);
    this.#verdicts.set(verdicts);
  }
}
