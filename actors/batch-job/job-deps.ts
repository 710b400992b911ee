/** The parts of the server that the actors of jobs use. */
import type { Logger } from '../../config/logger.ts';
import type { Owner, Store } from '../../store/store.ts';
import type { Clock } from '../basics/clock.ts';
import type { LoadMarks } from '../runtime/load-marks.ts';
import type { ActorKind } from '../runtime/system.ts';
import type { FailureGroups } from './failures/failure-groups.ts';
import type { JobCommand, JobReply } from './state/commands.ts';
import type { JobSettings } from './state/context.ts';
import type { JobRecord } from './state/record.ts';
import type { JobState } from './state/state.ts';
import type { TransferTimers } from './transfer-timers.ts';

export interface JobDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly settings: JobSettings;
  readonly logger: Logger;
  readonly mailbox: number;
  readonly intensity: ActorKind<JobCommand, JobReply>['intensity'];
  readonly idleMs: number;
  /** Note of the actor that is being restored. Undefined if no notes are kept. */
  readonly marks?: LoadMarks;
  readonly clock: Clock;
  /** Asks the archive for an equal earlier job, and sends the answer to the job. */
  checkArchive(record: JobRecord, state: JobState): void;
  /** Looks for the document of a live run, and sends the job a command if the document exists. */
  findDocument(record: JobRecord, state: JobState): Promise<void>;
  /** Wakes the sender of notices for these destinations. */
  deliver(destinations: readonly string[]): void;
  readonly timers: Pick<TransferTimers, 'set'>;
  forget(jobNumber: number): void;
  readonly search: JobSearch;
  readonly failures: Pick<FailureGroups, 'limitCauses'>;
  onEnd(record: JobRecord, end: JobEnd): void;
}

/** Functions of the search that jobs use. */
export interface JobSearch {
  /** Starts indexing of documents that the search does not contain yet. */
  wake(): void;
  /** Removes the runs of a job up to this one from the search. Returns false if this is not possible for now. */
  remove(jobNumber: number, run: number): Promise<boolean>;
}

/** Facts about the end of a job. */
export type JobEnd = Pick<
  JobState,
  'status' | 'startedAt' | 'endedAt' | 'firstError' | 'failedMedia' | 'versions' | 'trace'
>;
