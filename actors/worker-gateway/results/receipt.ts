/** Receives answers to sub-jobs. A body is written to the disk, and the digest of each answer is stored with its lease. */
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

  /** Returns the content of a message with lines, or of a failure. */
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

  /** Returns a function for each piece of an answer. It regularly informs the ledger that more has arrived. */
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

  /** Handles an incomplete answer. A full disk is no fault of the component, so the sub-job fails with this reason. */
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
 * Returns the limits of an answer to work of this kind. They apply to detectors, and are checked once when their answer arrives. The media
 * component may create longer files from an accepted answer.
 */
const limitsOf = (kind: string, ofDetectors: SpoolLimits): SpoolLimits =>
  Object.hasOwn(MEDIA_QUEUES, kind) ? ANY_SIZE : ofDetectors;

/** Returns the reason why the lines of a message are too long, or undefined if they are not. */
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
