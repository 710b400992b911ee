import { z } from 'zod';
import { upcastBody } from '../../runtime/upcasting.ts';
import { BATCH_JOB_STATUSES } from './status.ts';
import type { JobRecord } from './record.ts';
import type { Delivery, JobState, Stage } from './state.ts';

export const JOB_SCHEMA = 7;

/** `n` turns a snapshot of schema n into one of n + 1. */
export const JOB_UPCASTERS: Readonly<Record<number, (body: unknown) => unknown>> = {
  // Callbacks, the archive and removal came with schema 2.
  1: (body) => ({
    ...(body as object),
    checkArchive: false,
    pastOutput: null,
    documentHash: null,
    callback: null,
    archive: null,
    removed: false,
  }),
  // Buckets and the times of actions came with schema 3.
  2: (body) => ({ ...(body as object), outputUri: null, timing: [] }),
  // The run came into the names of all folders with schema 4.
  3: (body) => ({ ...(body as { run: number }), unnumbered: (body as { run: number }).run }),
  // Rows name files relative to DATA_DIR since schema 5, which earlier versions cannot read; the absolute paths of before are read as well.
  4: (body) => body,
  // Since schema 6 the first task may begin before all media are inspected, and what found nothing is finished without a file.
  5: (body) => body,
  // Since schema 7 long data: URIs lie in files, and records and rows say where; the whole ones of before are read as well.
  6: (body) => body,
};

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

export const upcastJob = (schema: number, body: unknown): unknown =>
  upcastBody({ schema: JOB_SCHEMA, upcasters: JOB_UPCASTERS }, schema, body);

const deliverySchema = z
  .object({
    pending: z.int().nonnegative(),
    open: z.string().regex(/^[0-9a-f]+$/),
    slow: z
      .string()
      .regex(/^[0-9a-f]+$/)
      .default('0'),
    failures: z.array(z.string()),
    attempts: z.int().nonnegative(),
    lastError: z.string().nullable(),
    nextAttempt: z.number().nullable(),
  })
  .nullable();

/** The small part of a job's state, replaced at every commit; media, units and outstanding work come back from the rows. */
export const jobSnapshotSchema = z.object({
  status: z.enum(BATCH_JOB_STATUSES),
  run: z.int().positive(),
  outdated: z.int().positive().nullable().default(null),
  unnumbered: z.int().positive().nullable(),
  priority: z.int().min(0).max(9),
  stage: stageSchema,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  endedBy: z.string().nullable().default(null),
  objectId: z.string(),
  hasDocument: z.boolean(),
  unindexed: z.boolean().default(false),
  cancelledBy: z.enum(['USER', 'SHUTDOWN']).nullable(),
  checkArchive: z.boolean(),
  pastOutput: z.string().nullable(),
  pastStatus: z.string().nullable().default(null),
  documentHash: z.string().nullable(),
  outputUri: z.string().nullable(),
  timing: z.array(z.number()),
  versions: z.array(z.array(z.string())).default([]),
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
  firstError: z.string().nullable().default(null),
  failedMedia: z.int().nonnegative().nullable().default(null),
  /** 0 to 100, from committed sub-jobs only. */
  progress: z.number().min(0).max(100),
});
export type JobSnapshot = z.infer<typeof jobSnapshotSchema>;

export function toSnapshot(record: JobRecord, state: JobState): JobSnapshot {
  const {
    media: _,
    units: __,
    weight: ___,
    cursor: ____,
    inspecting: _____,
    outstanding: ______,
    ...small
  } = state;
  return {
    ...small,
    issues: [...state.issues],
    timing: [...state.timing],
    versions: state.versions.map((of) => [...of]),
    callback: kept(state.callback),
    archive: kept(state.archive),
    progress: progressOf(record, state),
  };
}

const kept = (delivery: Delivery | null) =>
  delivery === null ? null : { ...delivery, failures: [...delivery.failures] };

/** (tasks done + part done of this task) / tasks, in percent; 100 only at the end. How much there is to do is known once all media are inspected. */
export function progressOf(record: JobRecord, { stage, weight, inspecting }: JobState): number {
  if (stage.name === 'ENDED') return 100;
  if (BEFORE_WORK.has(stage.name) || inspecting !== null) return 0;
  if (stage.name !== 'TASK' && stage.name !== 'DERIVED') return 99;
  const part = weight.total === 0 || stage.name === 'DERIVED' ? 1 : weight.done / weight.total;
  return Math.min(99, ((stage.index + part) / record.plan.tasks.length) * 100);
}

const BEFORE_WORK: ReadonlySet<Stage['name']> = new Set(['WAITING', 'PREPARE', 'CHECK', 'COPY']);
