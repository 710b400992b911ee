import { List } from 'immutable';
import { z } from 'zod';
import { upcastBody } from '../runtime/durable.ts';
import { atOnce, type Steps } from '../runtime/steps.ts';
import { BATCH_JOB_STATUSES } from './status.ts';
import { stageIndex, stageInSteps, untouched, withDerived, withFound, withNothingFed } from './planning.ts';
import type { JobRecord } from './record.ts';
import type { Delivery, JobState, MediumState, Stage, SubJobRow, Unit } from './state.ts';
import { isKnown, NO_WEIGHT, weightOfAll, withUnit } from './units.ts';

export const JOB_SCHEMA = 4;

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
  objectId: z.string(),
  hasDocument: z.boolean(),
  cancelledBy: z.enum(['USER', 'SHUTDOWN']).nullable(),
  checkArchive: z.boolean(),
  pastOutput: z.string().nullable(),
  pastStatus: z.string().nullable().default(null),
  documentHash: z.string().nullable(),
  outputUri: z.string().nullable(),
  timing: z.array(z.number()),
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
  /** 0 to 100, from committed sub-jobs only. */
  progress: z.number().min(0).max(100),
});
export type JobSnapshot = z.infer<typeof jobSnapshotSchema>;

export function toSnapshot(record: JobRecord, state: JobState): JobSnapshot {
  const { media: _, units: __, weight: ___, cursor: ____, outstanding: _____, ...small } = state;
  return {
    ...small,
    issues: [...state.issues],
    timing: [...state.timing],
    callback: kept(state.callback),
    archive: kept(state.archive),
    progress: progressOf(record, state),
  };
}

const kept = (delivery: Delivery | null) =>
  delivery === null ? null : { ...delivery, failures: [...delivery.failures] };

/** (tasks done + part done of this task) / tasks, in percent; 100 only at the end. */
export function progressOf(record: JobRecord, { stage, weight }: JobState): number {
  if (stage.name === 'ENDED') return 100;
  if (BEFORE_WORK.has(stage.name)) return 0;
  if (stage.name !== 'TASK' && stage.name !== 'DERIVED') return 99;
  const part = weight.total === 0 || stage.name === 'DERIVED' ? 1 : weight.done / weight.total;
  return Math.min(99, ((stage.index + part) / record.plan.tasks.length) * 100);
}

const BEFORE_WORK: ReadonlySet<Stage['name']> = new Set(['WAITING', 'PREPARE', 'CHECK', 'COPY']);

/** The whole state again from what is stored. */
export const restore = (record: JobRecord, snapshot: JobSnapshot, rows: readonly SubJobRow[]): JobState =>
  atOnce(restoreInSteps(record, snapshot, rows));

/** The same in steps, for a job that may be a large one. */
export function* restoreInSteps(
  record: JobRecord,
  snapshot: JobSnapshot,
  rows: readonly SubJobRow[],
): Steps<JobState> {
  const { progress: _, ...small } = snapshot;
  const now = rank(snapshot.stage);
  const stages = yield* inOrder(rows);
  let media = untouched(record);
  for (const [stage, ofStage] of stages) if (stage < now) media = yield* withRows(media, ofStage);
  const current = stages.find(([stage]) => stage === now)?.[1] ?? [];
  const entered: JobState = {
    ...small,
    media,
    units: List(yield* stageInSteps({ media }, snapshot.stage, { record })),
    weight: NO_WEIGHT,
    cursor: 0,
    outstanding: new Map(current.filter(({ state }) => state === 'QUEUED').map((row) => [row.key, row])),
  };
  let state: JobState = { ...entered, weight: weightOfAll(entered.units) };
  for (const row of current) {
    state = withUnit(state, row, (unit) => foldUnit(unit, row));
    yield;
  }
  const cursor = state.units.findIndex(({ feed, made, pieces }) => !isKnown(feed) || made < pieces);
  return {
    ...state,
    media: yield* withRows(media, current),
    cursor: cursor === -1 ? state.units.size : cursor,
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
    case 'COPY':
      return -0.5;
    case 'TASK':
      return stage.index;
    case 'DERIVED':
      return stage.index + 0.5;
    case 'DOCUMENT':
      return Number.MAX_SAFE_INTEGER - 1;
    case 'UPLOAD':
      return Number.MAX_SAFE_INTEGER;
    case 'ENDED':
      return Infinity;
  }
};

/** The media with what the rows of a stage tell of them. */
function* withRows(before: List<MediumState>, rows: readonly SubJobRow[]): Steps<List<MediumState>> {
  let media = before;
  for (const row of rows) {
    media = withRow(media, row);
    yield;
  }
  return media;
}

function withRow(media: List<MediumState>, row: SubJobRow): List<MediumState> {
  const medium = media.get(row.medium);
  if (medium === undefined || !CONCERN_MEDIA.has(row.kind)) return media;
  const { summary, prepared } = row;
  const failed = row.state === 'FAILED' || (summary?.errors?.length ?? 0) > 0;
  const failedIn = failed ? (medium.failedIn ?? stageIndex(row.stage)) : medium.failedIn;
  const known = { ...medium, failedIn, prepared: prepared ?? medium.prepared };
  if (row.feed?.pieces === 0) return media.set(row.medium, withNothingFed(known, row));
  if (summary === undefined) return media.set(row.medium, known);
  return withDerived(media.set(row.medium, withFound(known, row, summary)), row, summary);
}

/** The document is the job's as a whole, and markup says nothing about a medium that others rely on. */
const CONCERN_MEDIA: ReadonlySet<SubJobRow['kind']> = new Set([
  'PREPARE',
  'FEED',
  'DETECT',
  'FINISH',
  'ARTIFACTS',
]);

/** Rows stage by stage, the first stage first; artifacts, which take the place of what was finished, come after it. */
function* inOrder(rows: readonly SubJobRow[]): Steps<readonly (readonly [number, readonly SubJobRow[]])[]> {
  const stages = new Map<number, { readonly first: SubJobRow[]; readonly late: SubJobRow[] }>();
  for (const row of rows) {
    const stage = rank(row.stage);
    let found = stages.get(stage);
    if (found === undefined) stages.set(stage, (found = { first: [], late: [] }));
    (row.kind === 'ARTIFACTS' ? found.late : found.first).push(row);
    yield;
  }
  return [...stages]
    .toSorted(([a], [b]) => a - b)
    .map(([stage, { first, late }]) => [stage, [...first, ...late]]);
}

function foldUnit(unit: Unit, row: SubJobRow): Unit {
  switch (row.kind) {
    case 'FEED': {
      if (row.state === 'QUEUED') return { ...unit, feed: 'MADE' };
      if (row.feed === undefined) return { ...unit, feed: 'DONE', pieces: 0 };
      return { ...unit, feed: 'DONE', fed: { ...row.feed, file: row.file ?? '' }, pieces: row.feed.pieces };
    }
    case 'FINISH':
      return { ...unit, finish: row.state === 'QUEUED' ? 'MADE' : 'DONE' };
    case 'ARTIFACTS':
      return unit;
    case 'PREPARE':
    case 'DETECT':
    case 'MARKUP':
    case 'COPY':
    case 'DOCUMENT':
    case 'UPLOAD':
      return {
        ...unit,
        made: unit.made + 1,
        done: unit.done + (row.state === 'DONE' ? 1 : 0),
        failed: unit.failed + (row.state === 'FAILED' ? 1 : 0),
        derived: unit.derived + (row.derived ?? 0),
      };
  }
}
