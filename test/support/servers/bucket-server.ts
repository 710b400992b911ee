/**
 * A real object store on a port of its own. In front of it stands a gate that checks what the store itself takes unseen: the
 * signature of each request by its secret, and the hash of what was sent.
 */
import { createHash, createHmac } from 'node:crypto';
import dns, { type LookupAddress } from 'node:dns';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Store {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
interface Accounts {
  readonly DUMMY_ACCOUNT: { createKeyPair(accessKey: string, secretKey: string): void };
}
const load = createRequire(import.meta.url);
const S3rver = load('s3rver') as new (options: object) => Store;
const accounts = load('s3rver/lib/models/account') as Accounts;

export const ACCESS_KEY = 'TROUPETESTKEY';
export const SECRET_KEY = 'never-shown/secret+key=';

export interface BucketRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: number;
}

/** Answers a request in place of the store; false leaves it to the store. */
export type Gatekeeper = (seen: BucketRequest, response: ServerResponse) => boolean;

export class BucketServer {
  readonly requests: BucketRequest[] = [];
  gatekeeper: Gatekeeper = () => false;
  readonly #store: Store;
  readonly #folder: string;
  readonly #gate: Server;
  readonly #sockets = new Set<Socket>();
  #storePort = 0;
  #port = 0;

  private constructor(folder: string, buckets: readonly string[]) {
    this.#folder = folder;
    this.#store = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      serviceEndpoint: 'localhost',
      configureBuckets: buckets.map((name) => ({ name })),
    });
    this.#gate = createServer((incoming, response) => void this.#take(incoming, response));
    this.#gate.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** With empty buckets of these names. */
  static async start(...buckets: readonly string[]): Promise<BucketServer> {
    accounts.DUMMY_ACCOUNT.createKeyPair(ACCESS_KEY, SECRET_KEY);
    const server = new BucketServer(await mkdtemp(join(tmpdir(), 'troupe-buckets-')), buckets);
    server.#storePort = (await server.#store.run()).port;
    await new Promise<void>((resolve) => server.#gate.listen(0, '127.0.0.1', resolve));
    server.#port = (server.#gate.address() as AddressInfo).port;
    return server;
  }

  /** Lets another pair of keys in. */
  static know(accessKey: string, secretKey: string): void {
    accounts.DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Requests of this method, so far. */
  count(method: string): number {
    return this.requests.filter((seen) => seen.method === method).length;
  }

  /** Keys of a bucket, sorted. */
  async keys(bucket: string): Promise<readonly string[]> {
    const names = await readdir(join(this.#folder, bucket), { recursive: true });
    const objects = names.filter((name) => name.endsWith('._S3rver_object'));
    return objects.map((name) => name.slice(0, -'._S3rver_object'.length)).sort();
  }

  content(bucket: string, key: string): Promise<Buffer> {
    return readFile(join(this.#folder, bucket, `${key}._S3rver_object`));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#gate.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.#store.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = incoming;
    const seen = { method, path, headers, bytes: body.length };
    this.requests.push(seen);
    if (this.gatekeeper(seen, response)) return;
    const refusal = refusalOf(seen, body);
    if (refusal !== undefined) return answerError(response, 403, refusal);
    const onward = request({ port: this.#storePort, host: '127.0.0.1', method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    onward.end(body);
  }
}

/** An error as stores write it; this one repeats what it should not, to see that nobody shows it. */
export function answerError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' });
  response.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>with ${ACCESS_KEY} and ${SECRET_KEY}</Message></Error>`,
  );
}

/** Checks a signature of version 4 as the store's own documentation describes it. */
function refusalOf({ method, path, headers }: BucketRequest, body: Buffer): string | undefined {
  const [, key, date, region, names = '', signature] =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (key === undefined) return 'AccessDenied';
  // The store knows which keys there are.
  if (key !== ACCESS_KEY) return undefined;
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== createHash('sha256').update(body).digest('hex')) return 'XAmzContentSHA256Mismatch';
  const [route = '', query = ''] = path.split('?');
  const canonical = [
    method,
    route,
    query
      .split('&')
      .filter((part) => part !== '')
      .map((part) => (part.includes('=') ? part : `${part}=`))
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    payload,
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, hashed].join('\n');
  const signing = [String(date), String(region), 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${SECRET_KEY}`,
  );
  const expected = createHmac('sha256', signing).update(text).digest('hex');
  return expected === signature ? undefined : 'SignatureDoesNotMatch';
}

type Resolved = (error: Error | null, addresses: string | LookupAddress[], family?: number) => void;

/**
 * Names below localhost lead to this host; not every machine's resolver knows that. Answers what puts the resolver back.
 */
export function resolveBelowLocalhost(): () => void {
  const original = dns.lookup;
  const patchedLookup = (host: string, options: dns.LookupOptions, done: Resolved): void => {
    const known = host.endsWith('.localhost') ? '127.0.0.1' : host;
    original(known, options as dns.LookupAllOptions, done);
  };
  Object.assign(dns, { lookup: patchedLookup });
  syncBuiltinESMExports();
  return () => {
    Object.assign(dns, { lookup: original });
    syncBuiltinESMExports();
  };
}
