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
 * What was asked for and how it will be done, frozen when the job is accepted: a later change of pipelines or of server
 * settings does not touch it, and a resubmitted run uses it again. A retry adds what it changes.
 */
export interface JobRecord {
  /** The number in the job's id; batch and streaming jobs draw from one sequence. */
  readonly number: number;
  /** `<host>-<number>`; the host part is frozen with the job. */
  readonly jobId: string;
  readonly siteId: string;
  readonly plan: PipelinePlan;
  readonly media: readonly RequestedMedium[];
  readonly priority: number;
  /** Whoever asked for it, by name. */
  readonly user: string;
  /** Absent: it was created before owners were kept, or by a token that says nothing about its user. */
  readonly owner?: Owner;
  readonly buildOutput: boolean;
  readonly externalId: string | null;
  /** Absent: none. */
  readonly labels?: readonly string[];
  /** Zones, lines and rules, for which the document tells what happened; absent: none. */
  readonly zones?: ZonePlan;
  /** Called when the job has ended; absent: nobody. */
  readonly callback?: {
    readonly url: string;
    readonly method: 'GET' | 'POST';
    /** It is signed with these; absent: with those that the server knows for its receiver. */
    readonly secrets?: readonly string[];
  };
  /** What was found out before the job about an earlier one like it (specification 2.1). */
  readonly archiveCheckStatus?: ArchiveCheckStatus;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  /** Server settings that supply defaults (by propertiesKey), as they were. */
  readonly serverProperties: Properties;
  /** TROUPE_PROP_<NAME> overrides, as they were. */
  readonly environmentProperties: Properties;
  /** What the request asked for without effect; absent: nothing. */
  readonly warnings?: readonly string[];
  /** The run is a retry; absent: it does everything. */
  readonly retry?: RetryRecord;
  /** Earlier runs, the oldest first; absent: there were none, or nobody wrote them down. */
  readonly runs?: readonly PastRun[];
}

/** The scope of a retry: failed sub-jobs, or all sub-jobs of media with a failed one. */
export const RETRIES = ['FAILED_SUB_JOBS', 'FAILED_MEDIA'] as const;
export type RetryScope = (typeof RETRIES)[number];

export interface RetryRecord {
  readonly what: RetryScope;
  /** Media of the job that the run works on, by their places in ascending order, and those that it derives itself. */
  readonly open: readonly number[];
  /** Media that the job had before, with those that were derived. */
  readonly known: number;
  /** By task: media that there were when it was planned. Media are cut as they were. */
  readonly mediaOfTask: readonly number[];
  /** Job properties that the retry has changed. */
  readonly jobProperties?: Properties;
  /** Those of the request, once a retry has changed some. */
  readonly requested?: Properties;
}

/** A run that has ended, and was followed by another one. */
export interface PastRun {
  readonly run: number;
  readonly what: RetryScope | 'ALL';
  readonly status: BatchJobStatus;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Media of the request that had failed by then; null: nobody has counted them. */
  readonly failedMedia: number | null;
  readonly jobProperties?: Properties;
}

export interface RequestedMedium {
  readonly mediaId: number;
  /** Of a long `data:` URI only what kind of data it has: see `wholeUri`. */
  readonly uri: string;
  /** Where the whole URI lies, by the key of the file; absent: `uri` is whole. */
  readonly uriAt?: TextPlace;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  /** Parts of a document that alone are processed; absent: all of it is. */
  readonly selectors?: readonly MediaSelector[];
  /** The action whose tracks fill the output document of the selectors. */
  readonly selectorsOutputAction?: string;
  /** Where the results of this medium are posted (ARCHIVE_URL in force); absent: nowhere. */
  readonly archiveUrl?: string;
  /** Why this medium could not be used already at creation; the others go on. */
  readonly problem?: Issue;
  /** Hex SHA-256 that it must have, because a retry keeps results of it and retrieves it again; absent: it may be any. */
  readonly sha256?: string;
}

/** Current values of what users may change of a job at any time. */
export const labelsOf = (record: Pick<JobRecord, 'labels'>, { labels }: Pick<JobState, 'labels'>) =>
  labels ?? record.labels ?? [];
export const externalIdOf = (
  record: Pick<JobRecord, 'externalId'>,
  { externalId }: Pick<JobState, 'externalId'>,
): string | null => (externalId === undefined ? record.externalId : externalId);

/** The run whose rows and folders a run uses: its own, or those of the run that a retry continues. */
export const baseRunOf = ({ run, baseRun = run }: Pick<JobState, 'run' | 'baseRun'>): number => baseRun;

/** The user whose slots the transfers of the job use. */
export const userOf = ({ owner }: Pick<JobRecord, 'owner'>): string => owner?.user ?? '';

/** Name of the folders of the job's run. */
export const foldersOf = (
  { jobId }: Pick<JobRecord, 'jobId'>,
  state: Pick<JobState, 'run' | 'baseRun'>,
): string => runFolder(jobId, baseRunOf(state));

const OPEN = new WeakMap<RetryRecord, ReadonlySet<number>>();

/** Whether the run works on a medium: a retry skips media whose results it keeps. */
export function isOpen({ retry }: Pick<JobRecord, 'retry'>, medium: number): boolean {
  if (retry === undefined || medium >= retry.known) return true;
  const open = OPEN.get(retry) ?? new Set(retry.open);
  OPEN.set(retry, open);
  return open.has(medium);
}

/** A medium of the job; one that was derived has the properties of the one that it was made of. */
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
