/** The text half of a model pair such as CLIP's: makes vectors of words that are near to those of pictures that show them. */
import { DetectionError, type ModelSettings } from '../../../sdk/detector.ts';
import { messageOf } from '../../../sdk/failure.ts';
import { checkedFacts, findModel, type ModelFile } from '../../../shared/model-files/model-file.ts';
import { Tensor, type InferenceSession } from '../../../shared/networks/onnx-runtime.ts';
import { infosOf, openSession } from '../../../shared/onnx-session/session.ts';
import { shownInfos, type ValueInfo } from '../../../shared/onnx-session/inputs.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import { EMBEDDED } from '../heads/whole-picture.ts';
import { TextTokenizer, type Tokens } from './tokenizer.ts';

export const TEXT_MODEL_NAME = 'TEXT_MODEL_NAME';

interface Loaded {
  readonly version: string;
  readonly session: InferenceSession;
  readonly tokenizer: TextTokenizer;
}

const OPTIONS = { threads: 1, provider: 'cpu' };
/** Before any other output that may be a vector. */
const OF_TEXT = /text_embed|sentence_embed/i;

export class TextHalf {
  readonly #settings: ModelSettings;
  /** The one that was used last. */
  #loaded: Loaded | undefined;

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** Errors: INVALID_PROPERTY, COULD_NOT_READ_DATAFILE, DETECTION_NOT_INITIALIZED, DETECTION_FAILED. */
  async vector(name: string, words: string): Promise<Float32Array> {
    const file = await findModel(name, this.#settings.roots, TEXT_MODEL_NAME);
    const { session, tokenizer } = await this.#load(file);
    const inputs = infosOf(session.inputMetadata);
    const length = inputs.map(({ shape }) => shape[1]).find((axis) => typeof axis === 'number');
    const tokens = tokenizer.encode(words, length);
    const feeds = Object.fromEntries(inputs.map((input) => [input.name, tensorOf(name, input, tokens)]));
    let answers: Readonly<Record<string, Tensor>>;
    try {
      answers = await session.run(feeds);
    } catch (error) {
      throw new DetectionError('DETECTION_FAILED', `The text model ${name} failed: ${messageOf(error)}`);
    }
    return vectorAmong(name, answers);
  }

  async close(): Promise<void> {
    await this.#loaded?.session.release();
    this.#loaded = undefined;
  }

  async #load(file: ModelFile): Promise<Loaded> {
    const { version } = file;
    if (this.#loaded?.version === version) return this.#loaded;
    checkedFacts(file);
    const tokenizer = await TextTokenizer.beside(file);
    await this.close();
    const session = await openSession(file.path, OPTIONS).catch((error: unknown) => {
      throw new DetectionError(
        'DETECTION_NOT_INITIALIZED',
        `The text model ${file.name} cannot be loaded: ${messageOf(error)}`,
      );
    });
    return (this.#loaded = { version, session, tokenizer });
  }
}

/** Errors: INVALID_PROPERTY for an input that is no text. */
function tensorOf(model: string, input: ValueInfo, { ids, mask }: Tokens): Tensor {
  const values = /mask/i.test(input.name)
    ? mask
    : /token_type/i.test(input.name)
      ? ids.map(() => 0)
      : /position/i.test(input.name)
        ? [...ids.keys()]
        : ids;
  const dims = [1, ids.length];
  if (input.shape.length === 2 && input.type === 'int64')
    return new Tensor('int64', BigInt64Array.from(values, BigInt), dims);
  if (input.shape.length === 2 && input.type === 'int32')
    return new Tensor('int32', Int32Array.from(values), dims);
  throw invalidProperty(
    `The text model ${model} wants ${shownInfos([input])}: only tokens [1, length] of int64 or int32 can be given. Export the text half alone.`,
  );
}

function vectorAmong(model: string, answers: Readonly<Record<string, Tensor>>): Float32Array {
  const lists = Object.entries(answers).filter(
    ([, { type, dims }]) => type === 'float32' && dims.length === 2 && dims[0] === 1,
  );
  const found =
    lists.find(([name]) => OF_TEXT.test(name)) ??
    lists.find(([name]) => EMBEDDED.test(name)) ??
    (lists.length === 1 ? lists[0] : undefined);
  if (found !== undefined) return Float32Array.from(found[1].data as Float32Array);
  const shown = Object.entries(answers).map(
    ([name, { type, dims }]) => `${name} [${dims.join(', ')}] of ${type}`,
  );
  throw invalidProperty(
    `The text model ${model} answers ${shown.join(', ')}, of which none surely is a vector [1, numbers] of float32. Export it with text_embeds.`,
  );
}
