import { z } from 'zod';
import { upcastBody } from '../runtime/durable.ts';
import { BATCH_JOB_STATUSES } from './status.ts';
import { planStage, stageIndex, untouched, withFound } from './planning.ts';
import type { JobRecord } from './record.ts';
import type { Delivery, JobState, MediumState, Stage, SubJobRow, Unit } from './state.ts';

export const JOB_SCHEMA = 2;

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
};

const stageSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('WAITING') }),
  z.object({ name: z.literal('PREPARE') }),
  z.object({ name: z.literal('CHECK') }),
  z.object({ name: z.literal('TASK'), index: z.int().nonnegative() }),
  z.object({ name: z.literal('DOCUMENT') }),
  z.object({ name: z.literal('ENDED') }),
]);

export const upcastJob = (schema: number, body: unknown): unknown =>
  upcastBody({ schema: JOB_SCHEMA, upcasters: JOB_UPCASTERS }, schema, body);

const deliverySchema = z
  .object({
    pending: z.int().nonnegative(),
    open: z.string().regex(/^[0-9a-f]+$/),
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
  priority: z.int().min(0).max(9),
  stage: stageSchema,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  objectId: z.string(),
  hasDocument: z.boolean(),
  cancelledBy: z.enum(['USER', 'SHUTDOWN']).nullable(),
  checkArchive: z.boolean(),
  pastOutput: z.string().nullable(),
  documentHash: z.string().nullable(),
  callback: deliverySchema,
  archive: deliverySchema,
  removed: z.boolean(),
  issues: z.array(
    z.object({
      severity: z.enum(['error', 'warning']),
      code: z.enum(['OTHER', 'ARCHIVE_BEFORE_JOB_CHECK']),
      message: z.string(),
    }),
  ),
  /** 0 to 100, from committed sub-jobs only. */
  progress: z.number().min(0).max(100),
});
export type JobSnapshot = z.infer<typeof jobSnapshotSchema>;

export function toSnapshot(record: JobRecord, state: JobState): JobSnapshot {
  const { media: _, units: __, cursor: ___, outstanding: ____, ...small } = state;
  return {
    ...small,
    issues: [...state.issues],
    callback: kept(state.callback),
    archive: kept(state.archive),
    progress: progressOf(record, state),
  };
}

const kept = (delivery: Delivery | null) =>
  delivery === null ? null : { ...delivery, failures: [...delivery.failures] };

/** (tasks done + pieces done of this task) / tasks, in percent; 100 only at the end. */
export function progressOf(record: JobRecord, { stage, units }: JobState): number {
  if (stage.name === 'ENDED') return 100;
  if (stage.name === 'WAITING' || stage.name === 'PREPARE' || stage.name === 'CHECK') return 0;
  if (stage.name === 'DOCUMENT') return 99;
  const total = units.reduce((sum, unit) => sum + unit.ranges.length, 0);
  const done = units.reduce((sum, unit) => sum + unit.done + unit.failed, 0);
  const part = total === 0 ? 1 : done / total;
  return Math.min(99, ((stage.index + part) / record.plan.tasks.length) * 100);
}

/** The whole state again from what is stored. */
export function restore(record: JobRecord, snapshot: JobSnapshot, rows: readonly SubJobRow[]): JobState {
  const { progress: _, ...small } = snapshot;
  const before = rows.filter((row) => rank(row.stage) < rank(snapshot.stage));
  const current = rows.filter((row) => rank(row.stage) === rank(snapshot.stage));
  const empty: JobState = {
    ...small,
    media: untouched(record),
    units: [],
    cursor: 0,
    outstanding: new Map(),
  };
  const earlier = { ...empty, media: foldMedia(empty.media, before) };
  const units = foldUnits(planStage(earlier, snapshot.stage, { record }), current);
  const cursor = units.findIndex((unit) => unit.made < unit.ranges.length);
  return {
    ...earlier,
    media: foldMedia(earlier.media, current),
    units,
    cursor: cursor === -1 ? units.length : cursor,
    outstanding: new Map(current.filter(({ state }) => state === 'QUEUED').map((row) => [row.key, row])),
  };
}

const rank = (stage: Stage): number => {
  switch (stage.name) {
    case 'WAITING':
      return -3;
    case 'PREPARE':
      return -2;
    case 'CHECK':
      return -1;
    case 'TASK':
      return stage.index;
    case 'DOCUMENT':
      return Infinity;
    case 'ENDED':
      return Infinity;
  }
};

function foldMedia(media: readonly MediumState[], rows: readonly SubJobRow[]): readonly MediumState[] {
  const folded = [...media];
  for (const row of [...rows].sort((a, b) => rank(a.stage) - rank(b.stage))) {
    const medium = folded[row.medium];
    if (medium === undefined || row.kind === 'DOCUMENT') continue;
    if (row.state === 'FAILED')
      folded[row.medium] = { ...medium, failedIn: medium.failedIn ?? stageIndex(row.stage) };
    else if (row.prepared !== undefined) folded[row.medium] = { ...medium, prepared: row.prepared };
    else if (row.summary !== undefined) folded[row.medium] = withFound(medium, row, row.summary);
  }
  return folded;
}

function foldUnits(units: readonly Unit[], rows: readonly SubJobRow[]): readonly Unit[] {
  const folded = [...units];
  for (const row of rows) {
    const unit = folded[row.unit];
    if (unit === undefined) continue;
    if (row.kind === 'FINISH')
      folded[row.unit] = { ...unit, finish: row.state === 'QUEUED' ? 'MADE' : 'DONE' };
    else
      folded[row.unit] = {
        ...unit,
        made: unit.made + 1,
        done: unit.done + (row.state === 'DONE' ? 1 : 0),
        failed: unit.failed + (row.state === 'FAILED' ? 1 : 0),
      };
  }
  return folded;
}
