/** How answers of components are taken in. */
import type { Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FailureRequest } from '../../../protocol/coded-error.ts';
import type { SubJobAnswer } from '../../../protocol/worker-messages.ts';
import { removeFile } from '../../../files/remove.ts';
import { FloodError, receive } from '../../../results/spool.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import { isFull } from '../../system-messages/disk-watch.ts';
import { digestOfBody, digestOfFailure, newDigest, textOf } from './answer-digest.ts';
import { AnswerFiles } from './answer-files.ts';
import { NOT_THE_MEDIUM, WATCHES_A_STREAM, type Taken } from '../../../protocol/answer-outcome.ts';
import { AnswerSettlement, notStored } from './answer-settlement.ts';
import { rowOf } from '../leases/assignments.ts';
import { answerRange, framesOf } from './frames-of.ts';
import { withKeys } from '../leases/files.ts';
import type { IntakeDeps } from './intake-deps.ts';
import { limitsOf } from './result-limits.ts';
import { SmallAnswerIntake } from './small-answer-intake.ts';

/** The order of an answer is part file, sync, check, name, commit, reply, so that a crash at any point loses nothing that was answered. */
export class Intake {
  readonly #deps: IntakeDeps;
  readonly #files: AnswerFiles;
  readonly #settlement: AnswerSettlement;
  readonly #small: SmallAnswerIntake;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#files = new AnswerFiles(deps);
    this.#settlement = new AnswerSettlement(deps, this.#files);
    this.#small = new SmallAnswerIntake(deps, this.#files, this.#settlement);
  }

  /** Takes the body of an answer. */
  async result(token: string, worker: string, body: Readable): Promise<Taken> {
    const lease = await this.#settlement.lease(token, worker);
    if (lease === 'taken') return this.#again(token, body);
    if (lease === 'lost') return { kind: lease };
    if (lease.item.kind === 'STREAM') return WATCHES_A_STREAM;
    if (lease.item.kind === 'FRAME') {
      body.resume();
      return this.#deps.frames.answered(lease);
    }
    const row = await rowOf(this.#deps.store, lease.item);
    if (row === undefined) return this.#settlement.end(token);
    // Committed, but its lease has not ended yet: the same answer comes twice.
    if (row.token === token) return this.#again(token, body);
    const file = this.#files.newFile(row, token);
    const digest = newDigest();
    try {
      const arriving = this.#arriving(token, digest);
      await receive(body, file, limitsOf(row.kind, this.#deps.resultLimits), arriving);
    } catch (error) {
      return this.#notReceived(lease, body, error);
    }
    if (!(await this.#deps.store.work.arriving(token, true, textOf(digest)))) {
      await removeFile(file);
      return { kind: 'differs' };
    }
    const range = answerRange(row, await framesOf(row, this.#deps.dataDir));
    const checked = await this.#deps.checker.checkResult(file, row.kind, { range });
    if (!checked.ok) return this.#settlement.garbage(token, checked.reason, file);
    if (!(await this.#files.isOfMedium(row, checked)))
      return this.#settlement.garbage(token, NOT_THE_MEDIUM, file);
    // The lease may have run out while we looked, or the same answer may have been taken meanwhile.
    const now = await this.#settlement.lease(token, worker);
    if (typeof now === 'string') {
      await removeFile(file);
      return { kind: now };
    }
    const final = await this.#files.final(file, row);
    return this.#settlement.toJob(lease, {
      type: 'workDone',
      key: row.key,
      token,
      file: this.#files.keyOf(final),
      result: withKeys(checked, (named) => this.#files.keyOf(named)),
      ms: this.#settlement.timeOf(lease),
    });
  }

  async failure(token: string, worker: string, failure: FailureRequest): Promise<Taken> {
    const { code, message } = failure;
    const lease = await this.#settlement.lease(token, worker);
    const answer = digestOfFailure(failure);
    if (lease === 'taken') return this.#settlement.again(token, answer);
    if (lease === 'lost') return { kind: lease };
    if (lease.item.kind === 'STREAM') return this.#deps.streams.failed(lease, failure);
    if (lease.item.kind === 'FRAME') return this.#deps.frames.answered(lease, failure);
    if (!(await this.#deps.store.work.arriving(token, true, answer))) return { kind: 'differs' };
    const row = await rowOf(this.#deps.store, lease.item);
    const range = row === undefined ? {} : { range: await framesOf(row, this.#deps.dataDir) };
    const command = { type: 'workFailed', key: lease.item.key, token, code, message, ...range } as const;
    return this.#settlement.toJob(lease, { ...command, ms: this.#settlement.timeOf(lease) });
  }

  /** Takes small answers to several sub-jobs, see `SmallAnswerIntake`. */
  answers(worker: string, answers: readonly SubJobAnswer[]): Promise<readonly Taken[]> {
    return this.#small.answers(worker, answers);
  }

  lease(token: string, worker: string): Promise<Lease | 'taken' | 'lost'> {
    return this.#settlement.lease(token, worker);
  }

  toJob(lease: Lease, command: WorkDone | WorkFailed): Promise<Taken> {
    return this.#settlement.toJob(lease, command);
  }

  end(token: string): Promise<Taken> {
    return this.#settlement.end(token);
  }

  /** An answer to what was answered before: it is read to its end, to be compared. */
  async #again(token: string, body: Readable): Promise<Taken> {
    const answer = await digestOfBody(body);
    return answer === undefined ? { kind: 'broken' } : this.#settlement.again(token, answer);
  }

  /** To be given each piece of an answer; says once in a while that it comes. */
  #arriving(token: string, digest: Hash): (data: Buffer) => void {
    const { clock } = this.#deps;
    let told = clock.steady();
    return (data) => {
      digest.update(data);
      const now = clock.steady();
      if (now - told < this.#deps.heartbeatMs) return;
      told = now;
      void this.#deps.store.work.arriving(token, false).catch(() => undefined);
    };
  }

  async #notReceived(lease: Lease, body: Readable, error: unknown): Promise<Taken> {
    if (error instanceof FloodError) return this.#settlement.garbage(lease.token, error.message);
    if (isFull(error)) return this.#settlement.toJob(lease, notStored(lease, this.#settlement.timeOf(lease)));
    if (body.readableAborted || body.errored !== null) return { kind: 'broken' };
    throw error;
  }
}
