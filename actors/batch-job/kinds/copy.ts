import { join } from 'node:path';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { mediaFolder } from '../../../results/layout.ts';
import { objectKey, objectUri, resultsBucket } from '../../../domain/job/buckets.ts';
import type { DecisionContext } from '../state/context.ts';
import { jobWide } from '../plan/effective-properties.ts';
import { withError, withIssue } from '../state/issues.ts';
import type { PlannedCopy } from '../state/planned-work.ts';
import { foldersOf } from '../state/record.ts';
import type { JobState } from '../state/state.ts';
import { bucketLane } from './bucket-lane.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { newSubJob } from './sub-job.ts';

/** COPY: copies the results of an earlier job, which the archive has found, into the bucket of this job. */
export const COPY: Kind<ResultOf<'COPY'>> = {
  row(state, index, unit, context) {
    const { record } = context;
    const row = newSubJob(state, index, unit, context, { id: 'copy', path: 'z/c' });
    return {
      ...row,
      kind: 'COPY',
      queue: bucketLane(MEDIA_QUEUES.COPY, record),
      work: workOf(state, context),
    };
  },
  paths: (work, at) => ({ ...work, folder: at(work.folder) }),
  keepResult: (row) => row,
  unit: pieceOf,
  foldAnswer: (state, { sha256 }, context) => ({
    ...state,
    hasDocument: true,
    documentHash: sha256,
    outputUri: copiedUri(context, sha256),
  }),
  foldFailure: (state, failure) =>
    withIssue(withError(state, failure), {
      severity: 'error',
      code: 'ARCHIVE_BEFORE_JOB_CHECK',
      message: `A matching job was found in the archive, but copying results from the old job failed due to: ${failure.message}`,
    }),
};

function workOf(state: JobState, { record, settings }: DecisionContext): PlannedCopy {
  const { pastOutput, run } = state;
  return {
    input: '',
    document: pastOutput ?? '',
    folder: join(mediaFolder(foldersOf(record, state)), `${run}-copy`),
    properties: jobWide(record),
    privateBuckets: settings.privateBuckets,
    allowedHosts: settings.allowedHosts,
    atOnce: settings.copiesAtOnce,
    maxDocumentBytes: settings.maxArchivedBytes,
    version: settings.system.version,
  };
}

/** Returns the URI of the uploaded document. Its key contains its hash. */
function copiedUri({ record }: DecisionContext, sha256: string): string | null {
  const bucket = resultsBucket(jobWide(record));
  return bucket === null ? null : objectUri(bucket, objectKey(bucket.prefix, sha256));
}
