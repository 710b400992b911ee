/**
 * Model files of Whisper that say what a test wants, whatever they hear: their blocks add nothing, so that the place in the answer alone decides on
 * the next token. Some megabytes of zeros and rules; nobody's weights.
 */
import { writeFile } from 'node:fs/promises';

export interface WhisperModel {
  /** Up to eight words of the answer. */
  readonly words: readonly string[];
  /** As many words that it answers instead when it is to translate; of a model that knows many languages. */
  readonly english?: readonly string[];
  /** The model knows many languages and takes all speech for this one, by its place among Whisper's (0 en, 2 de); absent: English alone. */
  readonly language?: number;
  /** What to spoil: the type of all weights, the type of the first layer's, the heads of the decoder. */
  readonly weights?: number;
  readonly convolution?: number;
  readonly textHeads?: number;
  /** Numbers of a state, and heads that share them; of the smallest model that people use 384 and 6. */
  readonly state?: number;
  readonly heads?: number;
}

const SMALL_STATE = 64;
const LAYERS = 4;
const AUDIO = 1_500;
const TEXT = 448;
const MELS = 80;
const FFT = 201;
const F16 = 1;
const BLANK = 220;
/** Directions in which a place in the answer may point, beside those of the words. */
const END = 8;
const TIME = 9;
const LANGUAGE = 10;
/** Comes to the others from the order to translate on: each token of the translation has it, and so keeps it up. */
const TRANSLATED = 11;
/** The order stands so many tokens before the first time. */
const ORDER_BEFORE_TIMES = 6;

export async function writeWhisperModel(path: string, model: WhisperModel): Promise<void> {
  await writeFile(path, Buffer.concat([...headOf(model), ...tensorsOf(model)]));
}

const numbers = (...all: number[]): Buffer => Buffer.from(Int32Array.from(all).buffer);
const isMultilingual = ({ language }: WhisperModel) => language !== undefined;
/** The token that ends an answer; those of languages, tasks and times follow it. */
const endOf = (model: WhisperModel) => (isMultilingual(model) ? 50_257 : 50_256);
const vocabularyOf = (model: WhisperModel) => (isMultilingual(model) ? 51_865 : 51_864);
const firstTimeOf = (model: WhisperModel) => vocabularyOf(model) - 1_501;

function headOf(model: WhisperModel): Buffer[] {
  const { heads = 1, textHeads = heads, weights = F16, state = SMALL_STATE } = model;
  // After the words the one without letters, with which a translation begins.
  const spelled = [...model.words, ...(model.english ?? []), ...(model.english === undefined ? [] : [''])];
  const header = [
    vocabularyOf(model),
    AUDIO,
    state,
    heads,
    LAYERS,
    TEXT,
    state,
    textHeads,
    LAYERS,
    MELS,
    weights,
  ];
  const filters = Float32Array.from({ length: MELS * FFT }, (_, i) =>
    i % FFT === (Math.floor(i / FFT) * 2) % FFT ? 0.02 : 0,
  );
  const vocabulary = Array.from({ length: endOf(model) }, (_, token) => {
    // The runtime looks for a token that is a blank.
    const word = Buffer.from(token === BLANK ? ' ' : ` ${spelled[token] ?? `word${token}`}`);
    return Buffer.concat([numbers(word.length), word]);
  });
  return [
    numbers(0x67_67_6d_6c, ...header, MELS, FFT),
    Buffer.from(filters.buffer),
    numbers(vocabulary.length),
    ...vocabulary,
  ];
}

type Fill = (row: number, column: number) => number;
/** What a token adds to the place before the next, which is also what it is found by. */
type Pointing = Readonly<Record<number, number>>;
/** Rows that are not in a map are zero. */
type Content = Fill | ReadonlyMap<number, Pointing>;
const ZERO: Content = new Map();

