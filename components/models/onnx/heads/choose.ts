/** Chooses a network's head: the named one, or the first whose shapes match its outputs. */
import { DetectionError } from '../../../sdk/detector.ts';
import type { ModelType } from '../../../shared/onnx-session/hints.ts';
import { detr } from './detr.ts';
import { endToEnd } from './end-to-end.ts';
import { isFit, misfit, type AnyHead, type Fit, type Known, type Misfit, type OutputShape } from './head.ts';
import { labelsBoxesScores } from './labels-boxes-scores.ts';
import { nanodet } from './nanodet.ts';
import { yolox, yoloObjectness } from './rows.ts';
import { classification, embedding, isList, kindByCount, kindByName } from './whole-picture.ts';
import { yolo } from './yolo.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';

/** Heads for boxes. Stricter ones come first. */
const BOX_HEADS: readonly AnyHead[] = [
  labelsBoxesScores,
  detr,
  endToEnd,
  nanodet,
  yolo,
  yolox,
  yoloObjectness,
];
const HEADS: readonly AnyHead[] = [...BOX_HEADS, classification, embedding];

export interface ChosenHead {
  readonly head: AnyHead;
  readonly fit: Fit;
}

/** Chooses a head. `outputs` are without the batch axis. Throws INVALID_PROPERTY with the shapes and the closest rule. */
export function chooseHead(
  name: string,
  outputs: readonly OutputShape[],
  known: Known,
  type: ModelType | undefined,
): ChosenHead {
  const judged = candidates(name, outputs, known, type).map((head) => ({
    head,
    fit: head.fit(outputs, known),
  }));
  for (const { head, fit } of judged) if (isFit(fit)) return { head, fit };
  const nearest = judged
    .map(({ head, fit }) => ({ head, miss: isFit(fit) ? misfit(0, '') : fit }))
    .toSorted((a, b) => b.miss.nearness - a.miss.nearness)[0]!;
  throw new DetectionError('INVALID_PROPERTY', noFit(name, outputs, nearest, type));
}

function candidates(
  name: string,
  outputs: readonly OutputShape[],
  known: Known,
  type: ModelType | undefined,
): readonly AnyHead[] {
  if (type !== undefined) return HEADS.filter((head) => head.type === type);
  const fits = (head: AnyHead) => isFit(head.fit(outputs, known));
  if (!outputs.some(isList) || known.task === 'DETECTION' || fits(labelsBoxesScores)) return BOX_HEADS;
  // Exports for whole pictures may also output internal values, which look like boxes.
  const kind = kindByName(outputs, known) ?? (BOX_HEADS.some(fits) ? 'BOXES' : kindByCount(outputs, known));
  if (kind === 'BOXES') return BOX_HEADS;
  if (kind !== undefined) return kind === 'EMBEDDING' ? [embedding] : [classification];
  throw invalidProperty(
    `The model ${name} answers ${describeShapes(outputs)}, which may be classes as well as a vector: set MODEL_TYPE to CLASSIFICATION or EMBEDDING.`,
  );
}

function noFit(
  name: string,
  outputs: readonly OutputShape[],
  { head, miss }: { readonly head: AnyHead; readonly miss: Misfit },
  type: ModelType | undefined,
): string {
  const what = type === undefined ? 'fits no rule' : `is no ${type}`;
  const advice =
    miss.nearness === 2
      ? 'Give the names that belong to the model (CLASS_NAMES_FILE, or CLASS_NAMES in a sidecar file).'
      : 'Export the model with one of the layouts that the documentation lists, or set MODEL_TYPE to one of them.';
  return `The model ${name} ${what}: it answers ${describeShapes(outputs)}. The nearest rule is ${head.type}, ${head.rule}, but ${miss.why}. ${advice}`;
}

/** Describes shapes as in the documentation, including the batch axis. */
export const describeShapes = (outputs: readonly OutputShape[]): string =>
  outputs.map(({ name, dims }) => `${name} [${[1, ...dims].join(', ')}]`).join(', ');
