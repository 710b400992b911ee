import { expect } from 'chai';
import fc from 'fast-check';
import { inFrame, letterbox } from '../../../components/shared/networks/letterbox.ts';
import { joinRegions, type Seen } from '../../../components/shared/networks/join-regions.ts';
import { inVideos, NO_TILES, tilesOf, tilingOf } from '../../../components/shared/networks/tiles.ts';
import { intersection, iou, type Box } from '../../../domain/geometry/geometry.ts';
import { picture } from '../visual.ts';

const NETWORK = { width: 416, height: 416 };
const size = fc.record({
  width: fc.integer({ min: 1, max: 5_000 }),
  height: fc.integer({ min: 1, max: 5_000 }),
});
const tiling = fc.record({
  size: fc.oneof(fc.constant('AUTO' as const), fc.integer({ min: 400, max: 1_500 })),
  overlap: fc.double({ min: 0, max: 0.5, noNaN: true }),
});
const sharePair = (starts: readonly number[], side: number): number[] =>
  starts.slice(1).map((start, i) => starts[i]! + side - start);
const unique = (values: readonly number[]): number[] => [...new Set(values)].toSorted((a, b) => a - b);

describe('The tiles of a picture', () => {
  it('lie within it in whole pixels, cover it, and share what is asked for', () => {
    fc.assert(
      fc.property(size, tiling, (of, how) => {
        const tiles = tilesOf(of, NETWORK, how);
        if (tiles.length === 0) return;
        for (const { x, y, width, height } of tiles) {
          expect([x, y, width, height].every(Number.isSafeInteger)).to.equal(true);
          expect(Math.min(x, y, of.width - x - width, of.height - y - height)).to.be.at.least(0);
        }
        const { width, height } = tiles[0]!;
        const [xs, ys] = [unique(tiles.map(({ x }) => x)), unique(tiles.map(({ y }) => y))];
        expect(tiles).to.have.length(xs.length * ys.length);
        expect([xs[0], ys[0], xs.at(-1)! + width, ys.at(-1)! + height]).to.deep.equal([
          0,
          0,
          of.width,
          of.height,
        ]);
        for (const common of sharePair(xs, width))
          expect(common).to.be.at.least(Math.floor(width * how.overlap));
        for (const common of sharePair(ys, height))
          expect(common).to.be.at.least(Math.floor(height * how.overlap));
      }),
    );
  });

  it('are made by AUTO of pictures that are more than twice the size of the network', () => {
    const count = (width: number, height: number) =>
      tilesOf({ width, height }, NETWORK, { size: 'AUTO', overlap: 0.2 }).length;
    expect([count(832, 832), count(833, 400), count(300, 833)]).to.deep.equal([0, 3, 3]);
  });

  it('are at most 25 with AUTO in a picture of any size', () => {
    for (const width of [1_280, 1_920, 4_000, 20_000])
      for (const height of [720, 1_080, 3_000, 20_000])
        expect(tilesOf({ width, height }, NETWORK, { size: 'AUTO', overlap: 0.2 }).length).to.be.within(
          3,
          25,
        );
  });

  it('are none for size 0, in pictures no larger than a tile, and by AUTO in videos', () => {
    const large = { width: 4_000, height: 3_000 };
    expect(tilesOf(large, NETWORK, NO_TILES)).to.deep.equal([]);
    expect(tilesOf(large, NETWORK, { size: 4_000, overlap: 0.2 })).to.deep.equal([]);
    expect(tilesOf(large, NETWORK, inVideos({ size: 'AUTO', overlap: 0.2 }))).to.deep.equal([]);
    expect(tilesOf(large, NETWORK, inVideos({ size: 2_000, overlap: 0.2 }))).to.have.length(6);
  });

  it('are refused when there would be more than 1,000 of them', () => {
    expect(() => tilesOf({ width: 10_000, height: 10_000 }, NETWORK, { size: 64, overlap: 0.2 })).to.throw(
      'TILE_SIZE 64 with TILE_OVERLAP 0.2 makes 38416 tiles of a picture of 10000 x 10000 pixels',
    );
  });

  it('are set by two properties, and other values are refused', () => {
    const read = (TILE_SIZE: string, TILE_OVERLAP = 'AUTO') => tilingOf({ TILE_SIZE, TILE_OVERLAP });
    expect(read(' auto ')).to.deep.equal({ size: 'AUTO', overlap: 0.2 });
    expect(read('640', '0.5')).to.deep.equal({ size: 640, overlap: 0.5 });
    for (const [tile, overlap] of [
      ['63'],
      ['-1'],
      ['64.5'],
      ['much'],
      ['640', '0.9'],
      ['640', '-0.1'],
    ] as const)
      expect(() => read(tile, overlap), `${tile} ${overlap}`).to.throw(/TILE_(SIZE|OVERLAP) property/);
    expect(() => tilingOf({ TILE_OVERLAP: 'AUTO' })).to.throw('The TILE_SIZE property is not set.');
  });

  it('map their boxes back to the picture exactly', () => {
    const side = 64;
    const frame = picture(300, 200, (x, y) => [x % 256, y, 0]);
    const square = new Float32Array(side * side * 3);
    for (const tile of tilesOf(frame, NETWORK, { size: 64, overlap: 0.25 })) {
      const place = letterbox(frame, tile, square, side);
      const pixel = { x: 10, y: 20, width: 3, height: 4 };
      const found = inFrame(pixel, place);
      expect(found).to.deep.equal({ ...pixel, x: tile.x + 10, y: tile.y + 20 });
      const red = Math.round((square[(20 * side + 10) * 3]! + 1) * 127.5);
      expect(red, 'the pixel that is there').to.equal(found.x % 256);
    }
  });
});

