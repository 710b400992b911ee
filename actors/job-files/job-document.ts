/** Where the detection document of a job lies. */
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
  /** What it is in a bucket, when the job knows keys for that; null: asked for without any. */
  readonly object: BucketObject | null;
}

/** Path of a job's detection document, or of the earlier one of ours that stands for it; undefined: there is none. */
export function documentFile(dataDir: string, job: StoredJob): string | undefined {
  const own = ownFile(dataDir, job);
  const past = pastDocument(job);
  if (own !== undefined || past === null) return own;
  return ownDocument(dataDir, past);
}

/** Always a path where the document lies on this server, also when a bucket has it, too; else where an archive says it is. */
export const shownDocument = (dataDir: string, job: StoredJob): string | null =>
  documentFile(dataDir, job) ?? pastDocument(job);

/** Where the document lies that stands for a job which an archive knew from another service; undefined otherwise. */
export function archivedDocument(job: StoredJob): ArchivedDocument | undefined {
  const uri = pastDocument(job);
  if (uri === null || !/^https?:/i.test(uri)) return undefined;
  return { uri, object: archivedObject(uri, jobWide(job.record)) };
}

/** Undefined: the job has left no document, or not yet. */
function ownFile(dataDir: string, { record, snapshot }: StoredJob): string | undefined {
  if (!snapshot.hasDocument || !isTerminal(snapshot.status)) return undefined;
  return pathOf(dataDir, detectionFile(foldersOf(record, snapshot)));
}

/** Where the document of the earlier job lies that stands for one that has ended. */
const pastDocument = ({ snapshot: { pastOutput, status } }: StoredJob) =>
  isTerminal(status) ? pastOutput : null;
