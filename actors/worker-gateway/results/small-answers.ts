/** Small answers to several sub-jobs, which a component sends in one message. They pass the usual steps together. */
import { Readable } from 'node:stream';
import { ACCEPTED, LOST, type AnswerOutcome } from '../../../protocol/answer-outcome.ts';
import type { SubJobAnswer } from '../../../protocol/worker-messages.ts';
import { answerName } from '../../../results/answer-place.ts';
import { removeFile } from '../../../files/remove.ts';
import { receive } from '../../../results/spool.ts';
import type { WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import { isFull } from '../../system-messages/disk-watch.ts';
import type { AnswerCheck } from './answer-check.ts';
import type { AnswerFiles } from './answer-files.ts';
import { isOutcome } from './answer-path.ts';
import { notStored, type AnswerSettlement, type AnswerSettlementDeps } from './answer-settlement.ts';
import type { LeaseCheck } from './lease-check.ts';
import type { Receipt } from './receipt.ts';
import type { Checked, Received } from './sent-answer.ts';
import { isReadAgain, NOWHERE, placesOf } from './small-answer-places.ts';

/** Maximum number of jobs that get their answers at the same time. */
const JOBS_AT_ONCE = 8;
/** No limits, because the size of each answer is already checked. */
const ANY_SIZE = { maxBytes: Infinity, maxLines: Infinity };

export interface SmallAnswerSteps {
  readonly leases: LeaseCheck;
  readonly receipt: Receipt;
  readonly check: AnswerCheck;
  readonly settlement: AnswerSettlement;
  readonly files: AnswerFiles;
}

type Outcomes = Map<SubJobAnswer, AnswerOutcome>;
type Small = Checked<SubJobAnswer>;

export class SmallAnswers {
  readonly #deps: AnswerSettlementDeps;
  readonly #steps: SmallAnswerSteps;

  constructor(deps: AnswerSettlementDeps, steps: SmallAnswerSteps) {
    this.#deps = deps;
    this.#steps = steps;
  }

  /**
   * Accepts answers. The answers to a job share one file, if any, and one commit. Each is accepted or refused separately, as if it had
   * arrived alone. A sub-job without result and failure is given back.
   */
  async accept(worker: string, answers: readonly SubJobAnswer[]): Promise<readonly AnswerOutcome[]> {
    const outcomes: Outcomes = new Map();
    const received: Received<SubJobAnswer>[] = [];
    // In a message with several answers, only the component knows the time of each.
    const sent = answers.map((answer): SubJobAnswer => ({ ...answer, ms: answer.ms ?? 0 }));
    for (const answer of sent) {
      const one = await this.#receive(answer, worker);
      if (isOutcome<AnswerOutcome>(one)) outcomes.set(answer, one);
      else received.push(one);
    }
    const jobs = new Map<string, Small[]>();
    for (const [n, one] of (await this.#steps.check.all(received)).entries()) {
      if (isOutcome<AnswerOutcome>(one)) outcomes.set(received[n]!.answer, one);
      else jobs.set(one.lease.item.actor.id, [...(jobs.get(one.lease.item.actor.id) ?? []), one]);
    }
    await this.#tellJobs([...jobs], outcomes);
    return sent.map((answer) => outcomes.get(answer) ?? LOST);
  }

  /** Receives one answer. An error affects only its own sub-job, which is queued again, and no other answer of the message. */
  async #receive(answer: SubJobAnswer, worker: string): Promise<Received<SubJobAnswer> | AnswerOutcome> {
    const { leases, receipt } = this.#steps;
    const { store, logger } = this.#deps;
    const { token, lines, failure } = answer;
    try {
      if (lines === undefined && failure === undefined)
        return (await store.work.release(token, worker, false)) ? ACCEPTED : LOST;
      const held = await leases.hold(answer, worker);
      return isOutcome<AnswerOutcome>(held) ? held : await receipt.receive(held);
    } catch (err) {
      logger.warn({ err }, 'an answer could not be read; its sub-job is queued again');
      await store.work.release(token, worker, true);
      return LOST;
    }
  }

  /**
   * Sends answers to several jobs at the same time, so that their commits share a transaction and a sync. The number is limited to let
   * other work run.
   */
  async #tellJobs(jobs: readonly (readonly [string, readonly Small[]])[], outcomes: Outcomes): Promise<void> {
    const failures: unknown[] = [];
    for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE) {
      const some = jobs.slice(at, at + JOBS_AT_ONCE);
      const ends = await Promise.allSettled(
        some.map(([job, answers]) => this.#tellJob(job, answers, outcomes)),
      );
      for (const end of ends) if (end.status === 'rejected') failures.push(end.reason);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Stores the needed lines of answers to a job in one file, and sends the job all answers. */
  async #tellJob(job: string, answers: readonly Small[], outcomes: Outcomes): Promise<void> {
    const { files, settlement } = this.#steps;
    const [first] = answers;
    if (first === undefined) return;
    const large = answers.filter(isReadAgain);
    const places = placesOf(large);
    const file = files.newFile(first.row, first.answer.token);
    const isStored = large.length > 0 && (await this.#isStored(large, file));
    const commandOf = (one: Small): WorkDone | WorkFailed => {
      const { said } = one;
      if ('type' in said) return said;
      if (places.has(one) && !isStored) return notStored(one, settlement.workingTime(one));
      const { offset, bytes } = places.get(one) ?? NOWHERE;
      return settlement.doneBy(one, said, files.keyOf(answerName(file, offset, bytes)));
    };
    await this.#commit(
      job,
      answers.map((one) => [one, commandOf(one)] as const),
      outcomes,
    );
    const isUsed = large.some(({ answer }) => outcomes.get(answer)?.kind === 'accepted');
    if (isStored && !isUsed) await removeFile(file);
  }

  /** Stores the lines. Returns false if the disk is full. */
  async #isStored(large: readonly Small[], file: string): Promise<boolean> {
    try {
      const bytes = Buffer.concat(large.map(({ answer: { lines = '' } }) => Buffer.from(lines)));
      await receive(Readable.from([bytes]), file, ANY_SIZE);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }

  async #commit(
    job: string,
    commands: readonly (readonly [Small, WorkDone | WorkFailed])[],
    outcomes: Outcomes,
  ): Promise<void> {
    const { settlement } = this.#steps;
    // Leases may have expired during the check, or the same answers may have been accepted in the meantime.
    const current: { readonly one: Small; readonly command: WorkDone | WorkFailed }[] = [];
    for (const [one, command] of commands) {
      const { token, worker, item } = one.lease;
      const now = await settlement.lease(token, worker);
      if (typeof now === 'string') outcomes.set(one.answer, { kind: now });
      else current.push({ one, command: settlement.withVersion(item.queue, command) });
    }
    const [first] = current;
    if (first === undefined) return;
    const envelopeId = `${first.one.lease.token} and ${current.length - 1}`;
    const answers = current.map(({ command }) => command);
    await this.#deps.jobs.ask(job, { type: 'workAnswered', answers }, { envelopeId });
    for (const { one, command } of current) {
      const { lease, answer } = one;
      const isAccepted = await settlement.isAccepted(lease);
      outcomes.set(answer, isAccepted ? ACCEPTED : await settlement.end(lease.token));
      if (!isAccepted) continue;
      settlement.wasAccepted(lease.item.queue, command);
      settlement.trace(one, command);
    }
  }
}
