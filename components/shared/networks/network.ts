/** Runs ONNX models with the ONNX runtime. */
import { packageFile } from '../package-file.ts';
import { InferenceSession, Tensor } from './onnx-runtime.ts';

export interface Network {
  /** Runs the network on its only input, which has this shape. Returns the values of its outputs in order, valid until the next run. */
  run(input: Float32Array, shape: readonly number[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * Loads the model `file`, a path from the root of the package. Each run uses one thread by default, because a host runs one process per
 * core.
 */
export async function loadNetwork(file: string, threads = 1): Promise<Network> {
  const session = await InferenceSession.create(packageFile(file), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // One block of memory for a run takes as much time, and more memory than separate allocations.
    enableMemPattern: false,
    logSeverityLevel: 3,
    // Threads that wait for each other in a loop would take CPU time from others.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  const { inputNames, outputNames } = session;
  return {
    async run(values, shape) {
      const results = await session.run({ [inputNames[0]!]: new Tensor('float32', values, shape) });
      return outputNames.map((name) => results[name]!.data as Float32Array);
    },
    close: () => session.release(),
  };
}
