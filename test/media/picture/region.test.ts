import { expect } from 'chai';
import * as fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { readImage } from '../../../media/picture/image-frame.ts';
import { regionOf } from '../../../media/picture/region.ts';
import type { Region } from '../../../media/picture/region.ts';
import type { MediumBox } from '../../../media/picture/transform.ts';
import { sample } from '../support/samples.ts';
import { seed } from '../../support/seed.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
type Point = readonly [number, number];

const SIZE = { width: 120, height: 90 };

/** Red and green encode the column and the row of each pixel. Blue marks it as part of the picture. */
function numberPixels({ width, height }: { width: number; height: number }): Uint8Array {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set([i % width, Math.floor(i / width), 77], i * 3);
  return data;
}

function detection(box: Box, rotation?: number, flip = false) {
  const properties = {
    ...(rotation === undefined ? {} : { ROTATION: String(rotation) }),
    ...(flip ? { HORIZONTAL_FLIP: 'TRUE' } : {}),
  };
  return { ...box, properties };
}

function requireRegion(region: Region | null): Region {
  if (region === null) throw new Error('there is no region');
  return region;
}

function pixel(region: Region, data: Uint8Array, x: number, y: number): number[] {
  return [...data.subarray((y * region.width + x) * 3, (y * region.width + x) * 3 + 3)];
}

/**
 * Maps a point of the upright box to the stored picture: rotated counter-clockwise at the corner, then
 * mirrored.
 */
function lies(box: Omit<MediumBox, 'width' | 'height'>, u: number, v: number): Point {
  const angle = (box.rotation * Math.PI) / 180;
  const across = u * Math.cos(angle) + v * Math.sin(angle);
  return [box.x + (box.flip ? -across : across), box.y - u * Math.sin(angle) + v * Math.cos(angle)];
}

function distance([a, b]: Point, [c, d]: Point): number {
  return Math.hypot(a - c, b - d);
}

