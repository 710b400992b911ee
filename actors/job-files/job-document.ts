/** The path of the detection document of a job. */
import { archivedObject } from '../../domain/job/buckets.ts';
import type { BucketObject } from '../../domain/types.ts';
import { pathOf } from '../../results/file-keys.ts';
import { detectionFile, ownDocument } from '../../results/layout.ts';
import { jobWide } from '../batch-job/plan/effective-properties.ts';
import { foldersOf } from '../batch-job/state/record.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';

/** The detection document of another service's job. */
export interface ArchivedDocument {
  readonly uri: string;
  /** Its key in a bucket, if the job has credentials for that bucket. Null: the document is fetched without credentials. */
  readonly object: BucketObject | null;
}

/**
 * Path of a job's detection document, or of the earlier document of this service that the job reuses. Returns undefined if there is none.
 */
export function documentFile(dataDir: string, job: StoredJob): string | undefined {
  const own = ownFile(dataDir, job);
  const past = pastDocument(job);
  if (own !== undefined || past === null) return own;
  return ownDocument(dataDir, past);
}

/** The path of the document on this server, even if a copy is in a bucket. Otherwise the address that an archive returned. */
export const shownDocument = (dataDir: string, job: StoredJob): string | null =>
  documentFile(dataDir, job) ?? pastDocument(job);

/** The address of a document of another service that the archive returned for this job. Otherwise undefined. */
export function archivedDocument(job: StoredJob): ArchivedDocument | undefined {
  const uri = pastDocument(job);
  if (uri === null || !/^https?:/i.test(uri)) return undefined;
  return { uri, object: archivedObject(uri, jobWide(job.record)) };
}

/** Returns undefined if the job has no document, or none yet. */
function ownFile(dataDir: string, { record, snapshot }: StoredJob): string | undefined {
  if (!snapshot.hasDocument || !isTerminal(snapshot.status)) return undefined;
  return pathOf(dataDir, detectionFile(foldersOf(record, snapshot)));
}

/** Path or address of the earlier job's document that an ended job reuses. */
const pastDocument = ({ snapshot: { pastOutput, status } }: StoredJob) =>
  isTerminal(status) ? pastOutput : null;
