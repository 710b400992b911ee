import type { StreamCounts } from '../../protocol/streams.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { Properties } from '../../domain/types.ts';
import type { StreamAction } from '../../protocol/streams.ts';
import type { StreamZones, ZonesState } from './zones/record.ts';
import type { RecordingRules } from './recordings/recording-rules.ts';

/** The kind of actor that streaming jobs are; their ids are the numbers of the jobs. */
export const STREAMING_JOB = 'streaming-job';

/** The states of specification 3.2. */
export const STREAMING_STATUSES = [
  'INITIALIZING',
  'IN_PROGRESS',
  'STALLED',
  'CANCELLING',
  'CANCELLED',
  'TERMINATED',
  'JOB_CREATION_ERROR',
  'ERROR',
  'CANCELLED_BY_SHUTDOWN',
] as const;
export type StreamingStatus = (typeof STREAMING_STATUSES)[number];

export const ENDED = [
  'CANCELLED',
  'TERMINATED',
  'JOB_CREATION_ERROR',
  'ERROR',
  'CANCELLED_BY_SHUTDOWN',
] as const satisfies StreamingStatus[];
export const isEnded = (status: StreamingStatus): boolean => (ENDED as readonly string[]).includes(status);

/** What never changes of a streaming job: what was asked for, and the pipeline and the properties as they were then. */
export interface StreamingJobRecord {
  readonly number: number;
  readonly externalId: string | null;
  /** Whoever asked for it, by name. */
  readonly user: string;
  /** Absent: it was created before owners were kept, or by a token that says nothing about its user. */
  readonly owner?: Owner;
  /** As the client gave it, with its password. */
  readonly streamUri: string;
  /** Frames. */
  readonly segmentSize: number;
  /** Milliseconds; -1: a stall never ends the job. */
  readonly stallTimeout: number;
  readonly enableOutputToDisk: boolean;
  readonly healthReportCallbackUri: string | null;
  readonly summaryReportCallbackUri: string | null;
  readonly stallCallbackUri: string | null;
  /** Reports are signed with these; absent: with those that the server knows for their receiver. */
  readonly callbackSecrets?: readonly string[];
  /** Of the request (W3C Trace Context); its component and its reports get it. */
  readonly traceparent?: string;
  readonly pipelineName: string;
  readonly algorithm: string;
  /** Names, for the search; absent: it was created before they were kept. */
  readonly task?: string;
  readonly action?: string;
  readonly trackType: string;
  /** Effective ones of the action on a video. */
  readonly properties: Properties;
  /** As the client gave them, for a restart; absent: it was created before they were kept. */
  readonly given?: GivenProperties;
  /** All actions of a pipeline that has several: what is said above is that of the first. Absent: there is one. */
  readonly actions?: readonly NamedStreamAction[];
  /** Absent: nobody asked what happens in zones. */
  readonly zones?: StreamZones;
  /** What is recorded of it; absent: nothing. */
  readonly recording?: RecordingRules;
  /** What was asked for without effect; absent: nothing. */
  readonly warnings?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface GivenProperties {
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly mediaProperties: Properties;
}

/** An action, with the names of it and of its task. */
export interface NamedStreamAction extends StreamAction {
  readonly taskName: string;
  readonly name: string;
}

export interface StreamingJobState {
  /** The pipeline has several actions: servers that do not know of them leave the job to others. Absent: it has one. */
  readonly hasActions?: true;
  readonly status: StreamingStatus;
  readonly detail: string | null;
  /** Milliseconds since the epoch. */
  readonly endedAt: number | null;
  /** Number of the component, from 1, that watches the stream or is asked for; a later one takes the place of one that died. */
  readonly attempt: number;
  /** When the next component is asked for, because the last one died; null: one is at work, waited for, or none is wanted any more. */
  readonly retryAt: number | null;
  /** Components in a row that ended without having reported a segment. */
  readonly fruitless: number;
  /** The last segment that was reported; -1: none. */
  readonly lastSegment: number;
  /** When the last segment was taken: milliseconds since the epoch. */
  readonly segmentAt: number | null;
  /** Since when frames may have been missed, because another component has begun; told with the next segment. */
  readonly gapSince: number | null;
  /** As told by the component while the segment goes on, then by the report of the segment. */
  readonly activity: Activity | null;
  /** Of the last reported segment that had tracks. */
  readonly tracked: Activity | null;
  /** Sentences of its components, each once. */
  readonly warnings: readonly string[];
  /** Frames came at least once. */
  readonly opened: boolean;
  /** Pixels, frames a second. */
  readonly picture: { readonly width: number; readonly height: number; readonly fps: number } | null;
  /** Of components that have ended. */
  readonly earlier: StreamCounts;
  /** Of the one at work, as of its last segment. */
  readonly counts: StreamCounts;
  /** Absent: nothing has happened in zones. */
  readonly zones?: ZonesState;
  /** Names of newest messages for its broker that the stream in its place publishes; absent: none is in its place. */
  readonly inherited?: readonly string[];
  /** The client that cancelled wants the files of the job removed. */
  readonly doCleanup: boolean;
  /** The server that goes down has cancelled it. */
  readonly byShutdown: boolean;
  /** It was deleted: its files are removed, then it goes itself. */
  readonly removed: boolean;
}

/** Where the first track of a segment starts (specification 2.3). */
export interface Activity {
  readonly frame: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const NO_COUNTS: StreamCounts = { read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 };

/** Warnings of components that a job keeps. */
export const MOST_WARNINGS = 20;

export const INITIAL: StreamingJobState = {
  status: 'INITIALIZING',
  detail: null,
  endedAt: null,
  attempt: 1,
  retryAt: null,
  fruitless: 0,
  lastSegment: -1,
  segmentAt: null,
  gapSince: null,
  activity: null,
  tracked: null,
  warnings: [],
  opened: false,
  picture: null,
  earlier: NO_COUNTS,
  counts: NO_COUNTS,
  doCleanup: false,
  byShutdown: false,
  removed: false,
};

export function sumOf(a: StreamCounts, b: StreamCounts): StreamCounts {
  return {
    read: a.read + b.read,
    processed: a.processed + b.processed,
    dropped: a.dropped + b.dropped,
    skipped: a.skipped + b.skipped,
    reconnects: a.reconnects + b.reconnects,
  };
}
