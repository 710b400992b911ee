import { expect } from 'chai';
import { decode, suppress, type Face } from '../../../../components/detectors/faces/decode.ts';
import { letterbox } from '../../../../components/shared/networks/letterbox.ts';
import { regionsOf } from '../../../../components/detectors/faces/regions.ts';
import { picture } from '../../visual.ts';

/** The output of the network for a picture with only one face, with this score at this anchor. */
function answer(
  level: 0 | 1,
  anchor: number,
  score: number,
  values: readonly number[],
): Parameters<typeof decode>[0] {
  const scores = [new Float32Array(512).fill(-20), new Float32Array(384).fill(-20)];
  const boxes = [new Float32Array(512 * 16), new Float32Array(384 * 16)];
  scores[level]![anchor] = score;
  boxes[level]!.set(values, anchor * 16);
  return { scores, boxes };
}

describe('The answer of the face network', () => {
  it('counts two anchors a cell of 16 pixels on the fine grid', () => {
    // Anchor 37 is the second one of cell 18: column 2, row 1, centre (40, 24).
    const [face, ...rest] = decode(answer(0, 37, 0, [4, -2, 20, 30]), 0.5);
    expect(rest).to.deep.equal([]);
    expect(face).to.include({ x: 34, y: 7, width: 20, height: 30, confidence: 0.5 });
  });

  it('says where the eyes and the mouth are', () => {
    const points = [-5, -6, 5, -6, 0, 0, 1, 7];
    const [face] = decode(answer(0, 37, 0, [4, -2, 20, 30, ...points]), 0.5);
    expect(face).to.deep.include({
      rightEye: { x: 35, y: 18 },
      leftEye: { x: 45, y: 18 },
      mouth: { x: 41, y: 31 },
    });
  });

  it('counts six anchors a cell of 32 pixels on the coarse grid', () => {
    // Anchor 59 is the last one of cell 9: column 1, row 1, centre (48, 48).
    const [face] = decode(answer(1, 59, 2, [0, 0, 64, 64]), 0.5);
    expect(face).to.include({ x: 16, y: 16, width: 64, height: 64 });
    expect(face!.confidence).to.be.closeTo(0.881, 0.001);
  });

  it('leaves out what is less likely than the threshold', () => {
    expect(decode(answer(0, 37, 1.38, [0, 0, 20, 20]), 0.8)).to.deep.equal([]);
    expect(decode(answer(0, 37, 1.39, [0, 0, 20, 20]), 0.8)).to.have.length(1);
  });

  it('makes one face of a heap and keeps others', () => {
    const face = (x: number, confidence: number): Face => ({ x, y: 0, width: 40, height: 40, confidence });
    const kept = suppress([face(10, 0.9), face(14, 0.6), face(100, 0.55)], 0.3);
    expect(kept.map(({ x, confidence }) => [Math.round(x * 10) / 10, confidence])).to.deep.equal([[11.6, 0.9], [100, 0.55]]); // oxfmt-ignore
  });
});

describe('The letterbox', () => {
  const side = 64;
  const at = (square: Float32Array, x: number, y: number): number[] =>
    [...square.subarray((y * side + x) * 3, (y * side + x) * 3 + 3)].map((value) =>
      Math.round((value + 1) * 127.5),
    );

  for (const [width, height] of [
    [640, 360],
    [100, 60],
    [40, 20],
    [200, 600],
  ] as const)
    // oxfmt-ignore
    it(`shows all of a ${width} x ${height} picture in its middle, and tells the way back`, () => {
      const frame = picture(width, height, (x, y) => [x < width / 2 ? 200 : 50, y < height / 2 ? 180 : 20, 90]);
      const square = new Float32Array(side * side * 3);
      const { scaleX, scaleY, left, top } = letterbox(frame, { x: 0, y: 0, width, height }, square, side);
      const toSquare = (x: number, y: number): [number, number] => [
        Math.floor((x - left) / scaleX),
        Math.floor((y - top) / scaleY),
      ];
      expect(at(square, ...toSquare(width * 0.3, height * 0.3))).to.deep.equal([200, 180, 90]);
      expect(at(square, ...toSquare(width * 0.7, height * 0.3))).to.deep.equal([50, 180, 90]);
      expect(at(square, ...toSquare(width * 0.7, height * 0.7))).to.deep.equal([50, 20, 90]);
      const [x, y] = toSquare(width / 2, height / 2);
      expect(x).to.be.within(side / 2 - 1, side / 2);
      expect(y).to.be.within(side / 2 - 1, side / 2);
      expect(width > height ? at(square, side / 2, 2) : at(square, 2, side / 2)).to.deep.equal([0, 0, 0]);
    });

  it('shows a region of a picture, and tells the way back into the picture', () => {
    const frame = picture(640, 360, (x, y) =>
      x >= 400 && x < 420 && y >= 200 && y < 220 ? [255, 255, 255] : [0, 0, 0],
    );
    const square = new Float32Array(side * side * 3);
    const { scaleX, scaleY, left, top } = letterbox(
      frame,
      { x: 320, y: 40, width: 320, height: 320 },
      square,
      side,
    );
    const x = Math.floor((410 - left) / scaleX);
    const y = Math.floor((210 - top) / scaleY);
    expect(at(square, x, y)).to.deep.equal([255, 255, 255]);
    expect(at(square, x + 4, y)).to.deep.equal([0, 0, 0]);
  });

  it('averages fine patterns instead of picking pixels', () => {
    const frame = picture(384, 384, (x, y) => ((x + y) % 2 === 0 ? [255, 255, 255] : [0, 0, 0]));
    const square = new Float32Array(side * side * 3);
    letterbox(frame, { x: 0, y: 0, width: 384, height: 384 }, square, side);
    expect(at(square, 20, 20)[0]).to.be.within(100, 155);
  });
});

describe('The regions that the face detector looks at', () => {
  it('are the whole picture', () => {
    expect(regionsOf(1280, 720, false)).to.deep.equal([{ x: 0, y: 0, width: 1280, height: 720 }]);
  });

  it('are overlapping squares as well that cover the picture, for small faces', () => {
    const [whole, ...squares] = regionsOf(1280, 720, true);
    expect(whole).to.deep.equal({ x: 0, y: 0, width: 1280, height: 720 });
    expect(squares).to.have.length(6);
    expect(Math.max(...squares.map(({ x, width }) => x + width))).to.equal(1280);
    expect(Math.max(...squares.map(({ y, height }) => y + height))).to.equal(720);
    const columns = [...new Set(squares.map(({ x }) => x))];
    for (const [i, x] of columns.slice(1).entries()) expect(columns[i]! + 640 - x).to.be.at.least(160);
  });

  it('stay one where the picture is small', () => {
    expect(regionsOf(320, 240, true)).to.have.length(1);
  });
});
