/** Requests and answers of the KServe v2 protocol, with tensors in binary form (the binary tensor data extension). */
import { z } from 'zod';
import type { Answers, Feeds, Values } from '../../shared/onnx-session/runtime.ts';

/** Header with the length of the JSON before the tensors. */
export const HEADER_LENGTH = 'Inference-Header-Content-Length';

interface Datatype {
  /** Type name of the ONNX runtime. */
  readonly type: string;
  readonly bytes: number;
  read(bytes: ArrayBuffer): ArrayLike<unknown>;
}

const DATATYPES: Readonly<Record<string, Datatype>> = {
  FP64: { type: 'float64', bytes: 8, read: (bytes) => new Float64Array(bytes) },
  FP32: { type: 'float32', bytes: 4, read: (bytes) => new Float32Array(bytes) },
  FP16: { type: 'float16', bytes: 2, read: (bytes) => new Uint16Array(bytes) },
  INT64: { type: 'int64', bytes: 8, read: (bytes) => new BigInt64Array(bytes) },
  INT32: { type: 'int32', bytes: 4, read: (bytes) => new Int32Array(bytes) },
  INT8: { type: 'int8', bytes: 1, read: (bytes) => new Int8Array(bytes) },
  UINT8: { type: 'uint8', bytes: 1, read: (bytes) => new Uint8Array(bytes) },
};

/** Returns the ONNX runtime's name of a tensor type. Unsupported types keep their name. */
export const typeOf = (datatype: string): string => DATATYPES[datatype]?.type ?? datatype;

const datatypeOf = (type: string): string =>
  Object.keys(DATATYPES).find((datatype) => DATATYPES[datatype]!.type === type) ?? type;

const shape = z.array(z.int());
const tensor = z.object({ name: z.string(), datatype: z.string(), shape });

/** A server's metadata of a model; other fields are ignored. An axis of any length is -1. */
export const modelMetadata = z.object({
  name: z.string(),
  inputs: z.array(tensor),
  outputs: z.array(tensor),
  rt_info: z.unknown().optional(),
});
export type ModelMetadata = z.infer<typeof modelMetadata>;

/** An answer that violates the protocol or does not match the request. The message is part of a sentence. */
export class WrongAnswer extends Error {}

export interface InferRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WantedAnswer {
  /** Names of outputs; empty for all outputs of the model. */
  readonly outputs: readonly string[];
  /** Number of largest values with their labels to return instead of tensors (Triton's classification extension). */
  readonly labels?: number;
}

export function inferRequest(feeds: Feeds, { outputs, labels }: WantedAnswer): InferRequest {
  const parts = Object.values(feeds).map(({ data }) =>
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  );
  const inputs = Object.entries(feeds).map(([name, { type, dims, data }]) => ({
    name,
    shape: dims,
    datatype: datatypeOf(type),
    parameters: { binary_data_size: data.byteLength },
  }));
  const form = labels === undefined ? { binary_data: true } : { classification: labels };
  const wanted =
    outputs.length === 0
      ? { parameters: { binary_data_output: true } }
      : { outputs: outputs.map((name) => ({ name, parameters: form })) };
  const header = Buffer.from(JSON.stringify({ inputs, ...wanted }));
  return {
    body: Buffer.concat([header, ...parts]),
    headers: { [HEADER_LENGTH]: String(header.length) },
  };
}

const answeredTensor = tensor.extend({
  shape: z.array(z.int().min(0)),
  parameters: z.object({ binary_data_size: z.int().min(0).optional() }).nullish(),
  data: z.array(z.unknown()).nullish(),
});
type AnsweredTensor = z.infer<typeof answeredTensor>;
const inferAnswer = z.object({ outputs: z.array(answeredTensor) });

