/** Models on servers: their metadata, and the shapes of their answer to an empty picture. */
import { namesOf } from '../onnx/class-names.ts';
import { mergeHints, wrongHint, type Hints } from '../../shared/onnx-session/hints.ts';
import {
  inputsOf,
  shownInfos,
  type NetworkInputs,
  type ValueInfo,
} from '../../shared/onnx-session/inputs.ts';
import type { AskedModel, Models } from '../onnx/network-detector.ts';
import { Network, type Load } from '../onnx/network.ts';
import type { Feeds } from '../../shared/onnx-session/runtime.ts';
import { hintsIn, readSearch } from '../onnx/settings.ts';
import { feedsOf, valuesOf } from '../../shared/onnx-session/tensors.ts';
import { understand, type Tried } from '../onnx/understand-model.ts';
import type { DetectionJob, DetectorHost, Waiting } from '../../sdk/detector.ts';
import { hintsOfServer } from './server-hints.ts';
import { labelsIn, typeOf, type ModelMetadata } from './protocol.ts';
import { InferenceServer, type Configuration } from './server.ts';
import { ServerRuntime, type WantedOutput } from './server-runtime.ts';
import { readServedModel, type ServedModel } from './settings.ts';

/** A server's description of a model. */
interface Described {
  readonly metadata: ModelMetadata;
  readonly configuration: Configuration | undefined;
  readonly at: number;
}

/** Time in milliseconds after which a model's description is requested again, because the server may have replaced the model. */
const DESCRIBED_MS = 5_000;
/** Maximum number of models, or ways to use them, that are cached. */
const MOST_KNOWN = 20;
/** Maximum number of values that are sent concurrently, 256 MiB in FP32. Requests contain them a second time. */
const MOST_NUMBERS = 64 * 1024 * 1024;
/** Maximum size of the first answer per picture, before the size of answers is known. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_BYTES_OF_ALL = 512 * 1024 * 1024;

export class ServedModels implements Models {
  readonly #roots: readonly string[];
  readonly #server: InferenceServer;
  readonly #described = new Map<string, Described>();
  readonly #networks = new Map<string, Network>();

  constructor({ models, modelServers }: DetectorHost) {
    this.#roots = models.roots;
    this.#server = new InferenceServer(modelServers);
  }

  async prepare(job: DetectionJob): Promise<AskedModel> {
    const model = readServedModel(job.properties);
    const settings = await readSearch(job.properties, this.#roots);
    const given = await hintsIn(job.properties, this.#roots);
    const described = await this.#describe(model, job);
    const { features } = settings.search;
    const network = await this.#network(model, described, { given, features }, job);
    return { settings, network, load: loadOf(network, settings.batch, described.configuration, model) };
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #describe(model: ServedModel, job: Waiting): Promise<Described> {
    const key = JSON.stringify(model);
    const known = this.#described.get(key);
    if (known !== undefined && performance.now() - known.at < DESCRIBED_MS) return known;
    const metadata = await this.#server.metadata(model, job);
    const configuration = await this.#server.configuration(model, job);
    const described = { metadata, configuration, at: performance.now() };
    remember(this.#described, key, described);
    return described;
  }

  async #network(
    model: ServedModel,
    { metadata, configuration }: Described,
    { given, features }: { readonly given: Hints; readonly features: boolean },
    job: Waiting,
  ): Promise<Network> {
    const key = JSON.stringify([model, metadata, configuration, given, features]);
    const known = this.#networks.get(key);
    if (known !== undefined) return known;
    const said = hintsOfServer(given, metadata, configuration);
    const tried = await this.#try(model, metadata, said, job);
    const hints = mergeHints([said, await this.#labels(model, tried, configuration, job)]);
    const { name, version } = model;
    const vectorModel = version === '' ? name : `${name}:${version}`;
    const understood = { ...understand(name, tried, hints), vectorModel };
    const forget = () => void this.#described.delete(JSON.stringify(model));
    const vectors = features && understood.features !== undefined ? [understood.features] : [];
    const wanted = [...understood.fit.outputs, ...vectors].map((index) =>
      wantedOf(understood.outputs[index]!, metadata),
    );
    const network = new Network(understood, new ServerRuntime(this.#server, model, wanted, forget));
    remember(this.#networks, key, network);
    return network;
  }

  /** Runs the model once, because its metadata may leave the shapes of outputs open. */
  async #try(model: ServedModel, metadata: ModelMetadata, hints: Hints, job: Waiting): Promise<Tried> {
    const inputs = inputsOf(model.name, metadata.inputs.map(infoOf), hints);
    const count = inputs.picture.batch ?? 1;
    if (valuesOf(inputs, count) > MOST_NUMBERS)
      throw wrongHint(
        `The model ${model.name} wants ${shownInfos(metadata.inputs.map(infoOf))}: pictures of more than ${MOST_NUMBERS} numbers are not sent. Serve it with smaller ones, or fewer at a time.`,
      );
    const outputs = metadata.outputs.map(({ name }) => name);
    const maxBytes = Math.min(MOST_BYTES * count, MOST_BYTES_OF_ALL);
    const feeds = emptyFeeds(inputs);
    const shape = feeds[inputs.picture.name]!.dims.join(', ');
    const advice = `It was given an empty picture [${shape}]: if the model takes another size, set NET_INPUT_IMAGE_SIZE`;
    const answers = await this.#server.infer(feeds, { outputs, maxBytes, advice }, model, job);
    const shapes = Object.entries(answers).map(([name, { type, dims }]) => ({ name, type, dims }));
    return { inputs, outputs: shapes };
  }

  /** Returns the labels of an output. Triton returns them only with the largest values. */
  async #labels(
    model: ServedModel,
    { inputs, outputs }: Tried,
    configuration: Configuration | undefined,
    job: Waiting,
  ): Promise<Hints> {
    const labelled = new Set(
      configuration?.output?.flatMap((one) => ((one.label_filename ?? '') === '' ? [] : [one.name])),
    );
    const output = outputs.find(({ name, dims }) => labelled.has(name) && dims.length === 2);
    if (output === undefined) return {};
    const wanted = { outputs: [output.name], labels: output.dims[1]!, maxBytes: MOST_BYTES };
    const answers = await this.#server.infer(emptyFeeds(inputs), wanted, model, job);
    return { names: namesOf(labelsIn(answers[output.name]!)) };
  }
}

