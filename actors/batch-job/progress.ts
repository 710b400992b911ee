import type { CheckedResult } from '../../output/check.ts';
import type { ArchiveFinding, DetectionErrorCode, IssueCode } from '../../pipeline/types.ts';
import { timeOfFrame } from '../../pipeline/frame-times.ts';
import type { JobEffect } from './effects.ts';
import type { Notice, Row } from '../../store/store.ts';
import { owedAtEnd } from './notices.ts';
import { finishRow, pieceRow, planStage, stageIndex, withFound } from './planning.ts';
import { after } from './status.ts';
import type { JobState, MediumState, Prepared, Stage, SubJobRow, Unit } from './state.ts';
import type { Given } from './transitions.ts';

/** A new state with what is to be stored and done for it. */
export interface Change {
  readonly state: JobState;
  readonly rows: readonly SubJobRow[];
  readonly effects: readonly JobEffect[];
  /** Notices that the job owes from now on, and ids of those that it does not owe any more. */
  readonly notices?: readonly Notice[];
  readonly settled?: readonly string[];
  /** Rows that outlive the end: what is posted to the archive, for a repost. */
  readonly keptRows?: readonly Row[];
  /** The actor goes with all it has. */
  readonly gone?: boolean;
  /** Keys of rows that go. */
  readonly removed?: readonly string[];
  readonly synced?: boolean;
  /** Nothing to store: only effects. */
  readonly silent?: boolean;
}

type Failure = { readonly code: DetectionErrorCode | IssueCode; readonly message: string };

/** Starts the first stage. */
export function begin(state: JobState, given: Given): Change {
  const failed = given.record.media.some(({ problem }) => problem !== undefined);
  const status = state.issues.length > 0 ? after(state.status, 'warning') : state.status;
  const started: JobState = {
    ...state,
    startedAt: given.at,
    status: failed ? after(status, 'error') : status,
  };
  // What an earlier job has done already is not done again.
  const first: Stage = { name: started.pastOutput === null ? 'PREPARE' : 'ENDED' };
  return advance(enter(started, first, given), given);
}

/** What the archive says of earlier jobs: one that did the same stands for this one, all else goes on. */
export function archiveAnswered(state: JobState, answer: ArchiveFinding, given: Given): Change {
  const asked = withArchiveAnswer({ ...state, checkArchive: false }, answer);
  return advance(enter(asked, nextStage(asked, given), given), given);
}

export function withArchiveAnswer(state: JobState, answer: ArchiveFinding): JobState {
  switch (answer.kind) {
    case 'none':
      return state;
    case 'match':
      return { ...state, pastOutput: answer.match.outputUri };
    case 'failed': {
      const message = `The archive could not be asked for an earlier job like this one: ${answer.reason}`;
      const issue = { severity: 'warning', code: 'ARCHIVE_BEFORE_JOB_CHECK', message } as const;
      // A job that waits for admission goes on waiting: it is marked when it begins.
      const status = state.status === 'INITIALIZED' ? state.status : after(state.status, 'warning');
      return { ...state, status, issues: [...state.issues, issue] };
    }
  }
}

/** Takes an answer: stores it, opens the finishing of a unit that is complete, makes more work, moves to the next stage. */
export function answered(
  state: JobState,
  row: SubJobRow,
  answer: (CheckedResult & { ok: true }) | Failure,
  given: Given,
): Change {
  const outstanding = new Map(state.outstanding);
  outstanding.delete(row.key);
  // What was to be done is not kept once it is: rows stay small however large the properties are.
  const taken = take({ ...state, outstanding }, { ...row, work: null }, answer, given);
  const finish = openFinish(taken.state, row, given);
  const next = advance(finish.state, given);
  return {
    state: next.state,
    // The end removes every row; one that is written with it would stay for ever.
    rows: next.state.stage.name === 'ENDED' ? [] : [taken.row, ...finish.rows, ...next.rows],
    effects: [...offer(finish.rows), ...next.effects],
    ...endOf(next),
  };
}

/** What only the change that ends a job brings. */
function endOf({ removed, synced, notices, keptRows }: Change): Partial<Change> {
  return {
    ...(removed === undefined ? {} : { removed }),
    ...(synced === undefined ? {} : { synced }),
    ...(notices === undefined ? {} : { notices }),
    ...(keptRows === undefined ? {} : { keptRows }),
  };
}

/** Puts a lost sub-job back to be tried again. */
export function requeue(state: JobState, row: SubJobRow): Change {
  const outstanding = new Map(state.outstanding).set(row.key, row);
  return { state: { ...state, outstanding }, rows: [row], effects: offer([row]) };
}

