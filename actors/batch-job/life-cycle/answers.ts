/** Processes answered and lost work of a job: folds the answer into the state, then continues the job. */
import { refuseWith, type Refused } from '../../runtime/machine.ts';
import { oneChange, type JobChange } from '../state/change.ts';
import type { JobCommand, JobRefusal, WorkDone, WorkFailed } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { withComponent, type AnsweredBy } from './component-figures.ts';
import { laterAttempt } from '../kinds/transfer.ts';
import { foldAnswer } from './fold.ts';
import type { Answer } from '../state/issues.ts';
import { continueAfter, requeue } from './progress.ts';
import { KINDS, survivesCancel } from './stages.ts';
import type { JobState, SubJobRow } from '../state/state.ts';
import { dropWork } from './stop-job.ts';

type Changed = JobChange | Refused<JobRefusal>;
type WorkAnswered = Extract<JobCommand, { readonly type: 'workAnswered' }>;
type WorkLost = Extract<JobCommand, { readonly type: 'workLost' }>;

export function acceptAnswer(
  state: JobState,
  answer: WorkDone | WorkFailed,
  context: DecisionContext,
): Changed {
  const { key, token } = answer;
  return withOutstanding(state, key, (row) => {
    const next = followingRow(state, row, answer, context);
    if (next !== undefined) return requeue(withComponent(state, row, answer, context), next);
    return answer.type === 'workDone'
      ? afterAnswer(
          state,
          { ...row, state: 'DONE', token, file: answer.file },
          answer.result,
          answer,
          context,
        )
      : afterAnswer(state, { ...row, state: 'FAILED', token }, answer, answer, context);
  });
}

/** Returns the row with its next step or its next attempt. Returns undefined if this answer completes the sub-job. */
function followingRow(
  { status }: JobState,
  row: SubJobRow,
  answer: WorkDone | WorkFailed,
  context: DecisionContext,
): SubJobRow | undefined {
  const { nextStep, isTransfer } = KINDS[row.kind];
  if (answer.type === 'workDone') return nextStep?.(row, answer, context.record);
  return isTransfer === true && status !== 'CANCELLING' ? laterAttempt(row, answer, context) : undefined;
}

/** Processes several answers in order, and stores the result in one commit. */
export function acceptAnswers(state: JobState, { answers }: WorkAnswered, context: DecisionContext): Changed {
  let all: JobChange | undefined;
  for (const answer of answers) {
    const change = acceptAnswer(all?.state ?? state, answer, context);
    if (!('kind' in change)) all = all === undefined ? change : oneChange(all, change);
  }
  return all ?? refuseWith('NOT_OUTSTANDING');
}

export function loseWork(state: JobState, command: WorkLost, context: DecisionContext): Changed {
  return withOutstanding(state, command.key, (row) => {
    if (state.status === 'CANCELLING' && !survivesCancel(row.kind))
      return dropWork(state, { keys: [row.key] }, context);
    const attempts = row.attempts + 1;
    if (attempts !== command.attempt) return refuseWith('NOT_OUTSTANDING');
    if (attempts < context.settings.attempts) return requeue(state, { ...row, attempts });
    const message = `The component was lost ${attempts} times on this sub-job: ${command.reason}`;
    const failed: SubJobRow = { ...row, attempts, state: 'FAILED' };
    return afterAnswer(state, failed, { code: 'DEAD_LETTER', message }, { ms: 0 }, context);
  });
}

function afterAnswer(
  state: JobState,
  row: SubJobRow,
  answer: Answer,
  by: AnsweredBy,
  context: DecisionContext,
): JobChange {
  const folded = foldAnswer(state, row, answer, by, context);
  return continueAfter(folded.state, folded.row, context);
}

function withOutstanding(state: JobState, key: string, apply: (row: SubJobRow) => Changed): Changed {
  const row = state.outstanding.get(key);
  return row === undefined ? refuseWith('NOT_OUTSTANDING') : apply(row);
}
