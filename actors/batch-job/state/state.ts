import type { List } from 'immutable';
import type { FeedSummary } from '../../../protocol/detection-work.ts';
import type { SubJobError } from '../../../protocol/document-work.ts';
import type { PreparedMedium } from '../../../protocol/media-work.ts';
import type {
  DerivedMedium,
  FinishSummary,
  MarkupAnswer,
  TrackSection,
} from '../../../protocol/track-work.ts';
import type { SubJobAssignment } from '../../../protocol/worker-protocol.ts';
import type { CpuTime } from '../../../domain/users/usage.ts';
import type { JobTrace } from '../../../domain/job/trace.ts';
import type { Issue, MediumFacts, Range } from '../../../domain/types.ts';
import type { Attempt } from '../../delivery/notice.ts';
import type { FileKey } from '../../../results/file-keys.ts';
import type { FailureCause } from '../failures/causes.ts';
import type { PlannedWork } from './planned-work.ts';
import type { BatchJobStatus } from './status.ts';

/** Where a live job stands. Tasks run one after the other; every medium passes a stage before the next one begins. */
export type Stage =
  | { readonly name: 'WAITING' }
  | { readonly name: 'PREPARE' }
  /** The archive is searched for an equal earlier job. */
  | { readonly name: 'CHECK' }
  /** The results of an earlier job that stands for this one are copied into a bucket. */
  | { readonly name: 'COPY' }
  | { readonly name: 'TASK'; readonly index: number }
  /** Media that this task derived from others are inspected. */
  | { readonly name: 'DERIVED'; readonly index: number }
  | { readonly name: 'DOCUMENT' }
  /** The document goes into a bucket. */
  | { readonly name: 'UPLOAD' }
  | { readonly name: 'ENDED' };

export interface JobState {
  readonly status: BatchJobStatus;
  /** Counts submissions; what is late of run 1 cannot touch run 2. */
  readonly run: number;
  /** Of a retry: the run whose rows and folders it continues. */
  readonly baseRun?: number | undefined;
  /** The run has ended, and its rows and its spool are kept for a retry. */
  readonly retryable?: boolean | undefined;
  /** A run whose files may still be there: only until the next commit. */
  readonly outdated: number | null;
  readonly priority: number;
  /** What users have changed of the record since the job was accepted; absent: nothing. */
  readonly labels?: readonly string[] | undefined;
  readonly externalId?: string | null | undefined;
  /** When they were changed last after the job had ended: milliseconds since the epoch; absent: never. */
  readonly editedAt?: number | undefined;
  /** Its turn among the jobs that wait for admission; absent: its number. */
  readonly waitingTurn?: number | undefined;
  readonly stage: Stage;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The server whose commit ended the run; null: it goes on, or nobody knows. */
  readonly endedBy: string | null;
  /** The trace that this run belongs to; null: none. */
  readonly trace: JobTrace | null;
  /** UUID of this run's document. */
  readonly objectId: string;
  readonly hasDocument: boolean;
  /** The search does not have the document yet. */
  readonly unindexed: boolean;
  /** Who wants the job to stop, once it is CANCELLING. */
  readonly cancelledBy: 'USER' | 'SHUTDOWN' | null;
  /** Whether the archive is to be asked once the media are inspected. */
  readonly checkArchive: boolean;
  /** URI of an earlier job's document that stands for this one's: then nothing is done. */
  readonly pastOutput: string | null;
  /** How that job ended, as an archive tells it. */
  readonly pastStatus: string | null;
  /** Hex SHA-256 of the document. */
  readonly documentHash: string | null;
  /** URI of the document in a bucket. */
  readonly outputUri: string | null;
  /** Milliseconds that components spent on each action, in pipeline order. */
  readonly timing: readonly number[];
  /** Of a retry: the part of `timing` that the runs before it spent. */
  readonly earlierTiming?: readonly number[] | undefined;
  /** CPU time that components reported in this run, in pipeline order; absent: none has. */
  readonly cpu?: readonly CpuTime[] | undefined;
  /** Versions of the components that have answered, for each action, in pipeline order. */
  readonly versions: readonly (readonly string[])[];
  /** What became of the notices of a job that has ended; null: there are none. */
  readonly callback: Delivery | null;
  readonly archive: Delivery | null;
  /** Deleted by a client: known to nobody but to its own clean-up. */
  readonly removed: boolean;
  /** Issues of the job as a whole; those of media stand in the rows. */
  readonly issues: readonly JobIssue[];
  /** What went wrong first, for the log: code and message. */
  readonly firstError: string | null;
  /** Why sub-jobs have failed; absent: none has. */
  readonly causes?: readonly FailureCause[] | undefined;
  /** Media of the request that have failed, once the run has ended; null: nobody has counted them. */
  readonly failedMedia: number | null;
  /** Lists of which a changed copy costs little: a job may have 10,000 media and 100,000 units, and changes one with every answer. */
  readonly media: List<MediumState>;
  readonly units: List<Unit>;
  /** What the units count for in the progress of the stage: all of them, and what of it is done. */
  readonly weight: { readonly total: number; readonly done: number };
  /** First unit that may still have pieces to be made. */
  readonly cursor: number;
  /** Media that are still to be inspected while the first task works on those before them; null: none. */
  readonly inspecting: Inspecting | null;
  /** Rows handed out for work and not yet answered, by key. */
  readonly outstanding: ReadonlyMap<string, SubJobRow>;
  /** Of a retry: rows that it keeps of stages that it has not reached yet, by the rank of the stage. */
  readonly laterRows: LaterRows;
}

