import type { ArchiveCheckStatus } from '../../domain/job/archive.ts';

/** Answer to the client for an accepted job. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly jobId: string;
  readonly archiveCheckStatus: ArchiveCheckStatus;
  /** URI of the earlier job's document that this job reuses. */
  readonly outputObjectUri?: string;
  /** Parts of the request that have no effect or could not be done, one per line. The job still runs. */
  readonly warning?: string;
}

export interface Overloaded {
  readonly kind: 'overloaded';
  readonly message: string;
}

/** Reason of a refusal, for programs. */
export type RefusalReason = 'NO_SUCH_PIPELINE' | 'NO_MODEL' | 'MEDIA_UNUSABLE' | 'MEDIA_OUTSIDE_ROOTS';

export interface Refused {
  readonly kind: 'refused';
  readonly reason?: RefusalReason | undefined;
  readonly message: string;
}

/** Outcome of a job request. */
export type Submission =
  | Accepted
  /** The Idempotency-Key was used for another request. */
  | { readonly kind: 'keyReused' }
  | Refused
  /** Nothing was stored. The client should try again later. */
  | Overloaded;
