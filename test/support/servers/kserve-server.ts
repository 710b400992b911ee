/** A model server that speaks KServe v2 over HTTP with binary tensors, as Triton does: it runs the ONNX models that a test gives it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const DATATYPES: Readonly<Record<string, readonly [string, new (bytes: ArrayBuffer) => ArrayBufferView]>> = {
  FP32: ['float32', Float32Array],
  FP16: ['float16', Uint16Array],
  UINT8: ['uint8', Uint8Array],
  INT8: ['int8', Int8Array],
  INT64: ['int64', BigInt64Array],
};
const datatypeOf = (type: string) => Object.keys(DATATYPES).find((one) => DATATYPES[one]![0] === type)!;

export interface AskedServer {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface TensorJson {
  readonly name: string;
  readonly shape: readonly number[];
  readonly datatype: string;
  readonly parameters: { readonly binary_data_size: number };
}
interface InferJson {
  readonly inputs: readonly TensorJson[];
  readonly outputs?: readonly { readonly name: string; readonly parameters?: { classification?: number } }[];
}

export interface ServedOptions {
  /** Triton's max_batch_size. */
  readonly maxBatch?: number;
  /** Triton's parameters of the model. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Triton's labels of the first output. */
  readonly labels?: readonly string[];
  /** What OpenVINO Model Server adds to the metadata. */
  readonly more?: object;
}

/** Answers instead of the server; undefined: the server does. */
type Instead = (asked: AskedServer, response: ServerResponse) => unknown;

export class KserveServer {
  readonly asked: AskedServer[] = [];
  /** Requests that were computed at the same time, at most. */
  mostAtATime = 0;
  /** A test's own answers; undefined: the server's. */
  instead: Instead = () => undefined;
  readonly #models = new Map<string, { session: InferenceSession; options: ServedOptions }>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #computing = 0;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket: Socket) => this.#sockets.add(socket));
  }

  static async start(port = 0): Promise<KserveServer> {
    const server = new KserveServer();
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    server.#port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** As TRITON_SERVER names it. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Requests for answers of models. */
  get inferred(): readonly AskedServer[] {
    return this.asked.filter(({ path }) => path.endsWith('/infer'));
  }

  async serve(name: string, model: Buffer, options: ServedOptions = {}): Promise<void> {
    const session = await InferenceSession.create(model, { logSeverityLevel: 4, intraOpNumThreads: 1 });
    this.#models.set(name, { session, options });
  }

  /** The runtime may crash at the end of the process when it still has models. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    for (const { session } of this.#models.values()) await session.release();
    this.#models.clear();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, body: Buffer.concat(chunks) };
    this.asked.push(asked);
    if (this.instead(asked, response) !== undefined) return;
    try {
      await this.#answer(asked, response);
    } catch (error) {
      json(response, 400, { error: (error as Error).message });
    }
  }

  async #answer({ path, headers, body }: AskedServer, response: ServerResponse): Promise<void> {
    if (path === '/v2/health/ready') return json(response, 200, {});
    if (path === '/v2/repository/index')
      return json(response, 200, [...this.#models.keys()].map((name) => ({ name, version: '1', state: 'READY' }))); // oxfmt-ignore
    const [, name = '', verb = ''] = /^\/v2\/models\/([^/]+)(?:\/versions\/1)?(?:\/(\w+))?$/.exec(path) ?? [];
    const model = this.#models.get(decodeURIComponent(name));
    if (model === undefined)
      return json(response, 404, { error: `Request for unknown model: '${name}' is not found` });
    const { session, options } = model;
    if (verb === '') return json(response, 200, { ...metadataOf(name, session), ...options.more });
    if (verb === 'ready') return json(response, 200, {});
    if (verb === 'config') return json(response, 200, configurationOf(session, options));
    this.mostAtATime = Math.max(this.mostAtATime, ++this.#computing);
    try {
      const length = Number(headers['inference-header-content-length']);
      const { inputs, outputs } = JSON.parse(body.toString('utf8', 0, length)) as InferJson;
      const results = await session.run(feedsIn(inputs, body.subarray(length)));
      const [first] = outputs ?? [];
      if (first?.parameters?.classification !== undefined)
        return json(response, 200, { outputs: [labelTop(first.name, results[first.name]!, options)] });
      binary(response, outputs?.map((one) => one.name) ?? [...session.outputNames], results);
    } finally {
      this.#computing--;
    }
  }
}

const shapeOf = (shape: readonly (number | string)[]) =>
  shape.map((size) => (typeof size === 'string' ? -1 : size));

function metadataOf(name: string, { inputMetadata, outputMetadata }: InferenceSession) {
  const describeTensor = (one: InferenceSession.ValueMetadata) =>
    one.isTensor ? [{ name: one.name, datatype: datatypeOf(one.type), shape: shapeOf(one.shape) }] : [];
  return {
    ...{ name, versions: ['1'], platform: 'onnxruntime_onnx' },
    ...{ inputs: inputMetadata.flatMap(describeTensor), outputs: outputMetadata.flatMap(describeTensor) },
  };
}

const configurationOf = (
  { outputNames }: InferenceSession,
  { maxBatch = 0, parameters = {}, labels }: ServedOptions,
) => ({
  max_batch_size: maxBatch,
  output: outputNames.map((name) => ({ name, label_filename: labels === undefined ? '' : 'labels.txt' })),
  parameters: Object.fromEntries(
    Object.entries(parameters).map(([key, text]) => [key, { string_value: text }]),
  ),
});

function feedsIn(inputs: readonly TensorJson[], tensors: Buffer): Record<string, Tensor> {
  let at = 0;
  return Object.fromEntries(
    inputs.map(({ name, shape, datatype, parameters: { binary_data_size: size } }) => {
      const [type, List] = DATATYPES[datatype]!;
      const part = new Uint8Array(tensors.subarray(at, (at += size)));
      return [name, new Tensor(type as 'float32', new List(part.buffer) as Float32Array, [...shape])];
    }),
  );
}

/** Top classes with their labels. */
function labelTop(name: string, { data, dims }: Tensor, { labels = [] }: ServedOptions) {
  const values = [...(data as Float32Array)].map((value, i) => ({ value, i }));
  const best = values.toSorted((a, b) => b.value - a.value);
  const texts = best.map(({ value, i }) =>
    [value, i, labels[i]].filter((one) => one !== undefined).join(':'),
  );
  return { name, datatype: 'BYTES', shape: dims, data: texts };
}

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function binary(
  response: ServerResponse,
  names: readonly string[],
  results: Readonly<Record<string, Tensor>>,
) {
  const parts = names.map((name) => {
    const { buffer, byteOffset, byteLength } = results[name]!.data as Float32Array;
    return Buffer.from(buffer, byteOffset, byteLength);
  });
  const outputs = names.map((name, i) => {
    const { type, dims } = results[name]!;
    return { name, datatype: datatypeOf(type), shape: dims, parameters: { binary_data_size: parts[i]!.length } }; // oxfmt-ignore
  });
  const header = Buffer.from(JSON.stringify({ model_name: 'stub', outputs }));
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'inference-header-content-length': String(header.length),
  });
  response.end(Buffer.concat([header, ...parts]));
}