/** Reads a model's answer. `headerLength`: value of the answer's header; if undefined, the answer is only JSON. Throws WrongAnswer. */
export function inferAnswers(bytes: Buffer, headerLength: string | undefined): Answers {
  const end = headerLength === undefined ? bytes.length : Number(headerLength);
  if (!Number.isSafeInteger(end) || end < 0 || end > bytes.length)
    throw new WrongAnswer(
      `its answer has ${bytes.length} bytes, and says that ${headerLength} of them are JSON (${HEADER_LENGTH})`,
    );
  const { outputs } = parseShape(inferAnswer, bytes.toString('utf8', 0, end));
  const tensors = new TensorReader(bytes, end);
  const answers = outputs.map((output) => [output.name, tensors.read(output)] as const);
  tensors.close();
  return Object.fromEntries(answers);
}

/** Reads the tensors, which follow the JSON one after another. */
class TensorReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  read(output: AnsweredTensor): Values {
    const { datatype, shape: dims, parameters, data } = output;
    const type = typeOf(datatype);
    const count = dims.reduce((product, size) => product * size, 1);
    const size = parameters?.binary_data_size;
    if (size !== undefined) return { type, dims, data: this.#binary(output, count, size) };
    const numbers = (data ?? []).flat(Infinity);
    if (numbers.length !== count)
      throw new WrongAnswer(`${describeTensor(output)} has ${numbers.length} values instead of ${count}`);
    return { type, dims, data: fromJson(output, numbers) };
  }

  close(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) throw new WrongAnswer(`its answer has ${left} bytes that belong to no output`);
  }

  #binary(output: AnsweredTensor, count: number, size: number): ArrayLike<unknown> {
    const datatype = DATATYPES[output.datatype];
    const end = this.#at + size;
    if (datatype !== undefined && size !== count * datatype.bytes)
      throw new WrongAnswer(
        `${describeTensor(output)} has ${size} bytes instead of ${count * datatype.bytes}`,
      );
    if (end > this.#bytes.length)
      throw new WrongAnswer(
        `its answer was cut off: ${describeTensor(output)} has ${this.#bytes.length - this.#at} bytes instead of ${size}`,
      );
    const part = new Uint8Array(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return datatype?.read(part.buffer) ?? part;
  }
}

/** Reads values from JSON. Servers without the extension answer in JSON, which has no 16-bit floats. */
function fromJson(output: AnsweredTensor, values: readonly unknown[]): ArrayLike<unknown> {
  const isNumeric = DATATYPES[output.datatype] !== undefined && output.datatype !== 'FP16';
  if (!isNumeric) return values;
  if (!values.every((value) => typeof value === 'number'))
    throw new WrongAnswer(`${describeTensor(output)} has other values than numbers`);
  if (output.datatype === 'INT64') return BigInt64Array.from(values, (value) => BigInt(Math.trunc(value)));
  return Float64Array.from(values);
}

/** Returns the labels in `<value>:<index>:<label>` by index. A value may have no label. */
export function labelsIn({ data }: Values): Readonly<Record<number, string>> {
  const labels: Record<number, string> = {};
  for (const text of Array.from(data, String)) {
    const [, index, label] = /^[^:]*:(\d+):(.*)$/.exec(text) ?? [];
    if (label !== undefined) labels[Number(index)] = label;
  }
  return labels;
}

const describeTensor = ({ name, datatype, shape: dims }: AnsweredTensor): string =>
  `its output ${name.slice(0, 100)} [${dims.join(', ')}] of ${datatype.slice(0, 100)}`;

/** Parses and checks JSON of a server. Throws WrongAnswer. */
export function parseShape<T>(schema: z.ZodType<T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const what = /^\s*</.test(text) ? 'a web page' : 'no JSON';
    throw new WrongAnswer(
      `it answered with ${what}; TRITON_SERVER must be the HTTP address of a server that speaks KServe v2`,
    );
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new WrongAnswer(`its answer does not follow the KServe v2 protocol (${wrongIn(read.error)})`);
}

/** Returns the first error and its location. */
function wrongIn({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.') ?? '';
  return `${where === '' ? '' : `${where}: `}${issue?.message ?? ''}`.slice(0, 300);
}
