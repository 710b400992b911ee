/** The ONNX runtime of all networks. */
import { createRequire } from 'node:module';
import type * as Runtime from 'onnxruntime-node';

// Loaded with `require`, which takes half as long as `import`: `import` parses the package again to find its exports.
const runtime = createRequire(import.meta.url)('onnxruntime-node') as typeof Runtime;

export type InferenceSession = Runtime.InferenceSession;
export type SessionSettings = Runtime.InferenceSession.SessionOptions;
export type ValueMetadata = Runtime.InferenceSession.ValueMetadata;
export const InferenceSession = runtime.InferenceSession;
export type Tensor = Runtime.Tensor;
export const Tensor = runtime.Tensor;