/** Makes as much work as the window allows; when the stage has none left, goes on to the next. */
export function advance(state: JobState, given: Given): Change {
  const rows: SubJobRow[] = [];
  let current = state;
  for (;;) {
    if (current.stage.name === 'ENDED') break;
    const made = isStopping(current) ? finishFound(current, given) : fill(current, given);
    rows.push(...made.rows);
    current = made.state;
    const waits = current.stage.name === 'WAITING' || current.stage.name === 'CHECK';
    if (current.outstanding.size > 0 || (waits && !isStopping(current))) break;
    current = enter(current, nextStage(current, given), given);
  }
  if (current.stage.name === 'ENDED') return ended(current, given);
  const asked: JobEffect[] =
    current.stage.name === 'CHECK' && state.stage.name !== 'CHECK' ? [{ type: 'checkArchive' }] : [];
  return { state: current, rows, effects: [...offer(rows), ...asked] };
}

/** The end: rows and files go, notices go out. */
function ended(state: JobState, { record, at, settings }: Given): Change {
  const { callback, archive, notices, rows } = owedAtEnd(record, state, settings, at);
  // Admission hears of it first: whoever sees the end and resubmits at once must not keep the place of the run before.
  const effects: JobEffect[] = [
    { type: 'ended' },
    // Before the files: to remove many takes a while.
    ...deliver(notices),
    { type: 'removeFiles', run: state.run, document: false },
  ];
  // Synced: the files that could do the work again go right after it.
  return {
    state: { ...state, callback, archive },
    rows: [],
    effects,
    removed: [''],
    synced: true,
    notices,
    keptRows: rows,
  };
}

export function deliver(notices: readonly Notice[]): JobEffect[] {
  if (notices.length === 0) return [];
  return [{ type: 'deliver', destinations: [...new Set(notices.map(({ destination }) => destination))] }];
}

const isStopping = (state: JobState) => state.status === 'CANCELLING';

/** While work is wanted: the next pieces in order of media, up to the window. */
function fill(state: JobState, given: Given): { state: JobState; rows: SubJobRow[] } {
  const rows: SubJobRow[] = [];
  const units = [...state.units];
  let { cursor } = state;
  const room = given.settings.window - state.outstanding.size;
  while (rows.length < room && cursor < units.length) {
    const unit = units[cursor]!;
    if (unit.made === unit.ranges.length) cursor++;
    else {
      rows.push(pieceRow(state, cursor, unit, given));
      units[cursor] = { ...unit, made: unit.made + 1 };
    }
  }
  return { state: { ...withRows(state, rows), units, cursor }, rows };
}

/** When the job is to stop: no new pieces; what was found already is still finished. */
function finishFound(state: JobState, given: Given): { state: JobState; rows: SubJobRow[] } {
  if (state.stage.name === 'DOCUMENT') return fill(state, given);
  if (state.stage.name !== 'TASK' || state.outstanding.size > 0) return { state, rows: [] };
  const rows: SubJobRow[] = [];
  const units = state.units.map((unit, index): Unit => {
    if (unit.done === 0 || unit.finish !== 'NONE') return unit;
    rows.push(finishRow(state, index, unit, given));
    return { ...unit, finish: 'MADE' };
  });
  return { state: { ...withRows(state, rows), units }, rows };
}

function openFinish(state: JobState, row: SubJobRow, given: Given): { state: JobState; rows: SubJobRow[] } {
  const unit = state.units[row.unit];
  if (state.stage.name !== 'TASK' || row.kind !== 'DETECT' || unit === undefined) return { state, rows: [] };
  const complete = unit.done + unit.failed === unit.ranges.length;
  if (!complete || unit.done === 0 || unit.finish !== 'NONE') return { state, rows: [] };
  const finish = finishRow(state, row.unit, unit, given);
  const units = state.units.with(row.unit, { ...unit, finish: 'MADE' });
  return { state: { ...withRows(state, [finish]), units }, rows: [finish] };
}

function take(
  state: JobState,
  row: SubJobRow,
  answer: (CheckedResult & { ok: true }) | Failure,
  given: Given,
): { state: JobState; row: SubJobRow } {
  if ('ok' in answer) return takeResult(state, row, answer);
  const failed = withUnit(state, row, (unit) =>
    row.kind === 'FINISH' ? { ...unit, finish: 'DONE' } : { ...unit, failed: unit.failed + 1 },
  );
  if (row.kind === 'DOCUMENT') {
    const message = `Failed to create the output object due to: ${answer.message}`;
    const issue = { severity: 'error', code: 'OTHER', message } as const;
    return {
      state: { ...failed, status: after(state.status, 'fatal'), issues: [...state.issues, issue] },
      row,
    };
  }
  const medium = state.media[row.medium]!;
  const failedIn = medium.failedIn ?? stageIndex(state.stage);
  const media = state.media.with(row.medium, { ...medium, failedIn });
  return {
    state: { ...failed, media, status: after(state.status, 'error') },
    row: { ...row, error: subJobError(row, medium, answer, given) },
  };
}

