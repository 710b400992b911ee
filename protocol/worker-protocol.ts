/**
 * The kinds of work of the worker protocol (HTTP + JSON under /worker/v1), as types. The server writes sub-jobs, and the
 * SDK reads them. docs/reference/component-protocol.md describes the protocol in words. Envelopes of sub-jobs are in
 * `worker-messages.ts`; the work and the answers of each kind are in the imported files. Detectors serve DETECT, the
 * markup component MARKUP, and the built-in media component the rest. Live streams (`streams.ts`) are sub-jobs of the
 * kind STREAM.
 */
import type { CopyWork, UploadAnswer, UploadWork } from './bucket-work.ts';
import type { DetectAnswer, DetectWork, FeedSummary, FeedWork } from './detection-work.ts';
import type { DocumentAnswer, DocumentWork, FindingsWork } from './document-work.ts';
import type { FetchedMedium, FrameWork, PreparedMedium, PrepareWork } from './media-work.ts';
import type { StreamWork } from './streams.ts';
import type { ArtifactsWork, FinishSummary, FinishWork, MarkupAnswer, MarkupWork } from './track-work.ts';

/** Each kind of work: what a component is told, and what is taken from a good answer. */
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

/** The form of the answer to each kind of work, by which it is checked (`results/check/check-file.ts`). */
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
 * tracks: a line a track or warning. medium: one line, a PreparedMedium or a FetchedMedium. summary, pieces: tracks, and last a line with a summary. stored: one
 * line that says where a file lies now. document: the detection document.
 */
export type AnswerForm = 'tracks' | 'medium' | 'summary' | 'pieces' | 'stored' | 'document';

export const WORK_KINDS = Object.keys(ANSWER_FORMS) as readonly WorkKind[];

/**
 * The names under which the built-in media component claims its kinds of work; those of DETECT and MARKUP are the algorithms'. The first
 * step of PREPARE of a remote medium has a queue of its own. Those of `TRANSFER_QUEUES` are for the process that waits for other hosts.
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

/** Kinds of work for viewers, which belong to no job. Only components of the server that offers it claim it. */
export const VIEW_KINDS = ['FRAME', 'FINDINGS'] as const;
export type ViewKind = (typeof VIEW_KINDS)[number];
export const isViewKind = (kind: string): kind is ViewKind =>
  (VIEW_KINDS as readonly string[]).includes(kind);
export const VIEW_QUEUES: readonly string[] = VIEW_KINDS.map((kind) => MEDIA_QUEUES[kind]);

export interface AssignmentOf<K extends WorkKind | 'STREAM' | ViewKind, W> {
  /** Names the lease and fences it: an answer with the token of a lost lease is refused with 409. */
  readonly token: string;
  readonly id: string;
  readonly kind: K;
  readonly algorithm: string;
  readonly attempt: number;
  readonly heartbeatMs: number;
  /** Of the trace that the job belongs to (W3C Trace Context), for what the component asks of others. */
  readonly traceparent?: string;
  /** Claimed in turn: it is all that its job waits for, so its answer is not to be kept for later ones. */
  readonly last?: true;
  readonly work: W;
}

/** A sub-job of a batch job. */
export type SubJobAssignment = { [K in WorkKind]: AssignmentOf<K, WorkTypes[K]['work']> }[WorkKind];

/** A live stream. */
export type StreamAssignment = AssignmentOf<'STREAM', StreamWork>;

/** What somebody wants to see. */
export type ViewAssignment = AssignmentOf<'FRAME', FrameWork> | AssignmentOf<'FINDINGS', FindingsWork>;

export type Assignment = SubJobAssignment | StreamAssignment | ViewAssignment;
