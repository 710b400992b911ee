/** Rows of an ended run that a retry keeps, and rows that it repeats. */
import { groupBy } from '../../../domain/grouping.ts';
import type { Retry } from '../state/commands.ts';
import { mediumPrefix } from '../state/keys.ts';
import { baseRunOf, type JobRecord, type RetryRecord } from '../state/record.ts';
import type { JobState, SubJobRow } from '../state/state.ts';

export interface RetryPlan extends Pick<RetryRecord, 'open' | 'known' | 'mediaOfTask'> {
  /** Rows that the retry keeps, in the order of the keys. */
  readonly rows: readonly SubJobRow[];
  /** Kept rows with new keys, because media before them were removed. */
  readonly moved: readonly SubJobRow[];
  /** Prefixes of the keys of all other rows. */
  readonly gone: readonly string[];
}

type Ended = Pick<JobState, 'run' | 'baseRun' | 'cancelledBy'>;

/** True if a sub-job failed, or wrote an error of its medium into the document. */
const isFailed = ({ state, summary }: SubJobRow): boolean =>
  state === 'FAILED' || (summary?.errors?.length ?? 0) > 0;

/** True if a row concerns all media: the document, its upload or a copy of results. */
const isOfJob = ({ kind }: SubJobRow): boolean => kind === 'DOCUMENT' || kind === 'UPLOAD' || kind === 'COPY';

/** Returns the places of media with a failure, and of media that a cancelled retry has not finished. */
export function mediaToRetry(
  { retry }: Pick<JobRecord, 'retry'>,
  { cancelledBy }: Pick<Ended, 'cancelledBy'>,
  rows: readonly SubJobRow[],
): ReadonlySet<number> {
  const failed = rows.filter((row) => !isOfJob(row) && isFailed(row)).map(({ medium }) => medium);
  if (retry === undefined || cancelledBy === null) return new Set(failed);
  const derived = rows.map(({ medium }) => medium).filter((medium) => medium >= retry.known);
  return new Set([...failed, ...retry.open, ...derived]);
}

/** Returns the rows that a retry keeps. Returns undefined if nothing failed that can be retried. */
export function planRetry(record: JobRecord, state: Ended, command: Retry): RetryPlan | undefined {
  const { rows, what, usable } = command;
  const wanted = new Set([...mediaToRetry(record, state, rows), ...usable]);
  const isDocumentAlone = what === 'FAILED_SUB_JOBS' && rows.some((row) => isOfJob(row) && isFailed(row));
  if (wanted.size === 0 && !isDocumentAlone) return undefined;
  const { kept, gone, removed } = divideRows(record, state, command, wanted);
  const deriving = rows.filter(({ derivedAt }) => derivedAt !== undefined);
  const all = record.media.length + deriving.flatMap(childrenOf).length;
  const placeOf = placesWithout(removed, all);
  const placed = removed.size === 0 ? kept : kept.map((row) => atPlace(state, row, placeOf));
  const replaced = kept.filter((row, n) => row.key !== placed[n]!.key).map(({ key }) => key);
  return {
    open: [...wanted]
      .filter((medium) => !removed.has(medium))
      .map(placeOf)
      .toSorted((a, b) => a - b),
    known: all - removed.size,
    mediaOfTask: record.retry?.mediaOfTask ?? mediaOfTasks(record, deriving),
    rows: placed,
    moved: placed.filter((row, n) => row !== kept[n]),
    gone: [...gone, ...replaced],
  };
}

interface Divided extends Pick<RetryPlan, 'gone'> {
  readonly kept: readonly SubJobRow[];
  /** Places of derivative media that the retry derives again, or no longer derives. */
  readonly removed: ReadonlySet<number>;
}

