/**
 * The effect of rows on the state of a job. The same functions fold a new answer into the state, and the stored rows at a restore.
 * Restarts rely on equal results.
 */
import { List } from '../../basics/immutable.ts';
import { atOnce, type Steps } from '../../runtime/steps.ts';
import type { DecisionContext } from '../state/context.ts';
import { withCause } from '../failures/causes.ts';
import { subJobError, withError, withServerFailure, type Answer, type Failure } from '../state/issues.ts';
import { firstUsable, inspectingFrom, untouchedMedia } from '../state/media.ts';
import { stageInSteps } from '../plan/plan-stages.ts';
import type { JobRecord } from '../state/record.ts';
import type { JobSnapshot } from '../state/snapshot.ts';
import { withComponent, type AnsweredBy } from './component-figures.ts';
import { KINDS, rankOf } from './stages.ts';
import type { JobState, LaterRows, MediumState, SubJobRow } from '../state/state.ts';
import { after } from '../state/status.ts';
import { isUnfinished, weightOfAll, withUnit } from '../state/units.ts';

/** Folds a new row into its unit. */
export const withMade = (state: JobState, row: SubJobRow): JobState =>
  withUnit(state, row, (unit) => KINDS[row.kind].unit(unit, { ...row, state: 'QUEUED' }));

/** Returns the state with an answered row. */
export function withAnswered(state: JobState, row: SubJobRow): JobState {
  return withUnit({ ...state, media: mediaWith(state.media, row) }, row, (unit) =>
    KINDS[row.kind].unit(unit, row),
  );
}

export const mediaWith = (media: List<MediumState>, row: SubJobRow): List<MediumState> =>
  row.state === 'QUEUED' ? media : (KINDS[row.kind].media?.(media, row) ?? media);

interface Folded {
  readonly state: JobState;
  readonly row: SubJobRow;
}

/** Folds the answer of a component into the state and its row, with the time that it took. */
export const foldAnswer = (
  state: JobState,
  row: SubJobRow,
  answer: Answer,
  by: AnsweredBy,
  context: DecisionContext,
): Folded => foldKnownAnswer(withComponent(state, row, by, context), row, answer, context);

/** Folds an answer that needed no component. */
export function foldKnownAnswer(
  state: JobState,
  answered: SubJobRow,
  answer: Answer,
  context: DecisionContext,
): Folded {
  // Answered rows do not keep their work, so that rows stay small even with large properties.
  const row = { ...answered, work: null };
  const before = withoutOutstanding(state, [row.key]);
  if (!('ok' in answer)) return foldFailure(before, row, answer, context);
  const kind = KINDS[row.kind];
  const kept = kind.keepResult(row, answer, before, context);
  if ('failure' in kept) return foldFailure(before, kept.row, kept.failure, context);
  const folded = withAnswered(before, kept);
  return { row: kept, state: kind.foldAnswer?.(folded, answer, context) ?? folded };
}

function foldFailure(state: JobState, row: SubJobRow, failure: Failure, context: DecisionContext): Folded {
  const { foldFailure, errorCode: code = failure.code } = KINDS[row.kind];
  const { at } = context;
  if (foldFailure !== undefined) {
    const folded = foldFailure(withAnswered(state, row), failure);
    const issues = folded.issues.slice(state.issues.length);
    const error = issues.find(({ severity }) => severity === 'error');
    return { row, state: error === undefined ? folded : withServerFailure(folded, error, at) };
  }
  const error = subJobError(row, state, { ...failure, code }, context);
  const withReason = { ...row, error };
  const folded = withError(withAnswered(state, withReason), failure);
  const causes = withCause(state.causes, { ...error, component: error.algorithm }, at);
  return { row: withReason, state: { ...folded, causes, status: after(state.status, 'error') } };
}

export function withoutOutstanding(state: JobState, keys: readonly string[]): JobState {
  const outstanding = new Map(state.outstanding);
  for (const key of keys) outstanding.delete(key);
  return { ...state, outstanding };
}

/** Restores the whole state from the stored snapshot and rows. */
export const restore = (record: JobRecord, snapshot: JobSnapshot, rows: readonly SubJobRow[]): JobState =>
  atOnce(restoreInSteps(record, snapshot, rows));

