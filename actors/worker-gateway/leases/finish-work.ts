/** What FINISH receives with its lease. */
import type { FinishPart, FinishWork } from '../../../protocol/track-work.ts';
import { answerPlace } from '../../../results/answer-place.ts';
import { openFeedIndex, type FeedIndex } from '../../../results/feed-index.ts';
import { pathOf } from '../../../results/file-keys.ts';
import { allRows } from '../../../store/store.ts';
import { BATCH_JOB, unitPrefix } from '../../batch-job/state/keys.ts';
import { stageIndex } from '../../batch-job/state/media.ts';
import type { PlannedFinish } from '../../batch-job/state/planned-work.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import type { AssignmentDeps, Handed } from './handed-out.ts';

/** The files of the pieces that were answered, and as many media ids as they bring derivative media. */
export async function finishWork(
  { store, dataDir, fetchLimits }: AssignmentDeps,
  planned: PlannedFinish,
  { jobNumber, row }: Handed,
): Promise<FinishWork> {
  const { rollUp, ...rest } = planned;
  // Its results are made.
  if (planned.made !== undefined) return rest;
  const parts: FinishPart[] = [];
  let derived = 0;
  // All pieces of a unit are fed from one file: to open it for each would take longer than a lease lasts.
  let index: FeedIndex | undefined;
  const rows = allRows(
    store,
    { kind: BATCH_JOB, id: jobNumber },
    `${unitPrefix(row.run, stageIndex(row.stage), row)}d`,
  );
  try {
    for await (const { body } of rows) {
      const { state, file, range, fed, derived: brought = 0 } = body as SubJobRow;
      if (state !== 'DONE' || file === undefined) continue;
      derived += brought;
      if (fed !== undefined) index ??= await openFeedIndex(pathOf(dataDir, fed.file), fed.indexAt);
      parts.push({ path: file, range, ...(fed === undefined ? {} : await fedPart(fed, index!)) });
    }
  } finally {
    await index?.close();
  }
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

async function fedPart(
  { file, piece }: NonNullable<SubJobRow['fed']>,
  index: FeedIndex,
): Promise<Pick<FinishPart, 'fed'>> {
  const { offset, bytes } = await index.piece(piece);
  return { fed: { path: answerPlace(file).path, offset, bytes } };
}
