/**
 * The messages of the worker protocol (HTTP + JSON under /worker/v1), as types. The server writes them, the SDK reads them;
 * docs/component-protocol.md tells a stranger the same in words.
 *
 * What leaves the server is a sub-job of one of these kinds; detectors serve DETECT, the markup component MARKUP, the built-in
 * media component the rest. Live streams (`streams.ts`) are sub-jobs of the kind STREAM.
 */
import type {
  FrameTimes,
  Issue,
  MediaSelector,
  MediaType,
  MediumFacts,
  Properties,
  Range,
  DetectionErrorCode,
  IssueCode,
  Track,
} from '../domain/types.ts';
import type { StreamWork } from './streams.ts';

/** Each kind of work: what a component is told, and what is taken from a good answer. */
export interface WorkTypes {
  readonly PREPARE: { readonly work: PrepareWork; readonly answer: { readonly prepared: PreparedMedium } };
  readonly FEED: { readonly work: FeedWork; readonly answer: { readonly summary: FeedSummary } };
  readonly DETECT: { readonly work: DetectWork; readonly answer: DetectAnswer };
  readonly FINISH: { readonly work: FinishWork; readonly answer: { readonly summary: FinishSummary } };
  readonly ARTIFACTS: { readonly work: ArtifactsWork; readonly answer: { readonly summary: FinishSummary } };
  readonly MARKUP: { readonly work: MarkupWork; readonly answer: { readonly stored: MarkupAnswer } };
  readonly DOCUMENT: { readonly work: DocumentWork; readonly answer: DocumentAnswer };
  readonly UPLOAD: { readonly work: UploadWork; readonly answer: { readonly stored: UploadAnswer } };
  readonly COPY: { readonly work: CopyWork; readonly answer: DocumentAnswer };
}
export type WorkKind = keyof WorkTypes;

/** The form of the answer to each kind of work, by which it is checked (`results/check-file.ts`). */
export const ANSWER_FORMS = {
  PREPARE: 'medium',
  FEED: 'pieces',
  DETECT: 'tracks',
  FINISH: 'summary',
  ARTIFACTS: 'summary',
  MARKUP: 'stored',
  DOCUMENT: 'document',
  UPLOAD: 'stored',
  COPY: 'document',
} as const satisfies Readonly<Record<WorkKind, AnswerForm>>;
/**
 * tracks: a line a track or warning. medium: one line, a PreparedMedium. summary, pieces: tracks, and last a line with a summary. stored: one
 * line that says where a file lies now. document: the detection document.
 */
export type AnswerForm = 'tracks' | 'medium' | 'summary' | 'pieces' | 'stored' | 'document';

export const WORK_KINDS = Object.keys(ANSWER_FORMS) as readonly WorkKind[];

/** The names under which the built-in media component claims its kinds of work; those of DETECT and MARKUP are the algorithms'. */
export const MEDIA_QUEUES = {
  PREPARE: 'MEDIA_INSPECTION',
  FEED: 'TRACK_FEEDING',
  FINISH: 'TRACK_FINISHING',
  ARTIFACTS: 'ARTIFACT_EXTRACTION',
  DOCUMENT: 'OUTPUT_OBJECT',
  UPLOAD: 'RESULT_UPLOAD',
  COPY: 'RESULT_COPY',
  FRAME: 'FRAME_EXTRACTION',
} as const satisfies Readonly<Record<Exclude<WorkKind, 'DETECT' | 'MARKUP'> | 'FRAME', string>>;

/**
 * Header in which a component names its process, so that two processes with tokens of one client are two owners of leases: letters,
 * digits and `._:-`, at most 100.
 */
export const INSTANCE_HEADER = 'troupe-instance';
export const INSTANCE = /^[\w.:-]{1,100}$/;

