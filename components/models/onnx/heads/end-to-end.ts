/** `[1, boxes, 6]`: boxes that the network selects itself, with left, top, right and bottom in pixels, score and class number. */
import { misfit, type BoxHead, type RawBox } from './head.ts';

const VALUES = 6;
/** Maximum number of boxes. A network that selects boxes itself returns few. */
const MOST_BOXES = 1_000;

export const endToEnd: BoxHead = {
  type: 'END_TO_END',
  finds: 'boxes',
  rule: '[1, boxes, 6]',
  overlaps: false,
  preprocessing: { resize: 'LETTERBOX', padding: 114 },
  fit(outputs, { hasExtras }) {
    const index = outputs.findIndex(({ dims }) => dims.length === 2);
    const [boxes = 0, values = 0] = outputs[index]?.dims ?? [];
    if (index < 0) return misfit(0, 'no output has three axes');
    // Masks and key points follow the class.
    const hasMore = hasExtras === true && values > VALUES && values < boxes;
    if (values !== VALUES && !hasMore) return misfit(1, `the third axis is ${values}`);
    if (boxes > MOST_BOXES) return misfit(1, `${boxes} boxes are more than a network chooses itself`);
    return { classes: 0, outputs: [index] };
  },
  boxes([output], _fit, _known, { threshold }) {
    const { data, dims } = output!;
    const found: RawBox[] = [];
    for (let i = 0; i < dims[0]!; i++) {
      const [left, top, right, bottom, score, number] = [0, 1, 2, 3, 4, 5].map(
        (k) => data[i * dims[1]! + k]!,
      );
      if (!(score! >= threshold)) continue;
      const box = { x: left!, y: top!, width: right! - left!, height: bottom! - top! };
      found.push({ ...box, row: i, classes: [{ number: Math.round(number!), score: score! }] });
    }
    return found;
  },
};
