/** Networks that make a vector of an upright face: the included one, or the operator's model. */
import { loadNetwork, type Network } from '../../shared/networks/network.ts';
import { NO_TILES } from '../../shared/networks/tiles.ts';
import type { DetectionJob, Frame, ModelSettings, Waiting } from '../../sdk/detector.ts';
import { invalidProperty } from '../../shared/tracking/settings.ts';
import { ONE_BY_ONE } from '../onnx/network.ts';
import { ModelStore } from '../onnx/model-store.ts';
import { hintsIn } from '../onnx/settings.ts';

export interface Embedding {
  /** Name and version. Vectors of other models are not comparable. */
  readonly model: string;
  /** Side of the input faces in pixels. */
  readonly side: number;
  vector(face: Frame, waiting: Waiting): Promise<Float32Array>;
}

const OWN = {
  file: 'components/models/face-embedding/model/face-recognition.onnx',
  model: 'face-recognition@1',
  side: 150,
};
/** Side of faces for the operator's models, which scale it down to their own input, mostly 112 pixels. */
const OTHERS_SIDE = 224;

export class Embeddings {
  readonly #store: ModelStore;
  readonly #roots: readonly string[];
  #own: Promise<Network> | undefined;

  constructor(models: ModelSettings) {
    this.#store = new ModelStore(models);
    this.#roots = models.roots;
  }

  /** Opens a network. `name`: a model below MODEL_ROOTS; empty for the included one. Throws INVALID_PROPERTY, DETECTION_NOT_INITIALIZED. */
  async open(name: string, job: DetectionJob): Promise<Embedding> {
    if (name === '') return ofOurs(await (this.#own ??= loadNetwork(OWN.file)));
    const hints = await hintsIn({ ...job.properties, MODEL_TYPE: 'EMBEDDING' }, this.#roots);
    const wanted = { name, hints, options: { threads: 1, provider: 'cpu' } };
    const network = await this.#store.network(wanted, job.signal);
    const { model } = network;
    if (model.head.finds !== 'vector')
      throw invalidProperty(
        `The model ${name} makes no vectors. Set MODEL_NAME to one with an output [1, numbers].`,
      );
    return {
      model: model.vectorModel ?? model.name,
      side: OTHERS_SIDE,
      async vector(face, waiting) {
        const question = { search: SEARCH, tiling: NO_TILES, load: ONE_BY_ONE, job: waiting };
        for await (const { found } of network.find(only(face), question)) return found[0]!.vector!;
        throw new Error(`The model ${name} gave no answer.`);
      },
    };
  }

  async close(): Promise<void> {
    await this.#store.close();
    await (await this.#own)?.close();
  }
}

const SEARCH = { threshold: 0, top: 1, sameOverlap: 1, features: false };

async function* only(frame: Frame): AsyncGenerator<Frame> {
  yield frame;
}

function ofOurs(network: Network): Embedding {
  const pixels = OWN.side * OWN.side;
  const values = new Float32Array(pixels * 3);
  return {
    ...OWN,
    async vector({ data }) {
      for (let i = 0; i < pixels * 3; i++) values[(i % 3) * pixels + Math.floor(i / 3)] = data[i]!;
      const [vector] = await network.run(values, [1, 3, OWN.side, OWN.side]);
      return Float32Array.from(vector!);
    },
  };
}
