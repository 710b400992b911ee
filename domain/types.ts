/**
 * The vocabulary of the domain, shared by every layer as types only.
 *
 * Units: frames count from 0 in presentation order, times are whole milliseconds of media time, boxes are pixels of the
 * medium as it is stored (before any rotation or flip is undone).
 */

export const MEDIA_TYPES = ['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** Property names to values; names are compared exactly, values are always text (specification 2.1). */
export type Properties = Readonly<Record<string, string>>;

/** An inclusive range of frames or milliseconds (specification 2.1, JobCreationMediaRange). */
export interface Range {
  readonly start: number;
  readonly stop: number;
}

/** One box in one frame; audio and generic media use frame 0 and an empty box. */
export interface Detection {
  readonly frame: number;
  /** Milliseconds from the start of the medium. */
  readonly time: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** -1 when the detector gives none. */
  readonly confidence: number;
  readonly properties: Properties;
}

export interface Track {
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startTime: number;
  readonly stopTime: number;
  /** The track type, for example FACE; the key of the document's output object. */
  readonly type: string;
  readonly confidence: number;
  readonly properties: Properties;
  /** In ascending order of frame; never empty. */
  readonly detections: readonly Detection[];
}

/** What a component answers: a track whose type and times the service fills in when the component leaves them out. */
export interface ReportedDetection extends Omit<Detection, 'time'> {
  readonly time?: number;
}
export interface ReportedTrack {
  /** Which of the tracks it was fed it comes from: the number of the line; 0 when absent. */
  readonly fed?: number;
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startTime?: number;
  readonly stopTime?: number;
  readonly type?: string;
  readonly confidence: number;
  readonly properties: Properties;
  readonly detections: readonly ReportedDetection[];
}

/** A line of a component's answer that is no track: what of the medium it could not look at. */
export interface ReportedWarning {
  readonly warning: string;
}

/** Restricts processing to parts of a document (specification 2.1, JobCreationMediaSelector). */
export interface MediaSelector {
  readonly type: 'JSON_PATH';
  readonly expression: string;
  /** Only for the sub-jobs of this selector. */
  readonly selectionProperties: Properties;
  /** Property of the output action's tracks that goes into the output document. */
  readonly resultDetectionProperty: string;
}

/** What inspection found out about a medium (specification 2.1 names the metadata keys). */
export interface MediumFacts {
  readonly mediaType: MediaType;
  readonly mimeType: string;
  /** Hex SHA-256 of the medium's bytes. */
  readonly sha256: string;
  /** Frames of a video, 1 for an image, -1 for all else. */
  readonly length: number;
  readonly metadata: Properties;
  /**
   * How frames become times. `fps` as a number; with a constant rate `startTime` + floor(frame * 1000 / fps); with a
   * variable one `times` (milliseconds per frame) when it is known.
   */
  readonly frameTimes?: FrameTimes;
}

export interface FrameTimes {
  readonly fps: number;
  /** Frames a second on average, where that is far from `fps`: a container has many slots without a frame. */
  readonly meanFps?: number;
  readonly constantRate: boolean;
  readonly startTime: number;
  /** Presentation times in milliseconds by frame, only for variable rates. */
  readonly times?: readonly number[];
  /** True when some of the times are estimated from the rate. */
  readonly estimated?: boolean;
}

/** Codes of errors and warnings in the document (issue codes) and of components (detection error codes). */
export type IssueCode =
  | 'OTHER'
  | 'ARCHIVE_BEFORE_JOB_CHECK'
  | 'REMOTE_STORAGE_DOWNLOAD'
  | 'MEDIA_INSPECTION'
  | 'FRAME_COUNT'
  | 'MISSING_VIDEO_STREAM'
  | 'MISSING_AUDIO_STREAM'
  | 'MEDIA_INITIALIZATION'
  | 'PADDING'
  | 'INVALID_DETECTION'
  | 'LOCAL_STORAGE'
  | 'ARTIFACT_EXTRACTION'
  | 'MARKUP'
  | 'REMOTE_STORAGE_UPLOAD';

export const DETECTION_ERRORS = [
  'DETECTION_NOT_INITIALIZED',
  'UNSUPPORTED_DATA_TYPE',
  'COULD_NOT_OPEN_DATAFILE',
  'COULD_NOT_READ_DATAFILE',
  'FILE_WRITE_ERROR',
  'BAD_FRAME_SIZE',
  'DETECTION_FAILED',
  'MISSING_PROPERTY',
  'INVALID_PROPERTY',
  'MEMORY_ALLOCATION_FAILED',
  'UNRECOGNIZED_DETECTION_ERROR',
  'REQUEST_CANCELLED',
  'DEAD_LETTER',
  'GPU_ERROR',
  'NETWORK_ERROR',
  'COULD_NOT_OPEN_MEDIA',
  'COULD_NOT_READ_MEDIA',
] as const;
export type DetectionErrorCode = (typeof DETECTION_ERRORS)[number];

/** One line of the document's `errors` or `warnings`. */
export interface Issue {
  readonly code: IssueCode | DetectionErrorCode;
  readonly message: string;
}

/** Why a medium cannot be used. */
export interface MediumProblem extends Issue {
  /** It is a file outside the folders of MEDIA_ROOTS. */
  readonly outsideRoots?: boolean;
}

export interface AlgorithmProperty {
  readonly name: string;
  readonly description: string;
  readonly type: 'BOOLEAN' | 'FLOAT' | 'DOUBLE' | 'INT' | 'LONG' | 'STRING';
  readonly defaultValue?: string | undefined;
  readonly propertiesKey?: string | undefined;
}

export interface Algorithm {
  readonly name: string;
  readonly description: string;
  readonly actionType: 'DETECTION' | 'MARKUP';
  readonly trackType: string;
  readonly supportsBatchProcessing: boolean;
  readonly supportsStreamProcessing: boolean;
  readonly outputChangedCounter?: number | undefined;
  /** Types of media that it processes; absent: unknown. */
  readonly mediaTypes?: readonly MediaType[] | undefined;
  /** Values of CLASSIFICATION that it finds; empty: its tracks have none. Absent: unknown. */
  readonly classes?: readonly string[] | undefined;
  readonly requiresCollection: { readonly states: readonly string[] };
  readonly providesCollection: {
    readonly states: readonly string[];
    readonly properties: readonly AlgorithmProperty[];
  };
}

export interface Action {
  readonly name: string;
  readonly description: string;
  readonly algorithm: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

export interface Task {
  readonly name: string;
  readonly description: string;
  readonly actions: readonly string[];
}

export interface Pipeline {
  readonly name: string;
  readonly description: string;
  readonly tasks: readonly string[];
}

/** What the archive is asked before a job runs: whether it knows the results of an equal one (specification 2.1, archiveCheckStatus). */
export interface ArchiveQuestion {
  /** Each archive once, with the distinct hashes of the media that it is asked about. */
  readonly archives: readonly {
    readonly url: string;
    readonly sha256s: readonly string[];
    /** A token of the service goes with the questions. */
    readonly addToken: boolean;
  }[];
  readonly jobConfigHash: string;
}

/** An equal job whose results an archive knows. */
export interface PastJob {
  readonly jobId: string;
  /** How it ended, in the words of specification 3.1. */
  readonly jobStatus: string;
  /** Where its detection document is. */
  readonly outputUri: string;
  /** When it ended, in milliseconds since the epoch. */
  readonly processedAt: number;
}

/** What came of asking. */
export type ArchiveFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'match'; readonly match: PastJob }
  /** Some archive could not be asked, and none of the others knows an equal job. A sentence without secrets. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A bucket of an object store, and the keys that open it. */
export interface BucketAccess {
  /** Address without a slash at its end; the bucket's name is the beginning of the host or the path. */
  readonly url: string;
  readonly name: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Goes with keys that are valid for a while only. */
  readonly sessionToken?: string;
}

/** An object in a bucket. */
export interface BucketObject {
  readonly bucket: BucketAccess;
  readonly key: string;
  /** One of several versions; absent: the newest. */
  readonly versionId?: string;
}
