/** State of an operation: one action on many jobs. */
import { z } from 'zod';
import type { Owner, Sight } from '../../domain/users/owner.ts';
import type { Properties } from '../../domain/types.ts';
import type { RetryScope } from '../batch-job/state/record.ts';
import { BATCH_JOB_STATUSES } from '../batch-job/state/status.ts';
import type { Reply } from '../runtime/machine.ts';
import type { JobCursor, JobFilter } from '../views/jobs/job-filters.ts';

/** The actor kind of operations. Their ids are numbers. */
export const OPERATION = 'operation';
export const OPERATION_SCHEMA = 1;
/** Operations that have not ended, by number; all, by number; ended ones, by end time. */
export const LIVE_OPERATIONS = 'live-operations';
export const ALL_OPERATIONS = 'operations';
export const ENDED_OPERATIONS = 'ended-operations';

/** Maximum number of jobs of one operation. */
export const MAX_OPERATION_JOBS = 1_000_000;

/** The action on each job. */
export type Action =
  | { readonly type: 'resubmit'; readonly priority?: number }
  | { readonly type: 'retry'; readonly what: RetryScope; readonly jobProperties?: Properties }
  | { readonly type: 'cancel' | 'delete' | 'archiverepost' }
  | { readonly type: 'priority'; readonly priority: number }
  | { readonly type: 'label'; readonly add: readonly string[]; readonly remove: readonly string[] };

/** The user who started an operation. It has the rights of that user. */
export interface Initiator {
  readonly name: string;
  readonly owner?: Owner;
  readonly isAdmin: boolean;
  /** The jobs that this user sees. Absent: all. */
  readonly sight?: Sight;
}

export interface OperationRecord {
  readonly number: number;
  readonly action: Action;
  readonly startedBy: Initiator;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** True if the operation only counts what it would do. */
  readonly dryRun: boolean;
  /** Absent if the job ids were given. */
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
/** RECEIVING: the server still stores the job ids, and the client has no answer yet. */
export type OperationStatus = 'UNKNOWN' | 'RECEIVING' | (typeof OPERATION_STATUSES)[number];
export const isEnded = (status: OperationStatus): boolean =>
  status === 'COMPLETE' || status === 'CANCELLED' || status === 'ERROR';

/** Why jobs were refused, with the first few as examples. */
const refusalSchema = z.object({
  reason: z.string(),
  message: z.string(),
  count: z.int().positive(),
  examples: z.array(z.string()),
});
export type RefusalGroup = Readonly<z.infer<typeof refusalSchema>>;

/** A job that the runner is about to process, in its previous state. Run 0: the job did not exist. */
const pendingSchema = z.object({
  number: z.int(),
  run: z.int(),
  status: z.enum(BATCH_JOB_STATUSES),
});
export type PendingJob = Readonly<z.infer<typeof pendingSchema>>;

/** The job numbers are in `chunks` rows. */
export const operationSchema = z.object({
  status: z.enum(['UNKNOWN', 'RECEIVING', ...OPERATION_STATUSES]),
  /** Start of the next page of the filter. Null: at the newest job. */
  cursor: z.object({ score: z.number().optional(), number: z.number() }).nullable(),
  chunks: z.int(),
  matched: z.int(),
  /** The next job to be prepared: its row, and its position in the row. */
  next: z.object({ chunk: z.int(), place: z.int() }),
  pending: z.array(pendingSchema),
  done: z.int(),
  refused: z.int(),
  refusals: z.array(refusalSchema),
  /** Why the operation waits, or why it ended with ERROR. */
  message: z.string().nullable(),
  endedAt: z.number().nullable(),
});
export type OperationState = Readonly<z.infer<typeof operationSchema>>;

/** The outcome for one job. */
export interface JobOutcome {
  readonly number: number;
  /** Absent if the action was done. */
  readonly refusal?: Refusal;
}
export interface Refusal {
  readonly reason: string;
  readonly message: string;
  /** The job id as users know it. */
  readonly jobId: string;
}

export type OperationCommand =
  /** From the service. `ids`: the job numbers follow. */
  | { readonly type: 'start'; readonly record: OperationRecord; readonly ids: boolean }
  /** From the service and the runner: more job numbers. `at`: how many the operation had before. */
  | {
      readonly type: 'add';
      readonly at: number;
      readonly jobs: readonly number[];
      /** Null: these were the last ones. */
      readonly cursor: JobCursor | null;
    }
  /** From the runner: these jobs come next. `at`: how many were processed before. */
  | {
      readonly type: 'prepare';
      readonly at: number;
      readonly jobs: readonly PendingJob[];
      readonly next: OperationState['next'];
    }
  /** From the runner: outcomes of some jobs. `message`: the reason why the others wait. */
  | { readonly type: 'report'; readonly outcomes: readonly JobOutcome[]; readonly message: string | null }
  /** From the runner: the operation cannot run. */
  | { readonly type: 'fail'; readonly message: string }
  /** From the REST interface. */
  | { readonly type: 'cancel' }
  /** From the server, at start and regularly: continue. */
  | { readonly type: 'resume' }
  /** From cleaning: the operation ended long ago, or its job ids never arrived. */
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
  /** OUTDATED: another server was faster. */
  readonly refusal: 'NO_SUCH_OPERATION' | 'OUTDATED';
  readonly context: { readonly at: number };
  readonly status: OperationStatus;
}
export type OperationReply = Reply<OperationTypes>;

/** The key of a row of job numbers. */
export const chunkKey = (chunk: number) => `jobs/${String(chunk).padStart(8, '0')}`;
export const handledOf = ({ done, refused }: Pick<OperationState, 'done' | 'refused'>) => done + refused;
