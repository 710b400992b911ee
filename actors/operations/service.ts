/** How operations start, end and are removed. */
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

/** Which jobs: those that fit a filter, or those with these numbers. */
export type OperationRequest = Omit<OperationRecord, 'number' | 'startedAt'> & {
  readonly jobs?: readonly number[];
};

/** Operations at a time. */
export const MAX_LIVE_OPERATIONS = 100;
/** Numbers of jobs in a row. */
const CHUNK = 5_000;
/** So long operations are kept after their end. */
const KEEP_MS = 7 * DAY_MS;
/** Ids that have not come by then never do: the server that received them is gone. */
const RECEIVE_MS = 600_000;
/** Operations that one look removes at most. */
const REMOVED_A_LOOK = 500;

export class OperationService {
  readonly #deps: OperationServiceDeps;

  constructor(deps: OperationServiceDeps) {
    this.#deps = deps;
  }

  /** Answers the number of the operation, which survives the end of the server. */
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

  /** In rows, so that neither a commit nor a snapshot is large. */
  async #giveJobs(number: number, jobs: readonly number[]): Promise<void> {
    for (let at = 0; at === 0 || at < jobs.length; at += CHUNK) {
      const cursor = at + CHUNK < jobs.length ? { score: undefined, number: at } : null;
      await this.#ask(number, { type: 'add', at, jobs: jobs.slice(at, at + CHUNK), cursor });
    }
  }

  cancel(number: number): Promise<OperationReply> {
    return this.#ask(number, { type: 'cancel' });
  }

  /** Has all that are not under way continue: those of servers that are gone, and those that failed for a while. */
  async look(): Promise<void> {
    for await (const { id } of allEntries(this.#deps.store, LIVE_OPERATIONS))
      this.#deps.operations.tell(id, { type: 'resume' });
  }

  /** Removes operations that ended long ago, and those whose ids never came. */
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
