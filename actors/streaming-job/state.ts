import type { StreamCounts } from '../../protocol/streams.ts';
import type { Owner } from '../../domain/users/owner.ts';
import type { Properties } from '../../domain/types.ts';
import type { StreamAction } from '../../protocol/streams.ts';
import type { StreamZones, ZonesState } from './zones/record.ts';
import type { RecordingRules } from './recordings/recording-rules.ts';

/** Actor kind of streaming jobs. Their ids are the numbers of the jobs. */
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

/** The fixed part of a streaming job: the request, with the pipeline and the properties at that time. */
export interface StreamingJobRecord {
  readonly number: number;
  readonly externalId: string | null;
  /** Name of the user who submitted the job. */
  readonly user: string;
  /** Undefined if the job is older than owners, or its token says nothing about its user. */
  readonly owner?: Owner;
  /** The URI of the client, with its password. */
  readonly streamUri: string;
  /** Size of a segment, in frames. */
  readonly segmentSize: number;
  /** Milliseconds; -1: a stall never ends the job. */
  readonly stallTimeout: number;
  readonly enableOutputToDisk: boolean;
  readonly healthReportCallbackUri: string | null;
  readonly summaryReportCallbackUri: string | null;
  readonly stallCallbackUri: string | null;
  /** Secrets that sign reports. If undefined, the server uses its own secrets for the receiver. */
  readonly callbackSecrets?: readonly string[];
  /** Trace of the request (W3C Trace Context), for its component and its reports. */
  readonly traceparent?: string;
  readonly pipelineName: string;
  readonly algorithm: string;
  /** Names for the search. Undefined in jobs of older versions. */
  readonly task?: string;
  readonly action?: string;
  readonly trackType: string;
  /** Effective properties of the action on a video. */
  readonly properties: Properties;
  /** Properties of the client, for a restart. Undefined in jobs of older versions. */
  readonly given?: GivenProperties;
  /** All actions of a pipeline with several. The fields above then describe the first action. Undefined if there is one action. */
  readonly actions?: readonly NamedStreamAction[];
  /** Undefined if the job has no zones. */
  readonly zones?: StreamZones;
  /** Settings of the recording. Undefined if nothing is recorded. */
  readonly recording?: RecordingRules;
  /** Parts of the request without effect. Undefined if there are none. */
  readonly warnings?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface GivenProperties {
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly mediaProperties: Properties;
}

/** An action with its name and the name of its task. */
export interface NamedStreamAction extends StreamAction {
  readonly taskName: string;
  readonly name: string;
}

export interface StreamingJobState {
  /** The pipeline has several actions. Servers without support for them leave the job to others. Undefined if there is one action. */
  readonly hasActions?: true;
  readonly status: StreamingStatus;
  readonly detail: string | null;
  /** Milliseconds since the epoch. */
  readonly endedAt: number | null;
  /** Number of the component, from 1, that watches the stream or is requested. A later component replaces one that died. */
  readonly attempt: number;
  /**
   * Time at which the next component is requested, because the last one died. Null if a component works or is requested, or the job has
   * ended.
   */
  readonly retryAt: number | null;
  /** Number of components in a row that ended without a segment. */
  readonly fruitless: number;
  /** The last reported segment, or -1. */
  readonly lastSegment: number;
  /** Time at which the last segment was accepted, in milliseconds since the epoch. */
  readonly segmentAt: number | null;
  /** Time since which frames may be missing, because another component has started. The next segment reports it. */
  readonly gapSince: number | null;
  /** As reported by the component during the segment, and then by the report of the segment. */
  readonly activity: Activity | null;
  /** Activity of the last reported segment with tracks. */
  readonly tracked: Activity | null;
  /** Warnings of its components, each once. */
  readonly warnings: readonly string[];
  /** True if at least one frame has arrived. */
  readonly opened: boolean;
  /** Size in pixels, and frames per second. */
  readonly picture: { readonly width: number; readonly height: number; readonly fps: number } | null;
  /** Counts of components that have ended. */
  readonly earlier: StreamCounts;
  /** Counts of the current component, as of its last segment. */
  readonly counts: StreamCounts;
  /** Undefined if nothing has happened in zones. */
  readonly zones?: ZonesState;
  /** Names of newest broker messages that the stream that replaces this one publishes. Undefined if no stream replaces it. */
  readonly inherited?: readonly string[];
  /** True if the client that cancelled the job wants its files removed. */
  readonly doCleanup: boolean;
  /** True if the shutdown of the server has cancelled the job. */
  readonly byShutdown: boolean;
  /** The job was deleted. Its files are deleted first, then the job itself. */
  readonly removed: boolean;
}

/** Start of the first track of a segment (specification 2.3). */
export interface Activity {
  readonly frame: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export const NO_COUNTS: StreamCounts = { read: 0, processed: 0, dropped: 0, skipped: 0, reconnects: 0 };

/** Maximum number of warnings that a job keeps. */
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
