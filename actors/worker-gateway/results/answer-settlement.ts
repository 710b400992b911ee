/** Reports an answer to the work ledger and the job. */
import type { Logger } from '../../../config/logger.ts';
import { ACCEPTED, LOST, type AnswerOutcome } from '../../../protocol/answer-outcome.ts';
import type { Traces } from '../../../domain/job/trace.ts';
import { removeFile } from '../../../files/remove.ts';
import { queueOf } from '../../../protocol/transfers.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import type { JobCommand, JobReply, WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import { spansOfAnswer } from '../../batch-job/spans.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { PendingClaims } from '../../dispatcher/pending-claims.ts';
import type { Clock } from '../../basics/clock.ts';
import type { Family } from '../../runtime/system.ts';
import type { WorkMeter } from '../../basics/meter.ts';
import { isDocument, type AnswerFiles } from './answer-files.ts';
import { rowOf } from '../leases/assignments.ts';
import type { Checked, GoodResult, Held } from './sent-answer.ts';

export interface AnswerSettlementDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: WorkMeter;
  readonly catalog: Pick<Catalog, 'versionOf'>;
  readonly pendingClaims: Pick<PendingClaims, 'wake'>;
  /** Undefined if no spans are reported. */
  readonly traces?: Traces | undefined;
}

/** Maximum number of cores in the CPU time of a component. Higher values are not credible. */
const MOST_CORES = 1_024;

type Traced = Pick<Held, 'lease' | 'row'>;

export class AnswerSettlement {
  readonly #deps: AnswerSettlementDeps;
  readonly #files: AnswerFiles;

  constructor(deps: AnswerSettlementDeps, files: AnswerFiles) {
    this.#deps = deps;
    this.#files = files;
  }

  /** Returns the lease of a token. Returns `accepted` if its answer was accepted before, so that a repeated answer gets the same reply. */
  async lease(token: string, worker: string): Promise<Lease | 'accepted' | 'lost'> {
    const found = await this.#deps.store.work.look(token, worker);
    return found === 'settled' ? 'accepted' : found;
  }

  /** Sends the job a checked answer that arrived alone. */
  async settle({ lease, row, said, file, ...held }: Checked): Promise<AnswerOutcome> {
    // The lease may have expired during the check, or the same answer may have been accepted in the meantime.
    const now = await this.lease(lease.token, lease.worker);
    if (typeof now === 'string') {
      if (file !== undefined) await removeFile(file);
      return { kind: now };
    }
    if ('type' in said) return this.#toJob({ lease, row }, said);
    const final = await this.#files.final(file!, row);
    return this.#toJob({ lease, row }, this.doneBy({ ...held, lease, row }, said, this.#files.keyOf(final)));
  }

  async #toJob({ lease, row }: Traced, command: WorkDone | WorkFailed): Promise<AnswerOutcome> {
    const outcome = await this.toJob(lease, command);
    if (outcome.kind === ACCEPTED.kind) this.trace({ lease, row }, command);
    return outcome;
  }

  /** Records the spans of an answer for the trace of the job. */
  trace({ lease, row }: Traced, command: WorkDone | WorkFailed): void {
    const { traces, clock } = this.#deps;
    if (traces === undefined) return;
    const to = clock.now();
    const from = to - Math.max(command.ms, clock.steady() - lease.startedAt);
    for (const span of spansOfAnswer(row, command, { from, to })) traces.record(span);
  }

  /** Sends a command to the job, which commits before the component gets its reply. The token identifies a repeated command. */
  async toJob({ item, token }: Lease, command: WorkDone | WorkFailed): Promise<AnswerOutcome> {
    const versioned = this.withVersion(item.queue, command);
    const reply = await this.#deps.jobs.ask(item.actor.id, versioned, { envelopeId: token });
    if (reply.kind === 'done') {
      this.wasAccepted(item.queue, command);
      return ACCEPTED;
    }
    const outcome = await this.end(token);
    // All attempts write a document to the same name, so the file may belong to the accepted answer.
    if (command.type === 'workDone' && !isDocument(item.kind))
      await removeFile(this.#files.pathOf(command.file));
    return outcome;
  }

  /**
   * True if the job has accepted the answer. The commit of the job settles the item in the ledger. If the component died before, its lease
   * is lost, but the row has its token.
   */
  async isAccepted({ token, worker, item }: Lease): Promise<boolean> {
    const { store } = this.#deps;
    return (
      (await store.work.look(token, worker)) === 'settled' || (await rowOf(store, item))?.token === token
    );
  }

  doneBy({ lease, row: { key }, answer }: Held, result: GoodResult, file: string): WorkDone {
    const times = this.timesOf({ answer, lease });
    return { type: 'workDone', key, token: lease.token, file, result, ...times };
  }

  /** Adds the version of the component that has answered, as the catalog has it now. */
  withVersion<C extends WorkDone | WorkFailed>(queue: string, command: C): C {
    const version = this.#deps.catalog.versionOf(queue);
    return version === undefined ? command : { ...command, version };
  }

  /** Counts an accepted answer in the metrics. After a transfer, wakes a claim for the free slot. */
  wasAccepted(name: string, command: WorkDone | WorkFailed): void {
    const { meter, pendingClaims } = this.#deps;
    const done = command.type === 'workDone';
    const queue = queueOf(name);
    if (queue !== name) pendingClaims.wake(queue, 1);
    meter.subJobEnded(queue, done ? 'done' : 'failed', command.ms / 1_000);
    if (!done || command.result.kind !== 'FINISH') return;
    const { sections, tracks, detections } = command.result.summary;
    // An annotator writes tracks of other actions again, so they do not count.
    if (sections === undefined) meter.countFound(tracks, detections);
  }

  /** Rejects an invalid answer. Its attempt is lost. */
  async garbage(token: string, reason: string, file?: string): Promise<AnswerOutcome> {
    this.#deps.logger.warn({ token, reason }, 'refused the answer of a component');
    await this.#deps.store.work.reject(token, `its answer was refused: ${reason}`);
    if (file !== undefined) await removeFile(file);
    return { kind: 'garbage', reason };
  }

  /** Returns the milliseconds that a component worked on a sub-job: as reported, but at most the time since its claim. */
  workingTime({ answer: { ms = Infinity }, lease: { startedAt } }: Pick<Held, 'answer' | 'lease'>): number {
    return Math.min(ms, Math.max(0, this.#deps.clock.steady() - startedAt));
  }

  /** Returns the working time with the CPU time, if the component reports it. */
  timesOf(held: Pick<Held, 'answer' | 'lease'>): { readonly ms: number; readonly cpuMs?: number } {
    const ms = this.workingTime(held);
    const { cpuMs = held.answer.bodyCpuMs?.() } = held.answer;
    return cpuMs === undefined ? { ms } : { ms, cpuMs: Math.min(cpuMs, ms * MOST_CORES) };
  }

  /** Ends a lease whose answer is not used. */
  async end(token: string): Promise<AnswerOutcome> {
    await this.#deps.store.work.forget(token);
    return LOST;
  }
}

export function notStored({ lease: { token, item } }: Pick<Held, 'lease'>, ms: number): WorkFailed {
  const message = 'The result could not be stored: the disk of the server is full or read-only.';
  return { type: 'workFailed', key: item.key, token, code: 'LOCAL_STORAGE', message, ms };
}
