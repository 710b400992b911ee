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
/** The message that a component receives for work of a kind. */
type WorkOf<R extends Result> = WorkTypes[R['kind']]['work'];
/** A successful answer to work of a kind. */
export type ResultOf<K extends WorkKind> = Extract<Result, { kind: K }>;

/** A complete answer that reports a failure, or that cannot be used. */
export interface Refused {
  readonly row: SubJobRow;
  readonly failure: Failure;
}

/**
 * Everything that is special about a kind of work: the message to the component and the meaning of its answer. `unit` and `media` apply
 * when the server accepts the answer. They apply again, to the stored row alone, when the job is restored.
 */
export interface Kind<R extends Result = Result> {
  /** A cancelled job still does this work. */
  readonly survivesCancel?: true;
  /** The work waits for another host. A temporary failure is retried later. */
  readonly isTransfer?: true;
  /** The time that components spend on this work counts for its action. */
  readonly isTimed?: true;
  /** Code of its failures in the document, whatever code the component reports. */
  readonly errorCode?: IssueCode;
  /** Returns the row of a new sub-job. `index`: the index of the unit in its stage. */
  row(state: JobState, index: number, unit: Unit, context: DecisionContext): SubJobRow;
  /** Returns the work with paths in place of the keys under which its files are stored. */
  paths(work: WorkOf<R>, at: PathOf): WorkOf<R>;
  /** Returns a successful answer with keys in place of the paths of the component. Undefined if the answer contains no paths. */
  keys?(result: R, keyOf: KeyOf): R;
  /** Returns the answer to a new sub-job if the server knows it. The server then accepts it at once and queues no work. */
  knownAnswer?(row: SubJobRow, unit: Unit): R | undefined;
  /** Returns the row with the next step, after a successful answer to one step. Returns undefined if the sub-job is complete. */
  nextStep?(row: SubJobRow, answer: WorkDone, record: JobRecord): SubJobRow | undefined;
  /** Returns the row with everything from a successful answer that a restart needs. */
  keepResult(row: SubJobRow, result: R, state: JobState, context: DecisionContext): SubJobRow | Refused;
  /** Returns the unit after a row was created (QUEUED) or answered. */
  unit(unit: Unit, row: SubJobRow): Unit;
  /** Returns the media after an answered row. Undefined if the answer changes nothing that other work needs. */
  media?(media: List<MediumState>, row: SubJobRow): List<MediumState>;
  /** Applies a successful answer to the whole job. */
  foldAnswer?(state: JobState, result: R, context: DecisionContext): JobState;
  /** Applies a failure to the whole job. If undefined, the medium has failed, with an error in the row. */
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
