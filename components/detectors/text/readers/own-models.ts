/** The operator's PP-OCR recognisers (RECOGNITION_MODEL). */
import { DetectionError, type ModelSettings } from '../../../sdk/detector.ts';
import { messageOf } from '../../../sdk/failure.ts';
import { checkedFacts, findModel, type ModelFile } from '../../../shared/model-files/model-file.ts';
import type { Probed } from '../../../shared/onnx-session/probe.ts';
import { tryModel } from '../../../shared/onnx-session/try-model.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';
import type { LineSize } from '../lines/line-image.ts';
import { openNetwork, type OpenNetwork } from '../models.ts';
import { decode } from './decode.ts';
import { charactersOf } from './dictionary.ts';
import { READ_SIZE, type LineReader } from './line-reader.ts';
import { inSpokenOrder } from './right-to-left.ts';

export const RECOGNITION_MODEL = 'RECOGNITION_MODEL';

interface Known {
  readonly size: LineSize;
  readonly network: OpenNetwork;
}

/** Width of the line with which a model is tried. */
const TRIED_WIDTH = 320;
const OPTIONS = { threads: 1, provider: 'cpu' };

/** Loads models on first use. The least recently used one is unloaded first. */
export class OwnReaders {
  readonly #settings: ModelSettings;
  /** Models by file version, in the order of use. */
  readonly #known = new Map<string, Known & { readonly classes: number }>();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** Opens a reader. Throws INVALID_PROPERTY, COULD_NOT_READ_DATAFILE, DETECTION_NOT_INITIALIZED. */
  async open(name: string, signal: AbortSignal): Promise<LineReader> {
    const file = await findModel(name, this.#settings.roots, RECOGNITION_MODEL);
    const { metadata } = checkedFacts(file);
    const known = this.#known.get(file.version) ?? (await this.#load(file, signal));
    this.#known.delete(file.version);
    this.#known.set(file.version, known);
    // Read each time, because the dictionary may be corrected without changing the model.
    const characters = await charactersOf(file, metadata, known.classes);
    return {
      size: known.size,
      async read({ data, height, width }) {
        const { text, confidence } = decode(await known.network.run(data, height, width), characters);
        return { text: inSpokenOrder(text), confidence };
      },
    };
  }

  async close(): Promise<void> {
    await this.#keep(0);
  }

  async #load(file: ModelFile, signal: AbortSignal) {
    const { checkMs, maxMemory } = this.#settings;
    const hints = { width: TRIED_WIDTH, height: READ_SIZE.height };
    const question = { name: file.name, path: file.path, options: OPTIONS, hints, maxMemory };
    const tried = await tryModel(question, checkMs, signal);
    const classes = classesOf(file.name, tried);
    await this.#keep(this.#settings.loaded - 1);
    const network = await openNetwork(file.path).catch((error: unknown) => {
      throw new DetectionError(
        'DETECTION_NOT_INITIALIZED',
        `The model ${file.name} cannot be loaded: ${messageOf(error)}`,
      );
    });
    return { size: sizeOf(tried), network, classes };
  }

  async #keep(most: number): Promise<void> {
    for (const [version, { network }] of this.#known) {
      if (this.#known.size <= most) return;
      this.#known.delete(version);
      await network.close();
    }
  }
}

/** Returns the number of classes. Throws INVALID_PROPERTY if the model is no recogniser. */
function classesOf(name: string, { inputs: { picture }, outputs }: Probed): number {
  const [output] = outputs;
  const isLines = picture.channels === 3 && picture.layout === 'NCHW' && picture.type === 'float32';
  const isOne = picture.batch === undefined || picture.batch === 1;
  if (isLines && isOne && output?.type === 'float32' && output.dims.length === 3) return output.dims[2]!;
  throw invalidProperty(
    `The model ${name} is no recogniser of text: it must take one picture [1, 3, height, width] and answer [1, columns, characters]. Set ${RECOGNITION_MODEL} to the rec part of a PP-OCR model.`,
  );
}

/** Returns the input size that the model declares. An axis of any length has a name. */
function sizeOf({ inputs: { picture }, declared }: Probed): LineSize {
  const { height, width } = picture;
  const isFixed = typeof declared.inputs.find(({ name }) => name === picture.name)?.shape[3] === 'number';
  return isFixed ? { height, minWidth: width, maxWidth: width } : { ...READ_SIZE, height };
}
