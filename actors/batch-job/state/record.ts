import type { List } from 'immutable';
import type { PipelinePlan } from '../../../domain/plan.ts';
import type { ArchiveCheckStatus } from '../../../domain/job/archive.ts';
import type { Owner } from '../../../domain/users/owner.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import type { Issue, MediaSelector, Properties, Range } from '../../../domain/types.ts';
import type { TextPlace } from '../../../protocol/media-work.ts';
import { runFolder } from '../../../results/layout.ts';
import type { JobState, MediumState } from './state.ts';
import type { BatchJobStatus } from './status.ts';

/**
 * The request and its plan, fixed when the job is accepted. Later changes of pipelines or server settings do not affect it. A resubmitted
 * run uses the record again, and a retry adds its changes.
 */
export interface JobRecord {
  /** The number in the job's id. Batch and streaming jobs share one sequence. */
  readonly number: number;
  /** `<host>-<number>`. The host part never changes. */
  readonly jobId: string;
  readonly siteId: string;
  readonly plan: PipelinePlan;
  readonly media: readonly RequestedMedium[];
  readonly priority: number;
  /** Name of the user who submitted the job. */
  readonly user: string;
  /** Undefined if the job is older than owners, or its token says nothing about its user. */
  readonly owner?: Owner;
  readonly buildOutput: boolean;
  readonly externalId: string | null;
  /** Undefined if there are none. */
  readonly labels?: readonly string[];
  /** Zones, lines and rules whose events the document lists. Undefined if there are none. */
  readonly zones?: ZonePlan;
  /** Called when the job has ended. Undefined if no callback is wanted. */
  readonly callback?: {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    /** Secrets that sign the callback. If undefined, the server uses its own secrets for the receiver. */
    readonly secrets?: readonly string[];
  };
  /** Result of the archive check before the job (specification 2.1). */
  readonly archiveCheckStatus?: ArchiveCheckStatus;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  /** Server settings that supply defaults (by propertiesKey), as they were when the job was accepted. */
  readonly serverProperties: Properties;
  /** TROUPE_PROP_<NAME> overrides, as they were when the job was accepted. */
  readonly environmentProperties: Properties;
  /** Parts of the request without effect. Undefined if there are none. */
  readonly warnings?: readonly string[];
  /** Set if the run is a retry. Undefined if the run does everything. */
  readonly retry?: RetryRecord;
  /** Earlier runs, the oldest first. Undefined if there were none, or they were not recorded. */
  readonly runs?: readonly PastRun[];
}

/** The scope of a retry: failed sub-jobs, or all sub-jobs of media with a failed one. */
export const RETRIES = ['FAILED_SUB_JOBS', 'FAILED_MEDIA'] as const;
export type RetryScope = (typeof RETRIES)[number];

export interface RetryRecord {
  readonly what: RetryScope;
  /** Places of media that the run works on, in ascending order. Media that the run derives itself are added later. */
  readonly open: readonly number[];
  /** Number of media that the job had before, with derivative media. */
  readonly known: number;
  /** By task, the number of media when the task was planned. The retry cuts media as before. */
  readonly mediaOfTask: readonly number[];
  /** Job properties that the retry has changed. */
  readonly jobProperties?: Properties;
  /** Job properties of the request, if a retry has changed some. */
  readonly requested?: Properties;
}

/** An ended run that was followed by another one. */
export interface PastRun {
  readonly run: number;
  readonly what: RetryScope | 'ALL';
  readonly status: BatchJobStatus;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Number of failed media of the request, or null if they were not counted. */
  readonly failedMedia: number | null;
  readonly jobProperties?: Properties;
}

export interface RequestedMedium {
  readonly mediaId: number;
  /** URI of the medium. A long `data:` URI has only its type of data here: see `wholeUri`. */
  readonly uri: string;
  /** Place of the whole URI, by the key of the file. Undefined if `uri` is whole. */
  readonly uriAt?: TextPlace;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  /** Parts of a document to process. Undefined if all of the document is processed. */
  readonly selectors?: readonly MediaSelector[];
  /** The action whose tracks fill the output document of the selectors. */
  readonly selectorsOutputAction?: string;
  /** Where the results of this medium are posted (effective ARCHIVE_URL). Undefined if they are not posted. */
  readonly archiveUrl?: string;
  /** Reason why this medium could not be used at creation. The job continues with the other media. */
  readonly problem?: Issue;
  /** Expected hex SHA-256, because a retry keeps results of the medium and retrieves it again. Undefined if any value is accepted. */
  readonly sha256?: string;
}

/** Current values of fields that users may change at any time. */
export const labelsOf = (record: Pick<JobRecord, 'labels'>, { labels }: Pick<JobState, 'labels'>) =>
  labels ?? record.labels ?? [];
export const externalIdOf = (
  record: Pick<JobRecord, 'externalId'>,
  { externalId }: Pick<JobState, 'externalId'>,
): string | null => (externalId === undefined ? record.externalId : externalId);

/** Returns the run whose rows and folders a run uses: its own, or that of the run that a retry continues. */
export const baseRunOf = ({ run, baseRun = run }: Pick<JobState, 'run' | 'baseRun'>): number => baseRun;

/** Returns the user whose slots the transfers of the job use. */
export const userOf = ({ owner }: Pick<JobRecord, 'owner'>): string => owner?.user ?? '';

/** Returns the name of the folders of the job's run. */
export const foldersOf = (
  { jobId }: Pick<JobRecord, 'jobId'>,
  state: Pick<JobState, 'run' | 'baseRun'>,
): string => runFolder(jobId, baseRunOf(state));

const OPEN = new WeakMap<RetryRecord, ReadonlySet<number>>();

/** True if the run works on a medium. A retry skips media whose results it keeps. */
export function isOpen({ retry }: Pick<JobRecord, 'retry'>, medium: number): boolean {
  if (retry === undefined || medium >= retry.known) return true;
  const open = OPEN.get(retry) ?? new Set(retry.open);
  OPEN.set(retry, open);
  return open.has(medium);
}

/** Returns a medium of the job. A derivative medium has the properties of its source. */
export function mediumOf(
  record: Pick<JobRecord, 'media'>,
  media: List<Pick<MediumState, 'derived'>>,
  index: number,
): RequestedMedium {
  const named = record.media[index];
  if (named !== undefined) return named;
  const derived = media.get(index)?.derived;
  if (derived === undefined || derived === null) throw new RangeError(`The job has no medium ${index}.`);
  const { properties } = mediumOf(record, media, derived.parent);
  return {
    mediaId: derived.mediaId,
    uri: derived.uri,
    metadata: {},
    properties,
    frameRanges: [],
    timeRanges: [],
  };
}
