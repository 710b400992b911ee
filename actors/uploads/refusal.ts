/** Why an upload is not accepted. */
import type { Readable } from 'node:stream';

export interface Refusal {
  /** `tooLarge`: the upload, or all of its user. `full`: all uploads together are too many or too large. `noRoom`: the disk is full. */
  readonly kind: 'tooLarge' | 'full' | 'noRoom' | 'empty' | 'broken';
  readonly message: string;
}

export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(kind: Refusal['kind'], message: string) {
    super(message);
    this.refusal = { kind, message };
  }
}

export const noRoom = () =>
  new Refused(
    'noRoom',
    'The disk of the server is nearly full; uploads are not accepted until there is space.',
  );

/** @throws any error that is not a refusal */
export function refusalOf(error: unknown, source: Readable): Refusal {
  if (error instanceof Refused) return error.refusal;
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return noRoom().refusal;
  if (source.errored !== null || source.destroyed)
    return { kind: 'broken', message: 'The body is incomplete.' };
  throw error;
}
