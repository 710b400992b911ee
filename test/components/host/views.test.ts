import { expect } from 'chai';
import * as fc from 'fast-check';
import { boxAround, viewsOf, withMargin } from '../../../components/host/views.ts';
import { fedTrack, seenAt } from './feed-forward-parts.ts';

type Point = readonly [x: number, y: number];
type Placed = ReturnType<typeof boxAround>;

const placed = fc.record({
  x: fc.integer({ min: -50, max: 700 }),
  y: fc.integer({ min: -50, max: 500 }),
  width: fc.integer({ min: 1, max: 200 }),
  height: fc.integer({ min: 1, max: 200 }),
  properties: fc.record({
    ROTATION: fc.constantFrom('0', '90', '180', '270', '33', '211.5'),
    HORIZONTAL_FLIP: fc.constantFrom('TRUE', 'FALSE'),
  }),
});

/**
 * The corners of a detection in the stored picture: rotated counter-clockwise at its corner, then mirrored.
 */
function corners({ x, y, width, height, properties }: Placed): Point[] {
  const angle = (Number(properties['ROTATION']) * Math.PI) / 180;
  const mirror = properties['HORIZONTAL_FLIP'] === 'TRUE' ? -1 : 1;
  return ([[0, 0], [width, 0], [width, height], [0, height]] as const).map(([u, v]) => [
    x + mirror * (u * Math.cos(angle) + v * Math.sin(angle)),
    y - u * Math.sin(angle) + v * Math.cos(angle),
  ]); // oxfmt-ignore
}

/** Position of a point along the sides of a box: 0 to 1 is inside. */
function shares(box: Placed, [x, y]: Point): Point {
  const [[ox, oy], [rx, ry], , [dx, dy]] = corners(box) as [Point, Point, Point, Point];
  const along = ([ex, ey]: Point): number =>
    ((x - ox) * (ex - ox) + (y - oy) * (ey - oy)) / ((ex - ox) ** 2 + (ey - oy) ** 2);
  return [along([rx, ry]), along([dx, dy])];
}

describe('A detection with a margin', () => {
  it('reaches as far beyond each side of the detection, however it lies', () => {
    fc.assert(
      fc.property(placed, (box) => {
        const wider = withMargin(box, 0.75);
        expect([wider.width, wider.height]).to.deep.equal([box.width * 2.5, box.height * 2.5]);
        for (const [i, corner] of corners(box).entries()) {
          const [along, down] = shares(wider, corner);
          expect(along).to.be.closeTo(i === 1 || i === 2 ? 0.7 : 0.3, 1e-6);
          expect(down).to.be.closeTo(i >= 2 ? 0.7 : 0.3, 1e-6);
        }
      }),
    );
  });
});

describe('The box around detections', () => {
  it('lies as the first of them, holds all of them, and touches them at all four sides', () => {
    fc.assert(
      fc.property(fc.array(placed, { minLength: 2, maxLength: 6 }), (boxes) => {
        const around = boxAround(boxes);
        expect(around.properties).to.equal(boxes[0]!.properties);
        const all = boxes.flatMap(corners).map((corner) => shares(around, corner));
        for (const side of [0, 1] as const) {
          const along = all.map((share) => share[side]);
          expect(Math.min(...along)).to.be.closeTo(0, 1e-6);
          expect(Math.max(...along)).to.be.closeTo(1, 1e-6);
        }
      }),
    );
  });

  it('is the detection itself when it is the only one, however it lies', () => {
    fc.assert(fc.property(placed, (box) => void expect(boxAround([box])).to.equal(box)));
  });

  it('takes no notice of those without an area', () => {
    const empty = { x: 0, y: 0, width: 0, height: 10, properties: {} };
    const box = { x: 50, y: 60, width: 7, height: 8, properties: {} };
    expect(boxAround([empty, box])).to.deep.equal(box);
  });
});

describe('What is looked at of tracks that are fed together', () => {
  const medium = { properties: {}, metadata: {}, size: { width: 640, height: 360 } };
  const tracks = [
    fedTrack([
      seenAt(1, { x: 10, y: 10, width: 20, height: 20 }),
      seenAt(5, { x: 12, y: 10, width: 20, height: 20 }),
    ]),
    fedTrack([
      seenAt(5, { x: 100, y: 50, width: 40, height: 30 }),
      seenAt(9, { x: 900, y: 0, width: 5, height: 5 }),
    ]),
  ];
  const sizes = (type: 'FRAME' | 'REGION' | 'SUPERSET_REGION') => {
    const views = viewsOf(tracks, type, medium);
    return views.frames.map((frame) => [frame, views.of(frame).width, views.of(frame).height]);
  };

  it('is the one box around their boxes in each frame (REGION)', () => {
    expect(sizes('REGION')).to.deep.equal([[1, 20, 20], [5, 128, 70]]); // oxfmt-ignore
  });

  it('is one box for all frames (SUPERSET_REGION)', () => {
    expect(sizes('SUPERSET_REGION')).to.deep.equal([[1, 130, 70], [5, 130, 70]]); // oxfmt-ignore
  });

  it('is each of their frames once (FRAME)', () => {
    expect(sizes('FRAME')).to.deep.equal([[1, 640, 360], [5, 640, 360], [9, 640, 360]]); // oxfmt-ignore
  });

  it('is, of a frame without a box of its own, what was looked at before', () => {
    const views = viewsOf(tracks, 'REGION', medium);
    expect([0, 3, 7].map((frame) => views.of(frame).width)).to.deep.equal([20, 20, 128]);
  });
});
