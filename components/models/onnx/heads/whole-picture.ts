/** `[1, classes]` and `[1, numbers]`: classes of the whole picture, or a vector that is similar for similar pictures. */
import { IMAGENET } from './detr.ts';
import {
  misfit,
  topClasses,
  wrongCount,
  type ClassHead,
  type Known,
  type Misfit,
  type OutputShape,
  type VectorHead,
} from './head.ts';

/** Numbers of ImageNet classes, without and with one for the background. */
const IMAGENET_CLASSES = [1_000, 1_001];
const PREPROCESSING = { resize: 'STRETCH', ...IMAGENET } as const;

export const classification: ClassHead = {
  type: 'CLASSIFICATION',
  finds: 'classes',
  rule: '[1, classes]',
  preprocessing: PREPROCESSING,
  fit(outputs, known) {
    const index = listAmong(outputs, SCORED);
    if (index < 0) return noList(outputs);
    const classes = lengthOf(outputs[index]!);
    const wrong = wrongCount(classes, known);
    return wrong ?? { classes, outputs: [index] };
  },
  classes([output], top) {
    const { data } = output!;
    const shares = sharesOf(data);
    return topClasses(data.length, (number) => shares(data[number]!), top);
  },
};

export const embedding: VectorHead = {
  type: 'EMBEDDING',
  finds: 'vector',
  rule: '[1, numbers]',
  preprocessing: PREPROCESSING,
  fit(outputs) {
    const index = listAmong(outputs, EMBEDDED);
    return index < 0 ? noList(outputs) : { classes: 0, outputs: [index] };
  },
  vector: ([output]) => Float32Array.from(output!.data),
};

const SCORED = /logit|prob|score|class|softmax/i;
export const EMBEDDED = /embed|feat|pool|descriptor/i;

type Kind = 'CLASSIFICATION' | 'EMBEDDING';

/** Returns the kind of a list of numbers, by hints about the model or by its name; undefined if neither shows it. */
export function kindByName(outputs: readonly OutputShape[], { task }: Known): Kind | undefined {
  if (task === 'CLASSIFICATION' || task === 'EMBEDDING') return task;
  const lists = outputs.filter(isList);
  if (lists.some(({ name }) => SCORED.test(name))) return 'CLASSIFICATION';
  return lists.some(({ name }) => EMBEDDED.test(name)) ? 'EMBEDDING' : undefined;
}

/** Returns the kind by the number of values: as many as given names, or as ImageNet has classes. */
export function kindByCount(outputs: readonly OutputShape[], { names }: Known): Kind | undefined {
  if (names !== undefined) return 'CLASSIFICATION';
  const isImageNet = outputs.some((one) => isList(one) && IMAGENET_CLASSES.includes(lengthOf(one)));
  return isImageNet ? 'CLASSIFICATION' : undefined;
}

/** True for two axes, or for four axes of which the last two are 1. */
export const isList = ({ dims }: OutputShape): boolean =>
  (dims.length === 1 || dims.length === 3) && (dims[0] ?? 0) > 1 && dims.slice(1).every((size) => size === 1);

const lengthOf = ({ dims }: OutputShape): number => dims[0] ?? 0;

function listAmong(outputs: readonly OutputShape[], name: RegExp): number {
  const named = outputs.findIndex((output) => isList(output) && name.test(output.name));
  return named < 0 ? outputs.findIndex(isList) : named;
}

const noList = (outputs: readonly OutputShape[]): Misfit =>
  misfit(0, outputs.length === 0 ? 'it has no output' : 'no output has two axes');

const NEARLY_ONE = 0.01;

/** Returns a function from values to probabilities. Probabilities are unchanged, and logits get a softmax. */
function sharesOf(data: ArrayLike<number>): (value: number) => number {
  let [least, largest] = [Infinity, -Infinity];
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    least = Math.min(least, value);
    largest = Math.max(largest, value);
  }
  // The values are a softmax, or separate probabilities for each class.
  if (least >= 0 && largest <= 1 + NEARLY_ONE) return (value) => value;
  let total = 0;
  for (let i = 0; i < data.length; i++) total += Math.exp(data[i]! - largest);
  return (value) => Math.exp(value - largest) / total;
}
