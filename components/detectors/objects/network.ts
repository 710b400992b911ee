/** The NanoDet network for the classes of COCO. */
import { loadSharedNetwork } from '../../shared/network-process/shared-network.ts';
import { SIDE, type RawObjects } from './decode.ts';

export interface ObjectNetwork {
  /** Runs the network on a square of SIDE * SIDE * 3 RGB values from -1 to 1. */
  run(square: Float32Array): Promise<RawObjects>;
  close(): Promise<void>;
}

/** Means and deviations of the training, for blue, green and red values from 0 to 255. */
const MEANS = [103.53, 116.28, 123.675];
const DEVIATIONS = [57.375, 57.12, 58.395];

/** `networks`: socket of the process that runs networks for this one; undefined to run it here. */
export async function loadObjectNetwork(networks?: string): Promise<ObjectNetwork> {
  const network = await loadSharedNetwork('components/detectors/objects/model/nanodet.onnx', networks);
  const planes = new Float32Array(SIDE * SIDE * 3);
  return {
    async run(square) {
      toPlanes(square, planes);
      // Scores of the three grids from fine to coarse, then their distances.
      const answers = await network.run(planes, [1, 3, SIDE, SIDE]);
      return { scores: answers.slice(0, 3), distances: answers.slice(3) };
    },
    close: () => network.close(),
  };
}

/** Writes planes of blue, green and red. Values are normalized by the mean and deviation of their colour. */
function toPlanes(square: Float32Array, planes: Float32Array): void {
  for (let plane = 0; plane < 3; plane++) {
    const channel = 2 - plane;
    const scale = 127.5 / DEVIATIONS[plane]!;
    const shift = (127.5 - MEANS[plane]!) / DEVIATIONS[plane]!;
    const first = plane * SIDE * SIDE;
    for (let i = 0; i < SIDE * SIDE; i++) planes[first + i] = square[i * 3 + channel]! * scale + shift;
  }
}
