/** Types of an answer: as it arrives, and after each step of its path. */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Range } from '../../../domain/types.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { SubJobAnswer } from '../../../protocol/worker-messages.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';

/** The lines of a result as text or as the body of a request; or a failure. */
export interface SentAnswer extends SubJobAnswer {
  readonly body?: Readable;
  /** Returns the CPU time of a body, which may be known only when the whole body has arrived. */
  readonly bodyCpuMs?: () => number | undefined;
}

/** An answer with the lease and the row that it is for. */
export interface Held<A extends SentAnswer = SentAnswer> {
  readonly answer: A;
  readonly lease: Lease;
  readonly row: SubJobRow;
}

/** A result before its check. */
export interface Unchecked<A extends SentAnswer = SentAnswer> extends Held<A> {
  /** The frames that the result may name. */
  readonly range: Range;
  /** File with its body. */
  readonly file?: string;
}

export type GoodResult = WorkDone['result'];

/** An answer with its checked content. */
export interface Checked<A extends SentAnswer = SentAnswer> extends Held<A> {
  readonly said: WorkFailed | GoodResult;
  readonly file?: string;
}

/** A failure needs no check. */
export type Received<A extends SentAnswer = SentAnswer> = Unchecked<A> | Checked<A>;

export const isChecked = <A extends SentAnswer>(answer: Received<A>): answer is Checked<A> =>
  'said' in answer;

export const newDigest = (): Hash => createHash('sha256');
export const digestText = (digest: Hash): string => digest.digest('base64url');

/**
 * Returns a digest that distinguishes a repeated answer from a different one. Reads a body to its end without storing it. Returns undefined
 * if the connection ended early.
 */
export async function digestOf({ body, lines, failure }: SentAnswer): Promise<string | undefined> {
  if (body !== undefined) return digestOfBody(body);
  return digestText(newDigest().update(failure === undefined ? (lines ?? '') : failureText(failure)));
}

/** No result has this form. */
const failureText = ({ code, message }: FailureRequest) => JSON.stringify(['failure', code, message]);

async function digestOfBody(body: Readable): Promise<string | undefined> {
  const digest = newDigest();
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false }))
      digest.update(piece as Buffer | string);
    return digestText(digest);
  } catch (error) {
    if (isBroken(body)) return undefined;
    throw error;
  }
}

/** True if the component disconnected before the whole body had arrived. */
export const isBroken = (body: Readable): boolean => body.readableAborted || body.errored !== null;
