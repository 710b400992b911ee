import { z } from 'zod';
import { BATCH_JOB_STATUSES } from './status.ts';
import { foundRanges, planStage, untouched } from './planning.ts';
import type { JobRecord } from './record.ts';
import type { JobState, MediumState, Stage, SubJobRow, Unit } from './state.ts';

export const JOB_SCHEMA = 1;

const stageSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('WAITING') }),
  z.object({ name: z.literal('PREPARE') }),
  z.object({ name: z.literal('TASK'), index: z.int().nonnegative() }),
  z.object({ name: z.literal('DOCUMENT') }),
  z.object({ name: z.literal('ENDED') }),
]);

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
  issues: z.array(
    z.object({ severity: z.enum(['error', 'warning']), code: z.literal('OTHER'), message: z.string() }),
  ),
  /** 0 to 100, from committed sub-jobs only. */
  progress: z.number().min(0).max(100),
});
export type JobSnapshot = z.infer<typeof jobSnapshotSchema>;

export function toSnapshot(record: JobRecord, state: JobState): JobSnapshot {
  const { status, run, priority, stage, startedAt, endedAt, objectId, hasDocument, cancelledBy } = state;
  const issues = state.issues.map(({ severity, message }) => ({ severity, code: 'OTHER' as const, message }));
  const progress = progressOf(record, state);
  return {
    status,
    run,
    priority,
    stage,
    startedAt,
    endedAt,
    objectId,
    hasDocument,
    cancelledBy,
    issues,
    progress,
  };
}

/** (tasks done + pieces done of this task) / tasks, in percent; 100 only at the end. */
export function progressOf(record: JobRecord, { stage, units }: JobState): number {
  if (stage.name === 'ENDED') return 100;
  if (stage.name === 'WAITING' || stage.name === 'PREPARE') return 0;
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
      return -2;
    case 'PREPARE':
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
      folded[row.medium] = { ...medium, failedIn: medium.failedIn ?? Math.max(-1, rank(row.stage)) };
    else if (row.prepared !== undefined) folded[row.medium] = { ...medium, prepared: row.prepared };
    else if (row.summary !== undefined && row.action === 0)
      folded[row.medium] = { ...medium, trackRanges: foundRanges(row.summary) };
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
