/** Where the media of a job are stored. While the job runs, its rows say so; afterwards, the index beside its document. */
import { jobNumber } from '../../domain/job/job-id.ts';
import { pathOf } from '../../results/file-keys.ts';
import { folderOfDocument, mediaIndexFile } from '../../results/layout.ts';
import { MediaIndex, type PlacedMedium } from '../../results/document/media-index.ts';
import type { Store } from '../../store/store.ts';
import { BATCH_JOB, mediumPrefix, unitPrefix } from '../batch-job/state/keys.ts';
import { baseRunOf, foldersOf } from '../batch-job/state/record.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import { isTerminal } from '../batch-job/state/status.ts';
import { derivedMedia } from './derived-media.ts';
import { indexedMediumOf, shortUri } from './indexed-medium.ts';
import { storedJob, type StoredJob } from '../batch-job/state/stored-job.ts';

/**
 * The name of the folders with the results of a job: its own, or those of the earlier job whose document it reuses. Undefined if the
 * results are at another service.
 */
export function resultFolderOf({ record, snapshot }: StoredJob, dataDir: string): string | undefined {
  const { pastOutput, hasDocument, status } = snapshot;
  if (pastOutput === null || hasDocument || !isTerminal(status)) return foldersOf(record, snapshot);
  return folderOfDocument(dataDir, pastOutput);
}

/**
 * A medium by its mediaId. Returns undefined if the job has no such medium, or none yet. A job with results of an earlier job accepts the
 * ids of that document and its own.
 */
export async function jobMedium(
  store: Store,
  dataDir: string,
  job: StoredJob,
  mediaId: number,
): Promise<PlacedMedium | undefined> {
  if (!isTerminal(job.snapshot.status)) return liveMedium(store, job, mediaId);
  const own = placeIn(job, mediaId);
  const found = await withIndex(store, dataDir, job, async (index) => {
    const medium = await index.find(mediaId);
    return medium ?? (job.snapshot.pastOutput === null ? undefined : index.at(own));
  });
  return found === 'NO_INDEX' ? requestedMedium(job, own) : found;
}

/** The mediaIds that `jobMedium` accepts. */
export async function mediaIdsOf(store: Store, dataDir: string, job: StoredJob): Promise<readonly number[]> {
  const ids = namedIds(job);
  if (!isTerminal(job.snapshot.status))
    return [...ids, ...(await derivedMedia(store, job)).map(({ medium }) => medium.mediaId)];
  const found = await withIndex(store, dataDir, job, (index) => index.mediaIds());
  return found === 'NO_INDEX' ? ids : found;
}

const namedIds = ({ record }: StoredJob): readonly number[] => record.media.map(({ mediaId }) => mediaId);
const placeIn = (job: StoredJob, mediaId: number): number => namedIds(job).indexOf(mediaId);

/** Reads the index beside the results of an ended job. */
async function withIndex<T>(
  store: Store,
  dataDir: string,
  job: StoredJob,
  ask: (index: MediaIndex) => Promise<T>,
): Promise<T | 'NO_INDEX'> {
  const folder = resultFolderOf(job, dataDir);
  if (folder === undefined) return 'NO_INDEX';
  const owner = await ownerOf(store, job, folder);
  let index: MediaIndex;
  try {
    index = await MediaIndex.open(
      pathOf(dataDir, mediaIndexFile(folder)),
      owner === undefined ? [] : namedIds(owner),
    );
  } catch (error) {
    // The job wrote no document.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'NO_INDEX';
    throw error;
  }
  try {
    return await ask(index);
  } finally {
    await index.close();
  }
}

/** The job whose run has these folders. Returns undefined if it was deleted. */
async function ownerOf(store: Store, job: StoredJob, folder: string): Promise<StoredJob | undefined> {
  if (folder === foldersOf(job.record, job.snapshot)) return job;
  const number = jobNumber(folder.replace(/\.\d+$/, ''));
  return number === null ? undefined : storedJob(store, number);
}

/** A medium as the request describes it. */
function requestedMedium({ record }: StoredJob, place: number): PlacedMedium | undefined {
  const named = record.media[place];
  if (named === undefined) return undefined;
  const { mediaId, uri } = named;
  return { place, medium: { mediaId, uri: shortUri(uri), facts: null, inspected: false } };
}

async function liveMedium(store: Store, job: StoredJob, mediaId: number): Promise<PlacedMedium | undefined> {
  const { record, snapshot } = job;
  const place = placeIn(job, mediaId);
  const at = place < 0 ? await derivedPlace(store, job, mediaId) : place;
  if (at === undefined) return undefined;
  const rows = await rowsThatTell(store, job, at);
  const medium = indexedMediumOf({
    named: record.media[at],
    mediaId,
    rows,
    folder: foldersOf(record, snapshot),
  });
  return { place: at, medium };
}

async function derivedPlace(store: Store, job: StoredJob, mediaId: number): Promise<number | undefined> {
  const derived = await derivedMedia(store, job);
  return derived.find(({ medium }) => medium.mediaId === mediaId)?.index;
}

/** A medium may have a hundred thousand sub-jobs, so only the rows with files are read. */
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
