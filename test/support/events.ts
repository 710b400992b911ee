/** A client of server-sent events. It keeps the events in their order. */
import { request, type IncomingMessage } from 'node:http';
import type { JobProgressEvent } from '../../actors/views/jobs/job-info.ts';
import type { Service } from './processes/service.ts';
import { within } from './until.ts';

export interface JobEvent {
  readonly id: number;
  readonly name: string;
  readonly data: JobProgressEvent;
}

export class EventClient {
  readonly response: IncomingMessage;
  readonly events: JobEvent[] = [];
  /** Comments, which the server sends as keep-alive. */
  beats = 0;
  retry: number | undefined;
  /** Resolves when the server ends the stream. */
  readonly end: Promise<unknown>;
  #text = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    this.end = new Promise((resolve) => response.once('close', resolve));
    // A broken connection resolves `end`.
    response.on('error', () => undefined);
  }

  /** Opens the stream and reads it; with `read` false, it is opened and not read. */
  static async open(
    service: Service,
    path: string,
    { headers = {}, read = true }: { headers?: Readonly<Record<string, string>>; read?: boolean } = {},
  ): Promise<EventClient> {
    const response = await within(
      10_000,
      `the stream ${path} opens`,
      new Promise<IncomingMessage>((resolve, reject) => {
        request(`${service.url}${path}`, {
          agent: false,
          headers: { authorization: `Bearer ${service.token}`, ...headers },
        })
          .once('response', resolve)
          .once('error', reject)
          .end();
      }),
    );
    const client = new EventClient(response);
    if (read) response.on('data', (text: string) => client.#take(text));
    return client;
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  hangUp(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#text + text).split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
  }

  #block(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const [name = '', ...value] = line.split(': ');
        return [name, value.join(': ')] as const;
      }),
    );
    if (fields.has('retry')) this.retry = Number(fields.get('retry'));
    if (fields.has('')) this.beats++;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({
      id: Number(fields.get('id')),
      name: fields.get('event') ?? 'message',
      data: JSON.parse(data) as JobProgressEvent,
    });
  }
}
