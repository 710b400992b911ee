import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { AdoptDocument } from '../batch-job/state/commands.ts';
import { foldersOf, type JobRecord } from '../batch-job/state/record.ts';
import type { JobState } from '../batch-job/state/state.ts';
import { TERMINAL_STATUSES } from '../batch-job/state/status.ts';
import { pathOf } from '../../results/file-keys.ts';
import { detectionFile } from '../../results/layout.ts';

/** Schema of the first line of a document: everything except its media. */
const head = z.object({
  objectId: z.string(),
  status: z.enum(TERMINAL_STATUSES),
  timeStop: z.string().transform(Date.parse).pipe(z.number()),
});
/** Maximum length of the first line, which has the properties of the job and of the server. */
const LONGEST_HEAD_BYTES = 8 * 1024 * 1024;
const HEAD_END = '"media":[';

/** The document of this run, with its status. Returns undefined if there is none. The folder may contain the document of another run. */
export async function findDocument(
  dataDir: string,
  record: Pick<JobRecord, 'jobId'>,
  state: Pick<JobState, 'run' | 'baseRun' | 'objectId'>,
): Promise<AdoptDocument | undefined> {
  const path = pathOf(dataDir, detectionFile(foldersOf(record, state)));
  const line = await firstLine(path);
  if (line?.endsWith(HEAD_END) !== true) return undefined;
  const { data } = head.safeParse(JSON.parse(`${line}]}`));
  if (data?.objectId !== state.objectId) return undefined;
  const { objectId, status, timeStop: endedAt } = data;
  return { type: 'adoptDocument', objectId, status, endedAt, sha256: await hashOf(path) };
}

async function firstLine(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    for await (const line of file.readLines({ end: LONGEST_HEAD_BYTES, autoClose: false })) return line;
    return undefined;
  } finally {
    await file.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