function* tensorsOf(model: WhisperModel): Generator<Buffer> {
  const { convolution = F16, state = SMALL_STATE } = model;
  yield tensor('encoder.positional_embedding', [AUDIO, state], 0);
  yield tensor('encoder.conv1.weight', [state, MELS, 3], convolution);
  yield tensor('encoder.conv1.bias', [state, 1], 0);
  yield tensor('encoder.conv2.weight', [state, state, 3], convolution);
  yield tensor('encoder.conv2.bias', [state, 1], 0);
  for (let layer = 0; layer < LAYERS; layer++) yield* block(`encoder.blocks.${layer}`, ['attn'], state);
  yield* norm('encoder.ln_post', state);
  yield tensor('decoder.positional_embedding', [TEXT, state], 0, placesOf(model));
  yield tensor('decoder.token_embedding.weight', [vocabularyOf(model), state], F16, tokensOf(model));
  for (let layer = 0; layer < LAYERS; layer++)
    yield* block(`decoder.blocks.${layer}`, ['attn', 'cross_attn'], state);
  yield* norm('decoder.ln', state);
}

/** Where the answer begins: after the tokens that the model is asked with. */
function placesOf(model: WhisperModel): Fill {
  const first = isMultilingual(model) ? 2 : 0;
  return (place, direction) => {
    const at = place - first;
    if (at < 0) return direction === LANGUAGE ? 50 : 0;
    const wanted = at === 0 ? TIME : at <= model.words.length ? at - 1 : END;
    return direction === wanted ? 50 : 0;
  };
}

function tokensOf(model: WhisperModel): ReadonlyMap<number, Pointing> {
  const { words, english = [], language } = model;
  const firstTime = firstTimeOf(model);
  // Less than the word as it was spoken has, unless the order to translate comes to it.
  const translateTo = (direction: number): Pointing => ({ [direction]: 3.9, [TRANSLATED]: 4 });
  return new Map<number, Pointing>([
    ...words.map((_, word) => [word, { [word]: 4 }] as const),
    [endOf(model), { [END]: 4 }],
    [firstTime, { [TIME]: 4 }],
    ...(language === undefined ? [] : [[endOf(model) + 2 + language, { [LANGUAGE]: 4 }] as const]),
    ...english.map((_, word) => [words.length + word, translateTo(word)] as const),
    ...(english.length === 0
      ? []
      : [
          [firstTime - ORDER_BEFORE_TIMES, { [TRANSLATED]: 8 }] as const,
          // Where else a time would stand, which all that follows would have to come after.
          [words.length + english.length, translateTo(TIME)] as const,
        ]),
  ]);
}

function* block(name: string, attentions: readonly string[], state: number): Generator<Buffer> {
  for (const attention of attentions) {
    yield* norm(`${name}.${attention}_ln`, state);
    for (const part of ['query', 'key', 'value', 'out']) {
      yield tensor(`${name}.${attention}.${part}.weight`, [state, state]);
      if (part !== 'key') yield tensor(`${name}.${attention}.${part}.bias`, [state], 0);
    }
  }
  yield* norm(`${name}.mlp_ln`, state);
  yield tensor(`${name}.mlp.0.weight`, [4 * state, state]);
  yield tensor(`${name}.mlp.0.bias`, [4 * state], 0);
  yield tensor(`${name}.mlp.2.weight`, [state, 4 * state]);
  yield tensor(`${name}.mlp.2.bias`, [state], 0);
}

function* norm(name: string, state: number): Generator<Buffer> {
  yield tensor(`${name}.weight`, [state], 0, () => 1);
  yield tensor(`${name}.bias`, [state], 0);
}

/** Of type 0 (32 bits) or 1 (16 bits), filled row by row. */
function tensor(name: string, sizes: readonly number[], type = F16, content: Content = ZERO): Buffer {
  const count = sizes.reduce((a, b) => a * b, 1);
  const columns = sizes.length === 1 ? 1 : sizes.slice(1).reduce((a, b) => a * b, 1);
  const values = type === 0 ? new Float32Array(count) : new Uint16Array(count);
  const put = (i: number, value: number) => (values[i] = type === 0 ? value : HALVES.get(value)!);
  if (typeof content === 'function')
    for (let i = 0; i < count; i++) put(i, content(Math.floor(i / columns), i % columns));
  else
    for (const [row, pointing] of content)
      for (const [column, value] of Object.entries(pointing)) put(row * columns + Number(column), value);
  const title = Buffer.from(name);
  return Buffer.concat([
    numbers(sizes.length, title.length, type, ...sizes.toReversed()),
    title,
    Buffer.from(values.buffer),
  ]);
}

/** Numbers of 16 bits, of those that are in use. */
const HALVES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0x3c00],
  [3.9, 0x43cd],
  [4, 0x4400],
  [8, 0x4800],
]);
