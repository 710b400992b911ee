/** The work that a component of FINISH receives. */
import type { FinishWork } from '../../../protocol/track-work.ts';
import { allRows } from '../../../store/store.ts';
import { BATCH_JOB, unitPrefix } from '../../batch-job/state/keys.ts';
import { stageIndex } from '../../batch-job/state/media.ts';
import type { PlannedFinish } from '../../batch-job/state/planned-work.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import { finishParts } from '../../job-files/finish-parts.ts';
import type { AssignmentDeps, Handed } from './handed-out.ts';

/** Returns the work with the files of answered pieces, and with a media id for each of their derivative media. */
export async function finishWork(
  { store, dataDir, fetchLimits }: AssignmentDeps,
  planned: PlannedFinish,
  { jobNumber, row }: Handed,
): Promise<FinishWork> {
  const { rollUp, ...rest } = planned;
  // The results already exist, and only their upload remains.
  if (planned.made !== undefined) return rest;
  const { parts, derived } = await finishParts(dataDir, piecesOf(store, jobNumber, row));
  const { mediaRoots: roots, excluded } = fetchLimits;
  const work = {
    ...rest,
    parts,
    ...(rollUp === undefined ? {} : { rollUp: { ...rollUp, roots, excluded } }),
  };
  if (work.derive === undefined) return work;
  const firstMediaId = await store.next('medium', Math.max(1, derived));
  return { ...work, derive: { ...work.derive, firstMediaId } };
}

async function* piecesOf(
  store: AssignmentDeps['store'],
  jobNumber: string,
  row: SubJobRow,
): AsyncGenerator<SubJobRow> {
  const prefix = `${unitPrefix(row.run, stageIndex(row.stage), row)}d`;
  for await (const { body } of allRows(store, { kind: BATCH_JOB, id: jobNumber }, prefix))
    yield body as SubJobRow;
}
