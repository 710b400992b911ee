import { MEDIA_QUEUES } from '../../components/sdk/protocol.ts';
import type { SubJob } from '../dispatcher/commands.ts';
import type { JobRecord } from './record.ts';
import type { JobState, SubJobRow } from './state.ts';
import { weightOf } from './units.ts';

/** The queue of a row; rows of earlier versions name one queue for all work of the media component. */
export const queueOf = ({ kind, queue }: Pick<SubJobRow, 'kind' | 'queue'>): string =>
  kind === 'DETECT' || kind === 'MARKUP' ? queue : MEDIA_QUEUES[kind];

/** Rows in the words of the dispatcher. */
export function toSubJobs(record: JobRecord, state: JobState, rows: readonly SubJobRow[]): readonly SubJob[] {
  const shareOf = ({ unit: index, kind }: SubJobRow): number => {
    const unit = state.units.get(index);
    // Nothing else is done in a job of which an earlier one has done all.
    if (kind === 'COPY') return 99;
    if (kind !== 'DETECT' || unit === undefined) return 0;
    return (100 * weightOf(unit)) / record.plan.tasks.length / Math.max(1, state.weight.total * unit.pieces);
  };
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    jobId: String(record.number),
    queue: queueOf(row),
    kind: row.kind,
    priority: state.priority,
    attempt: row.attempts + 1,
    releases: 0,
    share: shareOf(row),
  }));
}
