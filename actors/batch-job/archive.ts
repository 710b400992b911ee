import { List } from 'immutable';
import { addsToken, type ArchiveJob } from '../../pipeline/archive.ts';
import { booleanOf, textOf } from '../../pipeline/properties.ts';
import { jobWide } from './in-force.ts';
import type { JobRecord } from './record.ts';
import type { JobIssue, MediumState } from './state.ts';

/** A job as the rules of the archive look at it: what was asked for, and what inspection has found out so far. */
export function archiveJob(
  record: Omit<JobRecord, 'number' | 'jobId'>,
  media: List<Pick<MediumState, 'prepared'>> = List(),
): ArchiveJob {
  return {
    ...record,
    media: record.media.map((medium, i) => ({ ...medium, facts: media.get(i)?.prepared?.facts ?? null })),
  };
}

/** Whether a token of the service goes with the callback: when any action on any of the media asks for it. */
export const callbackWantsToken = (record: JobRecord): boolean =>
  addsToken(archiveJob(record), 'CALLBACK_ADD_TOKEN');

/** The archives that get a token of the service: those to which one of their own media asks for it. */
export function archivesWithToken(record: JobRecord): ReadonlySet<string> {
  const job = archiveJob(record);
  const urls = new Set(record.media.flatMap(({ archiveUrl }) => archiveUrl ?? []));
  return new Set(
    [...urls].filter((url) =>
      addsToken(
        job,
        'ARCHIVE_ADD_TOKEN',
        job.media.filter((_, i) => record.media[i]?.archiveUrl === url),
      ),
    ),
  );
}

/** Whether a bucket is named for the document; whether it can be used comes out when it is. */
export const wantsUpload = (record: Omit<JobRecord, 'number' | 'jobId'>): boolean =>
  textOf(jobWide(record), 'S3_RESULTS_BUCKET', '').trim() !== '';

/** Whether the results of an earlier job that stands for this one are copied into this one's bucket. */
export const copiesResults = (record: Omit<JobRecord, 'number' | 'jobId'>): boolean =>
  wantsUpload(record) && booleanOf(jobWide(record), 'ARCHIVE_S3_COPY_ENABLED', true);

/** Why the results of an earlier job could not be copied: there is no other error of this code. */
export const copyFailure = (issues: readonly JobIssue[]): string | undefined =>
  issues.find(({ code, severity }) => code === 'ARCHIVE_BEFORE_JOB_CHECK' && severity === 'error')?.message;
