import { expect } from 'chai';
import { blur, pixelate } from '../../components/markup/conceal.ts';
import { markupSettings } from '../../components/markup/settings.ts';
import { cornersInFrame } from '../../domain/geometry.ts';
import { noise } from './visual.ts';

const [WIDTH, HEIGHT] = [120, 90];
const noisy = (): Uint8Array =>
  Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => noise(i, 7, 3) * 256);

const BOXES = {
  upright: cornersInFrame({ x: 20, y: 10, width: 60, height: 40 }, { rotation: 0, flip: false }),
  mirrored: cornersInFrame({ x: 80, y: 10, width: 60, height: 40 }, { rotation: 0, flip: true }),
  slanting: cornersInFrame({ x: 40, y: 50, width: 50, height: 20 }, { rotation: 30, flip: false }),
  'cut by the edge': cornersInFrame({ x: -10, y: 70, width: 60, height: 40 }, { rotation: 0, flip: false }),
};

describe('Concealing', () => {
  for (const [style, conceal] of Object.entries({ BLUR: blur, PIXELATE: pixelate }))
    for (const [what, points] of Object.entries(BOXES))
      it(`${style} leaves nothing of what lies in a box that is ${what}, and all that lies around it`, () => {
        const [before, data] = [noisy(), noisy()];
        conceal({ width: WIDTH, height: HEIGHT, data }, points);
        // How far from the box a pixel lies, negative inside, by its own side of each edge.
        const middle = {
          x: points.reduce((sum, { x }) => sum + x, 0) / 4,
          y: points.reduce((sum, { y }) => sum + y, 0) / 4,
        };
        const outside = (x: number, y: number): number =>
          Math.max(
            ...points.map((from, i) => {
              const to = points[(i + 1) % 4]!;
              const normal = { x: to.y - from.y, y: from.x - to.x };
              const length = Math.hypot(normal.x, normal.y);
              const distance = (at: { x: number; y: number }) =>
                ((at.x - from.x) * normal.x + (at.y - from.y) * normal.y) / length;
              return distance(middle) > 0 ? -distance({ x, y }) : distance({ x, y });
            }),
          );
        const steps: number[] = [];
        for (let y = 0; y < HEIGHT; y++)
          for (let x = 1; x < WIDTH; x++) {
            const far = outside(x + 0.5, y + 0.5);
            const at = (y * WIDTH + x) * 3;
            if (far > 1.5) expect(data[at], `${x},${y}`).to.equal(before[at]);
            if (far < -1.5) steps.push(Math.abs(data[at]! - data[at - 3]!));
          }
        // Neighbours of the noise differ by 85 on average.
        expect(steps.length).to.be.greaterThan(300);
        expect(steps.reduce((sum, step) => sum + step, 0) / steps.length).to.be.lessThan(8);
      });

  it('draws no labels and no numbers, and fills the gaps between detections of a video', () => {
    const settings = markupSettings({ MARKUP_STYLE: 'blur', MARKUP_LABELS_ENABLED: 'TRUE' }, true);
    expect(settings).to.deep.include({
      ...{ style: 'BLUR', labels: null, frameNumbers: null, border: false, animation: true },
    });
    expect(markupSettings({}, true)).to.deep.include({ style: 'BOX', animation: false });
    expect(() => markupSettings({ MARKUP_STYLE: 'SMEAR' }, true)).to.throw(/none of BOX, BLUR and PIXELATE/);
  });
});
