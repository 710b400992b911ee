/** A model server with the OpenAI protocol. Requests are retried (model-servers/patience.ts). Errors never contain the key. */
import { exchange, type Answer } from '../../../egress/http/exchange.ts';
import type { HttpClient } from '../../../egress/http/http-client.ts';
import { DENIED, modelServerClient, refusalOf, withoutAnswer, withoutKey } from '../model-servers/answers.ts';
import type { Outcome } from '../model-servers/outcome.ts';
import { patiently } from '../model-servers/patience.ts';
import type { DetectionJob, ModelServerSettings } from '../../sdk/detector.ts';
import type { ServerProperties } from './server-properties.ts';

export interface Question {
  readonly method: 'GET' | 'POST';
  /** Path below API_URI, with a leading slash; or a whole URI. */
  readonly path: string;
  readonly body?: string | Buffer;
  readonly contentType?: string;
}

/** Maximum size of an answer. Language models usually answer with some kilobytes. */
const MAX_BYTES = 8 * 1024 * 1024;

export class ModelServer {
  readonly #client: HttpClient;
  readonly #awayMs: number;

  constructor(settings: ModelServerSettings = DENIED) {
    this.#client = modelServerClient(settings);
    this.#awayMs = settings.waitMs;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Returns the JSON of the answer. Throws NETWORK_ERROR with advice. */
  async ask(question: Question, server: ServerProperties, job: DetectionJob): Promise<unknown> {
    return this.#patiently(question, server, job, false);
  }

  /** Waits until API_HEALTH_URI answers successfully. The content of the answer is ignored. */
  async healthy(server: ServerProperties, job: DetectionJob): Promise<void> {
    await this.#patiently({ method: 'GET', path: server.healthUri }, server, job, true);
  }

  #patiently(
    question: Question,
    server: ServerProperties,
    job: DetectionJob,
    anyBody: boolean,
  ): Promise<unknown> {
    const once = () => this.#once(question, server, job, anyBody);
    return patiently(once, { ...server, awayMs: this.#awayMs }, job);
  }

  async #once(
    { method, path, body, contentType }: Question,
    server: ServerProperties,
    job: DetectionJob,
    anyBody: boolean,
  ): Promise<Outcome<unknown>> {
    const url = /^https?:/i.test(path) ? path : `${server.uri}${path}`;
    // The key is only for the server of API_URI, wherever API_HEALTH_URI leads.
    const isHome = URL.canParse(url) && new URL(url).origin === new URL(server.uri).origin;
    try {
      const answer = await exchange(this.#client, {
        method,
        url,
        headers: {
          Accept: 'application/json',
          ...(server.token === '' || !isHome ? {} : { Authorization: `Bearer ${server.token}` }),
        },
        timeoutMs: server.timeoutMs,
        maxBytes: MAX_BYTES,
        signal: job.signal,
        ...(body === undefined ? {} : { body }),
        ...(contentType === undefined ? {} : { contentType }),
      });
      if (anyBody && answer.status === 200) return { kind: 'answer', body: undefined };
      return outcomeOf({ ...answer, text: withoutKey(answer.text, server.token) });
    } catch (error) {
      job.signal.throwIfAborted();
      return withoutAnswer(error);
    }
  }
}

function outcomeOf(answer: Answer): Outcome<unknown> {
  if (answer.status !== 200) return refusalOf(answer);
  const { text, cut } = answer;
  if (cut) return { kind: 'final', why: `its answer has more than ${MAX_BYTES} bytes` };
  try {
    return { kind: 'answer', body: JSON.parse(text) as unknown };
  } catch {
    const what = /^\s*</.test(text) ? 'a web page' : 'no JSON';
    return {
      kind: 'final',
      why: `it answered with ${what}; API_URI must be the address of an OpenAI interface, which mostly ends in /v1`,
    };
  }
}
