/** The REST interface for the command-line tool: methods for jobs, and `ask` for everything else (specification 4). */
import type { JobInfo, JobRequest, LiveIssues, PipelineName } from './answers.ts';
import type { Readable } from 'node:stream';
import { codeOf, fieldOf, jsonOf, messageOf } from './answer-text.ts';
import { ClientError, RefusedError } from './errors.ts';
import { printableLines } from '../domain/text/printable.ts';
import type { TokenSource } from './token-source.ts';
import { Transport, type Answer, type Call, type RetryPolicy } from './transport.ts';

/** A format of the results of a job, as the service accepts it. */
export interface DocumentForm {
  readonly format?: string | undefined;
  readonly media?: string | undefined;
  readonly pictures?: string | undefined;
}

export interface CreatedJob {
  readonly jobId: string;
  /** Parts of the request that have no effect or failed, one per line. */
  readonly warning?: string;
}

export class RestClient {
  readonly #transport: Transport;

  /** `note` receives the reason when a request waits. */
  constructor(url: string, tokens: TokenSource, retryPolicy?: RetryPolicy, note?: (text: string) => void) {
    this.#transport = new Transport(url, tokens, retryPolicy, note);
  }

  get url(): string {
    return this.#transport.url;
  }

  /** Sends a request, and retries it as the retry policy allows. Returns every answer except 401. */
  ask(call: Call, signal?: AbortSignal): Promise<Answer> {
    return this.#transport.ask(call, signal);
  }

  /** Creates a job. Waiting for a busy service ends when `signal` aborts. */
  async createJob(request: JobRequest, signal?: AbortSignal): Promise<CreatedJob> {
    const answer = await this.ask(
      { method: 'POST', path: '/rest/jobs', body: JSON.stringify(request), once: 'job' },
      signal,
    );
    const created = jsonOf(answer);
    const jobId = fieldOf(created, 'jobId');
    if (answer.status !== 201 || typeof jobId !== 'string') throw refusal(answer);
    const result = fieldOf(created, 'coreResponse');
    const warning = fieldOf(result, 'responseCode') === 2 ? fieldOf(result, 'message') : undefined;
    return { jobId, ...(typeof warning === 'string' ? { warning } : {}) };
  }

  async job(id: string): Promise<JobInfo> {
    const answer = await this.ask({ method: 'GET', path: detailsPath(id) });
    if (answer.status === 400) throw this.unknownJob(id);
    return this.good(answer) as JobInfo;
  }

  /** Returns the indexes of media that a job of this service cannot use, as far as this is known in advance. @throws RefusedError */
  async unusable(uris: readonly string[]): Promise<readonly number[]> {
    const body = JSON.stringify({ mediaUris: uris });
    const answer = await this.ask({ method: 'POST', path: '/rest/media/check', body });
    const media = fieldOf(this.good(answer), 'media');
    if (!Array.isArray(media)) return [];
    return media.flatMap((medium: unknown, i) => (fieldOf(medium, 'usable') === false ? [i] : []));
  }

  async cancel(id: string): Promise<void> {
    const answer = await this.ask({ method: 'POST', path: `${jobPath(id)}/cancel` });
    if (answer.status !== 200) throw refusal(answer);
  }

  /** Returns the stored pipelines. */
  pipelines(): Promise<readonly PipelineName[]> {
    return this.#fetchNames('/rest/pipelines');
  }

  /** Returns the names of the algorithms. */
  async algorithms(): Promise<readonly string[]> {
    return (await this.#fetchNames('/rest/algorithms')).map(({ name }) => name);
  }

  async #fetchNames(path: string): Promise<readonly PipelineName[]> {
    const found = this.good(await this.ask({ method: 'GET', path }));
    if (!Array.isArray(found)) return [];
    return found.map((element: unknown) => ({
      name: String(fieldOf(element, 'name')),
      description: textOf(fieldOf(element, 'description')),
    }));
  }

  /** Returns the URL of the detection document of a job. */
  documentUrl(id: string): string {
    return `${this.url}${jobPath(id)}/output/detection`;
  }

  /** Returns the detection document, or another format of it, as a stream. Returns undefined if the job has no document. */
  async document(id: string, form: DocumentForm = {}): Promise<Readable | undefined> {
    const given = Object.entries(form).filter((one): one is [string, string] => one[1] !== undefined);
    const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const path = `${jobPath(id)}/output/detection${query}`;
    const answer = await this.ask({ method: 'GET', path, streamed: true, answerMs: FORM_MS });
    if (answer.stream !== undefined) return answer.stream;
    if (answer.status === 400 && messageOf(answer) === undefined) return undefined;
    throw refusal(answer);
  }

  /** Returns the results of many jobs in one file, as a stream. `query`: parameters of GET /rest/exports. */
  async exportJobs(query: Readonly<Record<string, string | boolean | undefined>>): Promise<Readable> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const path = `/rest/exports?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
    const answer = await this.ask({ method: 'GET', path, streamed: true, answerMs: FORM_MS });
    if (answer.stream !== undefined) return answer.stream;
    throw refusal(answer);
  }

  /** Returns the problems so far. Returns undefined if the job has ended, or the service does not report problems. */
  async liveIssues(id: string): Promise<LiveIssues | undefined> {
    const answer = await this.ask({ method: 'GET', path: `${jobPath(id)}/issues` });
    return [400, 404, 409].includes(answer.status) ? undefined : (this.good(answer) as LiveIssues);
  }

  unknownJob(id: string): RefusedError {
    return new RefusedError(400, `There is no job ${id} at ${this.url}.`);
  }

  /**
   * Returns the JSON of a successful answer.
   * @throws RefusedError, or ClientError if it is no JSON, because another service answers there
   */
  good(answer: Answer): unknown {
    if (answer.status >= 300) throw refusal(answer);
    const json = jsonOf(answer);
    if (json === undefined || json === null)
      throw new ClientError(`The server at ${this.url} is not a Troupe service. Check the address.`);
    return json;
  }
}

/** Timeout for other formats. Some of them start only after the document has been read completely. */
const FORM_MS = 10 * 60_000;

export const jobPath = (id: string) => `/rest/jobs/${encodeURIComponent(id)}`;
/** Returns the path of a job with the reason why it waits, and the state of its callback and its archive post. */
export const detailsPath = (id: string) => `${jobPath(id)}?details=true`;

/** Returns the error for a refused request: the message of the service, or a text for its status. */
export function refusal(answer: Answer): RefusedError {
  const { status } = answer;
  const message = messageOf(answer) ?? WORDS[status] ?? `The service answered with status ${status}.`;
  return new RefusedError(status, printableLines(message), codeOf(answer));
}

const WORDS: Readonly<Record<number, string>> = {
  403: 'This request needs the role ADMIN, which the user of the token does not have.',
  404: 'The service answered with status 404: the object does not exist, or this version of the service does not support the request.',
  503: 'The service is busy or stopping. Try again later.',
};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
