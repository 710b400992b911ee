/** Work that uploads results to buckets. */
import type { Issue, Properties } from '../domain/types.ts';

/** Upload the detection document to a bucket. Answer: one line, an UploadAnswer. */
export interface UploadWork {
  readonly path: string;
  readonly properties: Properties;
  /** True if results may be uploaded to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** The job was cancelled: do not wait for a bucket that does not respond. */
  readonly hurried?: true;
}

export interface UploadAnswer {
  readonly uri: string;
  readonly warnings: readonly Issue[];
}

/**
 * Copy the results of an earlier job into a bucket. Input: GET `input` answers NDJSON, a CopyHead, then a CopyMedium per medium. Answer:
 * the updated document of that job, which is also in the bucket. Errors: everything that could not be copied.
 */
export interface CopyWork {
  readonly input: string;
  /** URI of the document of the earlier job. */
  readonly document: string;
  /** Old and current names of files that were moved since the document was written. */
  readonly movedFiles?: readonly { readonly from: string; readonly to: string }[];
  /** Folders in which `file:` results are allowed, and folders in which they are not. */
  readonly files: { readonly roots: readonly string[]; readonly excluded: readonly string[] };
  /** Folder for files during the transfer. */
  readonly folder: string;
  readonly properties: Properties;
  /** True if sources and targets may be on this host or in private networks. */
  readonly privateBuckets: boolean;
  /** Hosts from which results may always be read. */
  readonly allowedHosts: readonly string[];
  /** Number of files that are copied at the same time. */
  readonly atOnce: number;
  readonly maxDocumentBytes: number;
  readonly maxFileBytes: number;
  /** Version of the product. */
  readonly version: string;
}

export interface CopyHead {
  readonly jobId: string;
}

export interface CopyMedium {
  /** Hash of the medium in the archive. */
  readonly sha256: string;
  readonly path: string;
}
