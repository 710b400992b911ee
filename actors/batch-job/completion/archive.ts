import { addsToken, configHashInSteps, type ArchiveJob } from '../../../domain/job/archive.ts';
import { groupBy } from '../../../domain/grouping.ts';
import { booleanOf, textOf } from '../../../domain/properties/properties.ts';
import { List } from '../../basics/immutable.ts';
import { atOnce, type Steps } from '../../runtime/steps.ts';
import { jobWide } from '../plan/effective-properties.ts';
import type { JobRecord } from '../state/record.ts';
import type { JobIssue, JobState, MediumState } from '../state/state.ts';

/** Returns a job as the archive rules see it: its request and the facts of the media that are inspected so far. */
export function archiveJob(
  record: Omit<JobRecord, 'number' | 'jobId'>,
  media: List<Pick<MediumState, 'prepared'>> = List(),
): ArchiveJob {
  return {
    ...record,
    media: record.media.map((medium, i) => ({ ...medium, facts: media.get(i)?.prepared?.facts ?? null })),
  };
}

/** True if the callback carries a token of the service, because any action on any medium asks for it. */
export const callbackWantsToken = (record: JobRecord): boolean =>
  addsToken(record, 'CALLBACK_ADD_TOKEN')(archiveJob(record).media);

/** Returns the archives that get a token of the service, because one of their media asks for it. */
export function archivesWithToken(record: JobRecord): ReadonlySet<string> {
  const { media } = archiveJob(record);
  const withToken = addsToken(record, 'ARCHIVE_ADD_TOKEN');
  const byUrl = groupBy(media.entries(), ([i]) => record.media[i]?.archiveUrl);
  return new Set(
    [...byUrl].flatMap(([url, own]) =>
      url !== undefined && withToken(own.map(([, medium]) => medium)) ? url : [],
    ),
  );
}

/** Number of media from which the server computes the hash of a job's configuration in advance. */
const MANY_MEDIA = 100;
/** The last computed hash of each job, with its run. The hash does not change after inspection. */
const HASHES = new WeakMap<JobRecord, { readonly run: number; readonly hash: string }>();

type Inspected = Pick<JobState, 'run' | 'media'>;

/** Returns the hash of the configuration of a job whose media are inspected. */
export const configHashOf = (record: JobRecord, state: Inspected): string => atOnce(knownHash(record, state));

/**
 * Computes this hash in steps before a large job ends. Returns undefined if the hash is known, the job is small, or no archive needs it.
 */
export function configHashAhead(record: JobRecord, state: JobState): Steps<void> | undefined {
  const { stage, run, inspecting } = state;
  const isInspected =
    (stage.name === 'TASK' && inspecting === null) || stage.name === 'DOCUMENT' || stage.name === 'UPLOAD';
  if (!isInspected || record.media.length < MANY_MEDIA || HASHES.get(record)?.run === run) return undefined;
  if (record.media.every(({ archiveUrl }) => archiveUrl === undefined)) return undefined;
  return withoutAnswer(knownHash(record, state));
}

function* knownHash(record: JobRecord, { run, media }: Inspected): Steps<string> {
  const known = HASHES.get(record);
  if (known?.run === run) return known.hash;
  const hash = yield* configHashInSteps(archiveJob(record, media));
  HASHES.set(record, { run, hash });
  return hash;
}

function* withoutAnswer(steps: Steps<unknown>): Steps<void> {
  yield* steps;
}

/** True if the job names a bucket for the document. Only the upload shows whether the bucket can be used. */
export const wantsUpload = (record: Omit<JobRecord, 'number' | 'jobId'>): boolean =>
  textOf(jobWide(record), 'S3_RESULTS_BUCKET', '').trim() !== '';

/** True if the results of a matching earlier job are copied into the bucket of this job. */
export const copiesResults = (record: Omit<JobRecord, 'number' | 'jobId'>): boolean =>
  wantsUpload(record) && booleanOf(jobWide(record), 'ARCHIVE_S3_COPY_ENABLED', true);

/** Returns the reason why the results of an earlier job were not copied. No other error has this code. */
export const copyFailure = (issues: readonly JobIssue[]): string | undefined =>
  issues.find(({ code, severity }) => code === 'ARCHIVE_BEFORE_JOB_CHECK' && severity === 'error')?.message;
