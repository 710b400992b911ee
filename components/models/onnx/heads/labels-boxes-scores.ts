/**
 * Labels `[1, n]`, boxes `[1, n, 4]` and scores `[1, n]`: exports of D-FINE and RT-DETR that select and scale boxes themselves. Boxes are
 * in pixels of the size in the input `orig_target_sizes`, which is set to the network's input size. A box is left, top, right, bottom.
 */
import { misfit, type BoxHead, type OutputShape, type RawBox } from './head.ts';

const BOX = 4;

export const labelsBoxesScores: BoxHead = {
  type: 'LABELS_BOXES_SCORES',
  finds: 'boxes',
  rule: 'labels [1, n], boxes [1, n, 4] and scores [1, n]',
  overlaps: false,
  preprocessing: { resize: 'STRETCH' },
  fit(outputs) {
    const boxes = outputs.findIndex(({ dims }) => dims.length === 2 && dims[1] === BOX);
    if (boxes < 0) return misfit(0, 'no output has four numbers a box');
    const labels = listNamed(outputs, /label|class/i);
    const scores = listNamed(outputs, /score|conf/i);
    if (labels < 0 || scores < 0) return misfit(1, 'no outputs with two axes are named labels and scores');
    return { classes: 0, outputs: [labels, boxes, scores] };
  },
  boxes([labels, boxes, scores], _fit, _known, { threshold }) {
    const found: RawBox[] = [];
    for (let i = 0; i < scores!.dims[0]!; i++) {
      const score = scores!.data[i]!;
      if (!(score >= threshold)) continue;
      const [left, top, right, bottom] = [0, 1, 2, 3].map((k) => boxes!.data[i * BOX + k]!);
      const box = { x: left!, y: top!, width: right! - left!, height: bottom! - top! };
      found.push({ ...box, row: i, classes: [{ number: labels!.data[i]!, score }] });
    }
    return found;
  },
};

const listNamed = (outputs: readonly OutputShape[], name: RegExp): number =>
  outputs.findIndex((output) => output.dims.length === 1 && name.test(output.name));
