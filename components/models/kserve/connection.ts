/** Sends single requests to a server with the KServe v2 protocol, at allowed addresses of model servers. */
import { z } from 'zod';
import { exchange, type Answer } from '../../../egress/http/exchange.ts';
import type { HttpClient } from '../../../egress/http/http-client.ts';
import { NoAnswer } from '../../../egress/http/no-answer.ts';
import { modelServerClient, withoutAnswer } from '../model-servers/answers.ts';
import type { Outcome } from '../model-servers/outcome.ts';
import type { ModelServerSettings, Waiting } from '../../sdk/detector.ts';
import { parseShape, WrongAnswer, type InferRequest } from './protocol.ts';
import type { ServedModel } from './settings.ts';

/** Maximum size of metadata, which usually has some kilobytes. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Timeout of metadata requests in milliseconds. Requests with pictures may take longer. */
const TEXT_MS = 30_000;

export interface Request {
  readonly method: 'GET' | 'POST';
  /** Path after /v2. */
  readonly path: string;
  readonly infer?: InferRequest;
  readonly maxBytes?: number;
}

export class Connection {
  readonly #client: HttpClient;

  constructor(settings: ModelServerSettings) {
    this.#client = modelServerClient(settings);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Sends one request. Any status counts as an answer. */
  async once(
    { method, path, infer, maxBytes = MAX_TEXT }: Request,
    { server, token, timeoutMs }: ServedModel,
    { signal }: Waiting,
  ): Promise<Outcome<Answer>> {
    try {
      const answer = await exchange(this.#client, {
        method,
        url: `${server}/v2${path}`,
        headers: {
          Accept: '*/*',
          ...infer?.headers,
          ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
        },
        timeoutMs: infer === undefined ? Math.min(timeoutMs || TEXT_MS, TEXT_MS) : timeoutMs,
        maxBytes,
        signal,
        ...(method === 'GET' ? {} : { body: infer?.body ?? '{}' }),
        ...(infer === undefined ? {} : { contentType: 'application/octet-stream' }),
      });
      return { kind: 'answer', body: answer };
    } catch (error) {
      signal.throwIfAborted();
      return silence(error, infer !== undefined);
    }
  }

  /** Requests metadata that only some servers have. Returns undefined if this server does not have it. */
  async maybe<T>(
    request: Request,
    schema: z.ZodType<T>,
    model: ServedModel,
    job: Waiting,
  ): Promise<Outcome<T | undefined>> {
    const answer = await this.once(request, model, job);
    if (answer.kind !== 'answer') return answer;
    const { status, text } = answer.body;
    const read = status === 200 ? asOutcome(() => parseShape(schema, text)) : undefined;
    return { kind: 'answer', body: read?.kind === 'answer' ? read.body : undefined };
  }
}

/** Returns the path of a model after /v2. */
export function pathOf({ name, version }: ServedModel): string {
  const path = `/models/${encodeURIComponent(name)}`;
  return version === '' ? path : `${path}/versions/${encodeURIComponent(version)}`;
}

/** Reads an answer. An invalid answer is final. */
export function asOutcome<T>(read: () => T): Outcome<T> {
  try {
    return { kind: 'answer', body: read() };
  } catch (error) {
    if (error instanceof WrongAnswer) return { kind: 'final', why: error.message };
    throw error;
  }
}

/** Message for gRPC servers, which answer in HTTP/2 frames. */
const NO_HTTP =
  'TRITON_SERVER must name the HTTP port of the server, which is 8000 of Triton (8001 is that of gRPC); with TLS, TRITON_USE_SSL must be TRUE';

/** Converts a missing answer to an outcome whose text names the property to set. */
function silence(error: unknown, isInfer: boolean): Outcome<never> {
  const outcome = withoutAnswer(error);
  const code = error instanceof NoAnswer ? error.code : '';
  const final = (why: string) => ({ kind: 'final', why }) as const;
  if (code.startsWith('HPE_')) return final(`it does not speak HTTP/1.1. ${NO_HTTP}`);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return final('it does not speak TLS: set TRITON_USE_SSL to FALSE, or name another port');
  if (/CERT|^UNABLE_TO_/.test(code)) return final(`its certificate cannot be verified (${outcome.why})`);
  return code === 'LATE' && isInfer
    ? { ...outcome, why: `${outcome.why} (TRITON_INFER_TIMEOUT_US)` }
    : outcome;
}
