/** The NanoDet network for the classes of COCO. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadGraph } from '../tensorflow/graph.ts';
import { SIDE, type RawObjects } from './decode.ts';

export interface ObjectNetwork {
  /** Judges one square of SIDE * SIDE * 3 values, RGB, from -1 to 1. */
  run(square: Float32Array): RawObjects;
  dispose(): void;
}

/** Scores of the three grids, fine to coarse, then the distances of the same grids. */
const OUTPUTS = [
  'Identity:0',
  'Identity_1:0',
  'Identity_2:0',
  'Identity_3:0',
  'Identity_4:0',
  'Identity_5:0',
];
/** What the network was trained with, for blue, green and red values from 0 to 255. */
const MEANS = [103.53, 116.28, 123.675];
const DEVIATIONS = [57.375, 57.12, 58.395];

export async function loadObjectNetwork(): Promise<ObjectNetwork> {
  const graph = await loadGraph(modelFile(), OUTPUTS);
  const planes = new Float32Array(SIDE * SIDE * 3);
  return {
    run(square) {
      toPlanes(square, planes);
      const answers = graph.run(planes, [1, 3, SIDE, SIDE]);
      return { scores: answers.slice(0, 3), distances: answers.slice(3) };
    },
    dispose: () => graph.dispose(),
  };
}

/** One plane after the other, blue first, each value relative to what is usual for its colour. */
function toPlanes(square: Float32Array, planes: Float32Array): void {
  for (let plane = 0; plane < 3; plane++) {
    const channel = 2 - plane;
    const scale = 127.5 / DEVIATIONS[plane]!;
    const shift = (127.5 - MEANS[plane]!) / DEVIATIONS[plane]!;
    const first = plane * SIDE * SIDE;
    for (let i = 0; i < SIDE * SIDE; i++) planes[first + i] = square[i * 3 + channel]! * scale + shift;
  }
}

/** The model lies with the sources, and compiled code in a folder below the same package. */
function modelFile(): string {
  const wanted = join('components', 'objects', 'model', 'nanodet.json');
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, wanted);
    if (existsSync(file)) return file;
    if (folder === dirname(folder))
      throw new Error(`The file ${wanted} is missing: install the package again, with all of its files.`);
  }
}
