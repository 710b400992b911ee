/**
 * A server with the KServe v2 protocol. Requests are retried (model-servers/patience.ts), also while the server starts or loads the model.
 * Errors never contain the key.
 */
import { z } from 'zod';
import { DENIED } from '../model-servers/answers.ts';
import type { Outcome } from '../model-servers/outcome.ts';
import { patiently } from '../model-servers/patience.ts';
import type { Answers, Feeds } from '../../shared/onnx-session/runtime.ts';
import type { ModelServerSettings, Waiting } from '../../sdk/detector.ts';
import { asOutcome, Connection, pathOf } from './connection.ts';
import {
  HEADER_LENGTH,
  inferAnswers,
  inferRequest,
  modelMetadata,
  parseShape,
  WrongAnswer,
  type ModelMetadata,
  type WantedAnswer,
} from './protocol.ts';
import { notReady, refusalBy } from './readiness.ts';
import type { ServedModel } from './settings.ts';

/** The used part of Triton's model configuration. */
const configuration = z.object({
  max_batch_size: z.int().optional(),
  parameters: z.record(z.string(), z.object({ string_value: z.string().optional() })).optional(),
  output: z.array(z.object({ name: z.string(), label_filename: z.string().optional() })).optional(),
});
export type Configuration = z.infer<typeof configuration>;

export interface AskedFor extends WantedAnswer {
  /** Maximum size of an answer. */
  readonly maxBytes: number;
  /** Advice if the server refuses the input. */
  readonly advice?: string;
}

export class InferenceServer {
  readonly #connection: Connection;
  readonly #awayMs: number;

  constructor(settings: ModelServerSettings = DENIED) {
    this.#connection = new Connection(settings);
    this.#awayMs = settings.waitMs;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Returns the model's inputs and outputs when it is ready. Throws NETWORK_ERROR with advice. */
  async metadata(model: ServedModel, job: Waiting): Promise<ModelMetadata> {
    return this.#patiently(model, job, async () => {
      const answer = await this.#connection.once({ method: 'GET', path: pathOf(model) }, model, job);
      if (answer.kind !== 'answer') return answer;
      if (answer.body.status !== 200) return refusalBy(this.#connection, answer.body, model, job);
      const { text, cut } = answer.body;
      if (cut) return { kind: 'final', why: 'its metadata of the model is too long' };
      const metadata = asOutcome(() => parseShape(modelMetadata, text));
      if (metadata.kind !== 'answer') return metadata;
      return (await notReady(this.#connection, model, job)) ?? metadata;
    });
  }

  /** Returns the configuration; undefined for servers other than Triton. */
  async configuration(model: ServedModel, job: Waiting): Promise<Configuration | undefined> {
    const request = { method: 'GET', path: `${pathOf(model)}/config` } as const;
    return this.#patiently(model, job, () => this.#connection.maybe(request, configuration, model, job));
  }

  /** Returns the model's answers by output name. Throws NETWORK_ERROR with advice. */
  async infer(
    feeds: Feeds,
    { maxBytes, advice, ...wanted }: AskedFor,
    model: ServedModel,
    job: Waiting,
  ): Promise<Answers> {
    const request = { method: 'POST', path: `${pathOf(model)}/infer`, maxBytes } as const;
    // The values are copied now, because their memory is reused.
    const infer = inferRequest(feeds, wanted);
    return this.#patiently(model, job, async () => {
      const answer = await this.#connection.once({ ...request, infer }, model, job);
      if (answer.kind !== 'answer') return answer;
      const { status, cut, bytes, header } = answer.body;
      if (status !== 200) return refusalBy(this.#connection, answer.body, model, job, advice);
      if (cut) return { kind: 'final', why: `its answer has more than ${maxBytes} bytes` };
      return asOutcome(() => withAll(wanted.outputs, inferAnswers(bytes, header(HEADER_LENGTH))));
    });
  }

  #patiently<T>(model: ServedModel, job: Waiting, once: () => Promise<Outcome<T>>): Promise<T> {
    return patiently(once, { ...model, uri: model.server, awayMs: this.#awayMs }, job);
  }
}

function withAll(outputs: readonly string[], answers: Answers): Answers {
  const missing = outputs.find((name) => !Object.hasOwn(answers, name));
  if (missing === undefined) return answers;
  throw new WrongAnswer(
    `its answer has no output ${missing}, but ${Object.keys(answers).join(', ').slice(0, 300) || 'none'}`,
  );
}
