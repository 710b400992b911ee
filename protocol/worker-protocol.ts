/**
 * Types of the worker protocol (HTTP + JSON under /worker/v1) for all kinds of work. The server writes sub-jobs, and the SDK reads them.
 * docs/reference/component-protocol.md describes the protocol. Envelopes of sub-jobs are in `worker-messages.ts`. The work and the answers
 * of each kind are in the imported files. Detectors serve DETECT, the markup component MARKUP, and the built-in media component the rest.
 * Live streams (`streams.ts`) are sub-jobs of the kind STREAM.
 */
import type { CopyWork, UploadAnswer, UploadWork } from './bucket-work.ts';
import type { DetectAnswer, DetectWork, FeedSummary, FeedWork } from './detection-work.ts';
import type { DocumentAnswer, DocumentWork, FindingsWork } from './document-work.ts';
import type { FetchedMedium, FrameWork, PreparedMedium, PrepareWork } from './media-work.ts';
import type { StreamWork } from './streams.ts';
import type { ArtifactsWork, FinishSummary, FinishWork, MarkupAnswer, MarkupWork } from './track-work.ts';

/** Each kind of work: the input of a component, and the data that the server takes from a valid answer. */
export interface WorkTypes {
  readonly PREPARE: {
    readonly work: PrepareWork;
    readonly answer: { readonly prepared: PreparedMedium } | { readonly fetched: FetchedMedium };
  };
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

/** The form of the answer to each kind of work. `results/check/check-file.ts` checks it. */
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
 * tracks: a line for each track or warning. medium: one line, a PreparedMedium or a FetchedMedium. summary, pieces: tracks, then a line
 * with a summary. stored: one line with the path of a file. document: the detection document.
 */
export type AnswerForm = 'tracks' | 'medium' | 'summary' | 'pieces' | 'stored' | 'document';

export const WORK_KINDS = Object.keys(ANSWER_FORMS) as readonly WorkKind[];

/**
 * Queues from which the built-in media component claims its kinds of work. Those of DETECT and MARKUP are named by algorithm. The first
 * step of PREPARE of a remote medium has its own queue. The queues in `TRANSFER_QUEUES` are for the process that waits for other hosts.
 */
export const MEDIA_QUEUES = {
  DOWNLOAD: 'MEDIA_DOWNLOAD',
  PREPARE: 'MEDIA_INSPECTION',
  FEED: 'TRACK_FEEDING',
  FINISH: 'TRACK_FINISHING',
  ARTIFACTS: 'ARTIFACT_EXTRACTION',
  DOCUMENT: 'OUTPUT_OBJECT',
  UPLOAD: 'RESULT_UPLOAD',
  COPY: 'RESULT_COPY',
  FRAME: 'FRAME_EXTRACTION',
  FINDINGS: 'PARTIAL_FINDINGS',
} as const satisfies Readonly<Record<Exclude<WorkKind, 'DETECT' | 'MARKUP'> | 'DOWNLOAD' | ViewKind, string>>;

/** Kinds of work for viewers, which belong to no job. Only components of the offering server claim it. */
export const VIEW_KINDS = ['FRAME', 'FINDINGS'] as const;
export type ViewKind = (typeof VIEW_KINDS)[number];
export const isViewKind = (kind: string): kind is ViewKind =>
  (VIEW_KINDS as readonly string[]).includes(kind);
export const VIEW_QUEUES: readonly string[] = VIEW_KINDS.map((kind) => MEDIA_QUEUES[kind]);

export interface AssignmentOf<K extends WorkKind | 'STREAM' | ViewKind, W> {
  /** Identifies the lease and fences it: an answer with the token of a lost lease is refused with 409. */
  readonly token: string;
  readonly id: string;
  readonly kind: K;
  readonly algorithm: string;
  readonly attempt: number;
  readonly heartbeatMs: number;
  /** Trace of the job (W3C Trace Context), for requests of the component to other services. */
  readonly traceparent?: string;
  /** For a sub-job claimed in turn: its job waits only for this one, so its answer must be sent at once. */
  readonly last?: true;
  readonly work: W;
}

/** A sub-job of a batch job. */
export type SubJobAssignment = { [K in WorkKind]: AssignmentOf<K, WorkTypes[K]['work']> }[WorkKind];

/** A live stream. */
export type StreamAssignment = AssignmentOf<'STREAM', StreamWork>;

/** Work for a viewer. */
export type ViewAssignment = AssignmentOf<'FRAME', FrameWork> | AssignmentOf<'FINDINGS', FindingsWork>;

export type Assignment = SubJobAssignment | StreamAssignment | ViewAssignment;
