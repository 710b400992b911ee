/** A load balancer on loopback, as nginx would be: each request goes to the next of its servers, wherever the one before went. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface BalancerOptions {
  /** What is answered 503 is asked of the next server, as `proxy_next_upstream http_503 non_idempotent` does. */
  readonly retries503?: boolean;
}

interface Asked {
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
  readonly body: Buffer;
}

/** As `fail_timeout`: who failed is asked last for so long. */
const FAIL_MS = 1_000;

interface Answered {
  readonly target: string;
  readonly path: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export class Balancer {
  readonly #server: Server;
  readonly #options: BalancerOptions;
  #targets: readonly string[] = [];
  #turn = 0;
  /** Servers that failed lately, and when. */
  readonly #failed = new Map<string, number>();
  readonly #answered: Answered[] = [];

  private constructor(options: BalancerOptions) {
    this.#options = options;
    this.#server = createServer((incoming, answer) => {
      buffer(incoming).then(
        (body) => this.#pass({ incoming, answer, body }, this.#order()),
        () => answer.destroy(),
      );
    });
  }

  static async listen(targets: readonly string[], options: BalancerOptions = {}): Promise<Balancer> {
    const balancer = new Balancer(options);
    balancer.serve(targets);
    await new Promise<void>((resolve) => balancer.#server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on requests go to these. */
  serve(targets: readonly string[]): void {
    this.#targets = targets;
  }

  /** Status codes that servers have answered to requests below this path, by server. */
  answers(path: string): ReadonlyMap<string, readonly number[]> {
    const found = this.#answered.filter((one) => one.path.startsWith(path));
    return new Map(
      this.#targets.map((target) => [
        target,
        found.filter((one) => one.target === target).map(({ status }) => status),
      ]),
    );
  }

  /** What servers have answered with 503. */
  refusedAnswers(): readonly Answered[] {
    return this.#answered.filter(({ status }) => status === 503);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #order(): readonly string[] {
    const first = this.#turn++ % Math.max(1, this.#targets.length);
    const all = [...this.#targets.slice(first), ...this.#targets.slice(0, first)];
    const isOut = (target: string) => performance.now() - (this.#failed.get(target) ?? -Infinity) < FAIL_MS;
    return [...all.filter((target) => !isOut(target)), ...all.filter(isOut)];
  }

  #pass(asked: Asked, [target, ...others]: readonly string[]): void {
    const { incoming, answer, body } = asked;
    if (target === undefined) return void answer.writeHead(502).end();
    const path = incoming.url ?? '/';
    const { method, headers } = incoming;
    let isConnected = false;
    const onward = request(new URL(path, target), { method, headers, agent: false }, (got) => {
      const { statusCode: status = 502 } = got;
      this.#answered.push({ target, path, status, retryAfter: got.headers['retry-after'] });
      if (status === 503 && this.#options.retries503 === true && others.length > 0) {
        this.#failed.set(target, performance.now());
        got.resume();
        return this.#pass(asked, others);
      }
      answer.writeHead(status, got.headers);
      got.once('error', () => answer.destroy()).pipe(answer);
    });
    onward.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    onward.once('error', () => {
      this.#failed.set(target, performance.now());
      if (answer.headersSent) answer.destroy();
      // What a server may have begun with is sent again only when that does no harm.
      else if (!isConnected || method === 'GET') this.#pass(asked, others);
      else answer.writeHead(502).end();
    });
    // Nobody waits for the answer any more.
    answer.once('close', () => onward.destroy());
    onward.end(body);
  }
}
