import type { ArchiveCheckStatus } from '../../domain/job/archive.ts';

/** What a client receives for an accepted job. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly jobId: string;
  readonly archiveCheckStatus: ArchiveCheckStatus;
  /** URI of the earlier job's document that stands for this job's. */
  readonly outputObjectUri?: string;
  /** The job runs, but something of what was asked for has no effect or could not be done; a line each. */
  readonly warning?: string;
}

export interface Overloaded {
  readonly kind: 'overloaded';
  readonly message: string;
}

/** Why a request for a job is refused, as far as a program can react to it. */
export type RefusalReason = 'NO_SUCH_PIPELINE' | 'NO_MODEL' | 'MEDIA_UNUSABLE' | 'MEDIA_OUTSIDE_ROOTS';

export interface Refused {
  readonly kind: 'refused';
  readonly reason?: RefusalReason | undefined;
  readonly message: string;
}

/** What comes of the wish for a job. */
export type Submission =
  | Accepted
  /** The Idempotency-Key was used for another request. */
  | { readonly kind: 'keyReused' }
  | Refused
  /** Nothing was stored; try again later. */
  | Overloaded;
