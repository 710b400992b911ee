/** Work on found tracks: bringing them into their final form, and making their pictures. */
import type { Issue, MediaSelector, Properties, Range } from '../domain/types.ts';
import type { WorkMedium } from './media-work.ts';

/**
 * Bring the raw tracks of one (medium, action) into their final form. Answer: a line of JSON per track as in the document, in document
 * order, then one line {"summary": FinishSummary}.
 */
export interface FinishWork {
  readonly medium: WorkMedium;
  readonly sha256: string;
  /** File with the answer of PREPARE (contains the frame times). */
  readonly prepared: string;
  /** Raw results of the sub-jobs, in order of their ranges. */
  readonly parts: readonly FinishPart[];
  readonly action: string;
  readonly algorithm: string;
  readonly trackType: string;
  readonly properties: Properties;
  /** Index of the task. */
  readonly task: number;
  /** The action annotates these tracks of earlier tasks. The answer contains all of them again, changed or not, section by section. */
  readonly annotated?: readonly TrackSource[];
  /** Present if tracks have derivative media. */
  readonly derive?: Derivation;
  /** Replaces property values as in this file. It must be below one of `roots`, and not in one of `excluded` (FetchLimits). */
  readonly rollUp?: {
    readonly file: string;
    readonly roots: readonly string[];
    readonly excluded?: readonly string[];
  };
  /** Writes the output document of the medium's selectors. */
  readonly selectorsOutput?: { readonly selectors: readonly MediaSelector[]; readonly file: string };
  /** True if results may be uploaded to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** Path of the answer whose results are already made. They are only uploaded, and the answer is made again. */
  readonly made?: string;
}

export interface Derivation {
  /** Final folder of the files. Their names begin with their media ids. */
  readonly folder: string;
  /** Folder in which components may have left the files. */
  readonly from: string;
  /** The first of as many ids as there are tracks. */
  readonly firstMediaId: number;
  /** Maximum number of files. More are an error. */
  readonly most: number;
}

export interface FinishPart {
  /** Raw result of a sub-job. */
  readonly path: string;
  readonly range: Range;
  /** The tracks that were fed to it: bytes of a FEED answer, lines of FedTrack. */
  readonly fed?: Piece & { readonly path: string };
}

/** A range of bytes of a file that contains whole lines. */
export interface Piece {
  readonly offset: number;
  readonly bytes: number;
}

/** Current tracks of one task on one medium: `count` lines of a FINISH or ARTIFACTS answer from line `first` on. */
export interface TrackSource {
  readonly task: number;
  readonly path: string;
  readonly first: number;
  readonly count: number;
  /** TRIGGERs of tasks since these lines were written. A track that meets one was consumed by that task. */
  readonly consumedBy: readonly string[];
}

export interface FinishSummary {
  readonly tracks: number;
  readonly detections: number;
  /** Tracks by track type. */
  readonly types: Readonly<Record<string, number>>;
  readonly warnings: readonly Issue[];
  /** Errors of this medium that did not prevent its tracks (ARTIFACTS). */
  readonly errors?: readonly Issue[];
  /** Frames covered by tracks, joined where they touch, at most MAX_TRACK_RANGES. */
  readonly ranges: readonly Range[];
  /** For an annotator: the lines of each task whose tracks they are, in order. */
  readonly sections?: readonly TrackSection[];
  readonly derived?: readonly DerivedMedium[];
  /** URI of the media selectors output document. */
  readonly selectorsOutputUri?: string;
}

export interface TrackSection {
  readonly task: number;
  readonly count: number;
  /** True if none of these tracks was fed to the annotator. */
  readonly untouched?: true;
  readonly types: Readonly<Record<string, number>>;
}

/** A medium that a component made from another one. */
export interface DerivedMedium {
  readonly mediaId: number;
  /** Absolute path of its file. */
  readonly path: string;
  /** Its public address: a file: URI, or that of a bucket. */
  readonly uri: string;
}

export const MAX_TRACK_RANGES = 2000;

/**
 * Extract pictures of detections. Answer: the lines of `tracks` again, with artifactExtractionStatus and artifactPath, then one line
 * {"summary": FinishSummary}.
 */
export interface ArtifactsWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  /** A FINISH answer. */
  readonly tracks: string;
  /** Target of the pictures: <folder>/<track index>/frame-<n>.png, or <folder>/0/frame-<n>.png for whole frames. */
  readonly folder: string;
  /** True if results may be uploaded to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** Path of the answer whose results are already made. They are only uploaded, and the answer is made again. */
  readonly made?: string;
}

/** FRAME_INTERVAL, FRAME_RATE_CAP and USE_KEY_FRAMES as a component got them. */
export interface FrameChoice {
  /** Every n-th frame, or with `keyFramesOnly` every n-th key frame; at least 1. */
  readonly interval: number;
  /** Frames per second; 0: no cap. */
  readonly rateCap: number;
  readonly keyFramesOnly: boolean;
}

/** Draw the tracks into a copy of the medium. Answer: one line, a MarkupAnswer. */
export interface MarkupWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  /** File with the answer of PREPARE (frame times and analyzed ranges). Absent: the whole medium counts as analyzed. */
  readonly prepared?: string;
  /** Frame sampling of the earlier detection actions of a video, without duplicates. */
  readonly frameChoices?: readonly FrameChoice[];
  /** Folder of the copy. Its name is <uuid>.<extension>. */
  readonly folder: string;
  /** True if results may be uploaded to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** Path of the answer whose results are already made. They are only uploaded, and the answer is made again. */
  readonly made?: string;
}

export interface MarkupAnswer {
  /** Absolute path of the copy. */
  readonly path: string;
  readonly uri: string;
  readonly warnings: readonly Issue[];
}
