/** Finds the output with vectors besides a network's findings: one of the whole picture, or one per box. */
import type { ChosenHead } from './heads/choose.ts';
import type { OutputShape } from './heads/head.ts';
import { EMBEDDED, isList } from './heads/whole-picture.ts';

/** Returns the index of the output. `outputs` are without the batch axis. Returns undefined if there is none, or several possible ones. */
export function featuresAmong(
  outputs: readonly OutputShape[],
  { head, fit }: ChosenHead,
): number | undefined {
  if (head.finds === 'vector') return undefined;
  const [first] = fit.outputs;
  const boxes = outputs[first!]!.dims[head.type === 'YOLO' ? 1 : 0];
  const isOfBoxes = ({ dims }: OutputShape) => dims.length === 2 && dims[0] === boxes;
  const isVector = head.finds === 'boxes' ? isOfBoxes : isList;
  const free = [...outputs.keys()].filter((i) => !fit.outputs.includes(i) && isVector(outputs[i]!));
  return free.find((i) => EMBEDDED.test(outputs[i]!.name)) ?? (free.length === 1 ? free[0] : undefined);
}