export type LaterRows = ReadonlyMap<number, readonly SubJobRow[]>;

/** How far the media of a request are inspected, while the first task has begun. */
export interface Inspecting {
  /** The next medium to be handed out for inspection. */
  readonly next: number;
  /** The first medium for which the task has no units yet: it, or one before it, is not inspected. */
  readonly unplanned: number;
}

/** How far the notices of one kind have come. */
export interface Delivery {
  /** Notices that have not arrived yet. */
  readonly pending: number;
  /** Which these are: a bit for each, by its number, in hex. */
  readonly open: string;
  /** Of these the ones whose quick attempts are used up. */
  readonly slow: string;
  /** Why notices were given up, the first few. */
  readonly failures: readonly string[];
  /** Attempts that failed. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Milliseconds since the epoch. */
  readonly nextAttempt: number | null;
  /** The last attempts to deliver a callback, the oldest first; of archive posts they are only counted. */
  readonly tried: readonly Attempt[];
}

export interface JobIssue extends Issue {
  readonly code: 'OTHER' | 'ARCHIVE_BEFORE_JOB_CHECK' | 'REMOTE_STORAGE_UPLOAD';
  readonly severity: 'error' | 'warning';
}

/** What the job knows of a medium, restored from its rows. */
export interface MediumState {
  readonly prepared: Prepared | null;
  /** The stage in which it failed: -1 in preparation, else the index of the task. Skipped in every later stage. */
  readonly failedIn: number | null;
  /** Tasks that have run on it, in order: what their first actions found. */
  readonly processed: readonly Processed[];
  /** Tracks found so far, by track type. */
  readonly found: Readonly<Record<string, number>>;
  /** Where it comes from when no request named it. */
  readonly derived: Derived | null;
}

/** The tracks of a task's first action on a medium. */
export interface Processed {
  readonly task: number;
  /** FINISH or ARTIFACTS answer. */
  readonly file: FileKey;
  readonly tracks: number;
  /** Frames that the tracks cover; [] when the medium has no frames. */
  readonly ranges: readonly Range[];
  /** Of an annotator: whose tracks the lines of the file are. [] when an action was fed nothing. */
  readonly sections?: readonly TrackSection[];
}

