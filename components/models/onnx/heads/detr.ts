/**
 * Logits `[1, queries, classes]` and boxes `[1, queries, 4]`: DETR and its successors (RF-DETR, D-FINE, RT-DETR). A box has centre and size
 * as shares of the picture. Each query finds one object, so no suppression is needed.
 */
import {
  centredBox,
  logistic,
  misfit,
  topClasses,
  wrongCount,
  type BoxHead,
  type OutputShape,
  type RawBox,
  type ScoredClass,
} from './head.ts';

const BOX = 4;
/** Mean and deviation of ImageNet, on which their backbones were trained. */
export const IMAGENET = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const;

export const detr: BoxHead = {
  type: 'DETR',
  finds: 'boxes',
  rule: 'logits [1, queries, classes] and boxes [1, queries, 4]',
  overlaps: false,
  preprocessing: { resize: 'STRETCH', ...IMAGENET },
  fit(outputs, known) {
    const both = outputs.flatMap(({ dims }, index) => (dims.length === 2 ? [index] : []));
    if (both.length < 2) return misfit(0, 'fewer than two outputs have three axes');
    const boxes = boxesAmong(both, outputs);
    if (boxes === undefined) return misfit(1, 'no output has four numbers a box');
    const [queries] = outputs[boxes]!.dims;
    const others = both.filter((index) => index !== boxes && outputs[index]!.dims[0] === queries);
    const logits = others.find((index) => LOGITS.test(outputs[index]!.name)) ?? others[0];
    if (logits === undefined) return misfit(1, 'no other output has as many rows as there are boxes');
    // With softmax, the last class means "no object".
    const classes = outputs[logits]!.dims[1]! - (known.softmax === true ? 1 : 0);
    return wrongCount(classes, known) ?? { classes, outputs: [logits, boxes] };
  },
  boxes([logits, boxes], { classes }, { width, height, softmax }, { threshold, top }) {
    const found: RawBox[] = [];
    const values = logits!.dims[1]!;
    for (let i = 0; i < boxes!.dims[0]!; i++) {
      const logit = (number: number) => logits!.data[i * values + number]!;
      const scored = scoresOf(logit, { classes, values, top, softmax: softmax === true });
      if (!(scored[0]!.score >= threshold)) continue;
      const side = (k: number) => boxes!.data[i * BOX + k]!;
      const box = centredBox(side(0) * width, side(1) * height, side(2) * width, side(3) * height);
      found.push({ ...box, row: i, classes: scored });
    }
    return found;
  },
};

/** Names of outputs with logits. Exports may also output internal values. */
const LOGITS = /logit|label|class|score/i;

/** Returns the output whose name matches if several have four values per row. */
function boxesAmong(indexes: readonly number[], outputs: readonly OutputShape[]): number | undefined {
  const four = indexes.filter((index) => outputs[index]!.dims[1] === BOX);
  return four.find((index) => /box|det/i.test(outputs[index]!.name)) ?? four[0];
}

interface Scores {
  readonly classes: number;
  readonly values: number;
  readonly top: number;
  readonly softmax: boolean;
}

function scoresOf(
  logit: (number: number) => number,
  { classes, values, top, softmax }: Scores,
): ScoredClass[] {
  const best = topClasses(classes, logit, top);
  if (!softmax) return best.map(({ number, score }) => ({ number, score: logistic(score) }));
  let largest = -Infinity;
  for (let number = 0; number < values; number++) largest = Math.max(largest, logit(number));
  let sum = 0;
  for (let number = 0; number < values; number++) sum += Math.exp(logit(number) - largest);
  return best.map(({ number, score }) => ({ number, score: Math.exp(score - largest) / sum }));
}
