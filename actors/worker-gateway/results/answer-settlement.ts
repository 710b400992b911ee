/** What the ledger and the job hear of an answer. */
import type { Logger } from '../../../config/logger.ts';
import { removeFile } from '../../../files/remove.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { Store } from '../../../store/store.ts';
import type { JobCommand, JobReply, WorkDone, WorkFailed } from '../../batch-job/state/commands.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Clock } from '../../basics/clock.ts';
import type { Family } from '../../runtime/system.ts';
import type { WorkMeter } from '../../basics/meter.ts';
import { isDocument, type AnswerFiles } from './answer-files.ts';
import type { Taken } from '../../../protocol/answer-outcome.ts';
import { rowOf } from '../leases/assignments.ts';

export interface AnswerSettlementDeps {
  readonly store: Store;
  readonly jobs: Family<JobCommand, JobReply>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: WorkMeter;
  readonly catalog: Pick<Catalog, 'versionOf'>;
}

export class AnswerSettlement {
  readonly #deps: AnswerSettlementDeps;
  readonly #files: AnswerFiles;

  constructor(deps: AnswerSettlementDeps, files: AnswerFiles) {
    this.#deps = deps;
    this.#files = files;
  }

  /** The lease behind a token; `taken` when its answer was taken before, so that a repeated answer gets the same reply. */
  async lease(token: string, worker: string): Promise<Lease | 'taken' | 'lost'> {
    const found = await this.#deps.store.work.look(token, worker);
    return found === 'settled' ? 'taken' : found;
  }

  /** What a component hears that answers again: of another answer than the first one, that it is not used. */
  async again(token: string, answer: string): Promise<Taken> {
    const first = await this.#deps.store.work.answerOf(token);
    return { kind: (first ?? answer) === answer ? 'taken' : 'differs' };
  }

  /** The job commits before the component hears of it; the token makes a repeated command the same command. */
  async toJob({ item, token }: Lease, command: WorkDone | WorkFailed): Promise<Taken> {
    const versioned = this.withVersion(item.queue, command);
    const reply = await this.#deps.jobs.ask(item.actor.id, versioned, { envelopeId: token });
    if (reply.kind === 'done') {
      this.count(item.queue, command);
      return { kind: 'taken' };
    }
    await this.end(token);
    // A document has one name for all who write it: what lies there may be that of the one who was taken.
    if (command.type === 'workDone' && !isDocument(item.kind))
      await removeFile(this.#files.pathOf(command.file));
    return { kind: 'lost' };
  }

  /**
   * What the job has taken in is over for the ledger with the commit. Whoever answered may have died before that, and its lease with it:
   * then the row says so.
   */
  async isTaken({ token, worker, item }: Lease): Promise<boolean> {
    const { store } = this.#deps;
    return (
      (await store.work.look(token, worker)) === 'settled' || (await rowOf(store, item))?.token === token
    );
  }

  /** The same with the version of the component that has answered, as the catalog has it now. */
  withVersion<C extends WorkDone | WorkFailed>(queue: string, command: C): C {
    const version = this.#deps.catalog.versionOf(queue);
    return version === undefined ? command : { ...command, version };
  }

  /** For the metrics. */
  count(queue: string, command: WorkDone | WorkFailed): void {
    const { meter } = this.#deps;
    const done = command.type === 'workDone';
    meter.subJobEnded(queue, done ? 'done' : 'failed', command.ms / 1_000);
    if (!done || command.result.kind !== 'FINISH') return;
    const { sections, tracks, detections } = command.result.summary;
    // An annotator writes the tracks of others once more.
    if (sections === undefined) meter.found(tracks, detections);
  }

  /** An answer that is none: its attempt is lost. */
  async garbage(token: string, reason: string, file?: string): Promise<Taken> {
    this.#deps.logger.warn({ token, reason }, 'refused the answer of a component');
    await this.#deps.store.work.reject(token, `its answer was refused: ${reason}`);
    if (file !== undefined) await removeFile(file);
    return { kind: 'garbage', reason };
  }

  /** Milliseconds that a component has had its work. */
  timeOf({ startedAt }: Lease): number {
    return Math.max(0, this.#deps.clock.steady() - startedAt);
  }

  /** Whatever was answered is not used, and nobody works on it any more. */
  async end(token: string): Promise<Taken> {
    await this.#deps.store.work.forget(token);
    return { kind: 'lost' };
  }
}

export function notStored({ token, item }: Lease, ms: number): WorkFailed {
  const message = 'The result could not be stored: the disk of the server is full or read-only.';
  return { type: 'workFailed', key: item.key, token, code: 'LOCAL_STORAGE', message, ms };
}
