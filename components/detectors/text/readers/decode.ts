/** Decodes the columns of a line (greedy CTC decoding). Pure. */
import type { Decoded } from './line-reader.ts';

export interface NetworkOutput {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Returns the text of the most likely class per column. Repeated classes count once, and the blank (class 0) is skipped. */
export function decode(output: NetworkOutput, characters: readonly string[]): Decoded {
  const [, columns = 0, classes = 0] = output.shape;
  let text = '';
  let [sum, count, previous] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    const start = column * classes;
    let best = 0;
    for (let i = 1; i < classes; i++) if (output.data[start + i]! > output.data[start + best]!) best = i;
    if (best !== 0 && best !== previous) {
      text += characters[best] ?? '';
      sum += output.data[start + best]!;
      count++;
    }
    previous = best;
  }
  text = text.trim();
  return { text, confidence: text === '' ? 0 : sum / count };
}
