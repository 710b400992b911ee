import { expect } from 'chai';
import {
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
  AV_PIX_FMT_YUV420P,
  type AVColorRange,
  type AVColorSpace,
} from 'node-av/constants';
import { Frame } from 'node-av/lib';
import { RgbConverter } from '../../../media/picture/rgb.ts';

type Colour = readonly [number, number, number];
/** Tolerance per 8-bit channel for 4:2:0 with rounded values. */
const OFF_BY = 3;

/** A picture of one colour, given as Y, Cb and Cr. */
function picture(size: readonly [number, number], colour: Colour, space: AVColorSpace, range: AVColorRange) {
  const [width, height] = size;
  const chroma = Math.ceil(width / 2) * Math.ceil(height / 2);
  const [y, cb, cr] = colour;
  const planes = [Buffer.alloc(width * height, y), Buffer.alloc(chroma, cb), Buffer.alloc(chroma, cr)];
  const frame = Frame.fromVideoBuffer(Buffer.concat(planes), {
    ...{ width, height, format: AV_PIX_FMT_YUV420P, timeBase: { num: 1, den: 25 } },
  });
  frame.colorSpace = space;
  frame.colorRange = range;
  return frame;
}

/** The same colours have different values in ITU-R BT.601 and BT.709. */
const PICTURES = {
  'green by BT.601': [[145, 54, 34], AVCOL_SPC_SMPTE170M, AVCOL_RANGE_MPEG, [0, 255, 0]],
  'green by BT.709': [[173, 42, 26], AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, [0, 255, 0]],
  'red by BT.709': [[63, 102, 240], AVCOL_SPC_BT709, AVCOL_RANGE_MPEG, [255, 0, 0]],
  'green by BT.709, full range': [[182, 30, 12], AVCOL_SPC_BT709, AVCOL_RANGE_JPEG, [0, 255, 0]],
} as const;

describe('Decoded pictures as RGB', () => {
  for (const [name, [colour, space, range, rgb]] of Object.entries(PICTURES))
    for (const size of [
      [64, 48],
      [65, 33],
      [3, 2],
    ] as const)
      it(`${name} fills all ${size.join(' x ')} pixels, rows packed`, () => {
        const [width, height] = size;
        const converter = new RgbConverter(width, height);
        const frame = picture(size, colour, space, range);
        try {
          converter.convert(frame);
        } finally {
          frame.free();
          converter.close();
        }
        // Valid after the converter is closed, because a detector may keep a picture.
        expect(converter.data.length).to.equal(width * height * 3);
        const farthest = converter.data.reduce(
          (most, value, at) => Math.max(most, Math.abs(value - rgb[at % 3]!)),
          0,
        );
        expect(farthest, 'off by').to.be.at.most(OFF_BY);
      });
});