/** A medium that a component made of another one. */
export interface Derived extends Omit<DerivedMedium, 'path'> {
  readonly path: FileKey;
  /** Index of the medium that it was made of. */
  readonly parent: number;
}

export interface Prepared extends Omit<PreparedMedium, 'facts' | 'path'> {
  readonly path: FileKey;
  /** Without the table of frame times, which stays in the spool file. */
  readonly facts: MediumFacts;
  /** PREPARE answer. */
  readonly file: FileKey;
}

/**
 * The work of one stage on one (medium, action): in a task first what it is fed (where it is fed), then pieces that a
 * component runs, then one that finishes the tracks, then one that extracts artifacts.
 */
export interface Unit {
  readonly medium: number;
  readonly action: number;
  /** WANTED and MADE: how many pieces there will be is not known yet. */
  readonly feed: 'NONE' | 'WANTED' | 'MADE' | 'DONE';
  readonly fed: Fed | null;
  /** Frames of the pieces, of a sound milliseconds; [] when the unit is fed. */
  readonly ranges: readonly Range[];
  readonly pieces: number;
  readonly made: number;
  /** Pieces before the last one made that are to be made again. */
  readonly gaps: readonly number[];
  readonly done: number;
  readonly failed: number;
  /** Files for derivative media in the answers so far. */
  readonly derived: number;
  /** No answer so far had a line in it: neither a track nor a warning. */
  readonly empty: boolean;
  /** UNUSED: the work needs no finishing. */
  readonly finish: 'UNUSED' | 'NONE' | 'MADE' | 'DONE';
  /** The FINISH answer. */
  readonly finished: FileKey | null;
}

/** A FEED answer. */
export interface Fed extends FeedSummary {
  readonly file: FileKey;
}

/** A sub-job as it is stored. */
export interface SubJobRow {
  readonly key: string;
  readonly id: string;
  readonly jobId: string;
  /** Whose folders it uses (`baseRunOf`). */
  readonly run: number;
  readonly kind: SubJobAssignment['kind'];
  readonly queue: string;
  readonly stage: Stage;
  /** Index into the units of its stage. */
  readonly unit: number;
  readonly medium: number;
  readonly action: number;
  /** Frames. */
  readonly range: Range;
  /** Milliseconds of a sound that is cut. */
  readonly time?: Range;
  readonly state: 'QUEUED' | 'DONE' | 'FAILED';
  /** Of the job; absent: it has none. */
  readonly trace?: JobTrace;
  /** Attempts that were lost because a component died, hung or answered garbage. */
  readonly attempts: number;
  /** Of one that waits for another host: attempts that failed, and the time that they took. */
  readonly transfer?: {
    readonly failures: number;
    readonly spentMs: number;
    /** When the next one is due: milliseconds since the epoch. */
    readonly notBefore: number;
  };
  /** What is to be done; null once it is answered. */
  readonly work: PlannedWork | null;
  /** Fencing token of the answer that was taken. */
  readonly token?: string;
  /** Spool file of the answer. */
  readonly file?: FileKey;
  readonly prepared?: Prepared;
  /** What is known of a medium that could not be inspected. */
  readonly known?: MediumFacts;
  /** Which piece of what the unit was fed this is, and whether those tracks are to come back with more properties. */
  readonly fed?: {
    readonly file: FileKey;
    readonly indexAt: number;
    readonly piece: number;
    readonly annotate: boolean;
    /** Media selectors with properties of their own have a say in those of the piece. */
    readonly selective?: true;
  };
  readonly feed?: FeedSummary;
  readonly summary?: FinishSummary;
  /** Index of the first medium that was derived. */
  readonly derivedAt?: number;
  readonly markup?: MarkupAnswer;
  readonly tracks?: number;
  /** Tracks that bring a derivative medium. */
  readonly derived?: number;
  /** The answer of a detector has neither a track nor a warning in it. */
  readonly empty?: true;
  readonly error?: SubJobError;
}
