/** The second look at uncertain objects in tiles. */
import { expect } from 'chai';
import type { Seen } from '../../../components/shared/networks/join-regions.ts';
import { confirm } from '../../../components/shared/networks/second-look.ts';
import type { Box } from '../../../domain/geometry/geometry.ts';

const PICTURE = { width: 1_000, height: 800 };
const TILES = [0, 300, 600].map((x) => ({ x, y: 0, width: 400, height: 400 }));
const THRESHOLD = 0.4;

const objectAt = (x: number, y: number, confidence: number, kind = 'car'): Seen<string> => ({
  box: { x, y, width: 40, height: 30 },
  region: TILES[0]!,
  ...{ kind, confidence, what: kind },
});

/** Confirms objects by looks with these results, and returns the kept objects and the regions of the looks. */
async function confirmBy(
  objects: readonly Seen<string>[],
  found: readonly Seen<string>[],
  inWhole: readonly Seen<string>[] = [],
) {
  const looks: Box[] = [];
  const kept = await confirm(objects, {
    ...{ picture: PICTURE, tiles: TILES, inWhole, threshold: THRESHOLD, sameOverlap: 0.5 },
    look: async (region, threshold) => {
      looks.push(region);
      return found.filter(({ confidence }) => confidence >= threshold);
    },
  });
  return { kept, looks };
}

describe('The second look at objects in tiles', () => {
  it('keeps an object whose mean confidence in both looks is at least the threshold', async () => {
    const objects = [objectAt(500, 400, 0.5), objectAt(700, 400, 0.5), objectAt(100, 400, 0.57)];
    const { kept } = await confirmBy(objects, [objectAt(502, 401, 0.31), objectAt(700, 400, 0.29)]);
    expect(kept).to.deep.equal([objects[0]]);
  });

  it('drops an object that it finds as another class, or elsewhere', async () => {
    const object = objectAt(500, 400, 0.5);
    for (const found of [objectAt(500, 400, 0.9, 'bus'), objectAt(560, 400, 0.9)])
      expect((await confirmBy([object], [found])).kept).to.deep.equal([]);
  });

  it('is not needed for certain objects, and for those in the whole picture', async () => {
    const [sure, known] = [objectAt(100, 100, 0.58), objectAt(500, 400, 0.41)];
    const { kept, looks } = await confirmBy([sure, known], [], [objectAt(505, 402, 0.45)]);
    expect(kept).to.deep.equal([sure, known]);
    expect(looks).to.deep.equal([]);
  });

  it('is closer than a tile, has the object in its middle, and judges all objects well inside it', async () => {
    const objects = [objectAt(500, 300, 0.5), objectAt(900, 150, 0.45), objectAt(980, 10, 0.42)];
    const { looks } = await confirmBy(objects, []);
    expect(looks).to.deep.equal([
      { x: 760, y: 0, width: 240, height: 240 },
      { x: 400, y: 195, width: 240, height: 240 },
    ]);
  });

  it('is wider for a large object, but not wider than a tile', async () => {
    const large = { ...objectAt(0, 0, 0.5), box: { x: 400, y: 300, width: 100, height: 200 } };
    const { looks } = await confirmBy([large], []);
    expect(looks).to.deep.equal([{ x: 300, y: 200, width: 300, height: 400 }]);
  });

  it('happens at most as often as there are tiles. Other objects are kept', async () => {
    const objects = Array.from({ length: 5 }, (_, n) => objectAt(n * 240, (n % 2) * 700, 0.5 - n / 100));
    const { kept, looks } = await confirmBy(objects, []);
    expect(looks).to.have.length(TILES.length);
    expect(kept).to.deep.equal(objects.slice(0, -TILES.length));
  });
});
