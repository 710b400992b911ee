/**
 * A user-supplied model in its component, compared with the plain runtime with the same network and batch
 * size. Also its first job, and Whisper.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import loadKserve from '../../../components/models/kserve/detector.ts';
import loadOnnxDetector from '../../../components/models/onnx/detector.ts';
import type { Detector, FrameSource } from '../../../components/sdk/detector.ts';
import type { Properties } from '../../../domain/types.ts';
import { all, jobOf, noise, paintVideo } from '../../components/visual.ts';
import { KserveServer } from '../../support/servers/kserve-server.ts';
import { modelOf, node, tensor } from '../../support/media/onnx-model.ts';
import { firstJob } from '../jobs/first-job.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';
import { whisperOverhead } from './whisper.ts';

const SIDE = 640;
const CLASSES = 80;
const FRAMES = 16;
const BATCHES = [1, 4, 8] as const;
const SERVED_BATCH = 4;
const ROUNDS = 5;

export async function ownModels(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'troupe-bench-models-'));
  const file = path.join(folder, 'network.onnx');
  const model = network();
  await writeFile(file, model);
  const models = { roots: [folder], loaded: 1, checkMs: 600_000 };
  const detector = await loadOnnxDetector({ models });
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' } as const;
  const session = await InferenceSession.create(file, options);
  const source = await pictures();
  try {
    const first = await measureTime(() => inComponent('onnx', detector, source, 1));
    const figures: Figure[] = [
      {
        what: 'from nothing to the first findings of 16 pictures, with the trial of the file',
        value: `${round(first)} ms`,
      },
    ];
    for (const batch of BATCHES) figures.push(...(await against(batch, detector, session, source)));
    return [
      ...figures,
      await serveModel(model, session, source),
      await firstJob(model),
      ...(await whisperOverhead()),
    ];
  } finally {
    await detector.close!();
    await session.release();
    await rm(folder, { recursive: true });
  }
}

async function against(
  batch: number,
  detector: Detector,
  session: InferenceSession,
  source: FrameSource,
): Promise<readonly Figure[]> {
  const times = await runInterleaved(ROUNDS, {
    bare: () => cpuTime(() => bare(session, batch)),
    component: () => cpuTime(() => inComponent('onnx', detector, source, batch)),
  });
  const each = (ms: number) => `${round(ms / FRAMES, 1)} ms of CPU time a picture`;
  return [
    { what: `${batch} at a time: the bare runtime, which is given numbers`, value: each(times.bare) },
    {
      what: `${batch} at a time: the component, from 1280 x 720 pixels to tracks`,
      value: `${each(times.component)}, ratio ${round(times.component / times.bare, 3)}`,
      aim: '1.03',
    },
  ];
}

/** The same model on a server in this process: the cost of both sides of the connection. */
async function serveModel(model: Buffer, session: InferenceSession, source: FrameSource): Promise<Figure> {
  const server = await KserveServer.start();
  await server.serve('network', model);
  const modelServers = { allowPrivate: true, allowedHosts: [], waitMs: 0 };
  const detector = await loadKserve({ models: { roots: [], loaded: 1, checkMs: 1 }, modelServers });
  // Several requests in parallel would compete for the cores of this machine.
  const where = { TRITON_SERVER: server.address, TRITON_MAX_INFER_CONCURRENCY: '1' };
  try {
    await inComponent('kserve', detector, source, SERVED_BATCH, where);
    const times = await runInterleaved(ROUNDS, {
      bare: () => cpuTime(() => bare(session, SERVED_BATCH)),
      served: () => cpuTime(() => inComponent('kserve', detector, source, SERVED_BATCH, where)),
    });
    return {
      what: `${SERVED_BATCH} at a time on a model server (KServe v2, FP32), both sides of the connection`,
      value: `${round(times.served / FRAMES, 1)} ms of CPU time a picture, ratio ${round(times.served / times.bare, 3)}`,
    };
  } finally {
    await detector.close!();
    await server.close();
  }
}

/** Excludes other processes. */
async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function bare(session: InferenceSession, batch: number): Promise<void> {
  const values = new Float32Array(batch * 3 * SIDE * SIDE).fill(0.5);
  for (let done = 0; done < FRAMES; done += batch)
    await session.run({ images: new Tensor('float32', values, [batch, 3, SIDE, SIDE]) });
}

async function inComponent(
  component: string,
  detector: Detector,
  source: FrameSource,
  batch: number,
  more: Properties = {},
): Promise<void> {
  const properties = { MODEL_NAME: 'network', MODEL_TYPE: 'YOLO', DETECTION_FRAME_BATCH_SIZE: String(batch) };
  await all(detector.video!(source, await jobOf(component, { ...properties, ...more })));
}

/** Painted in advance, so that reading does not count. */
async function pictures(): Promise<FrameSource> {
  const painting = paintVideo({ width: 1280, height: 720, frames: 1 }, (x, y) => {
    const light = Math.floor(255 * noise(x >> 3, y >> 3, 1));
    return [light, 255 - light, x & 255];
  });
  const [frame] = await all(painting.frames());
  return {
    ...painting,
    stop: FRAMES - 1,
    async *frames() {
      for (let index = 0; index < FRAMES; index++) yield { ...frame!, index, time: index * 40 };
    },
  };
}

const LAYERS = [
  { from: 3, to: 16, stride: 2 },
  { from: 16, to: 32, stride: 2 },
  { from: 32, to: 64, stride: 2 },
  ...Array.from({ length: 12 }, () => ({ from: 64, to: 64, stride: 1 })),
];

/**
 * About as much work as the smallest YOLO (3 billion multiplications per picture), with random weights and
 * almost no results.
 */
function network(): Buffer {
  const [nodes, constants]: [Buffer[], Buffer[]] = [[], []];
  let before = 'images';
  for (const [i, { from, to, stride }] of LAYERS.entries()) {
    constants.push(tensor(`w${i}`, [to, from, 3, 3], weights(to * from * 9, i, Math.sqrt(2 / (from * 9)))));
    nodes.push(node('Conv', [before, `w${i}`], [`c${i}`], { strides: [stride, stride], pads: [1, 1, 1, 1] }));
    nodes.push(node('Relu', [`c${i}`], [`r${i}`]));
    before = `r${i}`;
  }
  const rows = CLASSES + 4;
  constants.push(tensor('head', [rows, 64, 1, 1], weights(rows * 64, LAYERS.length, 0.01)));
  constants.push(
    tensor(
      'bias',
      [rows],
      Array.from({ length: rows }, () => -6),
    ),
  );
  constants.push(tensor('shape', [3], [0, rows, -1], 'int64'));
  nodes.push(node('Conv', [before, 'head', 'bias'], ['logits']));
  nodes.push(node('Sigmoid', ['logits'], ['scores']));
  nodes.push(node('Reshape', ['scores', 'shape'], ['output0']));
  const graph = {
    nodes,
    constants,
    inputs: [{ name: 'images', dims: ['batch', 3, SIDE, SIDE] }],
    outputs: [{ name: 'output0', dims: ['batch', rows, 'boxes'] }],
  };
  const names = JSON.stringify(Array.from({ length: CLASSES }, (_, i) => `class ${i}`));
  return modelOf(graph, { names, task: 'detect' });
}

const weights = (count: number, layer: number, size: number): number[] =>
  Array.from({ length: count }, (_, i) => (noise(i, layer, 7) - 0.5) * 2 * size);
