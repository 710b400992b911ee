/** Starts, ends and deletes operations. */
import type { Logger } from '../../config/logger.ts';
import { allEntries, type Store } from '../../store/store.ts';
import { DAY_MS, type Clock } from '../basics/clock.ts';
import type { Family } from '../runtime/system.ts';
import {
  ENDED_OPERATIONS,
  LIVE_OPERATIONS,
  type OperationCommand,
  type OperationRecord,
  type OperationReply,
} from './state.ts';
import { storedOperation } from './stored-operation.ts';

export interface OperationServiceDeps {
  readonly store: Store;
  readonly operations: Family<OperationCommand, OperationReply>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The jobs that match a filter, or the jobs with these numbers. */
export type OperationRequest = Omit<OperationRecord, 'number' | 'startedAt'> & {
  readonly jobs?: readonly number[];
};

/** Maximum number of live operations. */
export const MAX_LIVE_OPERATIONS = 100;
/** Number of job numbers in a row. */
const CHUNK = 5_000;
/** Time for which operations are kept after their end. */
const KEEP_MS = 7 * DAY_MS;
/** Time to receive all job ids. If it is over, the server that received them is dead. */
const RECEIVE_MS = 600_000;
/** Maximum number of operations that one call deletes. */
const REMOVED_A_LOOK = 500;

export class OperationService {
  readonly #deps: OperationServiceDeps;

  constructor(deps: OperationServiceDeps) {
    this.#deps = deps;
  }

  /** Starts an operation and returns its number. The operation survives the end of the server. */
  async start({ jobs, ...request }: OperationRequest): Promise<number | 'full'> {
    const { store, clock, logger } = this.#deps;
    if ((await store.count(LIVE_OPERATIONS)) >= MAX_LIVE_OPERATIONS) return 'full';
    const number = await store.next('operation');
    const record: OperationRecord = { ...request, number, startedAt: clock.now() };
    await this.#ask(number, { type: 'start', record, ids: jobs !== undefined });
    if (jobs !== undefined) await this.#giveJobs(number, [...new Set(jobs)]);
    const { action, dryRun, startedBy } = record;
    logger.info(
      { operation: number, action: action.type, by: startedBy.name, dryRun },
      'an operation has started',
    );
    return number;
  }

  /** Stores the job numbers in rows, so that neither a commit nor a snapshot is large. */
  async #giveJobs(number: number, jobs: readonly number[]): Promise<void> {
    for (let at = 0; at === 0 || at < jobs.length; at += CHUNK) {
      const cursor = at + CHUNK < jobs.length ? { score: undefined, number: at } : null;
      await this.#ask(number, { type: 'add', at, jobs: jobs.slice(at, at + CHUNK), cursor });
    }
  }

  cancel(number: number): Promise<OperationReply> {
    return this.#ask(number, { type: 'cancel' });
  }

  /** Continues all operations that are not running: those of dead servers, and those that failed temporarily. */
  async look(): Promise<void> {
    for await (const { id } of allEntries(this.#deps.store, LIVE_OPERATIONS))
      this.#deps.operations.tell(id, { type: 'resume' });
  }

  /** Deletes operations that ended long ago, and those whose job ids never arrived. */
  async removeOld(): Promise<void> {
    const { store, clock } = this.#deps;
    const old = clock.now() - KEEP_MS;
    for (const { id, score } of await store.list(ENDED_OPERATIONS, { limit: REMOVED_A_LOOK }))
      if (score <= old) await this.#ask(Number(id), { type: 'remove' });
    for await (const { id } of allEntries(store, LIVE_OPERATIONS)) {
      const { record, state } = (await storedOperation(store, Number(id))) ?? {};
      const isLost = state?.status === 'RECEIVING' && record!.startedAt < clock.now() - RECEIVE_MS;
      if (isLost) await this.#ask(Number(id), { type: 'remove' });
    }
  }

  #ask(number: number, command: OperationCommand): Promise<OperationReply> {
    return this.#deps.operations.ask(String(number), command, { deadlineMs: Infinity });
  }
}