/** POST /worker/v1/claim; the query `claim` of a result asks for one more sub-job in the same way. */
export interface ClaimRequest {
  readonly algorithms: readonly string[];
  /** At most this many sub-jobs in the answer (1 to 64). */
  readonly max?: number;
  /** Long poll: wait up to so many milliseconds (0 to 25,000) for work. */
  readonly waitMs?: number;
  /**
   * The component does one sub-job after the other, and what it beats for one of them goes for all. When it dies with several of them, none
   * counts as an attempt, and each is handed out alone from then on. Of many that wait it gets no more than half.
   */
  readonly inTurn?: boolean;
}
export interface ClaimAnswer {
  readonly work: readonly Assignment[];
}

export interface AssignmentOf<K extends WorkKind | 'STREAM' | 'FRAME', W> {
  /** Names the lease and fences it: an answer with the token of a lost lease is refused with 409. */
  readonly token: string;
  readonly id: string;
  readonly kind: K;
  readonly algorithm: string;
  readonly attempt: number;
  readonly heartbeatMs: number;
  /** Claimed in turn: it is all that its job waits for, so its answer is not to be kept for later ones. */
  readonly last?: true;
  readonly work: W;
}
/** A sub-job of a batch job. */
export type SubJobAssignment = { [K in WorkKind]: AssignmentOf<K, WorkTypes[K]['work']> }[WorkKind];
/** A live stream. */
export type StreamAssignment = AssignmentOf<'STREAM', StreamWork>;
/** A frame that somebody wants to see. */
export type FrameAssignment = AssignmentOf<'FRAME', FrameWork>;
export type Assignment = SubJobAssignment | StreamAssignment | FrameAssignment;

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
  /** The medium was derived from another one: its file lies at `fetchTo` already. */
  readonly stored?: boolean;
  /** Goes as a bearer token with the request for a remote medium. */
  readonly bearer?: string;
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
  /** Its size, and when it was written last (whole milliseconds since the epoch): by these is known later whether it is still the same. */
  readonly bytes?: number;
  readonly modified?: number;
  readonly warnings: readonly Issue[];
  /** Frames asked for (the union of frame and time ranges, clipped, joined); the whole video when none were given; [] unless VIDEO. */
  readonly ranges: readonly Range[];
  /** Why it could not be inspected; `facts` are then what its bytes tell all the same. */
  readonly failure?: FailureRequest | undefined;
}

