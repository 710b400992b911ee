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
  /** Of the states that are being restored; absent: none are kept. */
  readonly marks?: LoadMarks;
  readonly clock: Clock;
  /** Asks the archive for an earlier job like this one and tells the job. */
  checkArchive(record: JobRecord, state: JobState): void;
  /** Looks for the document of a live run, and tells the job when there is one. */
  findDocument(record: JobRecord, state: JobState): Promise<void>;
  /** Tells who sends them that notices wait for these destinations. */
  deliver(destinations: readonly string[]): void;
  readonly timers: Pick<TransferTimers, 'set'>;
  forget(jobNumber: number): void;
  readonly search: JobSearch;
  readonly failures: Pick<FailureGroups, 'limitCauses'>;
  onEnd(record: JobRecord, end: JobEnd): void;
}

/** What jobs ask of the search. */
export interface JobSearch {
  /** There are jobs whose documents it does not have yet. */
  wake(): void;
  /** It is to find nothing of this job up to this run; false: it does for now. */
  remove(jobNumber: number, run: number): Promise<boolean>;
}

/** How a job ended. */
export type JobEnd = Pick<
  JobState,
  'status' | 'startedAt' | 'endedAt' | 'firstError' | 'failedMedia' | 'versions' | 'trace'
>;
