/** The highest job number in the folders of DATA_DIR, independent of the store. */
import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { jobNumber } from '../domain/job/job-id.ts';
import {
  FRAMES,
  jobOfRequestFile,
  jobOfRun,
  REQUESTS,
  RESULT_FOLDERS,
  runOfMedia,
  segmentsRoot,
  streamTracksRoot,
} from './layout.ts';

/** What has a higher number was made by somebody else. */
const MOST_JOBS = 999_999_999_999;
/** Names that are read at a time. */
const NAMES_AT_ONCE = 1_024;

/** The number of the job to whose run a folder belongs, or a file of its own; 0 where its name does not tell. */
export const numberOfRun = (name: string): number => jobNumber(jobOfRun(runOfMedia(name))) ?? 0;

const numberOfRequest = (name: string): number => jobNumber(jobOfRequestFile(name) ?? '') ?? 0;

/** The highest number of a job that has a file or a folder in DATA_DIR; 0: none has. */
export async function highestJobIn(dataDir: string): Promise<number> {
  const runs = ['spool', 'media', FRAMES, ...RESULT_FOLDERS].map((name) => path.join(dataDir, name));
  let highest = 0;
  const look = async (folder: string, numberOf: (name: string) => number) => {
    for await (const name of namesIn(folder)) {
      const number = numberOf(name);
      if (number > highest && number <= MOST_JOBS) highest = number;
    }
  };
  for (const folder of [...runs, segmentsRoot(dataDir), streamTracksRoot(dataDir)])
    await look(folder, numberOfRun);
  await look(path.join(dataDir, REQUESTS), numberOfRequest);
  return highest;
}

/** Of a folder that is not there: none. It may have millions. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder, { bufferSize: NAMES_AT_ONCE })) yield name;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
