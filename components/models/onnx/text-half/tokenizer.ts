/** Converts words to the token numbers of a text model, with the tokenizer of its export. */
import path from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import { messageOf } from '../../../sdk/failure.ts';
import { textBelow } from '../../../shared/model-files/neighbour.ts';
import type { ModelFile } from '../../../shared/model-files/model-file.ts';
import type { Tokens } from '../../../shared/onnx-session/tokens.ts';
import { invalidProperty } from '../../../shared/tracking/settings.ts';

const TOKENIZER = 'tokenizer.json';
const CONFIG = 'tokenizer_config.json';
/** Maximum size. Tokenizers for many languages have up to 35 MiB. */
const LARGEST_TOKENIZER = 64 * 1024 * 1024;
/** Folder of the model in exports for Transformers.js. The tokenizer is in its parent folder. */
const ONNX_FOLDER = 'onnx';
/** Default number of tokens, which is that of CLIP. */
const USUAL_LENGTH = 77;
/** Maximum number of tokens. Configurations use 1e30 for "any". */
const MOST_LENGTH = 8_192;

interface TokenizerFile {
  readonly padding?: { readonly strategy?: unknown; readonly pad_id?: number } | null;
}
interface ConfigFile {
  readonly model_max_length?: number;
  readonly pad_token?: string | { readonly content?: string } | null;
}

export class TextTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #padding: number;
  readonly #most: number;
  readonly #fixed: number | undefined;

  private constructor(tokenizer: Tokenizer, { padding }: TokenizerFile, config: ConfigFile) {
    this.#tokenizer = tokenizer;
    const { pad_token: pad, model_max_length: most = USUAL_LENGTH } = config;
    const name = typeof pad === 'string' ? pad : pad?.content;
    this.#padding = padding?.pad_id ?? (name === undefined ? 0 : (tokenizer.token_to_id(name) ?? 0));
    this.#most = most > MOST_LENGTH ? USUAL_LENGTH : most;
    this.#fixed = fixedLength(padding?.strategy);
  }

  /** Loads the tokenizer of a model. Throws INVALID_PROPERTY if there is none beside the model, or it is unreadable. */
  static async beside(model: ModelFile): Promise<TextTokenizer> {
    const folder = path.dirname(model.found);
    const folders = path.basename(folder) === ONNX_FOLDER ? [folder, path.dirname(folder)] : [folder];
    for (const where of folders) {
      const text = await textBelow(model.root, path.join(where, TOKENIZER), TOKENIZER, LARGEST_TOKENIZER);
      if (text === undefined) continue;
      const config = (await textBelow(model.root, path.join(where, CONFIG), CONFIG)) ?? '{}';
      return readTokenizer(text, config);
    }
    throw invalidProperty(
      `The text model ${model.name} has no tokenizer. Put the file ${TOKENIZER} of its export beside it.`,
    );
  }

  static async of(file: TokenizerFile, config: ConfigFile): Promise<TextTokenizer> {
    const { Tokenizer } = await import('@huggingface/tokenizers');
    return new TextTokenizer(new Tokenizer(file, config), file, config);
  }

  /**
   * Returns the tokens. `length`: number of tokens that the model accepts; undefined for any number. A too long text loses its end, except
   * for the last token.
   */
  encode(text: string, length = this.#fixed): Tokens {
    const { ids } = this.#tokenizer.encode(text);
    const most = length ?? this.#most;
    const kept = ids.length <= most ? ids : [...ids.slice(0, most - 1), ids.at(-1)!];
    const fill = Array.from({ length: (length ?? kept.length) - kept.length }, () => this.#padding);
    return { ids: [...kept, ...fill], mask: [...kept.map(() => 1), ...fill.map(() => 0)] };
  }
}

async function readTokenizer(text: string, config: string): Promise<TextTokenizer> {
  try {
    return await TextTokenizer.of(JSON.parse(text) as TokenizerFile, JSON.parse(config) as ConfigFile);
  } catch (error) {
    throw invalidProperty(
      `The file ${TOKENIZER} beside the text model cannot be used: ${messageOf(error)}. Copy it and ${CONFIG} again.`,
    );
  }
}

/** Reads `{ "Fixed": 64 }`: all texts are padded to this number of tokens. */
function fixedLength(strategy: unknown): number | undefined {
  if (typeof strategy !== 'object' || strategy === null || !('Fixed' in strategy)) return undefined;
  return typeof strategy.Fixed === 'number' && strategy.Fixed <= MOST_LENGTH ? strategy.Fixed : undefined;
}
