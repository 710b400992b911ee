import type { FileKey } from '../../../results/file-keys.ts';
import { spoolFile } from '../../../results/layout.ts';
import { baseRunOf, type JobRecord } from './record.ts';
import type { JobState, SubJobRow, Unit } from './state.ts';

/** Actor kind of batch jobs. */
export const BATCH_JOB = 'batch-job';

/** Keys of the rows of one run, and within it of one medium, sort together: `<run>/<medium>/...`. */
export const runPrefix = (run: number) => `${padNumber(run, 4)}/`;
export const mediumPrefix = (run: number, medium: number) => `${runPrefix(run)}${padNumber(medium, 6)}/`;
export const unitPrefix = (run: number, task: number, unit: Pick<Unit, 'medium' | 'action'>) =>
  `${runPrefix(run)}${unitPath(task, unit)}/`;

export const unitPath = (task: number, { medium, action }: Pick<Unit, 'medium' | 'action'>) =>
  `${padNumber(medium, 6)}/t${padNumber(task, 3)}/a${padNumber(action, 3)}`;
export const padNumber = (value: number, width: number) => String(value).padStart(width, '0');

/** Returns the spool file of a sub-job's answer. The token in its name separates it from the answer of a lost lease. */
export const answerFile = (
  { id, jobId, run }: Pick<SubJobRow, 'id' | 'jobId' | 'run'>,
  token: string,
): FileKey => spoolFile(jobId, run, `${id}.${token}`);

/** Returns id and key of a sub-job, and the fields of its run. Each run has different ids. */
export function namesOf(
  { jobId }: JobRecord,
  state: Pick<JobState, 'run' | 'baseRun' | 'trace'>,
  id: string,
  path: string,
) {
  const base = baseRunOf(state);
  const names = { id: `${jobId}.${state.run}.${id}`, key: `${runPrefix(base)}${path}`, jobId, run: base };
  return state.trace === null ? names : { ...names, trace: state.trace };
}

/** Digits of the piece number at the end of a DETECT row's key. */
const PIECE_DIGITS = 7;
export const pieceName = (piece: number): string => `d${padNumber(piece, PIECE_DIGITS)}`;
export const pieceNumber = ({ key }: Pick<SubJobRow, 'key'>): number => Number(key.slice(-PIECE_DIGITS));
