/** The text half of a model pair such as CLIP. Its vectors of words are similar to vectors of pictures that show them. */
import { DetectionError, type ModelSettings } from '../../../sdk/detector.ts';
import { messageOf } from '../../../sdk/failure.ts';
import { checkedFacts, findModel, type ModelFile } from '../../../shared/model-files/model-file.ts';
import type { InferenceSession, Tensor } from '../../../shared/networks/onnx-runtime.ts';
import { infosOf, openSession, tensorsOf } from '../../../shared/onnx-session/session.ts';
import { tokenFeeds, tokensTaken } from '../../../shared/onnx-session/tokens.ts';
import { tryTextModel } from '../../../shared/onnx-session/try-model.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import { EMBEDDED } from '../heads/whole-picture.ts';
import { TextTokenizer } from './tokenizer.ts';

export const TEXT_MODEL_NAME = 'TEXT_MODEL_NAME';

interface Loaded {
  readonly version: string;
  readonly session: InferenceSession;
  readonly tokenizer: TextTokenizer;
}

const OPTIONS = { threads: 1, provider: 'cpu' };
/** Text with which a model is tried. */
const TRIED_TEXT = 'a picture';
/** Names of outputs that are preferred over other possible vectors. */
const OF_TEXT = /text_embed|sentence_embed/i;

export class TextHalf {
  readonly #settings: ModelSettings;
  /** The most recently used model. */
  #loaded: Loaded | undefined;

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** Returns the vector of words. Throws INVALID_PROPERTY, COULD_NOT_READ_DATAFILE, DETECTION_NOT_INITIALIZED, DETECTION_FAILED. */
  async vector(name: string, words: string, signal: AbortSignal): Promise<Float32Array> {
    const file = await findModel(name, this.#settings.roots, TEXT_MODEL_NAME);
    const { session, tokenizer } = await this.#load(file, signal);
    const inputs = infosOf(session.inputMetadata);
    const tokens = tokenizer.encode(words, tokensTaken(inputs));
    const feeds = tensorsOf(tokenFeeds(name, inputs, tokens));
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

  async #load(file: ModelFile, signal: AbortSignal): Promise<Loaded> {
    const { version } = file;
    if (this.#loaded?.version === version) return this.#loaded;
    checkedFacts(file);
    const tokenizer = await TextTokenizer.beside(file);
    const { checkMs, maxMemory } = this.#settings;
    const { name, path } = file;
    const question = { name, path, options: OPTIONS, maxMemory, tokens: tokenizer.encode(TRIED_TEXT) };
    await tryTextModel(question, checkMs, signal);
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
