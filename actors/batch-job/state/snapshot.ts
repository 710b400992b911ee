import { z } from 'zod';
import { omit } from '../../../domain/omit.ts';
import { failureCause } from '../failures/causes.ts';
import { BATCH_JOB_STATUSES } from './status.ts';
import type { JobRecord } from './record.ts';
import type { Delivery, JobState, Stage } from './state.ts';

/** The newest schema, and the schema that older servers without retries can read. */
export const JOB_SCHEMA = 2;
const WITHOUT_RETRY = 1;

export const schemaOf = ({ baseRun }: Pick<JobState, 'baseRun'>): number =>
  baseRun === undefined ? WITHOUT_RETRY : JOB_SCHEMA;

const stageSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('WAITING') }),
  z.object({ name: z.literal('PREPARE') }),
  z.object({ name: z.literal('CHECK') }),
  z.object({ name: z.literal('COPY') }),
  z.object({ name: z.literal('TASK'), index: z.int().nonnegative() }),
  z.object({ name: z.literal('DERIVED'), index: z.int().nonnegative() }),
  z.object({ name: z.literal('DOCUMENT') }),
  z.object({ name: z.literal('UPLOAD') }),
  z.object({ name: z.literal('ENDED') }),
]);

const attemptSchema = z.object({
  at: z.number(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});

const deliverySchema = z
  .object({
    pending: z.int().nonnegative(),
    open: z.string().regex(/^[0-9a-f]+$/),
    slow: z.string().regex(/^[0-9a-f]+$/),
    failures: z.array(z.string()),
    attempts: z.int().nonnegative(),
    lastError: z.string().nullable(),
    nextAttempt: z.number().nullable(),
    // Jobs that were stored by an earlier version have none.
    tried: z.array(attemptSchema).default([]),
  })
  .nullable();

const traceSchema = z.object({ traceparent: z.string(), parentId: z.string().nullable().optional() });

/** The small part of a job's state, replaced at every commit. Media, units and outstanding work are restored from the rows. */
export const jobSnapshotSchema = z.object({
  status: z.enum(BATCH_JOB_STATUSES),
  run: z.int().positive(),
  baseRun: z.int().positive().optional(),
  retryable: z.boolean().optional(),
  outdated: z.int().positive().nullable(),
  priority: z.int().min(0).max(9),
  labels: z.array(z.string()).optional(),
  externalId: z.string().nullable().optional(),
  editedAt: z.number().optional(),
  waitingTurn: z.number().optional(),
  stage: stageSchema,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  endedBy: z.string().nullable(),
  trace: traceSchema.nullable().default(null),
  objectId: z.string(),
  hasDocument: z.boolean(),
  unindexed: z.boolean(),
  cancelledBy: z.enum(['USER', 'SHUTDOWN']).nullable(),
  checkArchive: z.boolean(),
  pastOutput: z.string().nullable(),
  pastStatus: z.string().nullable(),
  documentHash: z.string().nullable(),
  outputUri: z.string().nullable(),
  timing: z.array(z.number()),
  earlierTiming: z.array(z.number()).readonly().optional(),
  cpu: z
    .array(z.tuple([z.number(), z.number()]).readonly())
    .readonly()
    .optional(),
  versions: z.array(z.array(z.string())),
  callback: deliverySchema,
  archive: deliverySchema,
  removed: z.boolean(),
  issues: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      code: z.enum(['OTHER', 'ARCHIVE_BEFORE_JOB_CHECK', 'REMOTE_STORAGE_UPLOAD']),
      message: z.string(),
    }),
  ),
  firstError: z.string().nullable(),
  causes: z.array(failureCause).readonly().optional(),
  failedMedia: z.int().nonnegative().nullable(),
  /** Percentage, from committed sub-jobs only. */
  progress: z.number().min(0).max(100),
});
export type JobSnapshot = z.infer<typeof jobSnapshotSchema>;

export function toSnapshot(record: JobRecord, state: JobState): JobSnapshot {
  const { labels, ...small } = omit(
    state,
    ...(['media', 'units', 'weight', 'cursor', 'inspecting', 'outstanding', 'laterRows'] as const),
  );
  return {
    ...small,
    ...(labels === undefined ? {} : { labels: [...labels] }),
    issues: [...state.issues],
    timing: [...state.timing],
    versions: state.versions.map((of) => [...of]),
    callback: toStored(state.callback),
    archive: toStored(state.archive),
    progress: progressOf(record, state),
  };
}

const toStored = (delivery: Delivery | null) =>
  delivery === null ? null : { ...delivery, failures: [...delivery.failures], tried: [...delivery.tried] };

/** Returns (tasks done + part done of this task) / tasks in percent, and 100 only at the end. Returns 0 until all media are inspected. */
export function progressOf(record: JobRecord, { stage, weight, inspecting }: JobState): number {
  if (stage.name === 'ENDED') return 100;
  if (BEFORE_WORK.has(stage.name) || inspecting !== null) return 0;
  if (stage.name !== 'TASK' && stage.name !== 'DERIVED') return 99;
  const part = weight.total === 0 || stage.name === 'DERIVED' ? 1 : weight.done / weight.total;
  return Math.min(99, ((stage.index + part) / record.plan.tasks.length) * 100);
}

const BEFORE_WORK: ReadonlySet<Stage['name']> = new Set(['WAITING', 'PREPARE', 'CHECK', 'COPY']);
