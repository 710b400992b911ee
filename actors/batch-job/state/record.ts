import type { List } from 'immutable';
import type { PipelinePlan } from '../../../domain/plan.ts';
import type { ArchiveCheckStatus } from '../../../domain/job/archive.ts';
import type { Owner } from '../../../domain/job/owner.ts';
import type { Issue, MediaSelector, Properties, Range } from '../../../domain/types.ts';
import type { TextPlace } from '../../../protocol/media-work.ts';
import { runFolder } from '../../../results/layout.ts';
import type { JobState, MediumState } from './state.ts';

/**
 * What was asked for and how it will be done, frozen when the job is accepted: a later change of pipelines or of server
 * settings does not touch it, and a resubmitted run uses it again.
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
  /** Called when the job has ended; absent: nobody. */
  readonly callback?: { readonly url: string; readonly method: 'GET' | 'POST' };
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
}

/** What users may change of a job at any time, as it is now. */
export const labelsOf = (record: Pick<JobRecord, 'labels'>, { labels }: Pick<JobState, 'labels'>) =>
  labels ?? record.labels ?? [];
export const externalIdOf = (
  record: Pick<JobRecord, 'externalId'>,
  { externalId }: Pick<JobState, 'externalId'>,
): string | null => (externalId === undefined ? record.externalId : externalId);

/** Name of the folders of the job's run. */
export const foldersOf = ({ jobId }: Pick<JobRecord, 'jobId'>, { run }: Pick<JobState, 'run'>): string =>
  runFolder(jobId, run);

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
