import { expect } from 'chai';
import { blur, pixelate } from '../../../../components/builtin/markup/conceal.ts';
import type { Surface } from '../../../../components/builtin/markup/paint.ts';
import { markupSettings } from '../../../../components/builtin/markup/settings.ts';
import { cornersInFrame } from '../../../../domain/geometry/geometry.ts';
import { noise } from '../../visual.ts';

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
        // Distance of a pixel from the box, negative inside, based on its side of each edge.
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
        // Neighbouring pixels of the noise differ by 85 on average.
        expect(steps.length).to.be.greaterThan(300);
        expect(steps.reduce((sum, step) => sum + step, 0) / steps.length).to.be.lessThan(8);
      });

  it('blurs a large box as it blurs the same box in a smaller picture', () => {
    const ramp = (scale: number): Surface => {
      const [width, height] = [100 * scale, 80 * scale];
      const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => {
        const pixel = Math.floor(i / 3);
        const [x, y] = [Math.floor((pixel % width) / scale), Math.floor(pixel / width / scale)];
        return ((x * 7 + y * 3) % 160) + 40 * (i % 3);
      });
      return { width, height, data };
    };
    const corners = (scale: number) =>
      cornersInFrame(
        { x: 10 * scale, y: 20 * scale, width: 70 * scale, height: 50 * scale },
        { rotation: 10, flip: false },
      );
    const [small, large] = [ramp(1), ramp(12)];
    blur(small, corners(1));
    blur(large, corners(12));
    let [most, compared] = [0, 0];
    for (let y = 1; y < 79; y++)
      for (let x = 1; x < 99; x++) {
        // Near the edges of the box, only one of the two pictures is blurred.
        const isInside = x > 32 && x < 68 && y > 24 && y < 52;
        const isOutside = x < 8 || y < 3 || y > 72 || x > 92;
        if (!isInside && !isOutside) continue;
        compared++;
        for (let channel = 0; channel < 3; channel++) {
          const [at, there] = [(y * 100 + x) * 3, ((y * 12 + 6) * 1200 + x * 12 + 6) * 3];
          most = Math.max(most, Math.abs(small.data[at + channel]! - large.data[there + channel]!));
        }
      }
    expect(compared).to.be.greaterThan(1_500);
    expect(most).to.be.lessThan(6);
  });

  for (const [style, conceal] of Object.entries({ BLUR: blur, PIXELATE: pixelate }))
    it(`${style} of a picture of 16 megapixels takes less than 2 s of processor time`, () => {
      const [width, height] = [4_608, 3_456];
      const surface = { width, height, data: new Uint8Array(width * height * 3).fill(90) };
      const whole = cornersInFrame({ x: 0, y: 0, width, height }, { rotation: 0, flip: false });
      const before = process.cpuUsage();
      conceal(surface, whole);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).to.be.lessThan(2);
    });

  it('draws no labels and no numbers, and fills the gaps between detections of a video', () => {
    const settings = markupSettings({ MARKUP_STYLE: 'blur', MARKUP_LABELS_ENABLED: 'TRUE' }, true);
    expect(settings).to.deep.include({
      ...{ style: 'BLUR', labels: null, frameNumbers: null, border: false, animation: true },
    });
    expect(markupSettings({}, true)).to.deep.include({ style: 'BOX', animation: false });
    expect(() => markupSettings({ MARKUP_STYLE: 'SMEAR' }, true)).to.throw(/is not BOX, BLUR or PIXELATE/);
  });
});
