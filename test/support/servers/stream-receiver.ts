/**
 * A server of live streams that speaks protocol/streams.ts and nothing else: hands out one assignment, keeps what is told, and behaves
 * as a test wants it to.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type {
  SegmentSummary,
  StreamAnswer,
  StreamCounts,
  StreamEnd,
  StreamEvent,
  StreamEvents,
  StreamTrack,
  StreamWork,
} from '../../../protocol/streams.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { ClaimRequest } from '../../../protocol/worker-messages.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';

export const TOKEN = 'a-lease';
const CLAIM = 'POST /worker/v1/claim';

export interface SentSegment {
  readonly number: number;
  readonly tracks: readonly StreamTrack[];
  readonly summary: SegmentSummary;
}

export class StreamReceiver {
  readonly segments: SentSegment[] = [];
  readonly events: StreamEvent[] = [];
  readonly pictures: Buffer[] = [];
  readonly progress: number[] = [];
  /** Moments at which lists of events came. */
  readonly lists: number[] = [];
  counts: StreamCounts | undefined;
  end: StreamEnd | undefined;
  failure: FailureRequest | undefined;
  released = false;
  /** Claims that were asked for, and segments that were not taken. */
  claims = 0;
  /** The algorithms of the first claim. */
  claimed: readonly string[] | undefined;
  refusedSegments = 0;
  /** What answers say. */
  answer: StreamAnswer = { go: 'on' };
  /** What heartbeats say. */
  heartbeat: { readonly status: number; readonly go: 'on' | 'cancelled' } = { status: 200, go: 'on' };
  /** Status of the answers to segments; 200 takes them. */
  segmentStatus = 200;
  #work: StreamAssignment | undefined;
  #server: Server | undefined;
  #port = 0;
  readonly #sockets = new Set<Socket>();

  offer(algorithm: string, work: StreamWork): void {
    this.#work = {
      token: TOKEN,
      id: '10000001.0',
      kind: 'STREAM',
      algorithm,
      attempt: 1,
      heartbeatMs: 50,
      work,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get isOver(): boolean {
    return this.end !== undefined || this.failure !== undefined || this.released;
  }

  /** Listens; again at the same port after it was `stopped`. */
  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** As when the process of a server ends: connections break, and nobody listens. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const call = `${request.method} ${request.url}`;
    // A claim that finds nothing is a long poll.
    if (call === CLAIM && this.#work === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    const [status, answer] = this.#answerTo(call, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answerTo(call: string, body: Buffer): readonly [number, unknown] {
    if (call === CLAIM) return [200, { work: this.#claimOf(body) }];
    const [, , kind = '', number] =
      new RegExp(`^(POST|PUT) /worker/v1/leases/${TOKEN}/(\\w+)(?:/(\\d+))?$`).exec(call) ?? [];
    switch (kind) {
      case 'heartbeat':
        this.progress.push((JSON.parse(body.toString()) as { done: number }).done);
        return [this.heartbeat.status, { go: this.heartbeat.go }];
      case 'segments':
        return this.#segment(Number(number), body.toString());
      case 'events':
        return this.#takeEvents(JSON.parse(body.toString()) as StreamEvents);
      case 'frame':
        this.pictures.push(body);
        return [200, this.answer];
      case 'end':
        this.end = JSON.parse(body.toString()) as StreamEnd;
        return [200, this.answer];
      case 'failure':
        this.failure = JSON.parse(body.toString()) as FailureRequest;
        return [200, {}];
      case 'release':
        this.released = true;
        return [200, {}];
      default:
        return [404, { message: call }];
    }
  }

  #claimOf(body: Buffer): readonly StreamAssignment[] {
    this.claimed ??= (JSON.parse(body.toString()) as ClaimRequest).algorithms;
    const work = this.#work;
    this.#work = undefined;
    this.claims++;
    return work === undefined ? [] : [work];
  }

  #segment(number: number, body: string): readonly [number, unknown] {
    if (this.segmentStatus !== 200) {
      this.refusedSegments++;
      return [this.segmentStatus, {}];
    }
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as StreamTrack & { readonly segment: SegmentSummary });
    const { segment: summary } = lines.pop()!;
    this.segments.push({ number, tracks: lines, summary });
    return [200, this.answer];
  }

  #takeEvents({ events, counts }: StreamEvents): readonly [number, unknown] {
    this.events.push(...events);
    if (events.length > 0) this.lists.push(performance.now());
    this.counts = counts ?? this.counts;
    return [200, this.answer];
  }
}
