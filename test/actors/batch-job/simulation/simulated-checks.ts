/** Invariants of a job, checked after each command. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { JobCommand } from '../../../../actors/batch-job/state/commands.ts';
import type { JobRecord } from '../../../../actors/batch-job/state/record.ts';
import type { JobState, SubJobRow } from '../../../../actors/batch-job/state/state.ts';
import { isTerminal } from '../../../../actors/batch-job/state/status.ts';
import type { Range } from '../../../../domain/types.ts';
import { mediaOf, type GivenJob } from '../jobs.ts';
import type { ChangeOfJob } from '../jobs.ts';

export interface Shape extends GivenJob {
  readonly window: number;
  readonly attempts: number;
  readonly admitted: boolean;
  readonly archive: Extract<JobCommand, { type: 'accept' }>['archive'];
}

/** Events of the current run. */
export interface Run {
  progress: number;
  failed: boolean;
  warned: boolean;
  documentFailed: boolean;
  cancelledBy: 'USER' | 'SHUTDOWN' | undefined;
  /** The download of a medium failed. */
  fetchFailed: boolean;
  pastFound: boolean;
  /** The results of the earlier job were copied. */
  copied: boolean;
  readonly prepared: Set<number>;
  readonly made: Map<string, SubJobRow>;
  readonly answered: Set<string>;
}

export const newRun = (shape: Shape): Run => ({
  progress: 0,
  failed: mediaOf(shape).some(({ problem }) => problem === true),
  warned: false,
  documentFailed: false,
  cancelledBy: undefined,
  fetchFailed: mediaOf(shape).some(({ problem }) => problem === true),
  pastFound: false,
  copied: false,
  prepared: new Set(),
  made: new Map(),
  answered: new Set(),
});

/** For a retry: the kept work was created and answered in earlier runs. */
export function retriedRun(
  { media }: JobRecord,
  before: ReadonlyMap<string, unknown>,
  { rows: written, removed, state }: ChangeOfJob,
): Run {
  const kept = new Map(
    [...before]
      .filter(
        ([key, body]) => (body as SubJobRow).key === key && !removed.some((prefix) => key.startsWith(prefix)),
      )
      .map(([key, body]) => [key, body as SubJobRow]),
  );
  for (const row of written) if (row.state !== 'QUEUED') kept.set(row.key, row);
  const rows = [...kept.values()];
  const failed = media.some(({ problem }) => problem !== undefined);
  return {
    ...{ progress: 0, failed, fetchFailed: failed, documentFailed: false, copied: false },
    warned: rows.some((row) =>
      [row.prepared, row.summary, row.markup].some((answer) => (answer?.warnings.length ?? 0) > 0),
    ),
    cancelledBy: undefined,
    pastFound: state.pastOutput !== null,
    prepared: new Set(
      rows.filter(({ kind, state: is }) => kind === 'PREPARE' && is === 'DONE').map(({ medium }) => medium),
    ),
    made: kept,
    answered: new Set(kept.keys()),
  };
}

/**
 * The commit that ends the job creates the callback and one post per inspected medium with an archive. No
 * other commit does.
 */
export function checkOwed(
  { jobId, callback, media }: JobRecord,
  { prepared, fetchFailed, pastFound }: Run,
  { state, notices, keptRows }: ChangeOfJob,
): void {
  const posts = media.flatMap(({ archiveUrl }, n) =>
    archiveUrl === undefined || fetchFailed || pastFound || !prepared.has(n) ? [] : [`archive.${n}`],
  );
  const owed = [...(callback === undefined ? [] : ['callback']), ...posts];
  expect(notices.map(({ id }) => id)).to.deep.equal(owed.map((name) => `${jobId}.${state.run}.${name}`));
  expect(keptRows.map(({ body }) => body)).to.deep.equal(notices.slice(notices.length - posts.length));
}

/** Each piece is created once, and the finishing piece only when all others of its unit are answered. */
export function checkNew({ made }: Run, state: JobState, row: SubJobRow): void {
  const unit = [...made.values()].filter(
    (other) => other.medium === row.medium && other.action === row.action && sameStage(other, row),
  );
  expect(made.has(row.key), `${row.key} is made twice`).to.equal(false);
  if (row.kind === 'PREPARE') expect(unit, `medium ${row.medium} is prepared twice`).to.deep.equal([]);
  if (row.kind === 'FINISH') {
    expect(
      unit.filter(({ kind }) => kind === 'FINISH'),
      'finished twice',
    ).to.deep.equal([]);
    for (const { key } of unit)
      expect(state.outstanding.has(key), `${row.key} comes before ${key} is answered`).to.equal(false);
  }
  if (row.kind === 'DETECT' && row.fed !== undefined)
    expect(
      unit.some(({ kind }) => kind === 'FEED'),
      `${row.key} is fed what nobody chose`,
    ).to.equal(true);
  if (state.status === 'CANCELLING')
    expect(row.kind, 'new work of a cancelled job').to.be.oneOf(['FINISH', 'DOCUMENT', 'UPLOAD']);
  made.set(row.key, row);
}

