import type { FinishSummary, PreparedMedium } from '../../components/sdk/protocol.ts';
import type { Assignment, SubJobError } from '../../components/sdk/protocol.ts';
import type { Issue, MediumFacts, Range } from '../../pipeline/types.ts';
import type { BatchJobStatus } from './status.ts';

/** Where a live job stands. Tasks run one after the other; every medium passes a stage before the next one begins. */
export type Stage =
  | { readonly name: 'WAITING' }
  | { readonly name: 'PREPARE' }
  /** The archive is asked whether an earlier job has done the same. */
  | { readonly name: 'CHECK' }
  | { readonly name: 'TASK'; readonly index: number }
  | { readonly name: 'DOCUMENT' }
  | { readonly name: 'ENDED' };

export interface JobState {
  readonly status: BatchJobStatus;
  /** Counts submissions; what is late of run 1 cannot touch run 2. */
  readonly run: number;
  readonly priority: number;
  readonly stage: Stage;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** UUID of this run's document. */
  readonly objectId: string;
  readonly hasDocument: boolean;
  /** Who wants the job to stop, once it is CANCELLING. */
  readonly cancelledBy: 'USER' | 'SHUTDOWN' | null;
  /** Whether the archive is to be asked once the media are inspected. */
  readonly checkArchive: boolean;
  /** URI of an earlier job's document that stands for this one's: then nothing is done. */
  readonly pastOutput: string | null;
  /** Hex SHA-256 of the document. */
  readonly documentHash: string | null;
  /** What became of the notices of a job that has ended; null: there are none. */
  readonly callback: Delivery | null;
  readonly archive: Delivery | null;
  /** Deleted by a client: known to nobody but to its own clean-up. */
  readonly removed: boolean;
  /** Issues of the job as a whole; those of media stand in the rows. */
  readonly issues: readonly JobIssue[];
  readonly media: readonly MediumState[];
  readonly units: readonly Unit[];
  /** First unit that may still have pieces to be made. */
  readonly cursor: number;
  /** Rows handed out for work and not yet answered, by key. */
  readonly outstanding: ReadonlyMap<string, SubJobRow>;
}

/** How far the notices of one kind have come. */
export interface Delivery {
  /** Notices that have not arrived yet. */
  readonly pending: number;
  /** Which these are: a bit for each, by its number, in hex. */
  readonly open: string;
  /** Why notices were given up, the first few. */
  readonly failures: readonly string[];
  /** Attempts that failed. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Milliseconds since the epoch. */
  readonly nextAttempt: number | null;
}

export interface JobIssue extends Issue {
  readonly code: 'OTHER' | 'ARCHIVE_BEFORE_JOB_CHECK';
  readonly severity: 'error' | 'warning';
}

/** What the job knows of a medium, restored from its rows. */
export interface MediumState {
  readonly prepared: Prepared | null;
  /** The stage in which it failed: -1 in preparation, else the index of the task. Skipped in every later stage. */
  readonly failedIn: number | null;
  /** Frames covered by the tracks of the last task's first action; null before the first task. */
  readonly trackRanges: readonly Range[] | null;
  /** Tracks found so far, by track type. */
  readonly found: Readonly<Record<string, number>>;
}

export interface Prepared extends Omit<PreparedMedium, 'facts'> {
  /** Without the table of frame times, which stays in the spool file. */
  readonly facts: MediumFacts;
  readonly file: string;
}

/** The work of one stage on one (medium, action): pieces that a component runs, then (in a task) one finishing piece. */
export interface Unit {
  readonly medium: number;
  readonly action: number;
  readonly ranges: readonly Range[];
  readonly made: number;
  readonly done: number;
  readonly failed: number;
  readonly finish: 'NONE' | 'MADE' | 'DONE';
}

/** A sub-job as it is stored. */
export interface SubJobRow {
  readonly key: string;
  readonly id: string;
  readonly jobId: string;
  readonly run: number;
  readonly kind: Assignment['kind'];
  readonly queue: string;
  readonly stage: Stage;
  /** Index into the units of its stage. */
  readonly unit: number;
  readonly medium: number;
  readonly action: number;
  readonly range: Range;
  readonly state: 'QUEUED' | 'DONE' | 'FAILED';
  /** Attempts that were lost because a component died, hung or answered garbage. */
  readonly attempts: number;
  /** What is to be done; null once it is answered. */
  readonly work: Assignment['work'] | null;
  /** Fencing token of the answer that was taken. */
  readonly token?: string;
  /** Spool file of the answer. */
  readonly file?: string;
  readonly prepared?: Prepared;
  readonly summary?: FinishSummary;
  readonly tracks?: number;
  readonly error?: SubJobError;
}