function divideRows(record: JobRecord, state: Ended, command: Retry, wanted: ReadonlySet<number>): Divided {
  const ofMedia = command.rows.filter((row) => !isOfJob(row));
  const removed = new Set<number>();
  const kept: SubJobRow[] = [];
  const gone = command.rows.filter(isOfJob).map(({ key }) => key);
  // A derivative medium comes after its source.
  for (const [medium, own] of groupBy(ofMedia, (row) => row.medium)) {
    if (!wanted.has(medium) && !removed.has(medium)) {
      for (const row of own) kept.push(row);
      continue;
    }
    const left = removed.has(medium) ? [] : keptOf(record, state, command, own);
    const isLeft = new Set(left);
    const dropped = own.filter((row) => !isLeft.has(row));
    for (const child of dropped.flatMap(childrenOf)) removed.add(child);
    for (const prefix of prefixesOf(state, medium, left, dropped)) gone.push(prefix);
    for (const row of left) kept.push(row);
  }
  return { kept, gone, removed };
}

const prefixesOf = (
  state: Ended,
  medium: number,
  left: readonly SubJobRow[],
  dropped: readonly SubJobRow[],
): readonly string[] =>
  left.length === 0 ? [mediumPrefix(baseRunOf(state), medium)] : dropped.map(({ key }) => key);

/** Returns the rows to keep of a medium with a failure. */
function keptOf(
  record: JobRecord,
  state: Ended,
  { what, lost, jobProperties }: Retry,
  rows: readonly SubJobRow[],
): readonly SubJobRow[] {
  if (what === 'FAILED_MEDIA') return [];
  const isOfCancelled = ({ id }: SubJobRow) =>
    state.cancelledBy !== null && id.startsWith(`${record.jobId}.${state.run}.`);
  const isUndone = (row: SubJobRow) =>
    isFailed(row) ||
    (row.kind === 'PREPARE' && lost.has(row.medium)) ||
    // A cancelled run finishes partial results, so the retry repeats FINISH.
    (row.kind === 'FINISH' && isOfCancelled(row));
  const units = groupBy(rows, ({ key }) => key.slice(0, key.lastIndexOf('/')));
  return [...units.values()].flatMap((unit) => {
    if (!unit.some(isUndone)) return hasFiles(unit) ? unit : [];
    // Results of different settings are not mixed.
    if (jobProperties !== undefined) return [];
    const kept = unit.filter((row) => !isUndone(row) && row.kind !== 'FINISH' && row.kind !== 'ARTIFACTS');
    return hasFiles(kept) ? kept : [];
  });
}

/** True if the files of a unit still exist. Files of derivative media without a FINISH were deleted with their run. */
const hasFiles = (unit: readonly SubJobRow[]): boolean =>
  unit.some(({ kind }) => kind === 'FINISH') || !unit.some(({ derived = 0 }) => derived > 0);

/** Returns the places of the media that a row has derived. */
function childrenOf({ kind, derivedAt, summary }: SubJobRow): readonly number[] {
  if (kind !== 'FINISH' || derivedAt === undefined) return [];
  return (summary?.derived ?? []).map((_, n) => derivedAt + n);
}

/** Returns the new place of each of `all` media after the removal of some. */
function placesWithout(removed: ReadonlySet<number>, all: number): (medium: number) => number {
  let next = 0;
  const places = Array.from({ length: all }, (_, medium) => (removed.has(medium) ? -1 : next++));
  return (medium) => places[medium] ?? medium;
}

function atPlace(state: Ended, row: SubJobRow, placeOf: (medium: number) => number): SubJobRow {
  const { medium, derivedAt, key } = row;
  const place = placeOf(medium);
  const children = derivedAt === undefined ? undefined : placeOf(derivedAt);
  if (place === medium && children === derivedAt) return row;
  const before = mediumPrefix(baseRunOf(state), medium);
  return {
    ...row,
    medium: place,
    key: `${mediumPrefix(baseRunOf(state), place)}${key.slice(before.length)}`,
    ...(children === undefined ? {} : { derivedAt: children }),
  };
}

/** Returns by task the number of media when the task was planned. */
const mediaOfTasks = ({ media, plan }: JobRecord, deriving: readonly SubJobRow[]): readonly number[] =>
  plan.tasks.map((_, task) => {
    const before = deriving.filter(({ stage }) => stage.name === 'TASK' && stage.index < task);
    return media.length + before.flatMap(childrenOf).length;
  });
