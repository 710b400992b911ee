/** Interprets a model: its input, the conversion of pictures, the meaning of its outputs, and the names of its classes. */
import { usualNames } from './class-names.ts';
import { featuresAmong } from './features.ts';
import { chooseHead, type ChosenHead } from './heads/choose.ts';
import type { Known } from './heads/head.ts';
import { mergeHints, type Hints, type Preprocessing } from '../../shared/onnx-session/hints.ts';
import type { NetworkInputs } from '../../shared/onnx-session/inputs.ts';
import type { ModelFile } from '../../shared/model-files/model-file.ts';
import { huggingFaceHints, metadataHints, sidecarHints } from './neighbours.ts';
import type { Probed } from '../../shared/onnx-session/probe.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';

export interface UnderstoodModel {
  /** The name as the user wrote it, for messages. */
  readonly name: string;
  readonly inputs: NetworkInputs;
  readonly outputs: Probed['outputs'];
  readonly head: ChosenHead['head'];
  readonly fit: ChosenHead['fit'];
  /** Index of the output with additional vectors; undefined if there is none. */
  readonly features: number | undefined;
  /** Name and version of the vectors' model. Vectors of other models are not comparable. */
  readonly vectorModel?: string;
  readonly known: Known;
  readonly how: Preprocessing;
  /** Name of its text half, if one is given. */
  readonly textModel?: string | undefined;
  /** Returns the name of a class. A class without a name gets one from its number. */
  nameOf(number: number): string;
}

/** Results of one run of the model. */
export type Tried = Pick<Probed, 'inputs' | 'outputs'>;

const USUAL: Preprocessing = {
  pixelFormat: 'RGB',
  resize: 'LETTERBOX',
  corner: false,
  padding: 114,
  scale: 1 / 255,
  mean: [0],
  deviation: [1],
};
/** Maximum mean or deviation for values from 0 to 1. Larger ones are for pixels from 0 to 255. */
const LARGEST_SHARE = 2;

/** Merges the hints about a model by precedence: properties, sidecar, the file itself, settings of a Hugging Face export. */
export async function hintsFor(
  file: ModelFile,
  metadata: ReadonlyMap<string, string>,
  properties: Hints,
): Promise<Hints> {
  if (metadata.get('task') === 'obb')
    throw invalidProperty(
      `The model ${file.name} finds rotated boxes (task obb), which cannot be read: use one of the tasks detect, segment, pose or classify.`,
    );
  const sources = [
    properties,
    await sidecarHints(file),
    metadataHints(metadata),
    await huggingFaceHints(file),
  ];
  return mergeHints(sources);
}

/** Interprets a model. Throws INVALID_PROPERTY if the outputs match no rule. */
export function understand(name: string, { inputs, outputs }: Tried, hints: Hints): UnderstoodModel {
  const { width, height, batch } = inputs.picture;
  const known: Known = {
    width,
    height,
    names: hints.names,
    task: hints.task,
    softmax: hints.softmax,
    hasExtras: hints.hasExtras,
    isAsked: hints.type !== undefined,
  };
  const wrong = outputs.find(({ dims }) => dims.length > 0 && dims[0] !== (batch ?? 1));
  if (wrong !== undefined)
    throw invalidProperty(
      `The model ${name} answers ${wrong.name} [${wrong.dims.join(', ')}] to ${batch ?? 1} picture(s): the first axis must be that of the pictures. Export it so.`,
    );
  const forOne = outputs.map(({ name, dims }) => ({ name, dims: dims.slice(1) }));
  const { head, fit } = chooseHead(name, forOne, known, hints.type);
  const names = hints.names ?? (fit.classes > 0 ? usualNames(fit.classes) : []);
  return {
    name,
    inputs,
    outputs,
    head,
    fit,
    features: featuresAmong(forOne, { head, fit }),
    known,
    how: preprocessingOf(hints, head.preprocessing, inputs),
    textModel: hints.textModel,
    nameOf: (number) => names[number] ?? `class ${number}`,
  };
}

function preprocessingOf(
  hints: Hints,
  ofHead: Partial<Preprocessing>,
  { picture }: NetworkInputs,
): Preprocessing {
  const inPixels = [...(hints.mean ?? []), ...(hints.deviation ?? [])].some((value) => value > LARGEST_SHARE);
  // If only a mean is given, the deviation is 1 and not the default of the head.
  const own = {
    ...(hints.mean !== undefined || hints.deviation !== undefined ? { mean: [0], deviation: [1] } : {}),
    ...(inPixels ? { scale: 1 } : {}),
  };
  const { pixelFormat, resize, corner, padding, scale, mean, deviation } = mergeHints([
    hints,
    own,
    ofHead,
    USUAL,
  ]) as Preprocessing;
  const grey = picture.channels === 1 ? { mean: [average(mean)], deviation: [average(deviation)] } : {};
  return { pixelFormat, resize, corner, padding, scale, mean, deviation, ...grey };
}

const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
