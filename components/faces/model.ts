/** The BlazeFace network (the 256 pixel one for far and near faces). */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadGraph } from '../tensorflow/graph.ts';
import { SIDE, type RawFaces } from './decode.ts';

export interface FaceNetwork {
  /** Judges one square of SIDE * SIDE * 3 values from -1 to 1. */
  run(square: Float32Array): RawFaces;
  dispose(): void;
}

const OUTPUTS = ['Identity:0', 'Identity_1:0', 'Identity_2:0', 'Identity_3:0'];

export async function loadFaceNetwork(): Promise<FaceNetwork> {
  const human = createRequire(import.meta.url).resolve('@vladmandic/human');
  const graph = await loadGraph(join(dirname(human), '..', 'models', 'blazeface.json'), OUTPUTS);
  return {
    run(square) {
      const [fine, coarse, fineBoxes, coarseBoxes] = graph.run(square, [1, SIDE, SIDE, 3]);
      return { scores: [fine!, coarse!], boxes: [fineBoxes!, coarseBoxes!] };
    },
    dispose: () => graph.dispose(),
  };
}
