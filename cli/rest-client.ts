/** The REST interface, as far as the command-line tool uses it (specification 2.1, 2.2, 4.2). */
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import superagent from 'superagent';
import { codeOf, EXIT, explain, Failure } from './failure.ts';
import { pause } from './pause.ts';
import type { TokenSource } from './token-source.ts';

export interface JobRequest {
  readonly media: readonly { readonly mediaUri: string }[];
  readonly pipelineName: string;
  readonly jobProperties?: Readonly<Record<string, string>>;
  readonly priority?: number;
}

/** Specification 2.2, SingleJobInfo: what the tool reads of it. */
export interface JobInfo {
  readonly jobId: string;
  readonly jobProgress: number;
  readonly jobStatus: string;
  readonly terminal: boolean;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly outputObjectPath: string | null;
  readonly pipelineName: string;
}

/** The service understood the request and said no. */
export class RefusedError extends Failure {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
  }
}

/** Nobody answers at the service's address, in spite of all patience. */
export class UnreachableError extends Failure {
  constructor(url: string, jobId?: string) {
    if (jobId === undefined)
      super(`No service answers at ${url}: start it (troupe serve), or check the address.`);
    else super(`The service at ${url} is gone: job ${jobId} goes on when it is started again.`, EXIT.failed);
    this.name = 'UnreachableError';
  }
}

export interface Patience {
  /** A server that comes up refuses connections for a moment. */
  readonly connectMs: number;
  /** A busy server answers 503. */
  readonly busyMs: number;
}
const PATIENCE: Patience = { connectMs: 5_000, busyMs: 60_000 };
const CONNECT_GAP_MS = 200;
const MAX_GAP_MS = 10_000;
const ANSWER_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly headers: unknown;
  readonly body: unknown;
}

interface Call {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly send?: object;
  /** It must not happen twice: it is repeated only when it cannot have arrived. */
  readonly once?: true;
  /** Takes the body as it comes, instead of it being kept. */
  readonly into?: PassThrough;
}

export class RestClient {
  readonly url: string;
  readonly #tokens: TokenSource;
  readonly #patience: Patience;

  constructor(url: string, tokens: TokenSource, patience: Patience = PATIENCE) {
    this.url = url.replace(/\/+$/, '');
    this.#tokens = tokens;
    this.#patience = patience;
  }

  /** Answers the job's id. Waiting for a busy service ends with `signal`. */
  async createJob(request: JobRequest, signal?: AbortSignal): Promise<string> {
    const { status, body } = await this.#call(
      { method: 'post', path: '/rest/jobs', send: request, once: true },
      signal,
    );
    const jobId = fieldOf(body, 'jobId');
    if (status === 201 && typeof jobId === 'string') return jobId;
    throw refusal(status, body);
  }

  async job(id: string): Promise<JobInfo> {
    const { status, body } = await this.#call({ method: 'get', path: jobPath(id) });
    if (status === 200) return body as JobInfo;
    if (status === 400) throw new RefusedError(status, `The service at ${this.url} knows no job ${id}.`);
    throw refusal(status, body);
  }

  async cancel(id: string): Promise<void> {
    const { status, body } = await this.#call({ method: 'post', path: `${jobPath(id)}/cancel` });
    if (status !== 200) throw refusal(status, body);
  }

  /** Names of the stored pipelines. */
  async pipelines(): Promise<readonly string[]> {
    const { status, body } = await this.#call({ method: 'get', path: '/rest/pipelines' });
    if (status !== 200 || !Array.isArray(body)) throw refusal(status, body);
    return body.map((pipeline: unknown) => String(fieldOf(pipeline, 'name')));
  }

  /** Where the detection document of a job can be read. */
  documentUrl(id: string): string {
    return `${this.url}${jobPath(id)}/output/detection`;
  }

  /** The detection document as a stream; nothing when the job wrote none. */
  async document(id: string): Promise<Readable | undefined> {
    const into = new PassThrough();
    const { status } = await this.#call({ method: 'get', path: `${jobPath(id)}/output/detection`, into });
    if (status === 200) return into;
    into.destroy();
    if (status === 400) return undefined;
    throw refusal(status, undefined);
  }

  /** Repeats what a busy or just starting service, or one that wants a fresh token, did not answer. */
  async #call(call: Call, signal?: AbortSignal): Promise<Answer> {
    const started = performance.now();
    for (let renewed = false; ;) {
      const token = await this.#tokens.current();
      const answer = await this.#once(call, token);
      const waited = performance.now() - started;
      let gapMs = CONNECT_GAP_MS;
      if (answer === 'unanswered') {
        if (waited > this.#patience.connectMs) throw new UnreachableError(this.url);
      } else if (answer.status === 503) {
        if (waited > this.#patience.busyMs) return answer;
        gapMs = retryAfterMs(answer.headers);
      } else if (answer.status === 401) {
        if (renewed || !this.#tokens.refused(token))
          throw new RefusedError(401, unauthorized(this.url, this.#tokens));
        renewed = true;
        gapMs = 0;
      } else return answer;
      await pause(gapMs, signal);
      if (signal?.aborted === true)
        throw new Failure('Stopped before the service took the job.', EXIT.failed);
    }
  }

  /** `unanswered`: the request may be sent again. */
  async #once({ method, path, send, once, into }: Call, token: string): Promise<Answer | 'unanswered'> {
    const request = superagent(method, `${this.url}${path}`)
      .auth(token, { type: 'bearer' })
      .accept('application/json')
      .redirects(0)
      .ok(() => true)
      .timeout({ response: ANSWER_MS });
    try {
      if (into !== undefined) return await streamed(request, into);
      return await (send === undefined ? request : request.send(send));
    } catch (error) {
      if (once !== true || codeOf(error) === 'ECONNREFUSED') return 'unanswered';
      const unknown = 'Whether it took the job is not known.';
      throw new Failure(`The service at ${this.url} broke off: ${explain(error)}. ${unknown}`, EXIT.failed);
    }
  }
}

/**
 * Settles with the head of the answer; a good body then flows into `into`, any other one is let go by. superagent gathers
 * JSON bodies whatever `buffer` says, so the body is taken as a parser takes it.
 */
function streamed(request: superagent.SuperAgentRequest, into: PassThrough): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parser = (
      response: superagent.Response,
      done: (error: Error | null, body: unknown) => void,
    ): void => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- superagent hands the parser node's own response
      const source = response as unknown as IncomingMessage;
      const status = source.statusCode ?? 0;
      resolve({ status, headers: source.headers, body: undefined });
      const over = (): void => done(null, undefined);
      if (status === 200)
        void pipeline(source, into).then(over, over); // a failure shows to who reads `into`
      else source.resume().once('close', over);
    };
    request
      .set('Accept-Encoding', 'identity')
      .maxResponseSize(Number.MAX_SAFE_INTEGER)
      .buffer(true)
      .parse(parser)
      .then(() => undefined, reject);
  });
}

const jobPath = (id: string) => `/rest/jobs/${encodeURIComponent(id)}`;

function retryAfterMs(headers: unknown): number {
  const seconds = Number(fieldOf(headers, 'retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_GAP_MS) : 1_000;
}

function refusal(status: number, body: unknown): RefusedError {
  const message = fieldOf(fieldOf(body, 'coreResponse'), 'message') ?? fieldOf(body, 'message');
  return new RefusedError(
    status,
    typeof message === 'string' ? message : `The service answered with status ${status}.`,
  );
}

const unauthorized = (url: string, { advice }: TokenSource) =>
  `The service at ${url} does not accept the token. ${advice}`;

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
