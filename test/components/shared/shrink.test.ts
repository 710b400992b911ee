import { expect } from 'chai';
import { average } from '../../../components/shared/networks/shrink.ts';
import type { Target } from '../../../components/shared/networks/target.ts';
import type { Frame } from '../../../components/sdk/detector.ts';
import { noise, picture } from '../visual.ts';

/** The mean of all pixels for one target pixel, or of those in every n-th column and row. */
function meanAt(frame: Frame, [fromX, toX]: number[], [fromY, toY]: number[], step: number): number[] {
  const sums = [0, 0, 0];
  let count = 0;
  for (let y = fromY!; y < toY!; y += step)
    for (let x = fromX!; x < toX!; x += step) {
      for (const colour of [0, 1, 2]) sums[colour]! += frame.data[(y * frame.width + x) * 3 + colour]!;
      count++;
    }
  return sums.map((sum) => sum / count);
}

const cell = (start: number, length: number, cells: number, i: number): number[] =>
  [i, i + 1].map((edge) => start + Math.floor((edge * length) / cells));

describe('Shrinking a picture', () => {
  const frame = picture(90, 66, (x, y) => [noise(x, y, 1) * 255, noise(x, y, 2) * 255, (x * 7 + y) & 255]);
  const region = { x: 6, y: 3, width: 72, height: 60 };

  for (const [width, height, step] of [
    [36, 30, 1],
    [24, 20, 1],
    [30, 25, 1],
    [32, 20, 1],
    [36, 20, 1],
    [15, 13, 2],
    [8, 60, 4],
  ] as const)
    it(`to ${width} x ${height} makes each pixel the mean of those that fall on it`, () => {
      const [row, padX, padY] = [40, 2, 1];
      const scale = [0.5, 0.25, 2] as const;
      const shift = [1, -2, 0.5] as const;
      const size = row * 64;
      const target: Target = { values: new Float32Array(size * 3).fill(-9), row, padX, padY, width, height, first: [2 * size, size, 0], step: 1, scale, shift }; // oxfmt-ignore
      average(frame, region, target);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const columns = cell(region.x, region.width, width, x);
          const mean = meanAt(frame, columns, cell(region.y, region.height, height, y), step);
          for (const colour of [0, 1, 2]) {
            const at = target.first[colour]! + (padY + y) * row + padX + x;
            const wanted = mean[colour]! * scale[colour]! + shift[colour]!;
            expect(target.values[at], `${x}, ${y}, ${colour}`).to.be.closeTo(wanted, 1e-3);
          }
        }
      const written = target.values.filter((value) => value !== -9).length;
      expect(written, 'nothing beside').to.equal(width * height * 3);
    });
});
