/**
 * Looks again, more closely, at uncertain objects that only tiles show. A network finds most real objects again when they are larger, and
 * few wrong ones.
 */
import { iou, type Box } from '../../../domain/geometry/geometry.ts';
import type { Seen } from './join-regions.ts';
import type { Size } from './tiles.ts';

export interface SecondLook<T> {
  readonly picture: Size;
  /** The tiles that were looked at. At most as many looks follow. */
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
/** Minimum side of the region of a second look, as a share of a tile's side. */
const CLOSEST = 0.6;
/** Side of that region as a multiple of the object's side, up to the side of a tile. */
const AROUND = 3;

/** Returns the objects without those whose mean confidence in both looks is below the threshold. The least certain are looked at first. */
export async function confirm<T>(
  objects: readonly Seen<T>[],
  { picture, tiles, inWhole, threshold, sameOverlap, look }: SecondLook<T>,
): Promise<readonly Seen<T>[]> {
  const sure = (SURE_ODDS * threshold) / (1 - threshold + SURE_ODDS * threshold);
  const isSame = (a: Seen<T>, b: Seen<T>) => a.kind === b.kind && iou(a.box, b.box) > sameOverlap;
  const wrong = new Set<Seen<T>>();
  let unsure = objects
    .filter((one) => one.confidence < sure && !inWhole.some((other) => isSame(one, other)))
    .toSorted((a, b) => a.confidence - b.confidence);
  for (let looks = 0; looks < tiles.length && unsure[0] !== undefined; looks++) {
    const [first, ...others] = unsure;
    const region = regionAround(first.box, tiles[0]!, picture);
    const inside = [first, ...others.filter(({ box }) => isWithin(box, region))];
    const again = await look(region, 2 * threshold - sure);
    for (const one of inside) {
      const found = again.find((other) => isSame(one, other));
      if (one.confidence + (found?.confidence ?? 0) < 2 * threshold) wrong.add(one);
    }
    unsure = others.filter((one) => !inside.includes(one));
  }
  return objects.filter((one) => !wrong.has(one));
}

/** Returns a region with the box in its middle as far as the picture allows. */
function regionAround(box: Box, tile: Size, picture: Size): Box {
  const side = (length: number, most: number) =>
    Math.round(Math.min(most, Math.max(CLOSEST * most, AROUND * length)));
  const [width, height] = [side(box.width, tile.width), side(box.height, tile.height)];
  const within = (middle: number, length: number, whole: number) =>
    Math.round(Math.max(0, Math.min(middle - length / 2, whole - length)));
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
