import type { FileKey } from '../../../results/file-keys.ts';
import { spoolFile } from '../../../results/layout.ts';
import type { JobRecord } from './record.ts';
import type { JobState, SubJobRow, Unit } from './state.ts';

/** The kind of actor that jobs are. */
export const BATCH_JOB = 'batch-job';

/** Keys of the rows of one run, and within it of one medium, sort together: `<run>/<medium>/...`. */
export const runPrefix = (run: number) => `${padNumber(run, 4)}/`;
export const mediumPrefix = (run: number, medium: number) => `${runPrefix(run)}${padNumber(medium, 6)}/`;
export const unitPrefix = (run: number, task: number, unit: Pick<Unit, 'medium' | 'action'>) =>
  `${runPrefix(run)}${unitPath(task, unit)}/`;

export const unitPath = (task: number, { medium, action }: Pick<Unit, 'medium' | 'action'>) =>
  `${padNumber(medium, 6)}/t${padNumber(task, 3)}/a${padNumber(action, 3)}`;
export const padNumber = (value: number, width: number) => String(value).padStart(width, '0');

/** Where a sub-job's answer is spooled; the token keeps the answer of a lost lease out of the way of the next one's. */
export const answerFile = (
  { id, jobId, run }: Pick<SubJobRow, 'id' | 'jobId' | 'run'>,
  token: string,
): FileKey => spoolFile(jobId, run, `${id}.${token}`);

/** Id and key of a sub-job, with what it has of its run. */
export function namesOf(
  { jobId }: JobRecord,
  { run, trace }: Pick<JobState, 'run' | 'trace'>,
  id: string,
  path: string,
) {
  const names = { id: `${jobId}.${run}.${id}`, key: `${runPrefix(run)}${path}`, jobId, run };
  return trace === null ? names : { ...names, trace };
}
