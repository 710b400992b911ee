/**
 * Tiled inference (SAHI, Akyon et al. 2022): a network looks at the whole picture and at overlapping tiles of it, in which small objects
 * are large enough for it.
 */
import type { Properties } from '../../../domain/types.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { countOf, invalidProperty, numberWithin } from '../tracking/settings.ts';

export type Size = Pick<Box, 'width' | 'height'>;

export interface Tiling {
  /** Side of a tile in pixels of the picture; 0: no tiles; AUTO: by the sizes of the picture and of the network. */
  readonly size: number | 'AUTO';
  /** Share of its side that a tile at least has in common with the next one. */
  readonly overlap: number;
}

export const NO_TILES: Tiling = { size: 0, overlap: 0 };

/** AUTO makes tiles of pictures that are more than so many times as wide or as high as the input of the network. */
const LARGE_PICTURE = 2;
/** Tiles of AUTO grow with the picture: it is at most so many of them wide and high, which limits the cost. */
const LARGEST_PICTURE = 4;
/** Objects of up to this share of a tile lie whole in one of two neighbours. */
const USUAL_OVERLAP = 0.2;
const LARGEST_OVERLAP = 0.8;
const SMALLEST_TILE = 64;
const MOST_TILES = 1_000;

/** The properties TILE_SIZE and TILE_OVERLAP. Errors: INVALID_PROPERTY, MISSING_PROPERTY. */
export function tilingOf(properties: Properties): Tiling {
  const size = isAuto(properties, 'TILE_SIZE') ? 'AUTO' : countOf(properties, 'TILE_SIZE', 0);
  if (size !== 'AUTO' && size > 0 && size < SMALLEST_TILE)
    throw invalidProperty(
      `The TILE_SIZE property is ${size}; it must be AUTO, 0, or at least ${SMALLEST_TILE} pixels.`,
    );
  const overlap = isAuto(properties, 'TILE_OVERLAP')
    ? USUAL_OVERLAP
    : numberWithin(properties, 'TILE_OVERLAP', 0, LARGEST_OVERLAP);
  return { size, overlap };
}

const isAuto = (properties: Properties, name: string): boolean =>
  properties[name]?.trim().toUpperCase() === 'AUTO';

/** In videos and live streams AUTO makes no tiles: they would take many times as long. */
export const inVideos = (tiling: Tiling): Tiling => (tiling.size === 'AUTO' ? NO_TILES : tiling);

/**
 * The tiles of a picture, row by row, in whole pixels within it; none where the whole picture is enough. `network`: width and height of
 * its input. Errors: INVALID_PROPERTY when there are too many of them.
 */
export function tilesOf(picture: Size, network: Size, { size, overlap }: Tiling): readonly Box[] {
  const tile = size === 'AUTO' ? autoTile(picture, network) : { width: size, height: size };
  if (tile.width === 0 || (tile.width >= picture.width && tile.height >= picture.height)) return [];
  const [width, height] = [Math.min(tile.width, picture.width), Math.min(tile.height, picture.height)];
  const columns = startsOf(picture.width, width, overlap);
  const rows = startsOf(picture.height, height, overlap);
  const count = columns.length * rows.length;
  if (count > MOST_TILES)
    throw invalidProperty(
      `TILE_SIZE ${size} with TILE_OVERLAP ${overlap} makes ${count} tiles of a picture of ${picture.width} x ${picture.height} pixels; at most ${MOST_TILES} are allowed. Set a larger TILE_SIZE, or a smaller TILE_OVERLAP.`,
    );
  return rows.flatMap((y) => columns.map((x) => ({ x, y, width, height })));
}

/** As large as the input of the network, or larger by one factor for both sides; no size: the picture is small. */
function autoTile(picture: Size, network: Size): Size {
  const times = Math.max(picture.width / network.width, picture.height / network.height);
  if (times <= LARGE_PICTURE) return { width: 0, height: 0 };
  const factor = Math.max(1, times / LARGEST_PICTURE);
  return { width: Math.ceil(network.width * factor), height: Math.ceil(network.height * factor) };
}

/** Evenly spread first pixels of as few tiles as cover the length, each with the wanted share of the one before. */
function startsOf(length: number, side: number, overlap: number): readonly number[] {
  const step = Math.max(1, Math.floor(side * (1 - overlap)));
  const gaps = Math.ceil((length - side) / step);
  return Array.from({ length: gaps + 1 }, (_, i) =>
    gaps === 0 ? 0 : Math.floor((i * (length - side)) / gaps),
  );
}
