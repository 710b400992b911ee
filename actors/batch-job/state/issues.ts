/** Errors and warnings. The state contains those of the whole job, and the row of a sub-job contains those of its medium. */
import type { CheckedResult } from '../../../results/check/check.ts';
import { timeOfFrame } from '../../../domain/frames/frame-times.ts';
import type { DetectionErrorCode, IssueCode, Range } from '../../../domain/types.ts';
import { SERVER, withCause } from '../failures/causes.ts';
import type { DecisionContext } from './context.ts';
import type { JobIssue, JobState, SubJobRow } from './state.ts';
import { after } from './status.ts';

export interface Failure {
  readonly code: DetectionErrorCode | IssueCode;
  readonly message: string;
  /** Frames of the tracks that the sub-job was fed. */
  readonly range?: Range | undefined;
}
export type Answer = (CheckedResult & { ok: true }) | Failure;

/** Returns an error as a text for the log. */
export const errorText = ({ code, message }: { readonly code: string; readonly message: string }) =>
  `${code}: ${message}`.slice(0, 300);

export const withError = (state: JobState, error: Pick<Failure, 'code' | 'message'> | undefined): JobState =>
  error === undefined ? state : { ...state, firstError: state.firstError ?? errorText(error) };

/** Adds a failure of the server, not of an algorithm, to the state. */
export const withServerFailure = (
  state: JobState,
  { code, message }: Pick<Failure, 'code' | 'message'>,
  at: number,
): JobState => ({ ...state, causes: withCause(state.causes, { component: SERVER, code, message }, at) });

export function withIssue(state: JobState, { severity, code, message }: JobIssue): JobState {
  const told = severity === 'error' ? withError(state, { code, message }) : state;
  return {
    ...told,
    status: after(state.status, severity === 'error' ? 'fatal' : 'warning'),
    issues: [...state.issues, { severity, code, message }],
  };
}

export const withWarnings = (state: JobState, warnings: number): JobState =>
  warnings === 0 ? state : { ...state, status: after(state.status, 'warning') };

/** Returns the error of a failed sub-job for the document. */
export function subJobError(
  row: SubJobRow,
  { media }: Pick<JobState, 'media'>,
  { code, message, range = row.range }: Failure,
  { record }: Pick<DecisionContext, 'record'>,
): NonNullable<SubJobRow['error']> {
  const times = media.get(row.medium)?.prepared?.facts.frameTimes;
  const time = (frame: number) => (times === undefined || frame < 0 ? 0 : timeOfFrame(times, frame));
  const task = row.stage.name === 'TASK' ? record.plan.tasks[row.stage.index] : undefined;
  return {
    range,
    startTime: row.time?.start ?? time(range.start),
    stopTime: row.time?.stop ?? time(range.stop),
    algorithm: task?.actions[row.action]?.algorithm.name ?? SERVER,
    code,
    message,
  };
}
