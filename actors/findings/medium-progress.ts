/** Progress of a running job on one medium, from the rows of its sub-jobs. */
import { followUpRanges, joinRanges } from '../../domain/frames/segments.ts';
import type { ActionProgress, MediumProgress } from '../../domain/tracks/viewing.ts';
import type { MediumFacts, Range } from '../../domain/types.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import type { ActionOnMedium } from '../job-files/document-outputs.ts';

/** A sub-job of a detector. */
export type Piece = Pick<SubJobRow, 'state' | 'range' | 'time' | 'file' | 'fed' | 'derived' | 'tracks'>;

/** An action on a medium with the sub-jobs created so far. */
export interface RunningAction extends ActionOnMedium {
  readonly taskName: string;
  readonly pieces: readonly Piece[];
}

export interface MediumSeen {
  readonly facts: MediumFacts;
  /** Frames of a video that the job analyzes. */
  readonly ranges: readonly Range[];
}

/** At most this many ranges are reported for one action. */
const MOST_RANGES = 500;

/** Returns the progress of each action on a medium, and of all together. `seen` is undefined until the medium is inspected. */
export function mediumProgress(
  seen: MediumSeen | undefined,
  actions: readonly RunningAction[],
): MediumProgress {
  const told = actions.map((action) => actionProgress(seen, action, rangesBefore(actions, action)));
  const sum = told.reduce((all, { percent }) => all + percent, 0);
  return { percent: told.length === 0 ? 0 : roundPercent(sum / told.length), actions: told };
}

function actionProgress(
  seen: MediumSeen | undefined,
  action: RunningAction,
  before: readonly Range[] | undefined,
): ActionProgress {
  const { pieces, ran } = action;
  const names = { task: action.taskName, action: action.action.name };
  const isFed = ran.some(({ kind }) => kind === 'FEED');
  const unit = isFed ? null : unitOf(seen, pieces);
  const done = unit === null ? [] : longest(joinRanges(rangesOf(pieces, unit, 'DONE'), 1));
  if (isOver(action)) return { ...names, state: 'DONE', percent: 100, unit, done };
  const isRunning = ran.length + pieces.length > 0;
  const percent = isFed ? percentOfFed(action) : percentOf(seen, action, unit, before);
  return { ...names, state: isRunning ? 'RUNNING' : 'WAITING', percent: roundPercent(percent), unit, done };
}

/** True if the last step of the action is done, or if the action has nothing to do. */
const isOver = ({ isMarkup, ran, pieces }: RunningAction): boolean =>
  ran.some(
    ({ kind, state, feed }) =>
      (kind === (isMarkup ? 'MARKUP' : 'FINISH') && state !== 'QUEUED') ||
      (kind === 'FEED' && (state === 'FAILED' || feed?.pieces === 0)),
  ) ||
  (pieces.length === 1 && pieces[0]?.state === 'FAILED');

function unitOf(seen: MediumSeen | undefined, pieces: readonly Piece[]): ActionProgress['unit'] {
  if (seen?.facts.mediaType === 'VIDEO') return 'FRAMES';
  return pieces.some(({ time }) => time !== undefined) ? 'MILLISECONDS' : null;
}

const rangesOf = (
  pieces: readonly Piece[],
  unit: ActionProgress['unit'],
  ...states: readonly Piece['state'][]
): readonly Range[] =>
  pieces
    .filter(({ state }) => states.includes(state))
    .map(({ range, time }) => (unit === 'MILLISECONDS' ? (time ?? range) : range))
    .filter(({ start, stop }) => stop >= start);

function percentOfFed({ ran, pieces }: RunningAction): number {
  const all = ran.find(({ feed }) => feed !== undefined)?.feed?.pieces ?? 0;
  return all === 0 ? 0 : (pieces.filter(({ state }) => state !== 'QUEUED').length / all) * 100;
}

/** The analyzed part of what is to be analyzed, in percent. It stays below 100 until the tracks are finished. */
function percentOf(
  seen: MediumSeen | undefined,
  { pieces }: RunningAction,
  unit: ActionProgress['unit'],
  before: readonly Range[] | undefined,
): number {
  if (seen === undefined || unit === null)
    return pieces.length > 0 && pieces.every(({ state }) => state !== 'QUEUED') ? MOST_PERCENT : 0;
  const wanted =
    unit === 'FRAMES' ? lengthOf(before ?? seen.ranges) : Number(seen.facts.metadata['DURATION']);
  const looked = lengthOf(rangesOf(pieces, unit, 'DONE', 'FAILED'));
  return wanted > 0 ? Math.min(MOST_PERCENT, (looked / wanted) * 100) : 0;
}

const MOST_PERCENT = 99;

const lengthOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { start, stop }) => sum + Math.max(0, stop - start + 1), 0);

/**
 * The frames of the tracks of the previous task, which a later task analyzes. Returns undefined for the first task, or if the tracks are
 * not known yet.
 */
function rangesBefore(
  actions: readonly RunningAction[],
  { task, properties }: RunningAction,
): readonly Range[] | undefined {
  const before = actions.findLast((one) => one.number === 0 && one.task < task);
  const summary = before?.ran.findLast(({ summary: known }) => known !== undefined)?.summary;
  return summary === undefined ? undefined : followUpRanges(summary.ranges, properties);
}

/** Keeps the longest ranges. Clients get all of them when the action is done. */
function longest(ranges: readonly Range[]): readonly Range[] {
  if (ranges.length <= MOST_RANGES) return ranges;
  const least = ranges.map(({ start, stop }) => stop - start).toSorted((a, b) => b - a)[MOST_RANGES - 1]!;
  return ranges.filter(({ start, stop }) => stop - start >= least).slice(0, MOST_RANGES);
}

const roundPercent = (percent: number): number => Math.round(percent * 10) / 10;
