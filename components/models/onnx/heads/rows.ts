/** `[1, boxes, 5 + classes]`: a row is a box, the probability of an object, and a score per class, both from 0 to 1. */
import type { Box } from '../../../../domain/geometry/geometry.ts';
import {
  cellsOf,
  centredBox,
  isGrid,
  misfit,
  STRIDES,
  topClasses,
  wrongCount,
  type BoxHead,
  type Fit,
  type Known,
  type Misfit,
  type Output,
  type OutputShape,
  type RawBox,
  type Wanted,
} from './head.ts';

const BOX = 5;
/** Number of box shapes per cell in YOLO 5 and 7. */
const ANCHORS = 3;

/** YOLO 5 and 7: centre and size in pixels. */
export const yoloObjectness: BoxHead = {
  type: 'YOLO_OBJECTNESS',
  finds: 'boxes',
  rule: '[1, boxes, 5 + classes]',
  overlaps: true,
  preprocessing: { resize: 'LETTERBOX', padding: 114 },
  fit: (outputs, known) =>
    // If the type or the classes are named, other grids are accepted.
    fitOf(
      outputs,
      known,
      (boxes) => known.isAsked === true || known.names !== undefined || isGrid(boxes, known, ANCHORS),
    ),
  boxes: ([output], fit, _known, wanted) =>
    rowsOf(output!, fit, wanted, (row) => centredBox(row(0), row(1), row(2), row(3))),
};

/**
 * YOLOX: one box per cell. The default export has the centre in cells from the cell's corner, and the logarithm of the size in cells.
 * Exports with both in pixels have the same shape. They are recognized by values too large for a logarithm.
 */
export const yolox: BoxHead = {
  type: 'YOLOX',
  finds: 'boxes',
  rule: '[1, boxes, 5 + classes] with a box for each cell of 8, 16 and 32 pixels',
  overlaps: true,
  preprocessing: { resize: 'LETTERBOX', padding: 114, corner: true, scale: 1, pixelFormat: 'BGR' },
  fit: (outputs, known) => fitOf(outputs, known, (boxes) => boxes === cellsOf(known)),
  boxes([output], fit, known, wanted) {
    if (!isInCells(output!))
      return rowsOf(output!, fit, wanted, (row) => centredBox(row(0), row(1), row(2), row(3)));
    const cells = placesOf(known);
    return rowsOf(output!, fit, wanted, (row, i) => {
      const { column, line, stride } = cells[i]!;
      const [width, height] = [Math.exp(row(2)) * stride, Math.exp(row(3)) * stride];
      return centredBox((row(0) + column) * stride, (row(1) + line) * stride, width, height);
    });
  },
};

function fitOf(
  outputs: readonly OutputShape[],
  known: Known,
  fits: (boxes: number) => boolean,
): Fit | Misfit {
  const index = outputs.findIndex(({ dims }) => dims.length === 2);
  if (index < 0) return misfit(0, 'no output has three axes');
  const [boxes = 0, values = 0] = outputs[index]!.dims;
  const classes = values - BOX;
  if (classes < 1) return misfit(1, `the third axis, ${values}, leaves no class beside five other numbers`);
  if (boxes < values) return misfit(1, `the second axis, ${boxes}, is less than the third, ${values}`);
  const wrong = wrongCount(classes, known);
  if (wrong !== undefined) return wrong;
  if (!fits(boxes))
    return misfit(1, `${boxes} is no number of boxes that the grids of such a network have over its input`);
  return { classes, outputs: [index] };
}

function rowsOf(
  { data, dims }: Output,
  { classes }: Fit,
  { threshold, top }: Wanted,
  place: (row: (column: number) => number, i: number) => Box,
): RawBox[] {
  const found: RawBox[] = [];
  const values = dims[1]!;
  for (let i = 0; i < dims[0]!; i++) {
    const first = i * values;
    const objectness = data[first + 4]!;
    if (!(objectness >= threshold)) continue;
    const best = topClasses(classes, (number) => data[first + BOX + number]! * objectness, top);
    if (!(best[0]!.score >= threshold)) continue;
    found.push({ ...place((column) => data[first + column]!, i), row: i, classes: best });
  }
  return found;
}

/** Upper limit of the logarithm of a size in cells of 8 pixels, for any input. */
const LARGEST_LOGARITHM = 8;

function isInCells({ data, dims }: Output): boolean {
  const values = dims[1]!;
  for (let i = 0; i < dims[0]!; i++)
    if (data[i * values + 2]! > LARGEST_LOGARITHM || data[i * values + 3]! > LARGEST_LOGARITHM) return false;
  return true;
}

function placesOf({ width, height }: Known) {
  return STRIDES.flatMap((stride) => {
    const columns = Math.floor(width / stride);
    const count = columns * Math.floor(height / stride);
    return Array.from({ length: count }, (_, i) => ({
      stride,
      column: i % columns,
      line: Math.floor(i / columns),
    }));
  });
}
