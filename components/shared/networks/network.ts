/** Runs ONNX models with the ONNX runtime on one thread, because a host runs one process per core. */
import { packageFile } from '../package-file.ts';
import { InferenceSession, Tensor } from './onnx-runtime.ts';

export interface Network {
  /** Runs the network on its only input, which has this shape. Returns the values of its outputs in order, valid until the next run. */
  run(input: Float32Array, shape: readonly number[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Loads the model `file`, a path from the root of the package. */
export async function loadNetwork(file: string): Promise<Network> {
  const session = await InferenceSession.create(packageFile(file), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // One block of memory for a run takes as much time, and more memory than separate allocations.
    enableMemPattern: false,
    logSeverityLevel: 3,
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
