/** A pair of models as CLIP is one, small enough to be written by hand: colours of pictures, and words for them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crashingModel, endlessModel, modelOf, node, tensor, type Dims } from './onnx-model.ts';

const START = '<|startoftext|>';
const END = '<|endoftext|>';
/** Pieces that are joined, in the order of their ranks. */
const MERGES = [
  ['r', 'e'],
  ['re', 'd</w>'],
  ['b', 'l'],
  ['bl', 'u'],
  ['blu', 'e</w>'],
  ['g', 're'],
  ['e', 'n</w>'],
  ['gre', 'en</w>'],
] as const;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const VOCABULARY = [
  ...LETTERS,
  ...LETTERS.map((letter) => `${letter}</w>`),
  ...MERGES.map((pair) => pair.join('')),
  START,
  END,
];
export const idOf = (token: string): number => VOCABULARY.indexOf(token);
const [START_ID, END_ID] = [idOf(START), idOf(END)];

const special = (id: number, content: string) => ({
  ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
});

/** Of the form of CLIP's own file. */
export const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [special(START_ID, START), special(END_ID, END)],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'NFC' },
      { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
      { type: 'Lowercase' },
    ],
  },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      {
        type: 'Split',
        pattern: { Regex: "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+" },
        ...{ behavior: 'Removed', invert: true },
      },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true },
    ],
  },
  post_processor: {
    ...{ type: 'RobertaProcessing', sep: [END, END_ID], cls: [START, START_ID] },
    ...{ trim_offsets: false, add_prefix_space: false },
  },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true },
  model: {
    ...{ type: 'BPE', dropout: null, unk_token: END },
    ...{ continuing_subword_prefix: '', end_of_word_suffix: '</w>', fuse_unk: false },
    vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
    merges: MERGES.map((pair) => pair.join(' ')),
  },
};

/** Answers the mean of red, green and blue. */
export const colourModel = (): Buffer =>
  modelOf({
    nodes: [node('ReduceMean', ['pixel_values'], ['image_embeds'], { axes: [2, 3], keepdims: 0 })],
    inputs: [{ name: 'pixel_values', dims: ['n', 3, 8, 8] }],
    outputs: [{ name: 'image_embeds', dims: ['n', 3] }],
  });

const COLOURS: readonly (readonly [string, readonly number[]])[] = [
  ['red</w>', [1, 0, 0]],
  ['green</w>', [0, 1, 0]],
  ['blue</w>', [0, 0, 1]],
];

/** Answers the mean of the colours that its tokens name; other tokens are nearly grey. */
export function colourTextModel(length: Dims[number] = 'length', numbers = 3): Buffer {
  const rows = VOCABULARY.flatMap((token) => {
    const colour = COLOURS.find(([name]) => name === token)?.[1] ?? [0.01, 0.01, 0.01];
    return Array.from({ length: numbers }, (_, n) => colour[n] ?? 0);
  });
  return modelOf({
    nodes: [
      node('Gather', ['table', 'input_ids'], ['tokens']),
      node('Cast', ['attention_mask'], ['weights'], { to: 1 }),
      node('Unsqueeze', ['weights', 'last'], ['each']),
      node('Mul', ['tokens', 'each'], ['meant']),
      node('ReduceSum', ['meant', 'second'], ['text_embeds'], { keepdims: 0 }),
    ],
    constants: [
      tensor('table', [VOCABULARY.length, numbers], rows),
      tensor('last', [1], [2], 'int64'),
      tensor('second', [1], [1], 'int64'),
    ],
    inputs: ['input_ids', 'attention_mask'].map((name) => ({ name, dims: ['n', length], type: 'int64' })),
    outputs: [{ name: 'text_embeds', dims: ['n', numbers] }],
  });
}

const TOKENS = { name: 'input_ids', dims: [1, 8], type: 'int64' } as const;
export const endlessTextModel = (): Buffer => endlessModel(TOKENS);
export const crashingTextModel = (): Buffer => crashingModel(TOKENS, 'loaded');

/** `colours/image.onnx`, and with it all that belongs to it. */
export function writeModelPair(models: string): void {
  const folder = path.join(models, 'colours');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: Buffer | object) =>
    writeFileSync(path.join(folder, name), Buffer.isBuffer(content) ? content : JSON.stringify(content));
  write('image.onnx', colourModel());
  write('image.json', { INPUT_MEAN: 0, INPUT_STD: 1, TEXT_MODEL_NAME: 'colours/text' });
  write('text.onnx', colourTextModel());
  write('tokenizer.json', TOKENIZER);
}
