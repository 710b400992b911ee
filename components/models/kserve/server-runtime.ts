/** Runs a network on a server. */
import type { Answers, Feeds, Runtime, Values } from '../../shared/onnx-session/runtime.ts';
import { DetectionError, type Waiting } from '../../sdk/detector.ts';
import type { InferenceServer } from './server.ts';
import type { ServedModel } from './settings.ts';

export interface WantedOutput {
  readonly name: string;
  /** Shape of the first answer. */
  readonly dims: readonly number[];
  /** Required shape of answers; undefined for an axis of any length. */
  readonly shape: readonly (number | undefined)[];
}

/** Length of a number in JSON, including its comma. */
const BYTES_OF_NUMBER = 25;
/** Minimum size limit of an answer per picture, because the answers of some networks grow with their findings. */
const LEAST_BYTES = 16 * 1024 * 1024;

const ADVICE = 'Set DETECTION_FRAME_BATCH_SIZE to 1 if the model takes one picture at a time';

export class ServerRuntime implements Runtime {
  readonly #server: InferenceServer;
  readonly #model: ServedModel;
  readonly #outputs: readonly WantedOutput[];
  readonly #forget: () => void;

  /** `forget`: called after an error, so that the model's description is requested again. */
  constructor(
    server: InferenceServer,
    model: ServedModel,
    outputs: readonly WantedOutput[],
    forget: () => void,
  ) {
    this.#server = server;
    this.#model = model;
    this.#outputs = outputs;
    this.#forget = forget;
  }

  async run(feeds: Feeds, count: number, waiting: Waiting): Promise<Answers> {
    const outputs = this.#outputs.map(({ name }) => name);
    const maxBytes = count * this.#bytesOfPicture();
    try {
      const asked = { outputs, maxBytes, ...(count > 1 ? { advice: ADVICE } : {}) };
      const answers = await this.#server.infer(feeds, asked, this.#model, waiting);
      for (const wanted of this.#outputs) this.#check(wanted, answers[wanted.name]!);
      return answers;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #bytesOfPicture(): number {
    const numbers = this.#outputs.map(({ dims }) => dims.slice(1).reduce((all, size) => all * size, 1));
    return Math.max(LEAST_BYTES, BYTES_OF_NUMBER * numbers.reduce((all, one) => all + one, 0));
  }

  #check({ name, dims: first, shape }: WantedOutput, { dims }: Values): void {
    if (
      dims.length === shape.length &&
      shape.every((size, axis) => size === undefined || size === dims[axis])
    )
      return;
    throw new DetectionError(
      'DETECTION_FAILED',
      `The model ${this.#model.name} answers ${name} [${dims.join(', ')}], where it answered [${first.join(', ')}] before: if it was replaced, run the job again.`,
    );
  }
}
