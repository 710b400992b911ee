/**
 * Checks a model file of whisper.cpp (ggml) before the runtime loads it. The runtime ends its process for some invalid files. Reading the
 * headers of all tensors takes some milliseconds and finds nearly all of these files.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { DetectionError } from '../../sdk/detector.ts';
import { WHISPER_LANGUAGES } from './languages.ts';

const MAGIC = 0x67_67_6d_6c;
/** Other formats by their first four bytes. */
const OTHERS: Readonly<Record<string, string>> = {
  GGUF: 'a GGUF file, which is for language models',
  'PK\u0003\u0004': 'a PyTorch checkpoint or another ZIP archive',
  '<!do': 'a web page',
  '<htm': 'a web page',
  vers: 'a pointer of Git LFS to the file',
};
/** Number of tokens of a model for English only. Multilingual models have more. */
const ENGLISH_TOKENS = 51_864;
const MOST_TENSORS = 4_000;
const F16 = 1;
/** Bytes of a block and number of values in it, by tensor type. */
const TYPES: Readonly<Record<number, readonly [bytes: number, values: number]>> = {
  0: [4, 1],
  [F16]: [2, 1],
  2: [18, 32],
  3: [20, 32],
  6: [22, 32],
  7: [24, 32],
  8: [34, 32],
  10: [84, 256],
  11: [110, 256],
  12: [144, 256],
  13: [176, 256],
  14: [210, 256],
};
/** Allowed sizes in the header. Whisper's largest model has at most a third of the maximum. */
const BOUNDS = {
  vocabulary: [1_000, 200_000],
  audioContext: [1, 10_000],
  audioState: [1, 8_192],
  audioHeads: [1, 256],
  audioLayers: [1, 256],
  textContext: [1, 10_000],
  textState: [1, 8_192],
  textHeads: [1, 256],
  textLayers: [1, 256],
  mels: [1, 1_024],
} as const;

export interface ModelFacts {
  /** Whisper's language codes. */
  readonly languages: readonly string[];
}

/** Checks a model file. @throws DetectionError with the file's name and its error */
export async function checkModel(path: string): Promise<ModelFacts> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw wrong(path, `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  });
  try {
    return await new Look(path, file, (await file.stat()).size).all();
  } finally {
    await file.close();
  }
}

function wrong(path: string, why: string): DetectionError {
  return new DetectionError(
    'COULD_NOT_READ_DATAFILE',
    `The Whisper model ${path} cannot be used: ${why}. Use a model of whisper.cpp in ggml format, such as ggml-base.bin.`,
  );
}

/** Maximum number of bytes that are read at once, because most of the file is skipped. */
const AHEAD = 64 * 1_024;

class Look {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #size: number;
  #at = 0;
  #ahead = Buffer.alloc(0);
  #aheadAt = 0;

  constructor(path: string, file: FileHandle, size: number) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
  }

  async all(): Promise<ModelFacts> {
    await this.#magic();
    const vocabulary = await this.#header();
    await this.#filters();
    await this.#words();
    let tensors = 0;
    for (; this.#at < this.#size; tensors++) {
      if (tensors > MOST_TENSORS) throw this.#wrong(`it has more than ${MOST_TENSORS} tensors`);
      await this.#tensor();
    }
    if (tensors === 0) throw this.#wrong('it has no tensors: it was cut off');
    const known = Math.max(1, vocabulary - ENGLISH_TOKENS + 98);
    return {
      languages: vocabulary <= ENGLISH_TOKENS ? ['en'] : WHISPER_LANGUAGES.slice(0, known),
    };
  }

  async #magic(): Promise<void> {
    if (this.#size < 4) throw this.#wrong(`it has ${this.#size} bytes`);
    const first = await this.#take(4);
    if (first.readUInt32LE() === MAGIC) return;
    const other = OTHERS[first.toString('latin1')] ?? OTHERS[first.toString('latin1').toLowerCase()];
    throw this.#wrong(other === undefined ? 'its first bytes are those of another format' : `it is ${other}`);
  }

  /** Reads the header and returns the number of tokens. */
  async #header(): Promise<number> {
    const sizes: Record<string, number> = {};
    for (const [name, [least, most]] of Object.entries(BOUNDS)) {
      const value = await this.#number();
      if (value < least || value > most) throw this.#wrong(`its header gives ${name} as ${value}`);
      sizes[name] = value;
    }
    const type = (await this.#number()) % 1_000;
    if (type === 0)
      throw this.#wrong(
        'its weights are 32-bit numbers, over which the runtime aborts; convert it with 16-bit or quantized weights',
      );
    if (sizes['audioState'] !== sizes['textState'] || sizes['audioState']! % sizes['audioHeads']! !== 0)
      throw this.#wrong('the sizes in its header do not fit each other');
    return sizes['vocabulary']!;
  }

  async #filters(): Promise<void> {
    const [mels, bins] = [await this.#number(), await this.#number()];
    if (mels < 1 || mels > BOUNDS.mels[1] || bins < 1 || bins > 10_000)
      throw this.#wrong(`it has mel filters of ${mels} x ${bins}`);
    this.#skip(mels * bins * 4);
  }

  async #words(): Promise<void> {
    const count = await this.#number();
    if (count < 0 || count > BOUNDS.vocabulary[1]) throw this.#wrong(`it has ${count} words`);
    for (let word = 0; word < count; word++) {
      const length = await this.#number();
      if (length < 0 || length > 10_000) throw this.#wrong(`one of its words has ${length} bytes`);
      this.#skip(length);
    }
  }

  async #tensor(): Promise<void> {
    const [dimensions, length, type] = [await this.#number(), await this.#number(), await this.#number()];
    if (dimensions < 1 || dimensions > 4 || length < 1 || length > 200)
      throw this.#wrong('one of its tensors has no readable head: it was damaged or cut off');
    let values = 1;
    for (let i = 0; i < dimensions; i++) values *= await this.#number();
    const name = (await this.#take(length)).toString('latin1');
    const block = TYPES[type];
    if (block === undefined || !(values > 0)) throw this.#wrong(`its tensor ${name} has the type ${type}`);
    if (/\.conv\d\.weight$/.test(name) && type !== F16)
      throw this.#wrong(`its tensor ${name} must hold 16-bit numbers (it has the type ${type})`);
    this.#skip((values / block[1]) * block[0]);
  }

  #skip(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#size)
      throw this.#wrong(`it was cut off: it has ${this.#size} bytes, and should have more`);
  }

  async #number(): Promise<number> {
    return (await this.#take(4)).readInt32LE();
  }

  async #take(length: number): Promise<Buffer> {
    const from = this.#at;
    this.#skip(length);
    const ahead = this.#ahead;
    if (from < this.#aheadAt || from + length > this.#aheadAt + ahead.length) {
      const buffer = Buffer.alloc(Math.max(length, AHEAD));
      const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, from);
      this.#ahead = buffer.subarray(0, bytesRead);
      this.#aheadAt = from;
      if (bytesRead < length) throw this.#wrong('it was cut off');
    }
    return this.#ahead.subarray(from - this.#aheadAt, from - this.#aheadAt + length);
  }

  #wrong(why: string): DetectionError {
    return wrong(this.#path, why);
  }
}
