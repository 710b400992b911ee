/**
 * Average precision and recall of one class as COCO defines them (cocodataset.org, Detection Evaluation; COCOeval.accumulate and
 * summarize of pycocotools 2.0): the mean over ten overlaps and 101 recalls of the best precision that is had at that recall or a higher one.
 */
import { matched, overlapsOf, type PictureCase } from './box-matching.ts';

/** 0.50 to 0.95 in steps of 0.05. */
export const IOUS = Array.from({ length: 10 }, (_, i) => 0.5 + i * ((0.95 - 0.5) / 9));
const RECALLS = Array.from({ length: 101 }, (_, i) => i * 0.01);
/** Pixels of the truth's boxes. */
const AREAS = {
  all: [0, 1e10],
  small: [0, 32 ** 2],
  medium: [32 ** 2, 96 ** 2],
  large: [96 ** 2, 1e10],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;
type AreaName = keyof typeof AREAS;
/** Detections of a picture that count. */
export const MOST_DETECTIONS = 100;

/** null where the truth has no box to find. */
export interface AveragePrecision {
  readonly ap: number | null;
  readonly ap50: number | null;
  readonly ap75: number | null;
  readonly apSmall: number | null;
  readonly apMedium: number | null;
  readonly apLarge: number | null;
  /** With 1, 10 and 100 detections a picture. */
  readonly ar1: number | null;
  readonly ar10: number | null;
  readonly ar100: number | null;
  readonly arSmall: number | null;
  readonly arMedium: number | null;
  readonly arLarge: number | null;
}

export function averagePrecision(pictures: readonly PictureCase[]): AveragePrecision {
  const cut = pictures.map(({ truths, found }) => ({ truths, found: found.slice(0, MOST_DETECTIONS) }));
  const overlaps = cut.map(overlapsOf);
  const [all, small, medium, large] = (Object.keys(AREAS) as AreaName[]).map(
    (area) => new Ranking(cut, overlaps, AREAS[area]),
  ) as [Ranking, Ranking, Ranking, Ranking];
  return {
    ap: meanOf(all.precisions()),
    ap50: all.precisionAt(0),
    ap75: all.precisionAt(5),
    apSmall: meanOf(small.precisions()),
    apMedium: meanOf(medium.precisions()),
    apLarge: meanOf(large.precisions()),
    ar1: meanOf(all.recalls(1)),
    ar10: meanOf(all.recalls(10)),
    ar100: meanOf(all.recalls(MOST_DETECTIONS)),
    arSmall: meanOf(small.recalls(MOST_DETECTIONS)),
    arMedium: meanOf(medium.recalls(MOST_DETECTIONS)),
    arLarge: meanOf(large.recalls(MOST_DETECTIONS)),
  };
}

/** Over the classes that have something to find. */
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

/** All detections of a class, the surest first, with what became of each at each overlap. */
class Ranking {
  /** Boxes to find. */
  #wanted = 0;
  readonly #verdicts: readonly Uint8Array[];
  /** Place of a detection among those of its picture, from 0. */
  readonly #places: readonly number[];
  readonly #order: readonly number[];

  constructor(
    pictures: readonly PictureCase[],
    overlaps: readonly (readonly Float64Array[])[],
    [least, most]: readonly [number, number],
  ) {
    const isOutside = (area: number) => area < least || area > most;
    const all = pictures.flatMap(({ found }) => found);
    this.#places = pictures.flatMap(({ found }) => [...found.keys()]);
    this.#order = [...all.keys()].toSorted((a, b) => all[b]!.score - all[a]!.score);
    this.#verdicts = IOUS.map(() => new Uint8Array(all.length));
    let first = 0;
    for (const [number, { truths, found }] of pictures.entries()) {
      const ignored = truths.map((truth) => truth.ignored || isOutside(truth.area));
      this.#wanted += ignored.filter((is) => !is).length;
      for (const [at, iou] of IOUS.entries()) {
        const verdicts = this.#verdicts[at]!;
        for (const [place, truth] of matched(overlaps[number]!, truths, ignored, iou).entries()) {
          const { width, height } = found[place]!;
          const isIgnored = truth < 0 ? isOutside(width * height) : ignored[truth] === true;
          verdicts[first + place] = isIgnored ? IGNORED : truth < 0 ? WRONG : RIGHT;
        }
      }
      first += found.length;
    }
  }

  precisions(): readonly (number | null)[] {
    return IOUS.map((_, at) => this.precisionAt(at));
  }

  /** At the overlap with this number. */
  precisionAt(at: number): number | null {
    if (this.#wanted === 0) return null;
    const points = this.#points(at, MOST_DETECTIONS);
    // The best precision at this recall or a higher one.
    for (let i = points.length - 2; i >= 0; i--)
      points[i]!.precision = Math.max(points[i]!.precision, points[i + 1]!.precision);
    let point = 0;
    let sum = 0;
    for (const recall of RECALLS) {
      while (point < points.length && points[point]!.recall < recall) point += 1;
      sum += points[point]?.precision ?? 0;
    }
    return sum / RECALLS.length;
  }

  /** At each overlap, with so many detections a picture. */
  recalls(most: number): readonly (number | null)[] {
    if (this.#wanted === 0) return [];
    return IOUS.map((_, at) => this.#points(at, most).at(-1)?.recall ?? 0);
  }

  /** Recall and precision after each detection. */
  #points(at: number, most: number): { readonly recall: number; precision: number }[] {
    const verdicts = this.#verdicts[at]!;
    const points: { readonly recall: number; precision: number }[] = [];
    let [right, wrong] = [0, 0];
    for (const one of this.#order) {
      if (this.#places[one]! >= most) continue;
      if (verdicts[one] === RIGHT) right += 1;
      else if (verdicts[one] === WRONG) wrong += 1;
      const precision = right + wrong === 0 ? 0 : right / (right + wrong);
      points.push({ recall: right / this.#wanted, precision });
    }
    return points;
  }
}
