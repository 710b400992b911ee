import type { SubJob } from '../dispatcher/commands.ts';
import type { JobRecord } from './record.ts';
import type { JobState, SubJobRow } from './state.ts';

/** Rows in the words of the dispatcher. */
export function toSubJobs(record: JobRecord, state: JobState, rows: readonly SubJobRow[]): readonly SubJob[] {
  const pieces = state.units.reduce((sum, unit) => sum + unit.ranges.length, 0);
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    jobId: String(record.number),
    queue: row.queue,
    kind: row.kind,
    priority: state.priority,
    attempt: row.attempts + 1,
    releases: 0,
    share: row.kind === 'DETECT' ? 100 / record.plan.tasks.length / Math.max(1, pieces) : 0,
  }));
}
