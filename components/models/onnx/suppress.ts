/** Keeps only the best of several boxes of one object. */
import { joinRegions } from '../../shared/networks/join-regions.ts';
import type { Size } from '../../shared/networks/tiles.ts';
import type { RawBox, ScoredClass } from './heads/head.ts';
import { iou, type Box } from '../../../domain/geometry/geometry.ts';

/** Maximum number of boxes that are compared. Pictures show fewer objects. */
const MOST_BOXES = 3_000;

export const scoreOf = ({ classes }: RawBox): number => classes[0]?.score ?? 0;

/** Returns the kept boxes by descending score. Boxes of one class with more than `most` intersection over union are one object. */
export function suppress(found: readonly RawBox[], most: number): RawBox[] {
  const kept = new Map<number, RawBox[]>();
  for (const box of sortBoxes(found)) {
    const number = box.classes[0]?.number ?? 0;
    const same = kept.get(number);
    if (same === undefined) kept.set(number, [box]);
    else if (!same.some((one) => iou(one, box) > most)) same.push(box);
  }
  return sortBoxes([...kept.values()].flat());
}

export const sortBoxes = (found: readonly RawBox[]): RawBox[] =>
  found.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, MOST_BOXES);

interface Judged {
  readonly box: Box;
  readonly classes: readonly ScoredClass[];
}

/** Merges the findings of a picture's regions, with each object once and the best first. */
export function joinFindings<T extends Judged>(
  picture: Size,
  regions: readonly { readonly region: Box; readonly found: readonly T[] }[],
  sameOverlap: number,
): readonly T[] {
  const seen = regions.flatMap(({ region, found }) =>
    found.map((what) => {
      const { number: kind = 0, score: confidence = 0 } = what.classes[0] ?? {};
      return { box: what.box, region, kind, confidence, what };
    }),
  );
  return joinRegions(seen, { picture, sameOverlap }).map(({ box, what }) => ({ ...what, box }));
}