function takeResult(
  state: JobState,
  row: SubJobRow,
  result: CheckedResult & { ok: true },
): { state: JobState; row: SubJobRow } {
  const done = withUnit(state, row, (unit) =>
    row.kind === 'FINISH' ? { ...unit, finish: 'DONE' } : { ...unit, done: unit.done + 1 },
  );
  switch (result.kind) {
    case 'PREPARE': {
      const prepared: Prepared = { ...result.prepared, file: row.file! };
      const media = state.media.with(row.medium, { ...state.media[row.medium]!, prepared });
      return { state: warned({ ...done, media }, prepared.warnings.length), row: { ...row, prepared } };
    }
    case 'DETECT':
      return { state: done, row: { ...row, tracks: result.tracks } };
    case 'FINISH': {
      const media = state.media.with(row.medium, withFound(state.media[row.medium]!, row, result.summary));
      return {
        state: warned({ ...done, media }, result.summary.warnings.length),
        row: { ...row, summary: result.summary },
      };
    }
    case 'DOCUMENT':
      return { state: { ...done, hasDocument: true, documentHash: result.sha256 }, row };
  }
}

function subJobError(
  row: SubJobRow,
  medium: MediumState,
  failure: Failure,
  given: Given,
): NonNullable<SubJobRow['error']> {
  const times = medium.prepared?.facts.frameTimes;
  const time = (frame: number) => (times === undefined || frame < 0 ? 0 : timeOfFrame(times, frame));
  const task = row.stage.name === 'TASK' ? given.record.plan.tasks[row.stage.index] : undefined;
  return {
    range: row.range,
    startTime: time(row.range.start),
    stopTime: time(row.range.stop),
    algorithm: task?.actions[row.action]?.algorithm.name ?? 'WORKFLOW_MANAGER',
    ...failure,
  };
}

/** The stage after this one. A job that stops goes straight to its document; one without any goes to its end. */
function nextStage({ stage, ...state }: JobState, { record }: Given): Stage {
  const document: Stage = record.buildOutput ? { name: 'DOCUMENT' } : { name: 'ENDED' };
  if (stage.name === 'DOCUMENT') return { name: 'ENDED' };
  // An earlier job's document stands for this job's, also when it is cancelled before its turn.
  if (state.pastOutput !== null) return { name: 'ENDED' };
  if (state.status === 'CANCELLING') return document;
  if (stage.name === 'PREPARE' && state.checkArchive && allPrepared(state)) return { name: 'CHECK' };
  const next = stage.name === 'TASK' ? stage.index + 1 : 0;
  return next < record.plan.tasks.length ? { name: 'TASK', index: next } : document;
}

/** A job with a medium that could not be had has no likeness among earlier jobs. */
const allPrepared = ({ media }: Pick<JobState, 'media'>) => media.every(({ prepared }) => prepared !== null);

function enter(state: JobState, stage: Stage, given: Given): JobState {
  const units = planStage(state, stage, given);
  const entered: JobState = { ...state, stage, units, cursor: 0 };
  if (stage.name === 'DOCUMENT') return { ...entered, endedAt: given.at };
  if (stage.name === 'ENDED')
    return { ...entered, endedAt: state.endedAt ?? given.at, status: finalStatus(state) };
  return entered;
}

/** What the job will have ended as when its document is written without trouble. */
function finalStatus(state: JobState): JobState['status'] {
  return after(state.status, state.cancelledBy === 'SHUTDOWN' ? 'shutdown' : 'complete');
}

const warned = (state: JobState, warnings: number): JobState =>
  warnings === 0 ? state : { ...state, status: after(state.status, 'warning') };

function withUnit(state: JobState, row: SubJobRow, change: (unit: Unit) => Unit): JobState {
  const unit = state.units[row.unit];
  return unit === undefined ? state : { ...state, units: state.units.with(row.unit, change(unit)) };
}

function withRows(state: JobState, rows: readonly SubJobRow[]): JobState {
  if (rows.length === 0) return state;
  const outstanding = new Map(state.outstanding);
  for (const row of rows) outstanding.set(row.key, row);
  return { ...state, outstanding };
}

const offer = (rows: readonly SubJobRow[]): JobEffect[] =>
  rows.length === 0 ? [] : [{ type: 'offer', rows }];
