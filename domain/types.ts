/**
 * Basic types of the domain, which every layer uses as types only.
 *
 * Units: frames count from 0 in presentation order, times are whole milliseconds of media time. Boxes are pixels of the medium as it is
 * stored (before any rotation or flip is undone).
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

/** One box in one frame. Audio and generic media use frame 0 and an empty box. */
export interface Detection {
  readonly frame: number;
  /** Milliseconds from the start of the medium. */
  readonly time: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** -1 if the detector reports none. */
  readonly confidence: number;
  readonly properties: Properties;
}

export interface Track {
  readonly startFrame: number;
  readonly stopFrame: number;
  readonly startTime: number;
  readonly stopTime: number;
  /** The track type, for example FACE. It is the key in the document's output object. */
  readonly type: string;
  readonly confidence: number;
  readonly properties: Properties;
  /** In ascending order of frame; never empty. */
  readonly detections: readonly Detection[];
}

/** A track as a component reports it. The service adds the type and the times if they are missing. */
export interface ReportedDetection extends Omit<Detection, 'time'> {
  readonly time?: number;
}
export interface ReportedTrack {
  /** Number of the fed track (its line) from which it comes; 0 if absent. */
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

/** A line of a component's answer about a part of the medium that it could not analyze. */
export interface ReportedWarning {
  readonly warning: string;
}

/** Restricts processing to parts of a document (specification 2.1, JobCreationMediaSelector). */
export interface MediaSelector {
  readonly type: 'JSON_PATH';
  readonly expression: string;
  /** Properties only for the sub-jobs of this selector. */
  readonly selectionProperties: Properties;
  /** Property of the output action's tracks that is written into the output document. */
  readonly resultDetectionProperty: string;
}

/** Result of the inspection of a medium (specification 2.1 names the metadata keys). */
export interface MediumFacts {
  readonly mediaType: MediaType;
  readonly mimeType: string;
  /** Hex SHA-256 of the medium's bytes. */
  readonly sha256: string;
  /** Number of frames of a video, 1 for an image, -1 otherwise. */
  readonly length: number;
  readonly metadata: Properties;
  /**
   * Mapping of frames to times. With a constant rate, it is `startTime` + floor(frame * 1000 / fps). With a variable rate, it is `times`
   * (milliseconds per frame), if known.
   */
  readonly frameTimes?: FrameTimes;
}

export interface FrameTimes {
  readonly fps: number;
  /** Mean frames per second, if it differs much from `fps`: the container has many slots without a frame. */
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
  /** True if it is a file outside the folders of MEDIA_ROOTS. */
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
  /** Types of media that the algorithm processes. Absent: unknown. */
  readonly mediaTypes?: readonly MediaType[] | undefined;
  /** Values of CLASSIFICATION that the algorithm finds. Empty: its tracks have none. Absent: unknown. */
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

/** The archive query before a job runs: does an archive have the results of an equal job (specification 2.1, archiveCheckStatus)? */
export interface ArchiveQuestion {
  /** The archives without duplicates, with the distinct hashes of the media to query. */
  readonly archives: readonly {
    readonly url: string;
    readonly sha256s: readonly string[];
    /** True if a token of the service is sent with the queries. */
    readonly addToken: boolean;
  }[];
  readonly jobConfigHash: string;
}

/** An equal job whose results an archive has. */
export interface PastJob {
  readonly jobId: string;
  /** Its final status, in terms of specification 3.1. */
  readonly jobStatus: string;
  /** URI of its detection document. */
  readonly outputUri: string;
  /** End of the job in milliseconds since the epoch. */
  readonly processedAt: number;
}

/** Result of the archive query. */
export type ArchiveFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'match'; readonly match: PastJob }
  /** Some archive could not be queried, and none of the others has an equal job. A sentence without secrets. */
  | { readonly kind: 'failed'; readonly reason: string };

/** A bucket of an object store, and its keys. */
export interface BucketAccess {
  /** URL without a final slash. The bucket's name is the start of the host or of the path. */
  readonly url: string;
  readonly name: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Token for temporary keys. */
  readonly sessionToken?: string;
}

/** An object in a bucket. */
export interface BucketObject {
  readonly bucket: BucketAccess;
  readonly key: string;
  /** Version of the object. Absent: the newest. */
  readonly versionId?: string;
}
