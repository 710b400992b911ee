/**
 * Looks again at uncertain objects that only tiles show. A network is less steady about wrong objects: in another part of the picture, it
 * mostly does not find them again.
 */
import { iou, type Box } from '../../../domain/geometry/geometry.ts';
import type { Seen } from './join-regions.ts';
import type { Size } from './tiles.ts';

export interface SecondLook<T> {
  readonly picture: Size;
  /** The tiles that were looked at. At most half as many looks follow. */
  readonly tiles: readonly Box[];
  /** Objects in the whole picture. They need no second look. */
  readonly inWhole: readonly Seen<T>[];
  /** Minimum confidence of an object, 0 to 1. */
  readonly threshold: number;
  /** Minimum intersection over union of two boxes of one object. */
  readonly sameOverlap: number;
  /** Returns the objects with at least `threshold` in a part of the picture. */
  readonly look: (region: Box, threshold: number) => Promise<readonly Seen<T>[]>;
}

/** Factor of the odds of the threshold from which an object needs no second look. */
const SURE_ODDS = 2;

/** Returns the objects without those whose mean confidence in both looks is below the threshold. */
export async function confirm<T>(
  objects: readonly Seen<T>[],
  { picture, tiles, inWhole, threshold, sameOverlap, look }: SecondLook<T>,
): Promise<readonly Seen<T>[]> {
  const sure = (SURE_ODDS * threshold) / (1 - threshold + SURE_ODDS * threshold);
  const isSame = (a: Seen<T>, b: Seen<T>) => a.kind === b.kind && iou(a.box, b.box) > sameOverlap;
  const wrong = new Set<Seen<T>>();
  let unsure = objects.filter((one) => one.confidence < sure && !inWhole.some((other) => isSame(one, other)));
  for (let looks = 0; looks < tiles.length / 2 && unsure[0] !== undefined; looks++) {
    const region = regionAround(unsure[0].box, tiles[0]!, picture);
    const [first, ...others] = unsure;
    const inside = [first, ...others.filter(({ box }) => isWithin(box, region))];
    const again = await look(region, 2 * threshold - sure);
    for (const one of inside) {
      const confidence = Math.max(
        0,
        ...again.filter((other) => isSame(one, other)).map((other) => other.confidence),
      );
      if (one.confidence + confidence < 2 * threshold) wrong.add(one);
    }
    unsure = others.filter((one) => !inside.includes(one));
  }
  return objects.filter((one) => !wrong.has(one));
}

/** Returns a region of the given size with the box in its middle, as far as the picture allows. */
function regionAround(box: Box, { width, height }: Size, picture: Size): Box {
  const within = (middle: number, side: number, whole: number) =>
    Math.round(Math.max(0, Math.min(middle - side / 2, whole - side)));
  const x = within(box.x + box.width / 2, width, picture.width);
  const y = within(box.y + box.height / 2, height, picture.height);
  return { x, y, width, height };
}

/** Distance of a box from the border of a region, as a share of its side, so that the box is not cut. */
const FROM_BORDER = 0.05;

function isWithin(box: Box, region: Box): boolean {
  const [across, along] = [region.width * FROM_BORDER, region.height * FROM_BORDER];
  return (
    box.x >= region.x + across &&
    box.y >= region.y + along &&
    box.x + box.width <= region.x + region.width - across &&
    box.y + box.height <= region.y + region.height - along
  );
}