/** Run a detector over one range of one medium. Answer: a line of JSON per track (ReportedTrack) or warning (ReportedWarning). */
export interface DetectWork {
  readonly medium: WorkMedium;
  readonly trackType: string;
  readonly properties: Properties;
  /** Inclusive frames; 0 to -1 for a whole medium that is not a video. */
  readonly range: Range;
  /** Frames to decode before the range as a warm-up that is not reported. */
  readonly contextFrames: number;
  /** Tracks to work on in place of the range; absent: none are fed forward. */
  readonly feedForward?: FeedForward;
  /** Folder for files that a component makes of a document (derivative media); only for media that are no pictures or sound. */
  readonly outputFolder?: string;
}
/** What is counted in an answer. */
export interface DetectAnswer {
  readonly tracks: number;
  readonly detections: number;
  /** Tracks that bring a derivative medium. */
  readonly derived: number;
  /** Lines that say what could not be looked at. */
  readonly warnings: number;
}
/** Tracks of an earlier task (or what media selectors selected) that a component works on, each on its own unless `allTracks`. */
export interface FeedForward {
  /** FRAME: whole frames of the detections; REGION: each detection's box; SUPERSET_REGION: one box around all boxes of the track. */
  readonly type: 'FRAME' | 'REGION' | 'SUPERSET_REGION';
  readonly allTracks: boolean;
  /** The action annotates: it gives back the tracks it was fed, with more properties. */
  readonly annotate: boolean;
  /** GET it: a line of JSON per track, a FedTrack. */
  readonly input: string;
  /** Length of what is to be read there. */
  readonly bytes: number;
  /** The same, when it is little. */
  readonly lines?: string | undefined;
}
/** A track with its times and type; `detections` are those that are to be looked at. */
export interface FedTrack extends Track {
  /** Index of the task that found it; -1 for what a media selector selected. */
  readonly task: number;
  /** Number of its line among the tracks of that task on the medium. */
  readonly line: number;
  readonly selected?: Selected;
}
/** Where a track comes from when its medium has media selectors. */
export interface Selected {
  /** Index among the selectors of the medium. */
  readonly selector: number;
  readonly text: string;
}
export interface WorkMedium {
  readonly mediaId: number;
  readonly mediaType: MediaType;
  readonly mimeType: string;
  readonly path: string;
  /** Of DETECT: GET it while the lease is held, where `path` cannot be read. */
  readonly url?: string;
  /** Size of the file, and the SHA-256 of its content in hex, where somebody has looked. */
  readonly bytes?: number;
  readonly sha256?: string;
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
  readonly parts: readonly FinishPart[];
  readonly action: string;
  readonly algorithm: string;
  readonly trackType: string;
  readonly properties: Properties;
  /** Index of the task. */
  readonly task: number;
  /** The action annotates these tracks of earlier tasks: the answer holds all of them again, changed or not, section by section. */
  readonly annotated?: readonly TrackSource[];
  /** Tracks bring derivative media. */
  readonly derive?: Derivation;
  /** Replace values of properties as this file says; it must lie below one of `roots`, and not in one of `excluded` (FetchLimits). */
  readonly rollUp?: {
    readonly file: string;
    readonly roots: readonly string[];
    readonly excluded?: readonly string[];
  };
  /** Write the output document of the medium's selectors. */
  readonly selectorsOutput?: { readonly selectors: readonly MediaSelector[]; readonly file: string };
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
}
export interface Derivation {
  /** Where the files go for good; their names begin with their media ids. */
  readonly folder: string;
  /** The folder in which components may have left them. */
  readonly from: string;
  /** The first of as many ids as there are tracks. */
  readonly firstMediaId: number;
  /** More are an error. */
  readonly most: number;
}
export interface FinishPart {
  /** Raw result of a sub-job. */
  readonly path: string;
  readonly range: Range;
  /** What it was fed: bytes of a FEED answer, lines of FedTrack. */
  readonly fed?: Piece & { readonly path: string };
}
/** Bytes of a file, whole lines. */
export interface Piece {
  readonly offset: number;
  readonly bytes: number;
}
/** Tracks of one task on one medium as they stand now: `count` lines of a FINISH or ARTIFACTS answer from line `first` on. */
export interface TrackSource {
  readonly task: number;
  readonly path: string;
  readonly first: number;
  readonly count: number;
  /** TRIGGERs of tasks since these lines were written: a track that meets one was consumed there. */
  readonly consumedBy: readonly string[];
}
export interface FinishSummary {
  readonly tracks: number;
  readonly detections: number;
  /** Tracks by track type. */
  readonly types: Readonly<Record<string, number>>;
  readonly warnings: readonly Issue[];
  /** What went wrong with this medium though its tracks are there (ARTIFACTS). */
  readonly errors?: readonly Issue[];
  /** Frames covered by tracks, joined where they touch, at most MAX_TRACK_RANGES. */
  readonly ranges: readonly Range[];
  /** Of an annotator: the lines by the task whose tracks they are, in order. */
  readonly sections?: readonly TrackSection[];
  readonly derived?: readonly DerivedMedium[];
  /** URI of the media selectors output document. */
  readonly selectorsOutputUri?: string;
}
export interface TrackSection {
  readonly task: number;
  readonly count: number;
  /** None of these tracks was fed to the annotator. */
  readonly untouched?: true;
  readonly types: Readonly<Record<string, number>>;
}
/** A medium that a component made of another one. */
export interface DerivedMedium {
  readonly mediaId: number;
  /** Absolute path of its file. */
  readonly path: string;
  /** Where it is to be found from outside: a file: URI, or that of a bucket. */
  readonly uri: string;
}
export const MAX_TRACK_RANGES = 2000;

