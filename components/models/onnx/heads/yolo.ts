/** `[1, 4 + classes, boxes]`: YOLO 8, 9, 11 and later. A column is centre and size in pixels, and a score from 0 to 1 per class. */
import { centredBox, isGrid, misfit, topClasses, wrongCount, type BoxHead, type RawBox } from './head.ts';

const BOX = 4;

export const yolo: BoxHead = {
  type: 'YOLO',
  finds: 'boxes',
  rule: '[1, 4 + classes, boxes]',
  overlaps: true,
  preprocessing: { resize: 'LETTERBOX', padding: 114 },
  fit(outputs, known) {
    const index = outputs.findIndex(({ dims }) => dims.length === 2);
    const [rows = 0, boxes = 0] = outputs[index]?.dims ?? [];
    if (index < 0) return misfit(0, 'no output has three axes');
    // Masks and key points, which follow the classes, are ignored.
    const named = known.names?.length;
    const hasMore = known.hasExtras === true && named !== undefined && rows > BOX + named && rows < boxes;
    const classes = hasMore ? named : rows - BOX;
    if (classes < 1)
      return misfit(1, `the second axis, ${rows}, leaves no class beside the four numbers of a box`);
    if (named !== classes && rows >= boxes)
      return misfit(1, `the second axis, ${rows}, is not less than the third, ${boxes}`);
    if (named === undefined && known.isAsked !== true && !isGrid(boxes, known, 1))
      return misfit(1, `${boxes} is no number of boxes that the grids of such a network have over its input`);
    return wrongCount(classes, known) ?? { classes, outputs: [index] };
  },
  boxes([output], { classes }, _known, { threshold, top }) {
    const { data, dims } = output!;
    const count = dims[1]!;
    const found: RawBox[] = [];
    const likely = likelyColumns(data, { classes, count, threshold });
    for (let i = 0; i < count; i++) {
      if (likely[i] === 0) continue;
      const value = (row: number) => data[row * count + i]!;
      const box = centredBox(value(0), value(1), value(2), value(3));
      found.push({ ...box, row: i, classes: topClasses(classes, (number) => value(BOX + number), top) });
    }
    return found;
  },
};

interface Scores {
  readonly classes: number;
  readonly count: number;
  readonly threshold: number;
}

/** Returns 1 for columns with a sufficient score. Reads row by row, which is the memory order, because nearly all scores are too small. */
function likelyColumns(data: ArrayLike<number>, { classes, count, threshold }: Scores): Uint8Array {
  const likely = new Uint8Array(count);
  for (let row = BOX; row < BOX + classes; row++) {
    const first = row * count;
    for (let i = 0; i < count; i++) if (data[first + i]! >= threshold) likely[i] = 1;
  }
  return likely;
}
