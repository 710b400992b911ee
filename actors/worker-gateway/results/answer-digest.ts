/** Tells a repeated answer from another one: equal answers have equal digests. */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FailureRequest } from '../../../protocol/coded-error.ts';

export const newDigest = (): Hash => createHash('sha256');
export const textOf = (digest: Hash): string => digest.digest('base64url');

/** Of the lines of a result, which may come in pieces as well. */
export const digestOfLines = (lines: string): string => textOf(newDigest().update(lines));

/** No result has this form. */
export const digestOfFailure = ({ code, message }: Pick<FailureRequest, 'code' | 'message'>): string =>
  textOf(newDigest().update(JSON.stringify(['failure', code, message])));

/** Reads a body to its end and keeps nothing of it; undefined: it broke off. */
export async function digestOfBody(body: Readable): Promise<string | undefined> {
  const digest = newDigest();
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false }))
      digest.update(piece as Buffer | string);
    return textOf(digest);
  } catch (error) {
    if (body.readableAborted || body.errored !== null) return undefined;
    throw error;
  }
}
