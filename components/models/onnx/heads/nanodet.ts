/**
 * `[1, cells, classes + 32]`: NanoDet-Plus. A row is a cell of 8, 16, 32 or 64 pixels. It has a score from 0 to 1 per class, and the
 * distances of left, top, right and bottom from the cell's corner. Each distance is a distribution over 0 to 7 cells.
 */
import { meanOf } from '../../../shared/networks/distribution.ts';
import { misfit, topClasses, wrongCount, type BoxHead, type Known, type RawBox } from './head.ts';

const STRIDES = [8, 16, 32, 64];
const BINS = 8;
const SIDES = 4 * BINS;

export const nanodet: BoxHead = {
  type: 'NANODET',
  finds: 'boxes',
  rule: '[1, cells, classes + 32] with a row for each cell of 8, 16, 32 and 64 pixels',
  overlaps: true,
  // Channels are in the order blue, green, red, as in the authors' training.
  preprocessing: {
    resize: 'STRETCH',
    pixelFormat: 'BGR',
    scale: 1,
    mean: [103.53, 116.28, 123.675],
    deviation: [57.375, 57.12, 58.395],
  },
  fit(outputs, known) {
    const index = outputs.findIndex(({ dims }) => dims.length === 2);
    if (index < 0) return misfit(0, 'no output has three axes');
    const [cells = 0, values = 0] = outputs[index]!.dims;
    const classes = values - SIDES;
    if (classes < 1) return misfit(1, `the third axis, ${values}, leaves no class beside 32 other numbers`);
    if (cells !== cornersOf(known).length)
      return misfit(1, `its grids have ${cornersOf(known).length} cells`);
    return wrongCount(classes, known) ?? { classes, outputs: [index] };
  },
  boxes([output], { classes }, known, { threshold, top }) {
    const { data, dims } = output!;
    const found: RawBox[] = [];
    for (const [i, { x, y, stride }] of cornersOf(known).entries()) {
      const first = i * dims[1]!;
      const best = topClasses(classes, (number) => data[first + number]!, top);
      if (!(best[0]!.score >= threshold)) continue;
      const far = (side: number) => meanOf(data, first + classes + side * BINS, BINS) * stride;
      const [left, above] = [x - far(0), y - far(1)];
      const box = { x: left, y: above, width: x + far(2) - left, height: y + far(3) - above };
      found.push({ ...box, row: i, classes: best });
    }
    return found;
  },
};

/** Returns the corners of cells in the order of rows. Cells that are partly outside the input are included. */
function cornersOf({ width, height }: Known) {
  return STRIDES.flatMap((stride) => {
    const columns = Math.ceil(width / stride);
    const count = columns * Math.ceil(height / stride);
    return Array.from({ length: count }, (_, i) => ({
      x: (i % columns) * stride,
      y: Math.floor(i / columns) * stride,
      stride,
    }));
  });
}
