/**
 * The messages of the worker protocol (HTTP + JSON under /worker/v1), as types. The server writes them, the SDK reads them;
 * docs/component-protocol.md tells a stranger the same in words.
 *
 * What leaves the server is a sub-job of one of four kinds; detectors serve DETECT, the built-in media component the rest.
 */
import type {
  FrameTimes,
  Issue,
  MediaType,
  MediumFacts,
  Properties,
  Range,
  DetectionErrorCode,
  IssueCode,
} from '../../pipeline/types.ts';

export const WORK_KINDS = ['PREPARE', 'DETECT', 'FINISH', 'DOCUMENT'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** The names under which the built-in media component claims its kinds of work; those of DETECT are the algorithms'. */
export const MEDIA_QUEUES = {
  PREPARE: 'MEDIA_INSPECTION',
  FINISH: 'TRACK_FINISHING',
  DOCUMENT: 'OUTPUT_OBJECT',
} as const satisfies Readonly<Record<Exclude<WorkKind, 'DETECT'>, string>>;

/** POST /worker/v1/claim */
export interface ClaimRequest {
  readonly algorithms: readonly string[];
  /** At most this many sub-jobs in the answer (1 to 64). */
  readonly max?: number;
  /** Long poll: wait up to so many milliseconds (0 to 25,000) for work. */
  readonly waitMs?: number;
}
export interface ClaimAnswer {
  readonly work: readonly Assignment[];
}

export interface AssignmentOf<K extends WorkKind, W> {
  /** Names the lease and fences it: an answer with the token of a lost lease is refused with 409. */
  readonly token: string;
  readonly id: string;
  readonly kind: K;
  readonly algorithm: string;
  readonly attempt: number;
  readonly heartbeatMs: number;
  readonly work: W;
}
export type Assignment =
  | AssignmentOf<'PREPARE', PrepareWork>
  | AssignmentOf<'DETECT', DetectWork>
  | AssignmentOf<'FINISH', FinishWork>
  | AssignmentOf<'DOCUMENT', DocumentWork>;

/** Retrieve, hash and inspect one medium. Answer: one line, a PreparedMedium. */
export interface PrepareWork {
  readonly uri: string;
  /** Where a medium that is not already a local file is to be written. */
  readonly fetchTo: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly limits: FetchLimits;
}
export interface FetchLimits {
  /** Folders, already resolved, below which `file:` media must lie after symlink resolution. */
  readonly mediaRoots: readonly string[];
  /** A folder that is never served though it may lie below a root (the service's own data). */
  readonly excluded: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Whether loopback and private addresses may be fetched from; link-local and metadata addresses never. */
  readonly allowPrivate: boolean;
}
export interface PreparedMedium {
  readonly facts: MediumFacts;
  /** Whether the medium itself was looked at; false: the facts are what the client says. */
  readonly inspected: boolean;
  /** Absolute path of the local file that components read. */
  readonly path: string;
  readonly warnings: readonly Issue[];
  /** Frames asked for (the union of frame and time ranges, clipped, joined); the whole video when none were given; [] unless VIDEO. */
  readonly ranges: readonly Range[];
}

/** Run a detector over one range of one medium. Answer: a line of JSON per track (ReportedTrack). */
export interface DetectWork {
  readonly medium: WorkMedium;
  readonly trackType: string;
  readonly properties: Properties;
  /** Inclusive frames; 0 to -1 for a whole medium that is not a video. */
  readonly range: Range;
  /** Frames to decode before the range as a warm-up that is not reported. */
  readonly contextFrames: number;
}
export interface WorkMedium {
  readonly mediaId: number;
  readonly mediaType: MediaType;
  readonly mimeType: string;
  readonly path: string;
  readonly length: number;
  readonly metadata: Properties;
  /** 0 when unknown or without meaning. */
  readonly fps: number;
  /** Whether length, rate and metadata were found by inspection, or are only what the client says. */
  readonly inspected: boolean;
}

/**
 * Bring the raw tracks of one (medium, action) into their final form. Answer: a line of JSON per track as it stands in the
 * document, in document order, and last one line {"summary": FinishSummary}.
 */
export interface FinishWork {
  readonly medium: WorkMedium;
  readonly sha256: string;
  /** File with the line that PREPARE answered (holds the frame times). */
  readonly prepared: string;
  /** Raw results of the sub-jobs, in order of their ranges. */
  readonly parts: readonly { readonly path: string; readonly range: Range }[];
  readonly action: string;
  readonly algorithm: string;
  readonly trackType: string;
  readonly properties: Properties;
}
export interface FinishSummary {
  readonly tracks: number;
  readonly detections: number;
  /** Tracks by track type. */
  readonly types: Readonly<Record<string, number>>;
  readonly warnings: readonly Issue[];
  /** Frames covered by tracks, joined where they touch, at most MAX_TRACK_RANGES. */
  readonly ranges: readonly Range[];
}
export const MAX_TRACK_RANGES = 2000;

/** Write the detection document. Input: GET `input` answers NDJSON, a DocumentHead, then a DocumentMedium per medium. Answer: the document. */
export interface DocumentWork {
  readonly input: string;
}
export interface DocumentHead {
  readonly jobId: string;
  readonly objectId: string;
  readonly pipeline: unknown;
  readonly priority: number;
  readonly siteId: string;
  readonly externalJobId: string | null;
  readonly timeStart: string;
  readonly timeStop: string;
  readonly status: string;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly jobProperties: Properties;
  readonly environmentVariableProperties: Properties;
  /** Job-level issues. */
  readonly errors: readonly DocumentIssue[];
  readonly warnings: readonly DocumentIssue[];
}
export interface DocumentIssue {
  /** WORKFLOW_MANAGER or an algorithm name. */
  readonly source: string;
  readonly code: IssueCode | DetectionErrorCode;
  readonly message: string;
}
export interface DocumentMedium {
  readonly mediaId: number;
  readonly path: string;
  readonly facts: Omit<MediumFacts, 'frameTimes'> | null;
  readonly mediaProperties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly status: 'COMPLETE' | 'ERROR' | 'INCOMPLETE';
  readonly errors: readonly DocumentIssue[];
  readonly warnings: readonly DocumentIssue[];
  /** Errors of sub-jobs by action name, in order of their ranges. */
  readonly detectionErrors: Readonly<Record<string, readonly SubJobError[]>>;
  /** One entry per (task, action) that ran on this medium, in pipeline order. */
  readonly outputs: readonly DocumentOutput[];
}
export interface SubJobError {
  readonly range: Range;
  readonly startTime: number;
  readonly stopTime: number;
  readonly algorithm: string;
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
}
export interface DocumentOutput {
  readonly action: string;
  readonly algorithm: string;
  /** File of FINISH lines; null when nothing was finished. */
  readonly tracks: string | null;
  readonly types: Readonly<Record<string, number>>;
}

/** POST /worker/v1/leases/{token}/heartbeat. `done` counts frames, items or tracks so far; it must grow for progress. */
export interface HeartbeatRequest {
  readonly done?: number;
  readonly total?: number;
}
export interface HeartbeatAnswer {
  readonly go: 'on' | 'cancelled';
}

/** POST /worker/v1/leases/{token}/failure */
export interface FailureRequest {
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
}
export type { FrameTimes };
