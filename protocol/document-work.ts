/** Writing the detection document, and the findings of a running job for viewers. */
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
  /** Path of the media index. Absent: none is written. */
  readonly mediaIndex?: string;
}

/**
 * Make the index of a running job's findings in a medium so far. It belongs to no job: a viewer waits for it. Answer: one line without
 * content. The index is at `to`.
 */
export interface FindingsWork {
  readonly head: DocumentHead;
  readonly medium: DocumentMedium;
  /** Finished sub-jobs of unfinished actions, and the position of their output in the medium. */
  readonly unfinished: readonly { readonly output: number; readonly work: FinishWork }[];
  readonly to: string;
}

/** Where a medium of a job is stored and what it is, for later downloads. Files are named relative to the data folder. */
export interface IndexedMedium {
  /** Absent in indexes of earlier versions. */
  readonly mediaId?: number;
  /** The URI of a file. For other media only the scheme. */
  readonly uri: string;
  /** Absent if the file is at its URI. */
  readonly file?: string;
  /** Without the table of frame times. */
  readonly facts: MediumFacts | null;
  readonly inspected: boolean;
  readonly bytes?: number;
  readonly modified?: number;
  /** The copy with the results drawn into it. `uri` is that of a bucket if it was uploaded. */
  readonly markup?: { readonly file: string; readonly uri: string };
  readonly selectorsOutput?: string;
}

/** Facts about a finished document. */
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
  /** Milliseconds that components worked for the job. */
  readonly timing: DocumentTiming;
  /** Null: the document has no members beyond the specification and the reference (OUTPUT_DETAILS). */
  readonly details: DocumentDetails | null;
  /** The events in these zones are in the document for each medium with pictures. Absent: the request has no zones. */
  readonly zones?: ZonePlan;
  /** Issues of the whole job. */
  readonly errors: readonly DocumentIssue[];
  readonly warnings: readonly DocumentIssue[];
}

export interface DocumentDetails {
  /** Effective properties of each action, by media type. The document contains those for the media types of the job. */
  readonly effectiveProperties: readonly EffectiveProperties[];
  /** Versions of the components that answered. Unused components have no entry. */
  readonly componentVersions: readonly ComponentVersions[];
}

export interface ComponentVersions {
  readonly action: string;
  readonly algorithm: string;
  /** Several if the component was replaced while the job ran, the first one first. */
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
  /** -1 for a medium of the request. */
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
  /** For a medium whose file is deleted when the job ends: its path, and the folder for its small picture. */
  readonly fetched?: FetchedPlace;
}

export interface FetchedPlace {
  readonly file: string;
  readonly folder: string;
  /** Position in the document, from 0. */
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
  /** Actions that added properties to the tracks, in pipeline order. */
  readonly annotators: readonly string[];
  /** File of FINISH lines. Null if nothing was finished. */
  readonly tracks: string | null;
  /** The first line of this entry, and its number of lines. Absent: all lines. */
  readonly lines?: { readonly first: number; readonly count: number };
  readonly types: Readonly<Record<string, number>>;
  /** True if the tracks are left out of the document. */
  readonly suppressed: boolean;
  /** True if only exemplars and extracted detections are kept. */
  readonly exemplarsOnly: boolean;
}
