/** How small answers to several sub-jobs are taken in, which come in one message. */
import { Readable } from 'node:stream';
import type { SubJobAnswer } from '../../../protocol/worker-messages.ts';
import { answerName } from '../../../results/answer-place.ts';
import type { Place } from '../../../results/lines.ts';
import { removeFile } from '../../../files/remove.ts';
import { FloodError, receive } from '../../../results/spool.ts';
import type { WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import { isFull } from '../../system-messages/disk-watch.ts';
import { digestOfFailure, digestOfLines } from './answer-digest.ts';
import { isDocument, type AnswerFiles } from './answer-files.ts';
import { NOT_THE_MEDIUM, WATCHES_A_STREAM, type Taken } from '../../../protocol/answer-outcome.ts';
import { notStored, type AnswerSettlement } from './answer-settlement.ts';
import { rowOf } from '../leases/assignments.ts';
import { answerRange, framesOf } from './frames-of.ts';
import { withKeys } from '../leases/files.ts';
import type { IntakeDeps } from './intake-deps.ts';
import { limitsOf } from './result-limits.ts';
import { isReadAgain, NOWHERE, placesOf, type Good, type Held, type Looked } from './small-answers.ts';

/** Jobs that are told of their answers at a time. */
const JOBS_AT_ONCE = 8;
/** The size of each has been looked at already. */
const ANY_SIZE = { maxBytes: Infinity, maxLines: Infinity };

type FrameRange = Awaited<ReturnType<typeof framesOf>>;
const rangeOf = async (row: SubJobRow, dataDir: string): Promise<{ readonly of: FrameRange }> => ({
  of: await framesOf(row, dataDir),
});

type Outcomes = Map<SubJobAnswer, Taken>;

export class SmallAnswerIntake {
  readonly #deps: IntakeDeps;
  readonly #files: AnswerFiles;
  readonly #settlement: AnswerSettlement;

  constructor(deps: IntakeDeps, files: AnswerFiles, settlement: AnswerSettlement) {
    this.#deps = deps;
    this.#files = files;
    this.#settlement = settlement;
  }

  /**
   * Takes small answers to several sub-jobs: those of a job are one file, if any, and one commit. Each is taken or refused on its own, as if it
   * had come alone; what is neither result nor failure is given back.
   */
  async answers(worker: string, answers: readonly SubJobAnswer[]): Promise<readonly Taken[]> {
    const outcomes: Outcomes = new Map();
    const all: Held[] = [];
    for (const answer of answers) {
      const held = await this.#orGivenBack(answer, worker, outcomes, () => this.#heldBy(worker, answer));
      if (held === undefined) continue;
      if ('kind' in held) outcomes.set(answer, held);
      else all.push(held);
    }
    const jobs = new Map<string, Looked[]>();
    for (const one of await this.#looked(all, worker, outcomes)) {
      const job = one.lease.item.actor.id;
      jobs.set(job, [...(jobs.get(job) ?? []), one]);
    }
    const failed = (await this.#toldToAll([...jobs], outcomes)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    return answers.map((answer) => outcomes.get(answer) ?? { kind: 'lost' });
  }

  /** Several jobs at once, so that what the answers lead to shares a transaction and a sync; not all, so that others have their turn. */
  async #toldToAll(
    jobs: readonly (readonly [string, readonly Looked[]])[],
    outcomes: Outcomes,
  ): Promise<readonly PromiseSettledResult<void>[]> {
    const told: PromiseSettledResult<void>[] = [];
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      told.push(
        ...(await Promise.allSettled(some.map(([job, looked]) => this.#toldTo(job, looked, outcomes)))),
      );
    }
    return told;
  }

  /** What goes wrong with one answer costs its own sub-job, which is handed out again, and none of those whose answers came with it. */
  async #orGivenBack<T>(
    answer: SubJobAnswer,
    worker: string,
    outcomes: Outcomes,
    look: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await look();
    } catch (err) {
      const { store, logger } = this.#deps;
      logger.warn({ err }, 'an answer could not be looked at; its sub-job is handed out again');
      await store.work.release(answer.token, worker, true);
      outcomes.set(answer, { kind: 'lost' });
      return undefined;
    }
  }

  async #heldBy(worker: string, answer: SubJobAnswer): Promise<Held | Taken> {
    const { token, lines, failure } = answer;
    const { work } = this.#deps.store;
    if (lines === undefined && failure === undefined)
      return { kind: (await work.release(token, worker, false)) ? 'taken' : 'lost' };
    const lease = await this.#settlement.lease(token, worker);
    const digest = failure === undefined ? digestOfLines(lines ?? '') : digestOfFailure(failure);
    if (lease === 'taken') return this.#settlement.again(token, digest);
    if (lease === 'lost') return { kind: lease };
    if (lease.item.kind === 'STREAM')
      return failure === undefined ? WATCHES_A_STREAM : this.#deps.streams.failed(lease, failure);
    if (lease.item.kind === 'FRAME') return this.#deps.frames.answered(lease, failure);
    const row = await rowOf(this.#deps.store, lease.item);
    if (row === undefined) return this.#settlement.end(token);
    if (row.token === token) return this.#settlement.again(token, digest);
    if (!(await work.arriving(token, true, digest))) return { kind: 'differs' };
    return { answer, lease, row };
  }

  /** Looks at answers, all at once; what is refused goes into `outcomes`. */
  async #looked(all: readonly Held[], worker: string, outcomes: Outcomes): Promise<readonly Looked[]> {
    const looked: Looked[] = [];
    const found: (Held & { readonly range: FrameRange })[] = [];
    for (const one of all) {
      const { answer, row } = one;
      const wrong = this.#outsideOfLimits(one);
      if (answer.lines !== undefined && wrong !== undefined) {
        outcomes.set(answer, await this.#settlement.garbage(answer.token, wrong));
        continue;
      }
      const range = await this.#orGivenBack(answer, worker, outcomes, () => rangeOf(row, this.#deps.dataDir));
      if (range === undefined) continue;
      if (answer.lines === undefined) looked.push({ ...one, said: this.#failed(one, range.of) });
      else found.push({ ...one, range: answerRange(row, range.of) });
    }
    const expected = found.map(({ row: { kind }, range, answer: { lines: text = '' } }) => ({
      ...{ kind, text },
      expectations: { range },
    }));
    const results = await this.#deps.checker.checkResults(expected);
    for (const [n, one] of found.entries()) {
      const result = results[n]!;
      const { token } = one.answer;
      if (!result.ok) outcomes.set(one.answer, await this.#settlement.garbage(token, result.reason));
      else if (!(await this.#files.isOfMedium(one.row, result)))
        outcomes.set(one.answer, await this.#settlement.garbage(token, NOT_THE_MEDIUM));
      else looked.push({ ...one, said: withKeys(result, (named) => this.#files.keyOf(named)) });
    }
    return looked;
  }

  /** Stores in one file what is to be read again of the answers to a job, and tells the job of all of them. */
  async #toldTo(job: string, looked: readonly Looked[], outcomes: Outcomes): Promise<void> {
    const [first] = looked;
    if (first === undefined) return;
    const kept = looked.filter(isReadAgain);
    const places = placesOf(kept);
    const file = this.#files.newFile(first.row, first.answer.token);
    const isStored = kept.length > 0 && (await this.#isStored(kept, file));
    const commands = new Map<Held, WorkDone | WorkFailed>();
    for (const one of looked) {
      const place = places.get(one);
      if ('type' in one.said) commands.set(one, one.said);
      else if (place !== undefined && !isStored)
        commands.set(one, notStored(one.lease, this.#settlement.timeOf(one.lease)));
      else commands.set(one, this.#doneBy(one, one.said, file, place));
    }
    await this.#allToJob(job, commands, outcomes);
    const isUsed = kept.some(({ answer }) => outcomes.get(answer)?.kind === 'taken');
    if (isStored && !isUsed) await removeFile(file);
  }

  /** False: the disk is full. */
  async #isStored(kept: readonly Looked[], file: string): Promise<boolean> {
    try {
      const bytes = Buffer.concat(kept.map(({ answer: { lines = '' } }) => Buffer.from(lines)));
      await receive(Readable.from([bytes]), file, ANY_SIZE);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }

  #doneBy({ row: { key }, ...one }: Held, result: Good, path: string, place: Place = NOWHERE): WorkDone {
    const { token } = one.answer;
    const file = this.#files.keyOf(answerName(path, place.offset, place.bytes));
    return { type: 'workDone', key, token, file, result, ms: this.#told(one) };
  }

  #outsideOfLimits({ answer: { lines = '' }, row: { kind } }: Held): string | undefined {
    if (isDocument(kind)) return `The answer to ${kind} cannot come with others.`;
    const { maxBytes, maxLines } = limitsOf(kind, this.#deps.resultLimits);
    if (Buffer.byteLength(lines) > maxBytes) return new FloodError('maxBytes', maxBytes).message;
    let [count, from] = [lines === '' || lines.endsWith('\n') ? 0 : 1, 0];
    for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', from))
      [count, from] = [count + 1, at + 1];
    return count > maxLines ? new FloodError('maxLines', maxLines).message : undefined;
  }

  #failed({ answer, lease }: Held, range: FrameRange): WorkFailed {
    const { code = 'DETECTION_FAILED', message = '' } = answer.failure ?? {};
    const { token } = answer;
    const ms = this.#told({ answer, lease });
    return {
      type: 'workFailed',
      key: lease.item.key,
      token,
      code,
      message,
      range,
      ms,
    };
  }

  async #allToJob(
    job: string,
    commands: ReadonlyMap<Held, WorkDone | WorkFailed>,
    outcomes: Outcomes,
  ): Promise<void> {
    const { jobs } = this.#deps;
    // Leases may have run out while we looked, or the same answers may have been taken meanwhile.
    const current: Held[] = [];
    for (const one of commands.keys()) {
      const now = await this.#settlement.lease(one.lease.token, one.lease.worker);
      if (typeof now === 'string') outcomes.set(one.answer, { kind: now });
      else current.push(one);
    }
    const [first] = current;
    if (first === undefined) return;
    const answers = current.map((one) =>
      this.#settlement.withVersion(one.lease.item.queue, commands.get(one)!),
    );
    const envelopeId = `${first.lease.token} and ${current.length - 1}`;
    await jobs.ask(job, { type: 'workAnswered', answers }, { envelopeId });
    for (const [n, { answer, lease }] of current.entries()) {
      const isTaken = await this.#settlement.isTaken(lease);
      outcomes.set(answer, isTaken ? { kind: 'taken' } : await this.#settlement.end(lease.token));
      if (isTaken) this.#settlement.count(lease.item.queue, answers[n]!);
    }
  }

  /** Milliseconds that a component worked on one of several sub-jobs that it had, as it says. */
  #told({ answer: { ms = 0 }, lease }: Pick<Held, 'answer' | 'lease'>): number {
    return Math.min(ms, this.#settlement.timeOf(lease));
  }
}
