/** An archive of results as a service finds it outside: it keeps what is posted about media, by their hash, and gives it back in pages. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const PATH = '/api/db/supplementals';
const UNKNOWN_MEDIUM = 'could not identify referenced item';

/** One question or post, as it came. */
export interface ArchiveRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body of a post. */
  readonly body: unknown;
}

/** How the archive (mis)behaves; set at any time. */
export interface ArchiveManners {
  /** Media it knows; a post about another one is refused. Absent: it knows all. */
  knows?: ReadonlySet<string> | undefined;
  /** Answers every request with this status. */
  status?: number | undefined;
  /** Refuses whoever does not bring this bearer token. */
  token?: string | undefined;
  /** Answers only when this has happened. */
  until?: Promise<void> | undefined;
  /** Answers questions with this instead of what it keeps. */
  answer?: ((request: ArchiveRequest) => string | readonly unknown[]) | undefined;
  /** Breaks the connection off in place of an answer. */
  hangsUp?: boolean | undefined;
}

export class ArchiveServer {
  readonly url: string;
  readonly manners: ArchiveManners = {};
  readonly requests: ArchiveRequest[] = [];
  readonly #kept = new Map<string, unknown[]>();
  readonly #server;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(port = 0): Promise<ArchiveServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return new ArchiveServer(server);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** What is kept about a medium, in the order in which it came. */
  findKept(sha256: string): readonly unknown[] {
    return this.#kept.get(sha256) ?? [];
  }

  /** Has an entry kept as if it had been posted. */
  keep(sha256: string, entry: unknown): void {
    this.#kept.set(sha256, [...this.findKept(sha256), entry]);
  }

  get questions(): readonly ArchiveRequest[] {
    return this.requests.filter(({ method }) => method === 'GET');
  }

  get posts(): readonly ArchiveRequest[] {
    return this.requests.filter(({ method }) => method === 'POST');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.url);
    const text = await textOf(incoming);
    const { method = '', headers } = incoming;
    const body = text === '' ? null : (JSON.parse(text) as unknown);
    const request: ArchiveRequest = { method, path: pathname, query: searchParams, headers, body };
    this.requests.push(request);
    const { manners } = this;
    await manners.until;
    if (manners.hangsUp === true) return void incoming.socket.destroy();
    const { status, answer } = this.#answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  }

  #answer(request: ArchiveRequest): { readonly status: number; readonly answer: string } {
    const { status, token, answer, knows } = this.manners;
    if (status !== undefined) return { status, answer: '{"error":"out of order"}' };
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return { status: 401, answer: '{"error":"unauthorized"}' };
    const hash = request.query.get('sha256Hash') ?? '';
    if (request.path !== PATH || hash === '') return { status: 404, answer: '{"error":"not found"}' };
    if (request.method === 'POST') {
      if (knows !== undefined && !knows.has(hash))
        return { status: 400, answer: JSON.stringify({ error: UNKNOWN_MEDIUM }) };
      this.keep(hash, request.body);
      return { status: 200, answer: '{}' };
    }
    const found = answer?.(request) ?? this.#page(request.query);
    return { status: 200, answer: typeof found === 'string' ? found : JSON.stringify(found) };
  }

  #page(query: URLSearchParams): readonly unknown[] {
    const system = query.get('system');
    const offset = Number(query.get('offset') ?? 0);
    const limit = Number(query.get('limit') ?? 10);
    return this.findKept(query.get('sha256Hash') ?? '')
      .filter((entry) => system === null || (entry as { system?: unknown } | null)?.system === system)
      .slice(offset, offset + limit);
  }
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
