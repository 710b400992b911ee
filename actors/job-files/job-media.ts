/** Where the media of a job lie: from its rows while it is under way, from the index beside its document when it has ended. */
import type { IndexedMedium } from '../../protocol/document-work.ts';
import { pathOf } from '../../results/file-keys.ts';
import { folderOfDocument, mediaIndexFile } from '../../results/layout.ts';
import { indexedMedium } from '../../results/document/media-index.ts';
import type { Store } from '../../store/store.ts';
import { BATCH_JOB, mediumPrefix, unitPrefix } from '../batch-job/state/keys.ts';
import { baseRunOf, foldersOf } from '../batch-job/state/record.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { indexedMediumOf, shortUri } from './indexed-medium.ts';
import type { StoredJob } from '../batch-job/state/stored-job.ts';

/**
 * The name of the folders with the results of a job: its own, or those of the earlier job whose document stands for its. undefined: they
 * are with another service.
 */
export function resultFolderOf({ record, snapshot }: StoredJob, dataDir: string): string | undefined {
  const { pastOutput, hasDocument, status } = snapshot;
  if (pastOutput === null || hasDocument || !isTerminal(status)) return foldersOf(record, snapshot);
  return folderOfDocument(dataDir, pastOutput);
}

/** A medium by its place in the job; undefined: the job has no such medium, or has not made it yet. */
export async function jobMedium(
  store: Store,
  dataDir: string,
  job: StoredJob,
  place: number,
): Promise<IndexedMedium | undefined> {
  if (!isTerminal(job.snapshot.status)) return liveMedium(store, job, place);
  const folder = resultFolderOf(job, dataDir);
  if (folder === undefined) return requestedMedium(job, place);
  try {
    return await indexedMedium(pathOf(dataDir, mediaIndexFile(folder)), place);
  } catch (error) {
    // The job wrote no document.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return requestedMedium(job, place);
    throw error;
  }
}

/** What the request alone says. */
function requestedMedium({ record }: StoredJob, place: number): IndexedMedium | undefined {
  const medium = record.media[place];
  return medium === undefined ? undefined : { uri: shortUri(medium.uri), facts: null, inspected: false };
}

async function liveMedium(store: Store, job: StoredJob, place: number): Promise<IndexedMedium | undefined> {
  const { record, snapshot } = job;
  const named = record.media[place];
  const rows = await rowsThatTell(store, job, place);
  if (named === undefined && !rows.some(({ prepared }) => prepared !== undefined)) return undefined;
  return indexedMediumOf({ named, mediaId: named?.mediaId, rows, folder: foldersOf(record, snapshot) });
}

/** A medium may have a hundred thousand sub-jobs: only those are read that know of files. */
async function rowsThatTell(
  store: Store,
  { record, snapshot }: StoredJob,
  medium: number,
): Promise<readonly SubJobRow[]> {
  const run = baseRunOf(snapshot);
  const ofTasks = record.plan.tasks.flatMap(({ actions }, task) =>
    actions.flatMap((_, action) =>
      ['f', 'm'].map((end) => `${unitPrefix(run, task, { medium, action })}${end}`),
    ),
  );
  const actor = { kind: BATCH_JOB, id: String(record.number) };
  const rows: SubJobRow[] = [];
  for (const key of [`${mediumPrefix(run, medium)}p`, ...ofTasks]) {
    const [row] = await store.rows(actor, { prefix: key, limit: 1 });
    if (row?.key === key) rows.push(row.body as SubJobRow);
  }
  return rows;
}
