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

/** The stage of a live job. Tasks run one after the other. Every medium passes a stage before the next one begins. */
export type Stage =
  | { readonly name: 'WAITING' }
  | { readonly name: 'PREPARE' }
  /** The archive is searched for an equal earlier job. */
  | { readonly name: 'CHECK' }
  /** The results of an earlier job that replaces this one are copied into a bucket. */
  | { readonly name: 'COPY' }
  | { readonly name: 'TASK'; readonly index: number }
  /** Media that this task derived from others are inspected. */
  | { readonly name: 'DERIVED'; readonly index: number }
  | { readonly name: 'DOCUMENT' }
  /** The document is uploaded into a bucket. */
  | { readonly name: 'UPLOAD' }
  | { readonly name: 'ENDED' };

export interface JobState {
  readonly status: BatchJobStatus;
  /** Number of submissions. Late messages of an earlier run do not affect a later one. */
  readonly run: number;
  /** For a retry: the run whose rows and folders it continues. */
  readonly baseRun?: number | undefined;
  /** The run has ended. Its rows and its spool are kept for a retry. */
  readonly retryable?: boolean | undefined;
  /** A run whose files may still exist, until the next commit. */
  readonly outdated: number | null;
  readonly priority: number;
  /** Changes by users since the job was accepted. Undefined if there are none. */
  readonly labels?: readonly string[] | undefined;
  readonly externalId?: string | null | undefined;
  /** Time of the last change after the end of the job, in milliseconds since the epoch. Undefined if there was none. */
  readonly editedAt?: number | undefined;
  /** Its turn among the jobs that wait for admission. If undefined, its number counts. */
  readonly waitingTurn?: number | undefined;
  readonly stage: Stage;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The server whose commit ended the run. Null if the run has not ended, or the server is unknown. */
  readonly endedBy: string | null;
  /** The trace of this run; null if there is none. */
  readonly trace: JobTrace | null;
  /** UUID of this run's document. */
  readonly objectId: string;
  readonly hasDocument: boolean;
  /** The search has not indexed the document yet. */
  readonly unindexed: boolean;
  /** Origin of the cancellation; null if the job is not cancelled. */
  readonly cancelledBy: 'USER' | 'SHUTDOWN' | null;
  /** True if the archive is asked after inspection. */
  readonly checkArchive: boolean;
  /** URI of the document of an earlier job that replaces this one. Nothing is processed then. */
  readonly pastOutput: string | null;
  /** Final status of that job, as the archive reports it. */
  readonly pastStatus: string | null;
  /** Hex SHA-256 of the document. */
  readonly documentHash: string | null;
  /** URI of the document in a bucket. */
  readonly outputUri: string | null;
  /** Milliseconds that components spent on each action, in pipeline order. */
  readonly timing: readonly number[];
  /** For a retry: the part of `timing` that earlier runs spent. */
  readonly earlierTiming?: readonly number[] | undefined;
  /** CPU time that components reported in this run, in pipeline order. Undefined if none was reported. */
  readonly cpu?: readonly CpuTime[] | undefined;
  /** Versions of the components that have answered, for each action, in pipeline order. */
  readonly versions: readonly (readonly string[])[];
  /** State of the notices of an ended job; null if there are none. */
  readonly callback: Delivery | null;
  readonly archive: Delivery | null;
  /** A client has deleted the job. Only its own clean-up still knows it. */
  readonly removed: boolean;
  /** Issues of the job as a whole. Rows contain the issues of media. */
  readonly issues: readonly JobIssue[];
  /** Code and message of the first error, for the log. */
  readonly firstError: string | null;
  /** Causes of failed sub-jobs. Undefined if none has failed. */
  readonly causes?: readonly FailureCause[] | undefined;
  /** Number of failed media of the request after the end of the run; null if they were not counted. */
  readonly failedMedia: number | null;
  /** Persistent lists, because a changed copy is cheap. A job may have 10,000 media and 100,000 units, and each answer changes one. */
  readonly media: List<MediumState>;
  readonly units: List<Unit>;
  /** Weight of the units in the progress of the stage: the total, and the done part. */
  readonly weight: { readonly total: number; readonly done: number };
  /** First unit that may still need new pieces. */
  readonly cursor: number;
  /** Progress of inspection while the first task works on earlier media; null if no media remain. */
  readonly inspecting: Inspecting | null;
  /** Rows of created work without an answer, by key. */
  readonly outstanding: ReadonlyMap<string, SubJobRow>;
  /** For a retry: kept rows of stages that it has not reached yet, by the rank of the stage. */
  readonly laterRows: LaterRows;
}

export type LaterRows = ReadonlyMap<number, readonly SubJobRow[]>;

/** Progress of inspection while the first task runs. */
export interface Inspecting {
  /** The next medium to queue for inspection. */
  readonly next: number;
  /** The first medium without units of the task, because it or an earlier medium is not inspected. */
  readonly unplanned: number;
}