/**
 * Choose what is fed to an action on one medium: tracks of earlier tasks that meet its TRIGGER and were not consumed, or what
 * the medium's selectors select. Answer: a line per FedTrack; then a line of fixed width per piece (`feedIndexLine`); last
 * {"summary": FeedSummary}. Errors: OTHER when selectors match nothing and that is an error.
 */
export interface FeedWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  readonly selectors?: readonly MediaSelector[];
  /** More tracks than this share pieces. */
  readonly maxPieces: number;
}
export interface FeedSummary {
  readonly tracks: number;
  readonly pieces: number;
  /** Byte offset of the first index line. */
  readonly indexAt: number;
}

/**
 * Extract pictures of detections. Answer: the lines of `tracks` once more, with artifactExtractionStatus and artifactPath
 * filled in, and last one line {"summary": FinishSummary}.
 */
export interface ArtifactsWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  /** A FINISH answer. */
  readonly tracks: string;
  /** Where the pictures go: <folder>/<track index>/frame-<n>.png, or <folder>/0/frame-<n>.png when whole frames are kept. */
  readonly folder: string;
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
}

/** Draw the tracks into a copy of the medium. Answer: one line, a MarkupAnswer. */
export interface MarkupWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  /** Where the copy goes; its name is <uuid>.<extension>. */
  readonly folder: string;
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
}
export interface MarkupAnswer {
  /** Absolute path of the copy. */
  readonly path: string;
  readonly uri: string;
  readonly warnings: readonly Issue[];
}

/** Put the detection document into a bucket. Answer: one line, an UploadAnswer. */
export interface UploadWork {
  readonly path: string;
  readonly properties: Properties;
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** The job was cancelled: a bucket that stands still is not waited for. */
  readonly hurried?: true;
}
export interface UploadAnswer {
  readonly uri: string;
  readonly warnings: readonly Issue[];
}

/**
 * Copy the results of an earlier job into a bucket. Input: GET `input` answers NDJSON, a CopyHead, then a CopyMedium per medium.
 * Answer: the document of that job as it is from now on, which lies in the bucket, too. Errors: whatever could not be copied.
 */
export interface CopyWork {
  readonly input: string;
  /** URI of the document of the earlier job. */
  readonly document: string;
  /** What it calls files that were moved since it was written, and what these are called today. */
  readonly movedFiles?: readonly { readonly from: string; readonly to: string }[];
  /** Where `file:` results may lie, and where not. */
  readonly files: { readonly roots: readonly string[]; readonly excluded: readonly string[] };
  /** For files on their way. */
  readonly folder: string;
  readonly properties: Properties;
  /** Whether places that are copied from and to may be on this host or in private networks. */
  readonly privateBuckets: boolean;
  /** Hosts that may be asked for results in any case. */
  readonly allowedHosts: readonly string[];
  /** Files that are copied at a time. */
  readonly atOnce: number;
  readonly maxDocumentBytes: number;
  readonly maxFileBytes: number;
  /** Of the product. */
  readonly version: string;
}
export interface CopyHead {
  readonly jobId: string;
}
export interface CopyMedium {
  /** Under which the archive knows the medium. */
  readonly sha256: string;
  readonly path: string;
}

