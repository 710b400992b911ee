import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { allEntries, type Store } from '../../store/store.ts';
import { BATCH_JOB } from '../batch-job/state/keys.ts';
import { LIVE_JOBS } from '../batch-job/state/indexes.ts';
import type { JobRecord } from '../batch-job/state/record.ts';

/** Cost of jobs and media after which the loop yields to the event loop. */
const TURN = 1_000;
/** Cost of a job without its media, in media. */
const A_JOB = 50;

/** Ids of the uploads that live jobs use. It reads every live job, so it is for removals, not for every request. */
export async function usedUploads(store: Store, folder: string): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  let seen = 0;
  for await (const { id } of allEntries(store, LIVE_JOBS)) {
    const record = (await store.load({ kind: BATCH_JOB, id }))?.record as JobRecord | undefined;
    const media = record?.media ?? [];
    for (const { uri } of media) {
      const upload = uploadOf(uri, folder);
      if (upload !== undefined) used.add(upload);
    }
    seen += A_JOB + media.length;
    if (seen < TURN) continue;
    await new Promise((resolve) => setImmediate(resolve));
    seen = 0;
  }
  return used;
}

/** The id of the upload that a media URI names in any spelling. Returns undefined for other URIs. */
export function uploadOf(uri: string, folder: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    const [id, ...below] = path.relative(folder, fileURLToPath(uri)).split(path.sep);
    return id === '..' || below.length === 0 ? undefined : id;
  } catch {
    return undefined;
  }
}
