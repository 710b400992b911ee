/** A model in the ONNX runtime. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { NetworkInputs, ValueInfo } from './inputs.ts';
import { pictureTensor, shapeOf } from './tensors.ts';

export interface SessionOptions {
  /** Threads that compute one answer. */
  readonly threads: number;
  /** Of the runtime, in small letters: cpu, cuda ... */
  readonly provider: string;
}

export function openSession(path: string, { threads, provider }: SessionOptions): Promise<InferenceSession> {
  return InferenceSession.create(path, {
    executionProviders: [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Errors alone: they come as exceptions as well.
    logSeverityLevel: 4,
  });
}

export const infosOf = (metadata: readonly InferenceSession.ValueMetadata[]): ValueInfo[] =>
  metadata.map((one) =>
    one.isTensor
      ? { name: one.name, type: one.type, shape: [...one.shape] }
      : { name: one.name, type: 'no tensor', shape: [] },
  );

/** What is given to the network for so many pictures, whose values are those of `pixels`. */
export function feedsOf(
  { picture, size }: NetworkInputs,
  pixels: Float32Array,
  count: number,
): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = { [picture.name]: pictureTensor(picture, pixels, count) };
  if (size === undefined) return feeds;
  const sides = Array.from({ length: count }, () => [picture.width, picture.height]).flat();
  const values = size.type === 'int64' ? BigInt64Array.from(sides, BigInt) : Float32Array.from(sides);
  feeds[size.name] = new Tensor(size.type, values as never, [count, 2]);
  return feeds;
}

export const valuesOf = (inputs: NetworkInputs, count: number): number =>
  shapeOf(inputs.picture, count).reduce((product, size) => product * size, 1);
