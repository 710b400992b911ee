import { expect } from 'chai';
import * as fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import type { Frame } from '../../../components/sdk/detector.ts';
import { readImage } from '../../../media/picture/image-frame.ts';
import { frameTransform } from '../../../media/picture/transform.ts';
import type { FrameTransform, MediumBox } from '../../../media/picture/transform.ts';
import { sample } from '../support/samples.ts';
import { seed } from '../../support/seed.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Red and green encode the column and the row of each pixel. */
function numberPixels(width: number, height: number): Frame {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set([i % width, Math.floor(i / width), 77], i * 3);
  return { index: 5, time: 200, width, height, data, warmUp: true };
}

function pixel({ data, width }: Frame, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

/**
 * The corners of a detection in the stored picture: rotated counter-clockwise at its corner, then mirrored.
 */
function corners({ x, y, width, height, rotation, flip }: MediumBox): [number, number][] {
  const angle = (rotation * Math.PI) / 180;
  const offsets = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ] as const;
  return offsets.map(([u, v]) => {
    const across = u * Math.cos(angle) + v * Math.sin(angle);
    return [x + (flip ? -across : across), y - u * Math.sin(angle) + v * Math.cos(angle)];
  });
}

/** Mean brightness difference between the box in one picture and a detection in the stored picture. */
function difference(seen: Frame, box: Box, stored: Frame, medium: MediumBox): number {
  const [origin = [0, 0], right = [0, 0], , down = [0, 0]] = corners(medium);
  let sum = 0;
  let count = 0;
  for (let v = 2; v < box.height - 2; v += 3)
    for (let u = 2; u < box.width - 2; u += 3) {
      const along = (u + 0.5) / box.width;
      const across = (v + 0.5) / box.height;
      const at = (i: 0 | 1): number =>
        origin[i] + (right[i] - origin[i]) * along + (down[i] - origin[i]) * across;
      const [a = 0] = pixel(seen, Math.round(box.x) + u, Math.round(box.y) + v);
      const [b = 0] = pixel(stored, Math.floor(at(0)), Math.floor(at(1)));
      sum += Math.abs(a - b);
      count++;
    }
  return sum / count;
}

