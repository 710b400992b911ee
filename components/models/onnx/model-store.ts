/** The loaded models of this process. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import { DetectionError, type ModelSettings } from '../../sdk/detector.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { FileFacts } from '../../shared/model-files/file-facts.ts';
import type { Hints } from '../../shared/onnx-session/hints.ts';
import { checkedFacts, findModel, type ModelFile } from '../../shared/model-files/model-file.ts';
import { Network } from './network.ts';
import { openSession, SessionRuntime, type SessionOptions } from '../../shared/onnx-session/session.ts';
import { tryModel } from '../../shared/onnx-session/try-model.ts';
import { hintsFor, understand, type UnderstoodModel } from './understand-model.ts';

interface Loaded {
  readonly session: InferenceSession;
  /** Networks by the hints about the model. */
  readonly networks: Map<string, Network>;
}

type KnownFacts = Pick<FileFacts, 'metadata' | 'external'>;

/** Maximum number of files whose facts are cached. */
const MOST_FILES = 50;
/** Maximum number of cached ways to use one loaded model. */
const MOST_WAYS = 8;

export interface WantedModel {
  /** Value of MODEL_NAME. */
  readonly name: string;
  /** Hints from properties. */
  readonly hints: Hints;
  readonly options: SessionOptions;
}

/** Loads models on first use and shares them between jobs. The least recently used one is unloaded first. */
export class ModelStore {
  readonly #settings: ModelSettings;
  /** Loaded models in the order of use. */
  readonly #loaded = new Map<string, Loaded>();
  /** Facts by file version. */
  readonly #facts = new Map<string, KnownFacts>();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** Names of the loaded files, with the most recently used one last. */
  get loaded(): readonly string[] {
    return [...this.#loaded.keys()];
  }

  async network({ name, hints: given, options }: WantedModel, signal: AbortSignal): Promise<Network> {
    const file = await findModel(name, this.#settings.roots);
    const facts = this.#factsOf(file);
    const hints = await hintsFor(file, facts.metadata, given);
    const key = `${options.provider} ${options.threads} ${file.version} ${await versionsBeside(file, facts)}`;
    const way = JSON.stringify(hints);
    const known = this.#loaded.get(key)?.networks.get(way);
    if (known !== undefined) {
      this.#use(key, this.#loaded.get(key)!);
      return known;
    }
    const { checkMs, maxMemory } = this.#settings;
    const question = { name, path: file.path, options, hints, maxMemory };
    const understood = understand(file.name, await tryModel(question, checkMs, signal), hints);
    const model = await withVectorModel(understood, file, facts);
    const loaded = this.#loaded.get(key) ?? (await this.#load(key, file, options));
    this.#use(key, loaded);
    const network = new Network(model, new SessionRuntime(loaded.session, name));
    if (loaded.networks.size >= MOST_WAYS) loaded.networks.clear();
    loaded.networks.set(way, network);
    return network;
  }

  async close(): Promise<void> {
    await this.#keep(0);
  }

  /** Returns the facts of a file, which is read once and not for each sub-job. */
  #factsOf(file: ModelFile): KnownFacts {
    const known = this.#facts.get(file.version);
    if (known !== undefined) return known;
    if (this.#facts.size >= MOST_FILES) this.#facts.clear();
    const { metadata, external } = checkedFacts(file);
    this.#facts.set(file.version, { metadata, external });
    return { metadata, external };
  }

  /** Loads a model. Others are unloaded first, so the limit is never exceeded. */
  async #load(key: string, file: ModelFile, options: SessionOptions): Promise<Loaded> {
    await this.#keep(this.#settings.loaded - 1);
    try {
      return { session: await openSession(file.path, options), networks: new Map() };
    } catch (error) {
      throw new DetectionError(
        'DETECTION_NOT_INITIALIZED',
        `The model ${file.name} cannot be loaded: ${messageOf(error)}`,
      );
    }
  }

  #use(key: string, loaded: Loaded): void {
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
  }

  async #keep(most: number): Promise<void> {
    for (const [key, { session }] of this.#loaded) {
      if (this.#loaded.size <= most) return;
      this.#loaded.delete(key);
      await session.release();
    }
  }
}

/** Number of hexadecimal digits of the content's hash that distinguish models of the same name. */
const VERSION_DIGITS = 12;

/** Adds the version of its content to a model that makes vectors. It is the same on every host with the file. */
async function withVectorModel(
  model: UnderstoodModel,
  { name, path: file }: ModelFile,
  { external }: KnownFacts,
): Promise<UnderstoodModel> {
  if (model.head.finds !== 'vector' && model.features === undefined) return model;
  const hash = createHash('sha256');
  const beside = external.map((one) => path.resolve(path.dirname(file), one));
  for (const one of [file, ...beside])
    for await (const bytes of createReadStream(one)) hash.update(bytes as Buffer);
  return { ...model, vectorModel: `${name}@${hash.digest('hex').slice(0, VERSION_DIGITS)}` };
}

/** Returns versions of external weights, because they can be replaced without the model. */
async function versionsBeside(file: ModelFile, { external }: KnownFacts): Promise<string> {
  const versions = external.map(async (name) => {
    const facts = await stat(path.resolve(path.dirname(file.path), name)).catch(() => undefined);
    return facts === undefined ? '' : `${facts.size} ${facts.mtimeMs} ${facts.ino}`;
  });
  return (await Promise.all(versions)).join(' ');
}