/** Write the detection document. Input: GET `input` answers NDJSON, a DocumentHead, then a DocumentMedium per medium. Answer: the document. */
export interface DocumentWork {
  readonly input: string;
  /** File for the index of the media; absent: none is written. */
  readonly mediaIndex?: string;
}
/** Where a medium of a job lies and what it is, for whoever wants to have it later. Files are named relative to the data folder. */
export interface IndexedMedium {
  /** Of a file; of all else the scheme alone. */
  readonly uri: string;
  /** Absent: it lies where its URI says. */
  readonly file?: string;
  /** Without the table of frame times. */
  readonly facts: MediumFacts | null;
  readonly inspected: boolean;
  readonly bytes?: number;
  readonly modified?: number;
  /** The copy with what was found drawn into it; `uri` is that of a bucket when it lies there. */
  readonly markup?: { readonly file: string; readonly uri: string };
  readonly selectorsOutput?: string;
}
/** What is known of a document that was answered. */
export interface DocumentAnswer {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
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
  /** Milliseconds that components spent on the job. */
  readonly timing: DocumentTiming;
  /** Null: no member stands in the document that neither the specification nor the reference has (OUTPUT_DETAILS). */
  readonly details: DocumentDetails | null;
  /** Job-level issues. */
  readonly errors: readonly DocumentIssue[];
  readonly warnings: readonly DocumentIssue[];
}
export interface DocumentDetails {
  /** What was in force for each action on media of each type; the document tells it of the types that the job has. */
  readonly effectiveProperties: readonly EffectiveProperties[];
}
export interface EffectiveProperties {
  readonly action: string;
  readonly algorithm: string;
  readonly mediaType: MediaType;
  readonly properties: Properties;
}
export interface DocumentTiming {
  readonly processingTime: number;
  /** In pipeline order. */
  readonly actions: readonly { readonly name: string; readonly processingTime: number }[];
}
export interface DocumentIssue {
  /** WORKFLOW_MANAGER or an algorithm name. */
  readonly source: string;
  readonly code: IssueCode | DetectionErrorCode;
  readonly message: string;
}
export interface DocumentMedium {
  readonly mediaId: number;
  /** -1: it was named by the request. */
  readonly parentMediaId: number;
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
  readonly markup: DocumentMarkup | null;
  readonly selectorsOutputUri: string | null;
  /** One entry per (task, action) that ran on this medium, in pipeline order. */
  readonly outputs: readonly DocumentOutput[];
  readonly indexed: IndexedMedium;
}
export interface DocumentMarkup {
  readonly id: number;
  readonly path: string;
  readonly status: 'COMPLETE' | 'COMPLETE_WITH_WARNING' | 'FAILED';
  readonly message: string | null;
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
  /** Actions that gave the tracks more properties, in pipeline order. */
  readonly annotators: readonly string[];
  /** File of FINISH lines; null when nothing was finished. */
  readonly tracks: string | null;
  /** The first of its lines, and how many belong to this entry; absent: all. */
  readonly lines?: { readonly first: number; readonly count: number };
  readonly types: Readonly<Record<string, number>>;
  /** The tracks are left out of the document. */
  readonly suppressed: boolean;
  /** Only exemplars and extracted detections are kept. */
  readonly exemplarsOnly: boolean;
}

/**
 * Make a picture of a frame, as a viewer shows it, or the table of the times of all frames. It belongs to no job: a client waits for it.
 * Answer: one line, which says nothing; what was made lies at `to`.
 */
export interface FrameWork {
  readonly medium: WorkMedium;
  /** null: the table of times (FrameTable, JSON) is wanted. */
  readonly frame: number | null;
  readonly to: string;
  /** Draw what this document has found at the frame. `place`: of the medium in the document. */
  readonly boxes?: { readonly document: string; readonly place: number };
  /** The picture is left as it lies in the medium, and not turned upright. */
  readonly stored?: true;
  /** Absent: a JPEG. */
  readonly format?: 'png';
}

/** PUT /worker/v1/leases/{token}/files/{name}: where the file lies on the server, by which the answer names it. */
export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
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

/** POST /worker/v1/answers: to several sub-jobs that were claimed `inTurn`. `max` above 0 claims more work in the same way, without waiting. */
export interface AnswersRequest {
  readonly answers: readonly SubJobAnswer[];
  readonly algorithms?: readonly string[];
  readonly max?: number;
}
export interface SubJobAnswer {
  readonly token: string;
  /** Milliseconds that the component worked on it. */
  readonly ms?: number;
  /** The lines of its result; else it failed; with neither it is given back, and work on it has not begun. */
  readonly lines?: string | undefined;
  readonly failure?: FailureRequest | undefined;
}
export interface AnswersAnswer extends ClaimAnswer {
  /** In the order of the answers: null when it is taken, else why not. */
  readonly refused: readonly (string | null)[];
}
/** Sub-jobs that are claimed, or answered, in one message. */
export const MOST_IN_TURN = 64;
export type { FrameTimes };
