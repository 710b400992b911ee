/** Boxes and labels over pictures that are stored rotated or mirrored. */
import { expect } from 'chai';
import { shownArea, turnPicture } from '../../../page/kit/findings/overlay.ts';
import type { Box } from '../../../page/kit/findings/types.ts';

const SIZE = { width: 100, height: 60 };
const BOX: Box = {
  ...{ frame: 0, track: 0, lane: 0, label: null, confidence: 1, corners: null },
  ...{ x: 10, y: 5, width: 20, height: 8 },
};
const showOverlay = (metadata: Readonly<Record<string, string>>) => {
  const { matrix, width, height } = turnPicture(SIZE, metadata);
  const { left, top, right } = shownArea(BOX, matrix);
  return [width, height, ...[left, top, right].map((value) => Math.round(value))];
};

describe('What is drawn over a picture', () => {
  // Width and height of the displayed picture, and left, top and right of the box in it.
  for (const [what, metadata, expected] of [
    ['as it is stored', {}, [100, 60, 10, 5, 30]],
    ['turned by 90 degrees', { ROTATION: '90' }, [60, 100, 47, 10, 55]],
    ['turned by 180 degrees', { ROTATION: '180' }, [100, 60, 70, 47, 90]],
    ['turned by 270 degrees', { ROTATION: '270' }, [60, 100, 5, 70, 13]],
    ['mirrored', { HORIZONTAL_FLIP: 'true' }, [100, 60, 70, 5, 90]],
    ['turned and then mirrored', { ROTATION: '90', HORIZONTAL_FLIP: 'TRUE' }, [60, 100, 5, 10, 13]],
  ] as const)
    it(`has its labels upright above its boxes when the picture is ${what}`, () => {
      expect(showOverlay(metadata)).to.deep.equal(expected);
    });

  it('has the label of a box with corners of its own above the highest of them', () => {
    const { matrix } = turnPicture(SIZE, {});
    const box = { ...BOX, corners: '20,2 30,10 20,18 10,10' };
    expect(shownArea(box, matrix)).to.deep.equal({ left: 10, top: 2, right: 30, bottom: 18 });
  });
});