describe('the region of a detection', () => {
  it('is the box itself when the detection lies upright', () => {
    const region = requireRegion(regionOf(detection({ x: 10, y: 20, width: 30, height: 15 }), SIZE));
    const data = region.cut(numberPixels(SIZE));
    expect([region.width, region.height, data.length]).to.deep.equal([30, 15, 1350]);
    expect(pixel(region, data, 0, 0)).to.deep.equal([10, 20, 77]);
    expect(pixel(region, data, 29, 14)).to.deep.equal([39, 34, 77]);
    expect(region.toMedium({ x: 1, y: 2, width: 3, height: 4 })).to.deep.equal({
      x: 11,
      y: 22,
      width: 3,
      height: 4,
      rotation: 0,
      flip: false,
    });
  });

  it('is turned upright by right angles and mirrored exactly', () => {
    // The corner is at (60, 40). The pixels next to it show the orientation.
    const box = { x: 60, y: 40, width: 8, height: 4 };
    const corners = [
      { rotation: 0, flip: false, first: [60, 40], last: [67, 43] },
      { rotation: 90, flip: false, first: [60, 39], last: [63, 32] },
      { rotation: 180, flip: false, first: [59, 39], last: [52, 36] },
      { rotation: 270, flip: false, first: [59, 40], last: [56, 47] },
      { rotation: 0, flip: true, first: [59, 40], last: [52, 43] },
      { rotation: 90, flip: true, first: [59, 39], last: [56, 32] },
      { rotation: 180, flip: true, first: [60, 39], last: [67, 36] },
      { rotation: 270, flip: true, first: [60, 40], last: [63, 47] },
    ];
    for (const { rotation, flip, first, last } of corners) {
      const region = requireRegion(regionOf(detection(box, rotation, flip), SIZE));
      const data = region.cut(numberPixels(SIZE));
      const name = `${rotation} ${String(flip)}`;
      expect([region.width, region.height], name).to.deep.equal([8, 4]);
      expect(pixel(region, data, 0, 0).slice(0, 2), name).to.deep.equal(first);
      expect(pixel(region, data, 7, 3).slice(0, 2), name).to.deep.equal(last);
      expect(region.toMedium({ x: 0, y: 0, width: 8, height: 4 }), name).to.deep.equal({
        ...box,
        rotation,
        flip,
      });
    }
  });

  it('leaves out what lies outside the picture', () => {
    const over = requireRegion(regionOf(detection({ x: -5, y: 80, width: 20, height: 40 }), SIZE));
    expect([over.width, over.height]).to.deep.equal([15, 10]);
    expect(over.toMedium({ x: 0, y: 0, width: 2, height: 2 })).to.include({ x: 0, y: 80 });
    const flipped = requireRegion(regionOf(detection({ x: 10, y: 5, width: 30, height: 10 }, 0, true), SIZE));
    expect([flipped.width, flipped.height]).to.deep.equal([10, 10]);
    const huge = requireRegion(regionOf(detection({ x: -1e6, y: -1e6, width: 2e6, height: 2e6 }, 33), SIZE));
    expect(huge.width).to.be.at.most(151);
    expect(huge.height).to.be.at.most(151);
  });

  it('does not exist for a detection without area or outside the picture', () => {
    const none = [
      detection({ x: 5, y: 5, width: 0, height: 9 }),
      detection({ x: 120, y: 5, width: 9, height: 9 }),
      detection({ x: 5, y: -9, width: 9, height: 9 }),
      detection({ x: -1, y: 5, width: 9, height: 5 }, 0, true),
      // Inside the bounding box of the rotated picture, but outside the picture.
      detection({ x: -16, y: 10, width: 10, height: 10 }, 45),
      detection({ x: Number.NaN, y: 10, width: 10, height: 10 }),
    ];
    for (const one of none) expect(regionOf(one, SIZE), JSON.stringify(one)).to.equal(null);
  });

  it('fills the corners that a slanting detection has outside the picture', () => {
    const slanting = detection({ x: 0, y: 0, width: 40, height: 40 }, 45);
    for (const fill of [0, 255]) {
      const region = requireRegion(regionOf(slanting, SIZE, fill));
      const data = region.cut(numberPixels(SIZE));
      expect(pixel(region, data, region.width - 1, 0)).to.deep.equal([fill, fill, fill]);
      expect(pixel(region, data, region.width >> 1, region.height - 5)[2]).to.equal(77);
    }
  });

  it('has its corners where they are drawn in the picture', async () => {
    interface Vectors {
      readonly rotatedBoxes: {
        readonly cases: readonly {
          box: [number, number, number, number];
          rotation: number;
          corners: Point[];
          center?: Point;
        }[];
      };
    }
    const text = await readFile(sample('../test/fixtures/vectors.json'), 'utf8');
    const { rotatedBoxes } = JSON.parse(text) as Vectors;
    for (const { box, rotation, corners, center } of rotatedBoxes.cases) {
      const [x, y, width, height] = box;
      const region = requireRegion(
        regionOf(detection({ x, y, width, height }, rotation), { width: 640, height: 480 }),
      );
      expect([region.width, region.height]).to.deep.equal([width, height]);
      const at = (u: number, v: number): Point => {
        const corner = region.toMedium({ x: u, y: v, width: 1, height: 1 });
        return [corner.x, corner.y];
      };
      const found = [at(0, height), at(0, 0), at(width, 0), at(width, height)];
      for (const [index, corner] of corners.entries())
        expect(distance(found[index] ?? [0, 0], corner), `corner ${index} of ${box.join()}`).to.be.at.most(
          1.5,
        );
      if (center !== undefined) expect(distance(at(width / 2, height / 2), center)).to.be.at.most(1.5);
    }
  });

  it('holds the pixels that the detection covers, for any box, rotation and flip', () => {
    const picture = numberPixels(SIZE);
    const boxes = fc.record({
      x: fc.integer({ min: -20, max: 140 }),
      y: fc.integer({ min: -20, max: 110 }),
      width: fc.integer({ min: 1, max: 60 }),
      height: fc.integer({ min: 1, max: 60 }),
    });
    const rotations = fc.oneof(
      fc.constantFrom(0, 90, 180, 270),
      fc.integer({ min: 1, max: 3599 }).map((tenths) => tenths / 10),
    );
    const spot = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));
    const property = fc.property(boxes, rotations, fc.boolean(), spot, (box, rotation, flip, [a, b]) => {
      const region = regionOf(detection(box, rotation, flip), SIZE);
      if (region === null) return;
      const u = Math.floor((a * region.width) / 100);
      const v = Math.floor((b * region.height) / 100);
      const [column = 0, row = 0, blue] = pixel(region, region.cut(picture), u, v);
      const origin = region.toMedium({ x: 0, y: 0, width: 1, height: 1 });
      expect(origin.rotation).to.equal(rotation);
      const [x, y] = lies(origin, u + 0.5, v + 0.5);
      if (blue !== 77) {
        const inside = x > 1.5 && y > 1.5 && x < SIZE.width - 1.5 && y < SIZE.height - 1.5;
        expect(inside, 'a filled pixel lies outside').to.equal(false);
        return;
      }
      expect(distance([x - 0.5, y - 0.5], [column, row])).to.be.at.most(1.6);
      // The cropped box is a part of the original box: the pixel has the same position in both.
      const angle = (rotation * Math.PI) / 180;
      const dx = (flip ? -1 : 1) * (x - box.x);
      const dy = y - box.y;
      const along = dx * Math.cos(angle) - dy * Math.sin(angle);
      const down = dx * Math.sin(angle) + dy * Math.cos(angle);
      expect(along).to.be.within(-1, box.width + 1);
      expect(down).to.be.within(-1, box.height + 1);
    });
    fc.assert(property, { seed, numRuns: 2000 });
  });

  it('brings a turned face upright', async () => {
    const stored = await readImage(sample('astronaut.png'));
    const face = requireRegion(regionOf(detection({ x: 172, y: 74, width: 106, height: 106 }), stored));
    // The same square, described from its top right corner with sides to the bottom and to the left.
    const turned = requireRegion(
      regionOf(detection({ x: 278, y: 74, width: 106, height: 106 }, 270), stored),
    );
    const upright = face.cut(stored.data);
    const sideways = turned.cut(stored.data);
    for (const [u, v] of [
      [0, 0],
      [40, 17],
      [105, 60],
    ] as const)
      expect(pixel(turned, sideways, v, 105 - u)).to.deep.equal(pixel(face, upright, u, v));
  });
});
