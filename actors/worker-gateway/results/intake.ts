/** The intake of answers to sub-jobs. */
import type { Readable } from 'node:stream';
import { ACCEPTED, LOST, type AnswerOutcome } from '../../../protocol/answer-outcome.ts';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { SubJobAnswer } from '../../../protocol/worker-messages.ts';
import type { ResultChecker } from '../../../results/check/check.ts';
import { AnswerCheck } from './answer-check.ts';
import { AnswerFiles, type AnswerFilesDeps } from './answer-files.ts';
import { acceptAnswer } from './answer-path.ts';
import { AnswerSettlement, type AnswerSettlementDeps } from './answer-settlement.ts';
import { LeaseCheck, type LeaseCheckDeps } from './lease-check.ts';
import { Receipt, type ReceiptDeps } from './receipt.ts';
import type { Checked, Held, Received, SentAnswer } from './sent-answer.ts';
import { SmallAnswers } from './small-answers.ts';

export interface IntakeDeps extends AnswerFilesDeps, AnswerSettlementDeps, LeaseCheckDeps, ReceiptDeps {
  readonly checker: ResultChecker;
}

/** Receives answers: part file, sync, check, rename, commit, reply. After a crash at any point, no confirmed answer is lost. */
export class Intake {
  readonly settlement: AnswerSettlement;
  readonly #deps: IntakeDeps;
  readonly #leases: LeaseCheck;
  readonly #receipt: Receipt;
  readonly #check: AnswerCheck;
  readonly #small: SmallAnswers;

  constructor(deps: IntakeDeps) {
    const files = new AnswerFiles(deps);
    this.#deps = deps;
    this.settlement = new AnswerSettlement(deps, files);
    this.#leases = new LeaseCheck(deps);
    this.#receipt = new Receipt(deps, files, this.settlement);
    this.#check = new AnswerCheck(deps.checker, files, this.settlement);
    const steps = { leases: this.#leases, receipt: this.#receipt, check: this.#check };
    this.#small = new SmallAnswers(deps, { ...steps, files, settlement: this.settlement });
  }

  /** Accepts or refuses the body of a result. `bodyCpuMs` is called when the whole body has arrived. */
  result(
    token: string,
    worker: string,
    body: Readable,
    bodyCpuMs: () => number | undefined = () => undefined,
  ): Promise<AnswerOutcome> {
    return this.#accept({ token, body, bodyCpuMs }, worker);
  }

  failure(token: string, worker: string, failure: FailureRequest): Promise<AnswerOutcome> {
    return this.#accept({ token, failure }, worker);
  }

  /**
   * Accepts small answers to several sub-jobs, and sub-jobs that are given back. Returns the outcomes in their order: see `SmallAnswers`.
   */
  answers(worker: string, answers: readonly SubJobAnswer[]): Promise<readonly AnswerOutcome[]> {
    return this.#small.accept(worker, answers);
  }

  /** Accepts unchanged work from a component. It is queued again, and does not count as an attempt. */
  async release(token: string, worker: string): Promise<AnswerOutcome> {
    return (await this.#deps.store.work.release(token, worker)) ? ACCEPTED : LOST;
  }

  #accept(answer: SentAnswer, worker: string): Promise<AnswerOutcome> {
    return acceptAnswer<Held, Received, Checked, AnswerOutcome>({
      lease: () => this.#leases.hold(answer, worker),
      receive: (held) => this.#receipt.receive(held),
      check: (received) => this.#check.one(received),
      command: (checked) => this.settlement.settle(checked),
    });
  }
}