/** Progress of the notices of one kind. */
export interface Delivery {
  /** Number of notices that have not arrived yet. */
  readonly pending: number;
  /** The pending notices in hex: one bit for each, by its number. */
  readonly open: string;
  /** The pending notices without quick attempts left, in the same form. */
  readonly slow: string;
  /** Reasons why notices were given up: the first few. */
  readonly failures: readonly string[];
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Milliseconds since the epoch. */
  readonly nextAttempt: number | null;
  /** The last attempts to deliver a callback, the oldest first. Attempts of archive posts are only counted. */
  readonly tried: readonly Attempt[];
}

export interface JobIssue extends Issue {
  readonly code: 'OTHER' | 'ARCHIVE_BEFORE_JOB_CHECK' | 'REMOTE_STORAGE_UPLOAD';
  readonly severity: 'error' | 'warning';
}

/** State of a medium, restored from the rows of the job. */
export interface MediumState {
  readonly prepared: Prepared | null;
  /** The stage in which the medium failed: -1 in preparation, else the index of the task. Every later stage skips the medium. */
  readonly failedIn: number | null;
  /** Tasks that have run on the medium, in order, with the results of their first actions. */
  readonly processed: readonly Processed[];
  /** Tracks found so far, by track type. */
  readonly found: Readonly<Record<string, number>>;
  /** Origin of a derivative medium; null if the request named the medium. */
  readonly derived: Derived | null;
}

/** The tracks of a task's first action on a medium. */
export interface Processed {
  readonly task: number;
  /** FINISH or ARTIFACTS answer. */
  readonly file: FileKey;
  readonly tracks: number;
  /** Frames that the tracks cover; [] if the medium has no frames. */
  readonly ranges: readonly Range[];
  /** For an annotator: the tasks whose tracks the lines of the file are. [] if an action was fed nothing. */
  readonly sections?: readonly TrackSection[];
}

/** A medium that a component derived from another one. */
export interface Derived extends Omit<DerivedMedium, 'path'> {
  readonly path: FileKey;
  /** Index of the source medium. */
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
 * The work of one stage on one (medium, action). In a task, FEED chooses the input if the unit is fed, and a component runs the pieces.
 * Then FINISH finishes the tracks, and ARTIFACTS extracts pictures.
 */
export interface Unit {
  readonly medium: number;
  readonly action: number;
  /** WANTED and MADE: the number of pieces is not known yet. */
  readonly feed: 'NONE' | 'WANTED' | 'MADE' | 'DONE';
  readonly fed: Fed | null;
  /** Frames of the pieces, or milliseconds of a sound; [] if the unit is fed. */
  readonly ranges: readonly Range[];
  readonly pieces: number;
  readonly made: number;
  /** Pieces before the last created one that must be created again. */
  readonly gaps: readonly number[];
  readonly done: number;
  readonly failed: number;
  /** Number of files for derivative media in the answers so far. */
  readonly derived: number;
  /** No answer so far contained a track or a warning. */
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

/** A stored sub-job. */
export interface SubJobRow {
  readonly key: string;
  readonly id: string;
  readonly jobId: string;
  /** The run whose folders the sub-job uses (`baseRunOf`). */
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
  /** Trace of the job, if it has one. */
  readonly trace?: JobTrace;
  /** Number of attempts that were lost because a component died, hung or sent an invalid answer. */
  readonly attempts: number;
  /** For a transfer: number of failed attempts, and the time that they took. */
  readonly transfer?: {
    readonly failures: number;
    readonly spentMs: number;
    /** Time of the next attempt, in milliseconds since the epoch. */
    readonly notBefore: number;
  };
  /** The work; null after the answer. */
  readonly work: PlannedWork | null;
  /** Fencing token of the accepted answer. */
  readonly token?: string;
  /** Spool file of the answer. */
  readonly file?: FileKey;
  readonly prepared?: Prepared;
  /** Facts of a medium that could not be inspected. */
  readonly known?: MediumFacts;
  /** The piece of the unit's input, and whether the component returns those tracks with more properties. */
  readonly fed?: {
    readonly file: FileKey;
    readonly indexAt: number;
    readonly piece: number;
    readonly annotate: boolean;
    /** Properties of media selectors also apply to the piece. */
    readonly selective?: true;
  };
  readonly feed?: FeedSummary;
  readonly summary?: FinishSummary;
  /** Index of the first derived medium. */
  readonly derivedAt?: number;
  readonly markup?: MarkupAnswer;
  readonly tracks?: number;
  /** Number of tracks with a derivative medium. */
  readonly derived?: number;
  /** The answer of a detector contains neither a track nor a warning. */
  readonly empty?: true;
  readonly error?: SubJobError;
}
