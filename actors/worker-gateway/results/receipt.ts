/** How answers to sub-jobs are received: a body goes to the disk, and the digest of each is remembered with its lease. */
import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BROKEN, DIFFERS, type AnswerOutcome } from '../../../protocol/answer-outcome.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { removeFile } from '../../../files/remove.ts';
import { FloodError, receive, type SpoolLimits } from '../../../results/spool.ts';
import type { Store } from '../../../store/store.ts';
import type { Clock } from '../../basics/clock.ts';
import type { WorkFailed } from '../../batch-job/state/commands.ts';
import { isFull } from '../../system-messages/disk-watch.ts';
import { isDocument, type AnswerFiles } from './answer-files.ts';
import { notStored, type AnswerSettlement } from './answer-settlement.ts';
import { answerRange, framesOf } from './frame-range.ts';
import { digestOf, digestText, isBroken, newDigest, type Held, type Received } from './sent-answer.ts';
import type { SentAnswer } from './sent-answer.ts';

export interface ReceiptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly heartbeatMs: number;
  readonly resultLimits: SpoolLimits;
}

export class Receipt {
  readonly #deps: ReceiptDeps;
  readonly #files: AnswerFiles;
  readonly #settlement: AnswerSettlement;

  constructor(deps: ReceiptDeps, files: AnswerFiles, settlement: AnswerSettlement) {
    this.#deps = deps;
    this.#files = files;
    this.#settlement = settlement;
  }

  async receive<A extends SentAnswer>(held: Held<A>): Promise<Received<A> | AnswerOutcome> {
    const { body } = held.answer;
    if (body !== undefined) return this.#store(held, body);
    const digest = await digestOf(held.answer);
    return (await this.#isFirst(held, digest)) ? this.#content(held) : DIFFERS;
  }

  /** Of the lines of a message, or of a failure. */
  async #content<A extends SentAnswer>(held: Held<A>): Promise<Received<A> | AnswerOutcome> {
    const { answer, lease, row } = held;
    if (answer.failure !== undefined) {
      const { code, message, mayPass } = answer.failure;
      const range = await framesOf(row, this.#deps.dataDir);
      const times = this.#settlement.timesOf(held);
      const { token } = lease;
      const said: WorkFailed = { type: 'workFailed', key: row.key, token, code, message, range, ...times };
      return { ...held, said: mayPass === true ? { ...said, mayPass } : said };
    }
    const excess = excessOf(held, this.#deps.resultLimits);
    if (excess !== undefined) return this.#settlement.garbage(answer.token, excess);
    return { ...held, range: await this.#rangeOf(held) };
  }

  async #store<A extends SentAnswer>(held: Held<A>, body: Readable): Promise<Received<A> | AnswerOutcome> {
    const { answer, row } = held;
    const file = this.#files.newFile(row, answer.token);
    const digest = newDigest();
    try {
      const noteArrival = this.#onPiece(answer.token, digest);
      await receive(body, file, limitsOf(row.kind, this.#deps.resultLimits), noteArrival);
    } catch (error) {
      return this.#notReceived(held, body, error);
    }
    if (await this.#isFirst(held, digestText(digest)))
      return { ...held, file, range: await this.#rangeOf(held) };
    await removeFile(file);
    return DIFFERS;
  }

  #isFirst({ answer: { token } }: Held, digest: string | undefined): Promise<boolean> {
    return this.#deps.store.work.noteArrival(token, true, digest);
  }

  async #rangeOf({ row }: Held) {
    return answerRange(row, await framesOf(row, this.#deps.dataDir));
  }

  /** Gets each piece of an answer, and tells the ledger from time to time that more has arrived. */
  #onPiece(token: string, digest: Hash): (data: Buffer) => void {
    const { clock, heartbeatMs, store } = this.#deps;
    let toldAt = clock.steady();
    return (data) => {
      digest.update(data);
      const now = clock.steady();
      if (now - toldAt < heartbeatMs) return;
      toldAt = now;
      void store.work.noteArrival(token, false).catch(() => undefined);
    };
  }

  /** A full disk is no fault of the component: its sub-job fails with a reason. */
  async #notReceived<A extends SentAnswer>(
    held: Held<A>,
    body: Readable,
    error: unknown,
  ): Promise<Received<A> | AnswerOutcome> {
    if (error instanceof FloodError) return this.#settlement.garbage(held.answer.token, error.message);
    if (isFull(error)) return { ...held, said: notStored(held, this.#settlement.workingTime(held)) };
    if (isBroken(body)) return BROKEN;
    throw error;
  }
}

const ANY_SIZE: SpoolLimits = { maxBytes: Infinity, maxLines: Infinity };

/**
 * How long the answer to work of this kind may be. The limits are for detectors and are checked once, when their answer arrives: what the
 * media component makes of an accepted answer may be longer.
 */
const limitsOf = (kind: string, ofDetectors: SpoolLimits): SpoolLimits =>
  Object.hasOwn(MEDIA_QUEUES, kind) ? ANY_SIZE : ofDetectors;

/** Why the lines of a message are too long; undefined: they are not. */
function excessOf(
  { answer: { lines = '' }, row: { kind } }: Held,
  ofDetectors: SpoolLimits,
): string | undefined {
  if (isDocument(kind)) return `The answer to ${kind} cannot come with others.`;
  const { maxBytes, maxLines } = limitsOf(kind, ofDetectors);
  if (Buffer.byteLength(lines) > maxBytes) return new FloodError('maxBytes', maxBytes).message;
  let [count, from] = [lines === '' || lines.endsWith('\n') ? 0 : 1, 0];
  for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', from))
    [count, from] = [count + 1, at + 1];
  return count > maxLines ? new FloodError('maxLines', maxLines).message : undefined;
}
