/** A model in the ONNX runtime. */
import { InferenceSession, Tensor, type ValueMetadata } from '../networks/onnx-runtime.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { ValueInfo } from './inputs.ts';
import type { Answers, Feeds, Runtime } from './runtime.ts';

export interface SessionOptions {
  /** Number of threads per run. */
  readonly threads: number;
  /** Execution provider of the runtime in lower case: cpu, cuda ... */
  readonly provider: string;
}

export function openSession(path: string, { threads, provider }: SessionOptions): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Logs only fatal errors. Other errors are thrown as exceptions.
    logSeverityLevel: 4,
  });
}

export const infosOf = (metadata: readonly ValueMetadata[]): ValueInfo[] =>
  metadata.map((one) =>
    one.isTensor
      ? { name: one.name, type: one.type, shape: [...one.shape] }
      : { name: one.name, type: 'no tensor', shape: [] },
  );

/** Runs a model in this process. */
export class SessionRuntime implements Runtime {
  readonly #session: InferenceSession;
  readonly #name: string;

  /** `name`: the model's name for messages. */
  constructor(session: InferenceSession, name: string) {
    this.#session = session;
    this.#name = name;
  }

  async run(feeds: Feeds, count: number): Promise<Answers> {
    try {
      return await this.#session.run(tensorsOf(feeds));
    } catch (error) {
      const advice =
        count > 1 ? ' Set DETECTION_FRAME_BATCH_SIZE to 1 if it takes one picture at a time.' : '';
      throw new DetectionError(
        'DETECTION_FAILED',
        `The model ${this.#name} failed: ${messageOf(error)}${advice}`,
      );
    }
  }
}

export const tensorsOf = (feeds: Feeds): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(feeds).map(([name, { type, dims, data }]) => [
      name,
      new Tensor(type, data as never, dims),
    ]),
  );
