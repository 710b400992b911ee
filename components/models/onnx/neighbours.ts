/** Reads files beside a model: the operator's sidecar, and the settings of Hugging Face exports. */
import path from 'node:path';
import { textBelow } from '../../shared/model-files/neighbour.ts';
import { namesOf } from './class-names.ts';
import { HINT_NAMES, hintOf } from '../../shared/onnx-session/hint-values.ts';
import { mergeHints, wrongHint, type Hints } from '../../shared/onnx-session/hints.ts';
import type { ModelFile } from '../../shared/model-files/model-file.ts';

const NAMES = 'CLASS_NAMES';

type Json = Readonly<Record<string, unknown>>;

async function jsonBeside({ root }: ModelFile, file: string): Promise<Json | undefined> {
  const shown = path.basename(file);
  const text = await textBelow(root, file, shown);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Handled below.
  }
  throw wrongHint(`The file ${shown} beside the model is not a JSON object: correct it, or remove it.`);
}

/** Reads `<model>.json`: an object with properties that describe a model, and CLASS_NAMES. Throws INVALID_PROPERTY. */
export async function sidecarHints(model: ModelFile): Promise<Hints> {
  const file = `${model.found.replace(/\.onnx$/, '')}.json`;
  const given = (await jsonBeside(model, file)) ?? {};
  return mergeHints(
    Object.entries(given).map(([name, value]) => sidecarHint(name, value, path.basename(file))),
  );
}

function sidecarHint(name: string, value: unknown, file: string): Hints {
  const where = `${name} in ${file}`;
  if (name === NAMES) {
    const names = namesOf(value);
    if (names === undefined)
      throw wrongHint(`${where} must be a list of texts, or an object of texts by number.`);
    return { names };
  }
  if (!HINT_NAMES.includes(name))
    throw wrongHint(`${where} says nothing of a model; it may have ${[NAMES, ...HINT_NAMES].join(', ')}.`);
  return hintOf(name, Array.isArray(value) ? value.join(',') : String(value), where);
}

/** Reads `config.json` and `preprocessor_config.json` of an export: beside the model, or above it if the model is in a folder `onnx`. */
export async function huggingFaceHints(model: ModelFile): Promise<Hints> {
  const folder = path.dirname(model.found);
  const folders = path.basename(folder) === 'onnx' ? [folder, path.dirname(folder)] : [folder];
  const sources: Hints[] = [];
  for (const where of folders) {
    const read = (name: string) => jsonBeside(model, path.join(where, name));
    const [config, pictures] = [await read('config.json'), await read('preprocessor_config.json')];
    if (pictures !== undefined) sources.push(pictureHints(pictures));
    if (config !== undefined) sources.push(configHints(config));
  }
  return mergeHints(sources);
}

/** Model types whose scores are a softmax with a last class for "no object". */
const SOFTMAX = new Set(['detr', 'yolos', 'table-transformer']);

function configHints({ id2label, model_type: type, architectures }: Json): Hints {
  const [architecture = ''] = Array.isArray(architectures) ? (architectures as unknown[]).map(String) : [];
  return {
    names: namesOf(id2label),
    task: /ForImageClassification/.test(architecture)
      ? 'CLASSIFICATION'
      : /ForObjectDetection/.test(architecture)
        ? 'DETECTION'
        : undefined,
    softmax: typeof type === 'string' ? SOFTMAX.has(type) : undefined,
  };
}

function pictureHints(given: Json): Hints {
  const { do_normalize: normalizes, do_rescale: rescales, rescale_factor: factor } = given;
  const plain = normalizes === false;
  return {
    ...sizeHint(given['do_center_crop'] === true ? given['crop_size'] : given['size']),
    resize: 'STRETCH',
    scale: rescales === false ? 1 : typeof factor === 'number' ? factor : 1 / 255,
    mean: plain ? [0] : threeOf(given['image_mean']),
    deviation: plain ? [1] : threeOf(given['image_std']),
  };
}

function threeOf(value: unknown): readonly number[] | undefined {
  const isThree = Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number');
  return isThree ? value : undefined;
}

function sizeHint(size: unknown): Hints {
  if (typeof size === 'number') return { width: size, height: size };
  if (typeof size !== 'object' || size === null) return {};
  const { width, height, shortest_edge: shortest } = size as Json;
  if (typeof width === 'number' && typeof height === 'number') return { width, height };
  return typeof shortest === 'number' ? { width: shortest, height: shortest } : {};
}

/** Reads the metadata that Ultralytics exports contain. */
export function metadataHints(metadata: ReadonlyMap<string, string>): Hints {
  const [, height, width = height] =
    /^\s{0,9}\[?\s{0,9}(\d{1,9})(?:\s{0,9},\s{0,9}(\d{1,9}))?/.exec(metadata.get('imgsz') ?? '') ?? [];
  const names = metadata.get('names');
  const task = TASKS[metadata.get('task') ?? ''];
  return {
    names: names === undefined ? undefined : namesOf(names),
    task,
    hasExtras: /^(?:segment|pose)$/.test(metadata.get('task') ?? '') ? true : undefined,
    width: height === undefined ? undefined : Number(width),
    height: height === undefined ? undefined : Number(height),
    // Their classifiers use pixels divided by 255, without mean and deviation.
    ...(task === 'CLASSIFICATION' ? { mean: [0], deviation: [1] } : {}),
  };
}

const TASKS: Readonly<Record<string, Hints['task']>> = {
  detect: 'DETECTION',
  segment: 'DETECTION',
  pose: 'DETECTION',
  classify: 'CLASSIFICATION',
};
