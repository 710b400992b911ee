/** The BlazeFace network with 256 pixels for near and far faces. */
import { loadNetwork } from '../../shared/networks/network.ts';
import { SIDE, type RawFaces } from './decode.ts';

export interface FaceNetwork {
  /** Runs the network on a square of SIDE * SIDE * 3 values from -1 to 1. */
  run(square: Float32Array): Promise<RawFaces>;
  close(): Promise<void>;
}

export async function loadFaceNetwork(): Promise<FaceNetwork> {
  const network = await loadNetwork('components/detectors/faces/model/blazeface.onnx');
  return {
    async run(square) {
      const [fine, coarse, fineBoxes, coarseBoxes] = await network.run(square, [1, SIDE, SIDE, 3]);
      return { scores: [fine!, coarse!], boxes: [fineBoxes!, coarseBoxes!] };
    },
    close: () => network.close(),
  };
}
