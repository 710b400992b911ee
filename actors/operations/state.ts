/** What an operation is: one action on many jobs. */
import { z } from 'zod';
import type { Owner, Sight } from '../../domain/users/owner.ts';
import type { Properties } from '../../domain/types.ts';
import type { RetryScope } from '../batch-job/state/record.ts';
import { BATCH_JOB_STATUSES } from '../batch-job/state/status.ts';
import type { Reply } from '../runtime/machine.ts';
import type { JobCursor, JobFilter } from '../views/jobs/job-filters.ts';

/** The kind of actor that operations are; their ids are numbers. */
export const OPERATION = 'operation';
export const OPERATION_SCHEMA = 1;
/** Operations that have not ended, by number; all, by number; those that have ended, by the time of their end. */
export const LIVE_OPERATIONS = 'live-operations';
export const ALL_OPERATIONS = 'operations';
export const ENDED_OPERATIONS = 'ended-operations';

/** Jobs of one operation. */
export const MAX_OPERATION_JOBS = 1_000_000;

/** What is done to each job. */
export type Action =
  | { readonly type: 'resubmit'; readonly priority?: number }
  | { readonly type: 'retry'; readonly what: RetryScope; readonly jobProperties?: Properties }
  | { readonly type: 'cancel' | 'delete' | 'archiverepost' }
  | { readonly type: 'priority'; readonly priority: number }
  | { readonly type: 'label'; readonly add: readonly string[]; readonly remove: readonly string[] };

/** Who started an operation: it may do what that user may do. */
export interface Initiator {
  readonly name: string;
  readonly owner?: Owner;
  readonly isAdmin: boolean;
  /** Whose jobs this user sees; absent: all. */
  readonly sight?: Sight;
}

export interface OperationRecord {
  readonly number: number;
  readonly action: Action;
  readonly startedBy: Initiator;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Nothing is changed: what would be done is counted. */
  readonly dryRun: boolean;
  /** Absent: the ids of the jobs were given. */
  readonly filter?: JobFilter;
}

export const OPERATION_STATUSES = [
  'MATCHING',
  'RUNNING',
  'CANCELLING',
  'COMPLETE',
  'CANCELLED',
  'ERROR',
] as const;
/** RECEIVING: the ids of its jobs are still being stored, and the client has no answer yet. */
export type OperationStatus = 'UNKNOWN' | 'RECEIVING' | (typeof OPERATION_STATUSES)[number];
export const isEnded = (status: OperationStatus): boolean =>
  status === 'COMPLETE' || status === 'CANCELLED' || status === 'ERROR';

/** Why jobs were refused; the first few of them stand for all. */
const refusalSchema = z.object({
  reason: z.string(),
  message: z.string(),
  count: z.int().positive(),
  examples: z.array(z.string()),
});
export type RefusalGroup = Readonly<z.infer<typeof refusalSchema>>;

/** A job that the runner is about to act on, as it stood before; run 0: there was none. */
const pendingSchema = z.object({
  number: z.int(),
  run: z.int(),
  status: z.enum(BATCH_JOB_STATUSES),
});
export type PendingJob = Readonly<z.infer<typeof pendingSchema>>;

/** The numbers of jobs are in rows, `chunks` of them. */
export const operationSchema = z.object({
  status: z.enum(['UNKNOWN', 'RECEIVING', ...OPERATION_STATUSES]),
  /** Where the next page of the filter begins; null: at the newest job. */
  cursor: z.object({ score: z.number().optional(), number: z.number() }).nullable(),
  chunks: z.int(),
  matched: z.int(),
  /** The next job to be prepared: the row, and the place in it. */
  next: z.object({ chunk: z.int(), place: z.int() }),
  pending: z.array(pendingSchema),
  done: z.int(),
  refused: z.int(),
  refusals: z.array(refusalSchema),
  /** Why it waits, or why it ended with ERROR. */
  message: z.string().nullable(),
  endedAt: z.number().nullable(),
});
export type OperationState = Readonly<z.infer<typeof operationSchema>>;

/** What became of one job. */
export interface JobOutcome {
  readonly number: number;
  /** Absent: it was done. */
  readonly refusal?: Refusal;
}
export interface Refusal {
  readonly reason: string;
  readonly message: string;
  /** The id of the job as users know it. */
  readonly jobId: string;
}

export type OperationCommand =
  /** From the service. `ids`: the numbers of its jobs follow. */
  | { readonly type: 'start'; readonly record: OperationRecord; readonly ids: boolean }
  /** From the service and the runner: more of its jobs. `at`: how many it had before. */
  | {
      readonly type: 'add';
      readonly at: number;
      readonly jobs: readonly number[];
      /** null: these were the last. */
      readonly cursor: JobCursor | null;
    }
  /** From the runner: these come next. `at`: how many were handled before. */
  | {
      readonly type: 'prepare';
      readonly at: number;
      readonly jobs: readonly PendingJob[];
      readonly next: OperationState['next'];
    }
  /** From the runner: what became of some of them. `message`: what the others wait for. */
  | { readonly type: 'report'; readonly outcomes: readonly JobOutcome[]; readonly message: string | null }
  /** From the runner: it cannot be carried out. */
  | { readonly type: 'fail'; readonly message: string }
  /** From the REST interface. */
  | { readonly type: 'cancel' }
  /** From the server at start, and now and then: continue. */
  | { readonly type: 'resume' }
  /** From cleaning: it ended long ago, or its ids never came. */
  | { readonly type: 'remove' };

export type OperationEffect =
  | { readonly type: 'drive' }
  | { readonly type: 'stop' }
  | { readonly type: 'ended' };

export interface OperationTypes {
  readonly state: OperationState;
  readonly command: OperationCommand;
  readonly effect: OperationEffect;
  readonly reply: never;
  /** NO_SUCH_OPERATION; OUTDATED: another server was faster. */
  readonly refusal: 'NO_SUCH_OPERATION' | 'OUTDATED';
  readonly context: { readonly at: number };
  readonly status: OperationStatus;
}
export type OperationReply = Reply<OperationTypes>;

/** The key of a row of numbers. */
export const chunkKey = (chunk: number) => `jobs/${String(chunk).padStart(8, '0')}`;
export const handledOf = ({ done, refused }: Pick<OperationState, 'done' | 'refused'>) => done + refused;
