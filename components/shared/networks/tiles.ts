/**
 * Tiled inference (SAHI, Akyon et al. 2022): a network processes the whole picture and overlapping tiles of it. In the tiles, small objects
 * are large enough for the network.
 */
import type { Properties } from '../../../domain/types.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';
import { countOf, invalidProperty, numberWithin } from '../tracking/settings.ts';

export type Size = Pick<Box, 'width' | 'height'>;

export interface Tiling {
  /** Side of a tile in pixels of the picture; 0: no tiles; AUTO: chosen by the sizes of the picture and the network. */
  readonly size: number | 'AUTO';
  /** Minimum overlap of neighbouring tiles as a share of a tile's side. */
  readonly overlap: number;
}

export const NO_TILES: Tiling = { size: 0, overlap: 0 };

/** Minimum ratio of the picture's width or height to the network's input from which AUTO uses tiles. */
const LARGE_PICTURE = 2;
/** Maximum number of AUTO tiles along the width or height, without overlap. Tiles grow with larger pictures, which limits the cost. */
const LARGEST_PICTURE = 4;
/** Objects up to this share of a tile are completely inside one of two neighbours. */
const USUAL_OVERLAP = 0.2;
const LARGEST_OVERLAP = 0.8;
const SMALLEST_TILE = 64;
const MOST_TILES = 1_000;

/** Reads the properties TILE_SIZE and TILE_OVERLAP. Throws INVALID_PROPERTY, MISSING_PROPERTY. */
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

/** Replaces AUTO for videos and live streams, where AUTO makes no tiles because they would take many times as long. */
export const inVideos = (tiling: Tiling): Tiling => (tiling.size === 'AUTO' ? NO_TILES : tiling);

/**
 * Returns the tiles of a picture, row by row, in whole pixels; none if the whole picture is enough. `network`: width and height of its
 * input. Throws INVALID_PROPERTY if there are too many tiles.
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

/** Returns the tile size: the network's input, or larger by one factor for both sides. Returns 0 x 0 for a small picture. */
function autoTile(picture: Size, network: Size): Size {
  const times = Math.max(picture.width / network.width, picture.height / network.height);
  if (times <= LARGE_PICTURE) return { width: 0, height: 0 };
  const factor = Math.max(1, times / LARGEST_PICTURE);
  return { width: Math.ceil(network.width * factor), height: Math.ceil(network.height * factor) };
}

/** Returns the evenly spread first pixels of the fewest tiles that cover the length with at least the wanted overlap. */
function startsOf(length: number, side: number, overlap: number): readonly number[] {
  const step = Math.max(1, Math.floor(side * (1 - overlap)));
  const gaps = Math.ceil((length - side) / step);
  return Array.from({ length: gaps + 1 }, (_, i) =>
    gaps === 0 ? 0 : Math.floor((i * (length - side)) / gaps),
  );
}
