/** The BlazeFace network (the 256 pixel one for far and near faces) on TensorFlow's WebAssembly kernels, one thread. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import { SIDE, type RawFaces } from './decode.ts';

const require = createRequire(import.meta.url);

export interface FaceNetwork {
  /** Judges one square of SIDE * SIDE * 3 values from -1 to 1. */
  run(square: Float32Array): RawFaces;
  dispose(): void;
}

export async function loadFaceNetwork(): Promise<FaceNetwork> {
  const kernels = dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json'));
  setWasmPaths(join(kernels, 'dist') + '/');
  await withoutProcessListeners(async () => {
    await tf.setBackend('wasm');
    await tf.ready();
  });
  const models = join(dirname(require.resolve('@vladmandic/human')), '..', 'models');
  const graph = await loadGraphModel({ load: () => readGraph(join(models, 'blazeface.json')) });
  const outputs = ['Identity:0', 'Identity_1:0', 'Identity_2:0', 'Identity_3:0'];
  return {
    run(square) {
      const input = tf.tensor4d(square, [1, SIDE, SIDE, 3]);
      const answers = [graph.execute(input, outputs)].flat();
      const [fine, coarse, fineBoxes, coarseBoxes] = answers.map((answer) => answer.dataSync<'float32'>());
      tf.dispose([input, ...answers]);
      return { scores: [fine!, coarse!], boxes: [fineBoxes!, coarseBoxes!] };
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