/** Returns how many frames are sent: the requested number, limited by the model and by memory. */
function loadOf(
  { model: { inputs } }: Network,
  batch: number,
  configuration: Configuration | undefined,
  { concurrency }: ServedModel,
): Load {
  const taken = configuration?.max_batch_size ?? 0;
  const room = Math.floor(MOST_NUMBERS / valuesOf(inputs, 1));
  const together = Math.max(1, Math.min(batch, taken > 0 ? taken : batch, room));
  const parts = Math.floor(room / (inputs.picture.batch ?? together));
  return { together, parts: Math.max(1, Math.min(concurrency, parts)) };
}

/** Returns a picture of zeros, or the number of pictures that the model requires. */
function emptyFeeds(inputs: NetworkInputs): Feeds {
  const count = inputs.picture.batch ?? 1;
  return feedsOf(inputs, new Float32Array(valuesOf(inputs, count)), count);
}

/** An axis of any length is negative. */
const infoOf = ({ name, datatype, shape }: ModelMetadata['inputs'][number]): ValueInfo => ({
  name,
  type: typeOf(datatype),
  shape: shape.map((size) => (size < 0 ? String(size) : size)),
});

/**
 * Returns the expected output. Axes that the server leaves open may have another length in each answer, and all axes if it declares no
 * shape.
 */
function wantedOf({ name, dims }: Tried['outputs'][number], { outputs }: ModelMetadata): WantedOutput {
  const declared = outputs.find((output) => output.name === name)?.shape ?? [];
  const shape = dims.map((size, axis) => (axis > 0 && (declared[axis] ?? -1) >= 0 ? size : undefined));
  return { name, dims, shape };
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, value);
}
