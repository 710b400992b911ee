import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import os from 'node:os';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { Access, type AccessOptions } from './access.ts';
import { agentFor, exchange, type Message } from '../../../egress/node-http.ts';
import { ProtocolError } from '../failure.ts';
import { patiently } from './retry.ts';
import type { StreamAnswer, StreamEnd, StreamEvents } from '../../../protocol/streams.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import {
  CPU_HEADER,
  INSTANCE_HEADER,
  type AnswersAnswer,
  type AnswersRequest,
  type ClaimAnswer,
  type ClaimRequest,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  type StoredFile,
} from '../../../protocol/worker-messages.ts';
import type { Assignment } from '../../../protocol/worker-protocol.ts';

/** Returns the unique name of this process for the server. */
function instanceName(): string {
  const host = os.hostname().replace(/[^\w.-]/g, '');
  return `${host.slice(0, 60)}:${process.pid}:${randomBytes(4).toString('hex')}`;
}

export type ResultBody = string | Buffer | AsyncIterable<string | Uint8Array>;

/** Timeout of a heartbeat. */
const BEAT_MS = 5_000;
const JSON_TYPE = 'application/json';
/** Timeout of a report of a live stream in milliseconds. Then the report is sent again. */
const STREAM_SILENCE_MS = 10_000;

/**
 * The worker protocol, with one method per message. Heartbeats have their own thread. Requests that are safe to repeat are retried while
 * the server is busy or unavailable.
 */
