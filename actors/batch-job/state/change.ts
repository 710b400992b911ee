import type { Row } from '../../../store/store.ts';
import type { Change } from '../../runtime/machine.ts';
import type { JobCommand, JobRefusal } from './commands.ts';
import type { DecisionContext } from './context.ts';
import type { JobEffect } from './effects.ts';
import type { JobState, SubJobRow } from './state.ts';
import type { BatchJobStatus } from './status.ts';

export interface JobTypes {
  readonly state: JobState;
  readonly command: JobCommand;
  readonly effect: JobEffect;
  readonly reply: never;
  readonly refusal: JobRefusal;
  readonly context: DecisionContext;
  /** UNKNOWN: there is no such job. REMOVED: a client has removed the job, and its files are being deleted. */
  readonly status: BatchJobStatus | 'REMOVED';
}

/** A new state of a job, with the rows to store and the effects to perform. */
export interface JobChange extends Change<JobTypes> {
  readonly state: JobState;
  readonly putRows: readonly Row[];
  readonly effects: readonly JobEffect[];
}

export const toStoredRows = (rows: readonly SubJobRow[]): readonly Row[] =>
  rows.map((row) => ({ key: row.key, body: row }));

export const withoutChange = (state: JobState): JobChange => ({ state, putRows: [], effects: [] });

/** True if the end removes all rows of sub-jobs, because no retry needs them. A row that is written in the same commit would stay. */
export const hasNoRows = ({ stage, retryable }: JobState): boolean =>
  stage.name === 'ENDED' && retryable !== true;

/** Combines two successive changes into one. */
export function oneChange(first: JobChange, second: JobChange): JobChange {
  const hasEnded = second.state.stage.name === 'ENDED';
  const rows = hasNoRows(second.state) ? second.putRows : [...first.putRows, ...second.putRows];
  return {
    ...second,
    putRows: [...new Map(rows.map((row) => [row.key, row])).values()],
    effects: [...(hasEnded ? [] : first.effects), ...second.effects],
    outbox: {
      put: [...(first.outbox?.put ?? []), ...(second.outbox?.put ?? [])],
      remove: [...(first.outbox?.remove ?? []), ...(second.outbox?.remove ?? [])],
    },
    removeRows: [...(first.removeRows ?? []), ...(second.removeRows ?? [])],
    synced: first.synced === true || second.synced === true,
  };
}
