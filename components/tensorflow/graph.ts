/** Networks as TensorFlow graphs, run by TensorFlow's WebAssembly kernels on one thread: a host runs a process per core. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel } from '@tensorflow/tfjs-converter';

const require = createRequire(import.meta.url);

export interface Graph {
  /** Runs the only input, of this shape, through the network; answers the values of its outputs in their order. */
  run(input: Float32Array, shape: [number, number, number, number]): Float32Array[];
  dispose(): void;
}

/** Loads the graph that `file`, a model.json with its weights beside it, describes; `outputs` are names of its nodes. */
export async function loadGraph(file: string, outputs: readonly string[]): Promise<Graph> {
  const kernels = dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json'));
  setWasmPaths(join(kernels, 'dist') + '/');
  await withoutProcessListeners(async () => {
    await tf.setBackend('wasm');
    await tf.ready();
  });
  const graph = await loadGraphModel({ load: () => readGraph(file) });
  const names = [...outputs];
  return {
    run(values, shape) {
      const input = tf.tensor4d(values, shape);
      const answers = [graph.execute(input, names)].flat();
      const results = answers.map((answer) => answer.dataSync<'float32'>());
      tf.dispose([input, ...answers]);
      return results;
    },
    dispose: () => graph.dispose(),
  };
}

interface GraphFile {
  readonly format: string;
  readonly modelTopology: object;
  readonly weightsManifest: readonly {
    readonly paths: string[];
    readonly weights: tf.io.WeightsManifestEntry[];
  }[];
}

async function readGraph(path: string): Promise<tf.io.ModelArtifacts> {
  const file = JSON.parse(await readFile(path, 'utf8')) as GraphFile;
  const parts = await Promise.all(
    file.weightsManifest.flatMap((group) => group.paths.map((name) => readFile(join(dirname(path), name)))),
  );
  return {
    format: file.format,
    modelTopology: file.modelTopology,
    weightSpecs: file.weightsManifest.flatMap((group) => group.weights),
    weightData: new Uint8Array(Buffer.concat(parts)).buffer,
  };
}

/**
 * The compiled kernels hang handlers on the process that rethrow whatever nobody caught; how this process ends is not
 * theirs to decide, so what `load` added is taken off again.
 */
async function withoutProcessListeners(load: () => Promise<void>): Promise<void> {
  const caught = new Set(process.listeners('uncaughtException'));
  const rejected = new Set(process.listeners('unhandledRejection'));
  await load();
  for (const listener of process.listeners('uncaughtException'))
    if (!caught.has(listener)) process.removeListener('uncaughtException', listener);
  for (const listener of process.listeners('unhandledRejection'))
    if (!rejected.has(listener)) process.removeListener('unhandledRejection', listener);
}
