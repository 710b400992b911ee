/** Stops a job early: withdraws its work from components, and finishes the results so far. */
import { refuseWith, WRONG_STATE, type Refused } from '../../runtime/machine.ts';
import type { JobChange } from '../state/change.ts';
import type { JobCommand, JobRefusal } from '../state/commands.ts';
import type { DecisionContext } from '../state/context.ts';
import { withoutOutstanding } from './fold.ts';
import { advance } from './progress.ts';
import { survivesCancel } from './stages.ts';
import type { JobState } from '../state/state.ts';
import { after } from '../state/status.ts';

type Changed = JobChange | Refused<JobRefusal>;
type WorkDropped = Extract<JobCommand, { readonly type: 'workDropped' }>;

/** Stops preparation and detection. Finishing and writing continue. */
export function stop(state: JobState, cancelledBy: 'USER' | 'SHUTDOWN', context: DecisionContext): Changed {
  // The document with the final status is being written, so it is too late to cancel.
  if (state.stage.name === 'DOCUMENT' || state.stage.name === 'UPLOAD') return WRONG_STATE;
  const inspecting = state.inspecting && { ...state.inspecting, next: context.record.media.length };
  const stopping: JobState = { ...state, status: after(state.status, 'cancel'), cancelledBy, inspecting };
  const rows = [...state.outstanding.values()].filter(({ kind }) => !survivesCancel(kind));
  const change = advance(stopping, context);
  return rows.length === 0
    ? change
    : { ...change, effects: [...change.effects, { type: 'cancelWork', rows }] };
}

/** Removes cancelled work without a lease. An answer from before the cancel stays: its row counts for the document. */
export function dropWork(
  state: JobState,
  command: Pick<WorkDropped, 'keys'>,
  context: DecisionContext,
): Changed {
  const keys = command.keys.filter((key) => state.outstanding.has(key));
  if (keys.length === 0) return refuseWith('NOT_OUTSTANDING');
  const change = advance(withoutOutstanding(state, keys), context);
  return { ...change, removeRows: [...keys, ...(change.removeRows ?? [])] };
}
