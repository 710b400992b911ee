/** The inputs of a text model: token numbers and the attention mask. */
import { wrongHint } from './hints.ts';
import { shownInfos, type ValueInfo } from './inputs.ts';
import type { Feeds, GivenValues } from './runtime.ts';

export interface Tokens {
  readonly ids: readonly number[];
  /** 1 for each token of the text, 0 for padding. */
  readonly mask: readonly number[];
}

/** Number of tokens that the model accepts; undefined for any number. */
export const tokensTaken = (infos: readonly ValueInfo[]): number | undefined =>
  infos.map(({ shape }) => shape[1]).find((axis) => typeof axis === 'number');

/** Returns the model's inputs. Throws INVALID_PROPERTY for an input that is not text. */
export const tokenFeeds = (model: string, infos: readonly ValueInfo[], tokens: Tokens): Feeds =>
  Object.fromEntries(infos.map((info) => [info.name, valuesOf(model, info, tokens)]));

function valuesOf(model: string, info: ValueInfo, { ids, mask }: Tokens): GivenValues {
  const values = /mask/i.test(info.name)
    ? mask
    : /token_type/i.test(info.name)
      ? ids.map(() => 0)
      : /position/i.test(info.name)
        ? [...ids.keys()]
        : ids;
  const dims = [1, ids.length];
  const isPlain = info.shape.length === 2;
  if (isPlain && info.type === 'int64')
    return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) };
  if (isPlain && info.type === 'int32') return { type: 'int32', dims, data: Int32Array.from(values) };
  throw wrongHint(
    `The text model ${model} wants ${shownInfos([info])}: only tokens [1, length] of int64 or int32 can be given. Export the text half alone.`,
  );
}

/** Pads or cuts the tokens to the length that the model accepts. */
export function fitTokens({ ids, mask }: Tokens, length = ids.length): Tokens {
  const fill = Array.from({ length: Math.max(0, length - ids.length) }, () => ids.at(-1) ?? 0);
  return { ids: [...ids, ...fill].slice(0, length), mask: [...mask, ...fill.map(() => 0)].slice(0, length) };
}
