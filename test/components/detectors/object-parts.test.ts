import { expect } from 'chai';
import { CLASSES } from '../../../components/shared/networks/classes.ts';
import { decode, SIDE, suppress, type ObjectBox } from '../../../components/detectors/objects/decode.ts';

const GRIDS = [52, 26, 13];

/** The output of the network for a picture with only one object, of this class in this cell. */
function answer(
  grid: 0 | 1 | 2,
  cell: number,
  name: string,
  score: number,
  edges: readonly (readonly [bin: number, logit: number][])[],
): Parameters<typeof decode>[0] {
  const scores = GRIDS.map((cells) => new Float32Array(cells * cells * 80));
  const distances = GRIDS.map((cells) => new Float32Array(cells * cells * 44));
  scores[grid]![cell * 80 + CLASSES.indexOf(name)] = score;
  edges.forEach((edge, side) => {
    distances[grid]!.fill(-50, (cell * 4 + side) * 11, (cell * 4 + side + 1) * 11);
    for (const [bin, logit] of edge) distances[grid]![(cell * 4 + side) * 11 + bin] = logit;
  });
  return { scores, distances };
}

describe('The answer of the object network', () => {
  it('counts the cells of a grid row by row, and distances from the middle of a cell', () => {
    // Cell 28 of the 26 x 26 grid: column 2, row 1, centre (40, 24). The edges are 1, 1, 2 and 0 cells away.
    const raw = answer(1, 28, 'dog', 0.5, [[[1, 0]], [[1, 0]], [[2, 0]], [[0, 0]]]);
    expect(decode(raw, 0.4)).to.deep.equal([
      { x: 24, y: 8, width: 48, height: 16, classification: 'dog', confidence: 0.5 },
    ]);
  });

  it('has grids of 8, 16 and 32 pixels', () => {
    expect(GRIDS.map((cells) => SIDE / cells)).to.deep.equal([8, 16, 32]);
    const last = GRIDS.map(
      (cells, grid) => decode(answer(grid as 0, cells * cells - 1, 'cup', 1, []), 0.4)[0]!,
    );
    // With equal weights, the distance is the mean of 0 to 10 cells.
    expect(last.map(({ x, width }) => x + width / 2)).to.deep.equal([412, 408, 400]);
    expect(last.map(({ width }) => width)).to.deep.equal([80, 160, 320]);
  });

  it('takes the mean of a distribution for a distance', () => {
    const even: [number, number][] = [
      [2, 3],
      [3, 3],
    ];
    const uneven: [number, number][] = [
      [4, Math.log(3)],
      [8, 0],
    ];
    const [box] = decode(answer(0, 0, 'car', 0.9, [[[0, 0]], [[0, 0]], even, uneven]), 0.4);
    expect(box!.width).to.be.closeTo(2.5 * 8, 1e-4);
    expect(box!.height).to.be.closeTo(5 * 8, 1e-4);
  });

  it('is what each cell most likely shows, from the threshold on', () => {
    const raw = answer(2, 5, 'truck', 0.5, []);
    raw.scores[2]![5 * 80 + CLASSES.indexOf('car')] = 0.625;
    expect(decode(raw, 0.5).map(({ classification }) => classification)).to.deep.equal(['car']);
    expect(decode(raw, 0.625)).to.have.length(1);
    expect(decode(raw, 0.63)).to.deep.equal([]);
  });

  const box = (classification: string, x: number, confidence: number): ObjectBox => ({
    x,
    y: 0,
    width: 100,
    height: 100,
    classification,
    confidence,
  });
  const keepConfidences = (...boxes: ObjectBox[]) => suppress(boxes).map(({ confidence }) => confidence);

  it('is one object where boxes of a class share more than half, the likeliest of them', () => {
    expect(keepConfidences(box('car', 0, 0.9), box('car', 30, 0.8), box('car', 40, 0.7))).to.deep.equal([
      0.9, 0.7,
    ]);
  });

  it('is two objects if boxes of two classes share more than half, and one if nearly all', () => {
    expect(keepConfidences(box('person', 0, 0.9), box('bicycle', 20, 0.8))).to.deep.equal([0.9, 0.8]);
    expect(keepConfidences(box('truck', 0, 0.9), box('car', 5, 0.8))).to.deep.equal([0.9]);
  });

  it('is of 80 classes, each of another name', () => {
    expect(new Set(CLASSES).size).to.equal(80);
    expect(CLASSES.join()).to.equal(CLASSES.join().toLowerCase());
  });
});
