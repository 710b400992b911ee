/** Writing the detection document, and what viewers see of a running job before there is one. */
import type {
  DetectionErrorCode,
  IssueCode,
  MediaType,
  MediumFacts,
  Properties,
  Range,
} from '../domain/types.ts';
import type { ZonePlan } from '../domain/zones/types.ts';
import type { FinishWork } from './track-work.ts';

/** Write the detection document. Input: GET `input` answers NDJSON, a DocumentHead, then a DocumentMedium per medium. Answer: the document. */
export interface DocumentWork {
  readonly input: string;
  /** File for the index of the media; absent: none is written. */
  readonly mediaIndex?: string;
}

/**
 * Make the index of what a running job has found in a medium so far. It belongs to no job: a viewer waits for it. Answer: one line,
 * which says nothing; the index is at `to`.
 */
export interface FindingsWork {
  readonly head: DocumentHead;
  readonly medium: DocumentMedium;
  /** Pieces that are answered and not finished, and the place of their output in the medium. */
  readonly unfinished: readonly { readonly output: number; readonly work: FinishWork }[];
  readonly to: string;
}

/** Where a medium of a job lies and what it is, for whoever wants to have it later. Files are named relative to the data folder. */
export interface IndexedMedium {
  /** Absent in indexes of earlier versions. */
  readonly mediaId?: number;
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
  /** What happened in these stands with each medium that has pictures; absent: the request named none. */
  readonly zones?: ZonePlan;
  /** Job-level issues. */
  readonly errors: readonly DocumentIssue[];
  readonly warnings: readonly DocumentIssue[];
}

export interface DocumentDetails {
  /** What was in force for each action on media of each type; the document tells it of the types that the job has. */
  readonly effectiveProperties: readonly EffectiveProperties[];
  /** Which components have answered; of those that did nothing there is none. */
  readonly componentVersions: readonly ComponentVersions[];
}

export interface ComponentVersions {
  readonly action: string;
  readonly algorithm: string;
  /** Several when the component was replaced while the job ran, the first one first. */
  readonly versions: readonly string[];
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
  /** Of a medium whose file is removed when the job ends: where it lies, and the folder for its small picture. */
  readonly fetched?: FetchedPlace;
}

export interface FetchedPlace {
  readonly file: string;
  readonly folder: string;
  /** In the document, from 0. */
  readonly place: number;
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