export class WorkerClient {
  /** URL of this client's leases. */
  readonly leases: string;
  /** Headers that identify this process. The token is added to each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly accessOptions: AccessOptions;
  readonly #access: Access;
  readonly #base: string;
  readonly #agent: ReturnType<typeof agentFor>;

  constructor(serverUrl: string, access: AccessOptions) {
    this.#base = `${serverUrl.replace(/\/$/, '')}/worker/v1`;
    this.leases = `${this.#base}/leases`;
    this.headers = { [INSTANCE_HEADER]: instanceName() };
    this.accessOptions = access;
    this.#access = new Access(access);
    this.#agent = agentFor(serverUrl);
  }

  async claim(claim: ClaimRequest, signal: AbortSignal): Promise<readonly Assignment[]> {
    const answer = (await this.#json('/claim', claim, signal)) as ClaimAnswer;
    return answer.work;
  }

  /** Sends a heartbeat, in processes without a heartbeat thread. */
  async beat(token: string, progress: Required<HeartbeatRequest>): Promise<'on' | 'cancelled' | 'lost'> {
    try {
      const signal = AbortSignal.timeout(BEAT_MS);
      return ((await this.#json(`/leases/${token}/heartbeat`, progress, signal)) as HeartbeatAnswer).go;
    } catch (error) {
      if (error instanceof ProtocolError && error.status === 409) return 'lost';
      throw error;
    }
  }

  /** Answers several sub-jobs and claims more. Retries until the signal aborts while the server is unavailable. */
  async answers(answers: AnswersRequest, until?: AbortSignal): Promise<AnswersAnswer> {
    return (await patiently(() => this.#json('/answers', answers), until)) as AnswersAnswer;
  }

  /**
   * Sends a result. Texts, buffers and functions that return new streams are retried until the signal aborts while the server is
   * unavailable. A stream is sent only once.
   */
  async result(
    token: string,
    body: ResultBody | (() => Readable),
    { until, cpuMs }: { readonly until?: AbortSignal; readonly cpuMs?: () => number } = {},
  ): Promise<void> {
    const path = `/leases/${token}/result`;
    const cpu = () => (cpuMs === undefined ? {} : { [CPU_HEADER]: cpuMs().toFixed(1) });
    const send = async () => {
      const sent = typeof body === 'function' ? body() : body;
      const whole = typeof sent === 'string' || Buffer.isBuffer(sent) || sent instanceof Readable;
      const stream = whole ? sent : Readable.from(sent, { objectMode: true });
      // The answer is read to its end, because only then the connection is reused.
      const type = { 'content-type': 'application/x-ndjson' };
      const times =
        stream instanceof Readable ? { headers: type, trailers: cpu } : { headers: { ...type, ...cpu() } };
      await json(await this.#send('POST', path, { body: stream, ...times }));
    };
    const isRepeatable = typeof body === 'string' || Buffer.isBuffer(body) || typeof body === 'function';
    await (isRepeatable ? patiently(send, until) : send());
  }

  async failure(token: string, failure: FailureRequest, until?: AbortSignal): Promise<void> {
    await patiently(() => this.#json(`/leases/${token}/failure`, failure), until);
  }

  /** Releases the sub-job, which does not count as an attempt. */
  async release(token: string): Promise<void> {
    await this.#json(`/leases/${token}/release`, {});
  }

  /** Releases the sub-job, and retries while the server is unavailable. A lost lease is no error. */
  async giveBack(token: string, until: AbortSignal): Promise<void> {
    await patiently(() => this.release(token), until).catch((error: unknown) => {
      if (!(error instanceof ProtocolError && error.status === 409)) throw error;
    });
  }

  /** Returns the NDJSON input of a sub-job that is too large for the claim. */
  input(path: string, until?: AbortSignal): Promise<IncomingMessage> {
    return patiently(() => this.get(path, {}, until), until);
  }

  /** Requests a path of an assignment. Resolves at the first byte. */
  get(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const given = { headers, ...(signal === undefined ? {} : { signal }) };
    return this.#send('GET', path.replace(/^\/worker\/v1/, ''), given);
  }

  /** Sends a file that was extracted from a document. Returns its path on the server. */
  async sendFile(token: string, name: string, path: string, until?: AbortSignal): Promise<string> {
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': String((await stat(path)).size),
    };
    const send = async () => {
      const body = createReadStream(path);
      const answer = await this.#send('PUT', `/leases/${token}/files/${encodeURIComponent(name)}`, {
        body,
        headers,
      });
      return ((await json(answer)) as StoredFile).path;
    };
    return patiently(send, until);
  }

  /**
   * Sends a segment of a live stream as NDJSON with the summary last. This method and the next three send once, because `StreamReport`
   * retries.
   */
  async segment(token: string, number: number, lines: string, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#report('POST', `/leases/${token}/segments/${number}`, lines, 'application/x-ndjson', signal);
  }

  async events(token: string, events: StreamEvents, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#report('POST', `/leases/${token}/events`, JSON.stringify(events), JSON_TYPE, signal);
  }

  /** Sends the newest picture of a live stream as a JPEG. */
  async frame(token: string, picture: Buffer, signal?: AbortSignal): Promise<StreamAnswer> {
    return this.#report('PUT', `/leases/${token}/frame`, picture, 'image/jpeg', signal);
  }

  /** Sends a fragment of a live stream's recording as an MP4 file. */
  async fragment(
    token: string,
    name: string,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<StreamAnswer> {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#report('PUT', `/leases/${token}/recording/${name}`, body, 'video/mp4', signal);
  }

  async end(token: string, end: StreamEnd, signal?: AbortSignal): Promise<void> {
    await this.#report('POST', `/leases/${token}/end`, JSON.stringify(end), JSON_TYPE, signal);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #report(
    method: 'POST' | 'PUT',
    path: string,
    body: string | Buffer,
    type: string,
    signal: AbortSignal | undefined,
  ): Promise<StreamAnswer> {
    const answer = await this.#send(method, path, {
      body,
      headers: { 'content-type': type },
      silenceMs: STREAM_SILENCE_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    return { go: 'on', ...((await json(answer)) as Partial<StreamAnswer>) };
  }

  async #json(path: string, message: unknown, signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#send('POST', path, {
      body: JSON.stringify(message),
      headers: { 'content-type': JSON_TYPE },
      ...(signal === undefined ? {} : { signal }),
    });
    return json(answer);
  }

  async #send(
    method: Message['method'],
    path: string,
    message: Partial<Omit<Message, 'method'>>,
  ): Promise<IncomingMessage> {
    // A stream cannot be sent again with another token.
    for (let isLast = message.body instanceof Readable; ; isLast = true) {
      const token = await this.#access.bearer();
      const answer = await this.#exchange(method, path, message, token);
      const { statusCode = 0 } = answer;
      if (statusCode >= 200 && statusCode < 300) return answer;
      const said = (await text(answer)).slice(0, 500);
      const isRenewed = statusCode === 401 && this.#access.renewAfterRefusal(token);
      if (isLast || !isRenewed)
        throw new ProtocolError(statusCode, `${method} ${path}: ${statusCode} ${said}`);
    }
  }

  #exchange(
    method: Message['method'],
    path: string,
    { headers, ...message }: Partial<Omit<Message, 'method'>>,
    token: string,
  ): Promise<IncomingMessage> {
    return exchange(this.#agent, `${this.#base}${path}`, {
      ...message,
      method,
      headers: { ...this.headers, authorization: `Bearer ${token}`, ...headers },
    });
  }
}
