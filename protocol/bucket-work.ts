/** Putting results into buckets. */
import type { Issue, Properties } from '../domain/types.ts';

/** Put the detection document into a bucket. Answer: one line, an UploadAnswer. */
export interface UploadWork {
  readonly path: string;
  readonly properties: Properties;
  /** Whether results may go to buckets on this host or in private networks. */
  readonly privateBuckets?: boolean;
  /** The job was cancelled: a bucket that stands still is not waited for. */
  readonly hurried?: true;
}

export interface UploadAnswer {
  readonly uri: string;
  readonly warnings: readonly Issue[];
}

/**
 * Copy the results of an earlier job into a bucket. Input: GET `input` answers NDJSON, a CopyHead, then a CopyMedium per medium.
 * Answer: the document of that job as it is from now on, which lies in the bucket, too. Errors: whatever could not be copied.
 */
export interface CopyWork {
  readonly input: string;
  /** URI of the document of the earlier job. */
  readonly document: string;
  /** What it calls files that were moved since it was written, and what these are called today. */
  readonly movedFiles?: readonly { readonly from: string; readonly to: string }[];
  /** Where `file:` results may lie, and where not. */
  readonly files: { readonly roots: readonly string[]; readonly excluded: readonly string[] };
  /** For files on their way. */
  readonly folder: string;
  readonly properties: Properties;
  /** Whether places that are copied from and to may be on this host or in private networks. */
  readonly privateBuckets: boolean;
  /** Hosts that may be asked for results in any case. */
  readonly allowedHosts: readonly string[];
  /** Files that are copied at a time. */
  readonly atOnce: number;
  readonly maxDocumentBytes: number;
  readonly maxFileBytes: number;
  /** Of the product. */
  readonly version: string;
}

export interface CopyHead {
  readonly jobId: string;
}

export interface CopyMedium {
  /** Under which the archive knows the medium. */
  readonly sha256: string;
  readonly path: string;
}
