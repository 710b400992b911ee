/** Networks as ONNX models, run by the ONNX runtime on one thread: a host runs a process per core. */
import { packageFile } from '../package-file.ts';
import { InferenceSession, Tensor } from './onnx-runtime.ts';

export interface Network {
  /** Runs the only input, of this shape, through the network; answers the values of its outputs in their order. */
  run(input: Float32Array, shape: readonly number[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Loads the model `file`, a path from the root of the package. */
export async function loadNetwork(file: string): Promise<Network> {
  const session = await InferenceSession.create(packageFile(file), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // One block for all that a run needs takes as much time, and more memory than what each run needs in turn.
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
