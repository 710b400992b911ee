/** Work on tracks that were found: they are brought into their final form, and their pictures are made. */
import type { Issue, MediaSelector, Properties, Range } from '../domain/types.ts';
import type { WorkMedium } from './media-work.ts';

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
  /** The results are made, as the answer in this file says: they are uploaded, and that is answered anew. */
  readonly made?: string;
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
  /** The results are made, as the answer in this file says: they are uploaded, and that is answered anew. */
  readonly made?: string;
}

/** FRAME_INTERVAL, FRAME_RATE_CAP and USE_KEY_FRAMES as a component got them. */
export interface FrameChoice {
  /** Every n-th frame, or with `keyFramesOnly` every n-th key frame; at least 1. */
  readonly interval: number;
  /** Frames a second; 0: no cap. */
  readonly rateCap: number;
  readonly keyFramesOnly: boolean;
}

/** Draw the tracks into a copy of the medium. Answer: one line, a MarkupAnswer. */
export interface MarkupWork {
  readonly medium: WorkMedium;
  readonly properties: Properties;
  readonly sources: readonly TrackSource[];
  /** File with the line that PREPARE answered (frame times and analysed ranges); absent: the whole medium is taken as analysed. */
  readonly prepared?: string;
  /** How the detection actions before chose frames of a video, each way once. */
  readonly frameChoices?: readonly FrameChoice[];
  /** Where the copy goes; its name is <uuid>.<extension>. */
  readonly folder: string;
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** The results are made, as the answer in this file says: they are uploaded, and that is answered anew. */
  readonly made?: string;
}

export interface MarkupAnswer {
  /** Absolute path of the copy. */
  readonly path: string;
  readonly uri: string;
  readonly warnings: readonly Issue[];
}