/** The state after a restart equals the current state. */
export function checkRestored(restored: JobState, state: JobState): void {
  expectSame(small(restored), small(state), 'the small part of the restored state');
  if (isTerminal(state.status)) return;
  expectSame(restored.media.toArray(), state.media.toArray(), 'restored media');
  expectSame(
    [...restored.outstanding.values()].toSorted(byKey),
    [...state.outstanding.values()].toSorted(byKey),
    'restored work',
  );
  // Dropped pieces have no row any more. A stopping job creates no pieces, so their number does not matter.
  const stopping = state.status === 'CANCELLING';
  const units = (of: JobState) =>
    of.units.toArray().map((unit) => (stopping ? { ...unit, made: 0, gaps: [], feed: 'NONE' } : unit));
  expectSame(units(restored), units(state), 'restored units');
  expect(restored.weight.total, 'what the stage weighs').to.equal(state.weight.total);
  expect(restored.weight.done, 'what of it is done').to.be.closeTo(state.weight.done, 1e-6);
  if (!stopping) expect(nextUnit(restored), 'where the restored state goes on').to.equal(nextUnit(state));
}

/** With the results of an earlier job, only inspection and copying are done. */
export function checkNoWork({ made }: Run): void {
  for (const { kind } of made.values()) expect(kind).to.be.oneOf(['PREPARE', 'COPY']);
}

/** Each action of the first task processes every requested frame exactly once. */
export function checkCoverage(shape: Shape, { made }: Run): void {
  const pieces = [...made.values()].filter(
    ({ kind, stage }) => kind === 'DETECT' && stage.name === 'TASK' && stage.index === 0,
  );
  for (const [medium, { type, frames, frameRanges, seconds }] of mediaOf(shape).entries())
    for (let action = 0; action < (shape.tasks?.[0] ?? 1); action++) {
      const mine = pieces.filter((piece) => piece.medium === medium && piece.action === action);
      if (type === 'AUDIO' && mine.length > 1) expectWholeSound(mine, (seconds ?? 0) * 1_000);
      else if ((type ?? 'VIDEO') !== 'VIDEO') expect(mine).to.have.lengthOf(1);
      else
        expect(mine.flatMap(({ range }) => framesOf(range)).toSorted(compareNumbers)).to.deep.equal(
          askedFrames(frames ?? 25, frameRanges ?? []),
        );
    }
}

/** The pieces are contiguous from start to end. */
function expectWholeSound(pieces: readonly SubJobRow[], durationMs: number): void {
  const times = pieces.map(({ time }) => time!).toSorted((a, b) => a.start - b.start);
  const ends = times.map(({ stop }) => stop + 1);
  expect([...times.map(({ start }) => start), durationMs]).to.deep.equal([0, ...ends]);
}

/** An ended job does not change, except for its notices and its deletion. */
export function expectFinal(before: JobState, change: ChangeOfJob | undefined, { type }: JobCommand): void {
  if (change === undefined || change.gone) return;
  const { callback: _, archive: __, removed: ___, ...was } = before;
  const { callback: ____, archive: _____, removed: ______, ...is } = change.state;
  expectSame(is, was, `${before.status} is final, also for ${type}`);
  expect(change.rows, 'work of a job that has ended').to.deep.equal([]);
}

/** chai's comparison is slow, so it runs only to produce the message. */
function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).to.deep.equal(expected);
}

export function expectedEnd({ cancelledBy, failed, warned, documentFailed, copied }: Run): string {
  if (cancelledBy !== undefined) return cancelledBy === 'USER' ? 'CANCELLED' : 'CANCELLED_BY_SHUTDOWN';
  // The earlier job had ended COMPLETE.
  if (copied) return 'COMPLETE';
  if (failed || documentFailed) return 'ERROR';
  return warned ? 'COMPLETE_WITH_WARNINGS' : 'COMPLETE';
}

function small(state: JobState): Partial<JobState> {
  const { media: _, units: __, weight: ___, cursor: ____, outstanding: _____, ...rest } = state;
  return rest;
}

const nextUnit = ({ units, cursor }: JobState): number =>
  units.findIndex(
    (unit, index) =>
      index >= cursor && (unit.feed === 'WANTED' || unit.feed === 'MADE' || unit.made < unit.pieces),
  );

const sameStage = (a: SubJobRow, b: SubJobRow) => JSON.stringify(a.stage) === JSON.stringify(b.stage);
export const byKey = (a: { readonly key: string }, b: { readonly key: string }) => (a.key < b.key ? -1 : 1);
const compareNumbers = (a: number, b: number) => a - b;
const framesOf = ({ start, stop }: Range) => Array.from({ length: stop - start + 1 }, (_, i) => start + i);

function askedFrames(length: number, ranges: readonly Range[]): readonly number[] {
  const all = framesOf({ start: 0, stop: length - 1 });
  return ranges.length === 0
    ? all
    : all.filter((frame) => ranges.some(({ start, stop }) => start <= frame && frame <= stop));
}