/** Restores the state in steps, because the job may be large. */
export function* restoreInSteps(
  record: JobRecord,
  { progress: _, ...small }: JobSnapshot,
  rows: readonly SubJobRow[],
): Steps<JobState> {
  const now = rankOf(small.stage);
  const stages = yield* inOrder(rows);
  let media = untouchedMedia(record);
  for (const [stage, ofStage] of stages)
    if (stage < now)
      for (const row of ofStage) {
        media = mediaWith(media, row);
        yield;
      }
  const units = List(yield* stageInSteps({ media }, small.stage, { record }));
  const upToNow = stages.flatMap(([stage, ofStage]) => (stage <= now ? ofStage : []));
  const outstanding = new Map(upToNow.filter(({ state }) => state === 'QUEUED').map((row) => [row.key, row]));
  const inspecting = inspectingIn(record, small, media, outstanding);
  const { reached: current, later: laterRows } = splitRows(
    new Map(stages.filter(([stage]) => stage >= now)),
    now,
    plannedUpTo({ inspecting }),
  );
  let state: JobState = {
    ...small,
    media,
    units,
    weight: weightOfAll(units),
    cursor: 0,
    inspecting,
    outstanding,
    laterRows,
  };
  for (const row of current) {
    // An answered row counts as created first.
    state = withMade(state, row);
    if (row.state !== 'QUEUED') state = withAnswered(state, row);
    yield;
  }
  const cursor = state.units.findIndex(isUnfinished);
  return { ...state, cursor: cursor === -1 ? state.units.size : cursor };
}

/** Returns the first medium without units while the first task runs, or Infinity if all media have units. */
export const plannedUpTo = ({ inspecting }: Pick<JobState, 'inspecting'>): number =>
  inspecting?.unplanned ?? Infinity;

/** Divides rows into those of stages up to `now` and later ones. Rows of media from `end` on, which have no units, count as later. */
export function splitRows(
  rows: LaterRows,
  now: number,
  end: number,
): { readonly reached: readonly SubJobRow[]; readonly later: LaterRows } {
  const reached: SubJobRow[] = [];
  const later = new Map<number, readonly SubJobRow[]>();
  for (const [stage, ofStage] of rows) {
    const isReached = ({ medium }: SubJobRow) => stage < now || (stage === now && medium < end);
    const left = stage > now ? ofStage : ofStage.filter((row) => !isReached(row));
    // No spread, because a stage may have 100,000 rows.
    if (stage <= now) for (const row of ofStage) if (isReached(row)) reached.push(row);
    if (left.length > 0) later.set(stage, left);
  }
  return { reached, later };
}

/** Returns the progress of inspection while the first task runs. Returns null in other stages. */
function inspectingIn(
  record: JobRecord,
  { stage, status }: Pick<JobSnapshot, 'stage' | 'status'>,
  media: List<MediumState>,
  outstanding: JobState['outstanding'],
): JobState['inspecting'] {
  if (stage.name !== 'TASK' || stage.index > 0) return null;
  if (status === 'CANCELLING') return inspectingFrom(record, media, record.media.length);
  const handedOut = new Set<number>();
  for (const { kind, medium } of outstanding.values()) if (kind === 'PREPARE') handedOut.add(medium);
  let next = firstUsable(record, 0, media);
  while (handedOut.has(next)) next = firstUsable(record, next + 1, media);
  return inspectingFrom(record, media, next);
}

/** Returns rows stage by stage, the first stage first. Artifacts are last in a stage, because they replace the finished result. */
export const byStage = (rows: readonly SubJobRow[]) => atOnce(inOrder(rows));

function* inOrder(rows: readonly SubJobRow[]): Steps<readonly (readonly [number, readonly SubJobRow[]])[]> {
  const stages = new Map<number, { readonly first: SubJobRow[]; readonly late: SubJobRow[] }>();
  for (const row of rows) {
    const stage = rankOf(row.stage);
    let found = stages.get(stage);
    if (found === undefined) stages.set(stage, (found = { first: [], late: [] }));
    (row.kind === 'ARTIFACTS' ? found.late : found.first).push(row);
    yield;
  }
  return [...stages]
    .toSorted(([a], [b]) => a - b)
    .map(([stage, { first, late }]) => [stage, [...first, ...late]]);
}
