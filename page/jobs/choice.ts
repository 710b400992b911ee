/** Jobs that are chosen in a list. */
import type { ListedJob } from './types.ts';

/** Ids of jobs, or all that match the filters of the list. */
export type Selection = ReadonlySet<string> | 'all';
export const NOTHING: Selection = new Set();

export const isSelected = (selection: Selection, jobId: string) =>
  selection === 'all' || selection.has(jobId);

/** With one job more, or less. */
export function toggle(
  selection: Selection,
  jobId: string,
  shown: readonly Pick<ListedJob, 'jobId'>[] = [],
): Selection {
  const chosen = new Set(selection === 'all' ? shown.map((job) => job.jobId) : selection);
  if (!chosen.delete(jobId)) chosen.add(jobId);
  return chosen;
}
