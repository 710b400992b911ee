/** A component that uses plain HTTP, as somebody would write it from the description of the worker protocol. */
import { Readable } from 'node:stream';
import { request } from 'undici';
import type { StreamEnd, StreamEvent } from '../../../protocol/streams.ts';
import type { DetectWork } from '../../../protocol/detection-work.ts';
import type { Assignment, AssignmentOf } from '../../../protocol/worker-protocol.ts';
import type { ReportedTrack } from '../../../domain/types.ts';
import type { Service } from './service.ts';
import { until } from '../until.ts';

export type Detect = AssignmentOf<'DETECT', DetectWork>;
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

/** Time limit of a claim in milliseconds. */
export const POLL_MS = 25_000;

export class RawComponent {
  readonly #service: Service;
  readonly #token: string | undefined;

  /** Uses the token of an ADMIN if none is given. */
  constructor(service: Service, token?: string) {
    this.#service = service;
    this.#token = token;
  }

  async post(
    path: string,
    body: string | Buffer | Readable,
    signal?: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const { statusCode, body: answer } = await request(`${this.#service.url}/worker/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token ?? this.#service.token}`, ...headers },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    return { status: statusCode, text, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  say(
    path: string,
    message: unknown,
    signal?: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return this.post(path, JSON.stringify(message), signal, {
      'content-type': 'application/json',
      ...headers,
    });
  }

  async claim(
    algorithm: string,
    { max = 1, waitMs = POLL_MS }: { max?: number; waitMs?: number } = {},
  ): Promise<readonly Assignment[]> {
    const { status, text, body } = await this.say('/claim', { algorithms: [algorithm], max, waitMs });
    if (status !== 200) throw new Error(`The claim was answered ${status} ${text}`);
    return (body as { work: readonly Assignment[] }).work;
  }

  /** Claims one sub-job of this job. Sub-jobs of other jobs are released. */
  async claimOf(jobId: string, algorithm: string): Promise<Detect> {
    const find = async () => {
      const work = await this.claim(algorithm, { waitMs: 5_000 });
      for (const { id, token } of work) if (!id.startsWith(`${jobId}.`)) await this.release(token);
      return work.find(({ id }) => id.startsWith(`${jobId}.`));
    };
    return (await until(`there is work of ${jobId} in the queue ${algorithm}`, find)) as Detect;
  }

  heartbeat(token: string, done = 0, total = 0): Promise<Reply> {
    return this.say(`/leases/${token}/heartbeat`, { done, total });
  }

  /** Sends tracks (or any lines) as a stream, line by line. */
  result(token: string, lines: readonly (ReportedTrack | string)[]): Promise<Reply> {
    const texts = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    return this.post(`/leases/${token}/result`, Readable.from(texts), undefined, {
      'content-type': 'application/x-ndjson',
    });
  }

  failure(token: string, code: string, message: string): Promise<Reply> {
    return this.say(`/leases/${token}/failure`, { code, message });
  }

  /** A segment of a live stream: tracks and the summary, as lines. */
  segment(token: string, segment: number, lines: readonly object[]): Promise<Reply> {
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    return this.post(`/leases/${token}/segments/${segment}`, body, undefined, {
      'content-type': 'application/x-ndjson',
    });
  }

  events(token: string, ...events: readonly StreamEvent[]): Promise<Reply> {
    return this.say(`/leases/${token}/events`, { events });
  }

  end(token: string, end: StreamEnd): Promise<Reply> {
    return this.say(`/leases/${token}/end`, end);
  }

  async picture(token: string, jpeg: Buffer): Promise<number> {
    const { statusCode, body } = await request(`${this.#service.url}/worker/v1/leases/${token}/frame`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${this.#token ?? this.#service.token}`,
        'content-type': 'image/jpeg',
      },
      body: jpeg,
    });
    await body.dump();
    return statusCode;
  }

  release(token: string): Promise<Reply> {
    return this.say(`/leases/${token}/release`, {});
  }
}

/** A track of one detection that a test recognises by its label. */
export function trackNamed(label: string): ReportedTrack {
  const detection = { frame: 0, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} };
  return {
    startFrame: 0,
    stopFrame: 0,
    confidence: 0.5,
    properties: { LABEL: label },
    detections: [detection],
  };
}