describe('turning, flipping and cutting out pictures', () => {
  it('hands a picture through untouched when there is nothing to do', () => {
    const frame = numberPixels(6, 4);
    for (const properties of [
      {},
      { ROTATION: '0', HORIZONTAL_FLIP: 'false' },
      { AUTO_ROTATE: 'true', AUTO_FLIP: 'TRUE' },
      { ROTATION: '360' },
    ]) {
      const transform = frameTransform(properties, { ROTATION: '0.0', HORIZONTAL_FLIP: 'FALSE' }, frame);
      expect(transform.apply(frame)).to.equal(frame);
      expect(transform.toMedium({ x: 1, y: 2, width: 3, height: 1 })).to.deep.equal({
        x: 1,
        y: 2,
        width: 3,
        height: 1,
        rotation: 0,
        flip: false,
      });
    }
  });

  it('turns clockwise by steps of 90 degrees, exactly', () => {
    const frame = numberPixels(6, 4);
    const topLeft = { '90': [0, 3], '180': [5, 3], '270': [5, 0] };
    for (const [ROTATION, corner] of Object.entries(topLeft)) {
      const turned = frameTransform({ ROTATION }, {}, frame).apply(frame);
      expect([turned.width, turned.height]).to.deep.equal(ROTATION === '180' ? [6, 4] : [4, 6]);
      expect(pixel(turned, 0, 0), ROTATION).to.deep.equal([...corner, 77]);
      expect(turned.data.length).to.equal(72);
      expect([turned.index, turned.time, turned.warmUp]).to.deep.equal([5, 200, true]);
    }
  });

  it('flips after it has turned', () => {
    const frame = numberPixels(6, 4);
    expect(pixel(frameTransform({ HORIZONTAL_FLIP: 'true' }, {}, frame).apply(frame), 0, 0)).to.deep.equal([
      5, 0, 77,
    ]);
    const both = frameTransform({ HORIZONTAL_FLIP: 'true', ROTATION: '90' }, {}, frame).apply(frame);
    expect(pixel(both, 0, 0)).to.deep.equal([0, 0, 77]);
    expect(pixel(both, 1, 0)).to.deep.equal([0, 1, 77]);
  });

  it('takes both from the medium when it is told to, unless they are given', () => {
    const frame = numberPixels(6, 4);
    const metadata = { ROTATION: '90.0', HORIZONTAL_FLIP: 'TRUE' };
    const size = (properties: Record<string, string>): number[] => {
      const { width, height } = frameTransform(properties, metadata, frame);
      return [width, height];
    };
    expect(size({})).to.deep.equal([6, 4]);
    expect(size({ AUTO_ROTATE: 'true' })).to.deep.equal([4, 6]);
    expect(size({ AUTO_ROTATE: 'true', ROTATION: '180' })).to.deep.equal([6, 4]);
    expect(
      frameTransform({ AUTO_FLIP: 'true' }, metadata, frame).toMedium({ x: 0, y: 0, width: 1, height: 1 })
        .flip,
    ).to.equal(true);
    const unflipped = frameTransform({ AUTO_FLIP: 'true', HORIZONTAL_FLIP: 'false' }, metadata, frame);
    expect(unflipped.apply(frame)).to.equal(frame);
  });

  it('turns nothing below the threshold, on either side of zero', () => {
    const frame = numberPixels(6, 4);
    for (const ROTATION of ['0.9', '359.5', '-0.4'])
      expect(frameTransform({ ROTATION, ROTATION_THRESHOLD: '1.0' }, {}, frame).apply(frame)).to.equal(frame);
    expect(frameTransform({ ROTATION: '1', ROTATION_THRESHOLD: '1.0' }, {}, frame).apply(frame)).not.to.equal(
      frame,
    );
  });

  it('turns by any angle and fills the new corners', () => {
    const white = { ...numberPixels(100, 60), data: new Uint8Array(100 * 60 * 3).fill(200) };
    for (const [colour, fill] of [
      ['BLACK', 0],
      ['WHITE', 255],
    ] as const) {
      const turned = frameTransform({ ROTATION: '30', ROTATION_FILL_COLOR: colour }, {}, white).apply(white);
      expect([turned.width, turned.height]).to.deep.equal([117, 102]);
      expect(pixel(turned, 0, 0)).to.deep.equal([fill, fill, fill]);
      expect(pixel(turned, 58, 51)).to.deep.equal([200, 200, 200]);
    }
  });

  it('cuts out the search region of the turned picture, in pixels or percent', () => {
    const frame = numberPixels(40, 20);
    const region = (changed: Record<string, string>): Record<string, string> => ({
      SEARCH_REGION_ENABLE_DETECTION: 'true',
      ...changed,
    });
    const pixels = frameTransform(
      region({ SEARCH_REGION_TOP_LEFT_X_DETECTION: '10', SEARCH_REGION_BOTTOM_RIGHT_Y_DETECTION: '15' }),
      {},
      frame,
    );
    const cut = pixels.apply(frame);
    expect([cut.width, cut.height, ...pixel(cut, 0, 0)]).to.deep.equal([30, 15, 10, 0, 77]);
    expect(pixels.toMedium({ x: 1, y: 2, width: 3, height: 4 })).to.include({
      x: 11,
      y: 2,
      width: 3,
      height: 4,
    });
    const percent = frameTransform(
      region({
        SEARCH_REGION_TOP_LEFT_X_DETECTION: '50%',
        SEARCH_REGION_TOP_LEFT_Y_DETECTION: '-1',
        SEARCH_REGION_BOTTOM_RIGHT_X_DETECTION: '250%',
        ROTATION: '90',
      }),
      {},
      frame,
    );
    expect([percent.width, percent.height]).to.deep.equal([10, 40]);
    expect(pixel(percent.apply(frame), 0, 0)).to.deep.equal([0, 9, 77]);
    for (const off of [{ SEARCH_REGION_ENABLE_DETECTION: 'false' }, { FEED_FORWARD_TYPE: 'REGION' }])
      expect(
        frameTransform({ ...region({ SEARCH_REGION_TOP_LEFT_X_DETECTION: '10' }), ...off }, {}, frame).apply(
          frame,
        ),
      ).to.equal(frame);
  });

  it('refuses properties that make no sense', () => {
    const frame = numberPixels(6, 4);
    const on = { SEARCH_REGION_ENABLE_DETECTION: 'true' };
    const bad = [
      { ROTATION: 'left' },
      { ...on, SEARCH_REGION_TOP_LEFT_X_DETECTION: 'a%' },
      { ...on, SEARCH_REGION_TOP_LEFT_X_DETECTION: '100%' },
    ];
    for (const properties of bad)
      expect(() => frameTransform(properties, {}, frame))
        .to.throw()
        .with.property('code', 'INVALID_PROPERTY');
  });

  it('reports boxes whose corners lie where the reference draws them', async () => {
    interface Vectors {
      readonly rotatedBoxes: {
        readonly cases: readonly { box: number[]; rotation: number; corners: number[][] }[];
      };
    }
    const path = sample('../test/fixtures/vectors.json');
    const { rotatedBoxes } = JSON.parse(await readFile(path, 'utf8')) as Vectors;
    for (const { box, rotation, corners: drawn } of rotatedBoxes.cases) {
      const [x = 0, y = 0, width = 0, height = 0] = box;
      const transform = frameTransform({ ROTATION: String(rotation) }, {}, { width: 640, height: 480 });
      // Searches for the upright box that maps to the drawn box.
      const zero = transform.toMedium({ x: 0, y: 0, width, height });
      const angle = (rotation * Math.PI) / 180;
      const u = Math.round((x - zero.x) * Math.cos(angle) - (y - zero.y) * Math.sin(angle));
      const v = Math.round((x - zero.x) * Math.sin(angle) + (y - zero.y) * Math.cos(angle));
      const found = transform.toMedium({ x: u, y: v, width, height });
      expect(found.rotation).to.equal(rotation);
      expect(Math.hypot(found.x - x, found.y - y)).to.be.lessThan(1.5);
      for (const [cx = 0, cy = 0] of drawn) {
        const nearest = Math.min(...corners(found).map(([a, b]) => Math.hypot(a - cx, b - cy)));
        expect(nearest).to.be.lessThan(3);
      }
    }
  });

  it('finds a face where it was, however the picture is turned, flipped or cut', async () => {
    const stored = await readImage(sample('astronaut.png'));
    const face = { x: 172, y: 74, width: 106, height: 106 };
    const region = {
      SEARCH_REGION_ENABLE_DETECTION: 'true',
      SEARCH_REGION_TOP_LEFT_X_DETECTION: '15',
      SEARCH_REGION_TOP_LEFT_Y_DETECTION: '4%',
    };
    for (const ROTATION of ['0', '90', '180', '270', '33'])
      for (const HORIZONTAL_FLIP of ['true', 'false'])
        for (const cut of [{}, region]) {
          const transform = frameTransform({ ROTATION, HORIZONTAL_FLIP, ...cut }, {}, stored);
          const seen = transform.apply(stored);
          // Finds the face in the picture that the detector sees: the box that maps to the centre of the
          // face.
          const found = bestBox(transform, seen, face);
          const medium = transform.toMedium(found);
          const name = `${ROTATION} ${HORIZONTAL_FLIP} ${Object.keys(cut).length}`;
          expect(difference(seen, found, stored, medium), name).to.be.lessThan(
            ROTATION === '33' ? 12 : 0.001,
          );
          const centre = corners(medium).reduce(([x, y], [a, b]) => [x + a / 4, y + b / 4], [0, 0]);
          expect(Math.hypot(centre[0] - 225, centre[1] - 127), name).to.be.lessThan(2);
        }
  });

  it('maps a box to where its pixels come from, for any rotation, flip and region', () => {
    const stored = numberPixels(120, 90);
    const turns = fc.record({
      rotation: fc.oneof(fc.constantFrom(0, 90, 180, 270), fc.integer({ min: 1, max: 359 })),
      flip: fc.boolean(),
      left: fc.integer({ min: 0, max: 30 }),
      top: fc.integer({ min: 0, max: 30 }),
    });
    const property = fc.property(
      turns,
      fc.integer({ min: 0, max: 99 }),
      fc.integer({ min: 0, max: 99 }),
      (view, a, b) => {
        const properties = {
          ROTATION: String(view.rotation),
          HORIZONTAL_FLIP: String(view.flip),
          SEARCH_REGION_ENABLE_DETECTION: 'true',
          SEARCH_REGION_TOP_LEFT_X_DETECTION: String(view.left),
          SEARCH_REGION_TOP_LEFT_Y_DETECTION: String(view.top),
        };
        const transform = frameTransform(properties, {}, stored);
        const seen = transform.apply(stored);
        const x = Math.floor((a / 100) * seen.width);
        const y = Math.floor((b / 100) * seen.height);
        const [column = 0, row = 0, blue] = pixel(seen, x, y);
        if (blue !== 77) return;
        const spots = corners(transform.toMedium({ x, y, width: 1, height: 1 }));
        const centre = spots.reduce(([u, v], [c, d]) => [u + c / 4, v + d / 4], [0, 0]);
        expect(Math.abs(centre[0] - 0.5 - column)).to.be.at.most(1.5);
        expect(Math.abs(centre[1] - 0.5 - row)).to.be.at.most(1.5);
      },
    );
    fc.assert(property, { seed, numRuns: 400 });
  });
});

/**
 * The box of this size, in the picture that the detector sees, whose centre maps closest to the centre of the
 * face.
 */
function bestBox(transform: FrameTransform, seen: Frame, { width, height }: Box): Box {
  const [columns, rows] = [seen.width - width, seen.height - height];
  const distance = (box: Box): number => {
    const centre = corners(transform.toMedium(box)).reduce(
      ([u, v], [a, b]) => [u + a / 4, v + b / 4],
      [0, 0],
    );
    return Math.hypot(centre[0] - 225, centre[1] - 127);
  };
  let best: Box = { x: 0, y: 0, width, height };
  // A coarse search over the whole picture, then a fine search around its result.
  for (const step of [16, 1]) {
    const around = step === 1 ? 16 : Infinity;
    const { x: middle, y: line } = best;
    for (let y = Math.max(0, line - around); y <= Math.min(rows, line + around); y += step)
      for (let x = Math.max(0, middle - around); x <= Math.min(columns, middle + around); x += step) {
        const box = { x, y, width, height };
        if (distance(box) < distance(best)) best = box;
      }
  }
  return best;
}