const PICTURE = { width: 2_000, height: 1_500 };
const RULES = { picture: PICTURE, sameOverlap: 0.5 };
const WHOLE: Box = { x: 0, y: 0, ...PICTURE };
const TILES = tilesOf(PICTURE, NETWORK, { size: 500, overlap: 0.2 });

/**
 * Simulates a network that sees objects with at least a quarter inside the region, and only large ones in the
 * whole picture.
 */
function look(objects: readonly Box[], leastInWhole = 200): Seen<number>[] {
  return [WHOLE, ...TILES].flatMap((region) =>
    objects.flatMap((object, what) => {
      const box = intersection(object, region);
      const isSeen =
        box.width > 0 && box.height > 0 && box.width * box.height * 4 >= object.width * object.height;
      if (!isSeen || (region === WHOLE && object.width < leastInWhole)) return [];
      const share = (box.width * box.height) / (object.width * object.height);
      return [{ box, region, kind: 'car', confidence: 0.4 + 0.5 * share - 0.01 * (region.x / 2_000), what }];
    }),
  );
}

describe('Boxes of several tiles', () => {
  it('become each object once, whole, wherever it lies', () => {
    const cell = { width: 250, height: 250 };
    const objects = fc.array(
      fc.record({
        column: fc.integer({ min: 0, max: 7 }),
        row: fc.integer({ min: 0, max: 5 }),
        x: fc.integer({ min: 0, max: 100 }),
        y: fc.integer({ min: 0, max: 100 }),
        width: fc.integer({ min: 16, max: 150 }),
        height: fc.integer({ min: 16, max: 150 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(objects, (some) => {
        const byCell = new Map(some.map((one) => [one.row * 8 + one.column, one]));
        const truth = [...byCell.values()].map(({ column, row, x, y, width, height }) => ({
          x: column * cell.width + x,
          y: row * cell.height + y,
          width,
          height,
        }));
        const joined = joinRegions(look(truth), RULES);
        expect(joined).to.have.length(truth.length);
        for (const { box, what } of joined) expect(box).to.deep.equal(truth[what]);
      }),
    );
  });

  const partsOf = (object: Box) =>
    TILES.flatMap((region) => {
      const box = intersection(object, region);
      if (!(box.width > 0 && box.height > 0)) return [];
      return [{ region, box, kind: 'truck', confidence: 0.5, what: 0 }];
    });

  it('join an object that lies whole in no tile from its parts', () => {
    const truck = { x: 330, y: 700, width: 200, height: 60 };
    const parts = partsOf(truck);
    expect(parts.every(({ box }) => box.width < truck.width)).to.equal(true);
    expect(joinRegions(parts, RULES).map(({ box }) => box)).to.deep.equal([truck]);
  });

  it('are left out where only parts of something large were found', () => {
    const wall = { x: 150, y: 620, width: 1_700, height: 400 };
    expect(joinRegions(partsOf(wall), RULES)).to.deep.equal([]);
    const whole = { region: WHOLE, box: wall, kind: 'truck', confidence: 0.45, what: 1 };
    expect(joinRegions([...partsOf(wall), whole], RULES)).to.deep.equal([whole]);
  });

  it('keep a child before an adult, though one box lies within the other', () => {
    const family = [{ x: 1_000, y: 100, width: 120, height: 300 }, { x: 1_020, y: 220, width: 60, height: 170 }]; // oxfmt-ignore
    const joined = joinRegions(look(family), RULES);
    expect(joined.map(({ box }) => box)).to.have.deep.members(family);
  });

  it('stay apart when they are of two classes', () => {
    const seen = look([{ x: 30, y: 30, width: 50, height: 50 }]);
    const other = { ...seen[0]!, kind: 'bus', region: WHOLE };
    expect(joinRegions([...seen, other], RULES)).to.have.length(2);
  });

  it('of the whole picture and of a tile are one object though they differ by some pixels', () => {
    const box = { x: 710, y: 500, width: 24, height: 30 };
    const coarse = { x: 706, y: 496, width: 28, height: 36 };
    const seen = (region: Box, one: Box, confidence: number): Seen<string> => ({ region, box: one, confidence, kind: 1, what: '' }); // oxfmt-ignore
    const tile = TILES.find((one) => iou(intersection(one, box), box) === 1)!;
    const [first, ...rest] = joinRegions([seen(WHOLE, coarse, 0.4), seen(tile, box, 0.6)], RULES);
    expect(rest).to.deep.equal([]);
    expect(first).to.include({ confidence: 0.6 }).and.to.have.deep.property('box', box);
  });
});
