import type { List } from 'immutable';
import type { WorkKind, WorkTypes } from '../../../protocol/worker-protocol.ts';
import type { CheckedResult } from '../../../results/check/check.ts';
import type { IssueCode } from '../../../domain/types.ts';
import type { DecisionContext } from '../state/context.ts';
import type { WorkDone } from '../state/commands.ts';
import type { Failure } from '../state/issues.ts';
import type { JobRecord } from '../state/record.ts';
import type { JobState, MediumState, SubJobRow, Unit } from '../state/state.ts';
import type { KeyOf, PathOf } from './paths.ts';

export type Result = CheckedResult & { ok: true };
/** What a component receives about work of a kind. */
type WorkOf<R extends Result> = WorkTypes[R['kind']]['work'];
/** A good answer to work of a kind. */
export type ResultOf<K extends WorkKind> = Extract<Result, { kind: K }>;

/** An answer that arrived whole and tells of a failure, or cannot be used. */
export interface Refused {
  readonly row: SubJobRow;
  readonly failure: Failure;
}

/**
 * A kind of work, all that is special about it: what a component is told, and what its answer means. What `unit` and `media` say is
 * applied when the answer is taken and again, from the stored row alone, when the job is restored.
 */
export interface Kind<R extends Result = Result> {
  /** A job that is cancelled still does it. */
  readonly survivesCancel?: true;
  /** It waits for another host: a failure that may pass is tried again later. */
  readonly isTransfer?: true;
  /** The time that components spend on it counts for its action. */
  readonly isTimed?: true;
  /** The code of its failures in the document, whatever the component says. */
  readonly errorCode?: IssueCode;
  /** The row of a new sub-job. `index`: of the unit in its stage. */
  row(state: JobState, index: number, unit: Unit, context: DecisionContext): SubJobRow;
  /** What is to be done, with paths in place of the keys by which its files are stored. */
  paths(work: WorkOf<R>, at: PathOf): WorkOf<R>;
  /** A good answer, with keys in place of the paths that its component has named; absent: it names none. */
  keys?(result: R, keyOf: KeyOf): R;
  /** The answer to a new sub-job, where the server knows it: then it is taken at once, and no component hears of the sub-job. */
  knownAnswer?(row: SubJobRow, unit: Unit): R | undefined;
  /** After a good answer that is only that of a step: the row with the next one; undefined: the sub-job is over. */
  nextStep?(row: SubJobRow, answer: WorkDone, record: JobRecord): SubJobRow | undefined;
  /** The row with all of a good answer that a restart must find again. */
  keepResult(row: SubJobRow, result: R, state: JobState, context: DecisionContext): SubJobRow | Refused;
  /** What a row says of its unit: that it was made (QUEUED), or answered. */
  unit(unit: Unit, row: SubJobRow): Unit;
  /** What an answered row says of the media; absent: nothing that others rely on. */
  media?(media: List<MediumState>, row: SubJobRow): List<MediumState>;
  /** What a good answer means for the job as a whole. */
  foldAnswer?(state: JobState, result: R, context: DecisionContext): JobState;
  /** What a failure means for the job as a whole; absent: its medium has failed, with an error in the row. */
  foldFailure?(state: JobState, failure: Failure): JobState;
}

/** Counts a row in a unit whose work is divided into pieces. */
export function pieceOf(unit: Unit, { state, derived = 0, empty }: SubJobRow): Unit {
  switch (state) {
    case 'QUEUED':
      return { ...unit, made: unit.made + 1 };
    case 'DONE':
      return {
        ...unit,
        done: unit.done + 1,
        derived: unit.derived + derived,
        empty: unit.empty && empty === true,
      };
    case 'FAILED':
      return { ...unit, failed: unit.failed + 1 };
  }
}

export const refuseRow = ({ file: _, ...row }: SubJobRow, failure: Failure): Refused => ({
  row: { ...row, state: 'FAILED' },
  failure,
});
