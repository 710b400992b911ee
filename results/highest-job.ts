/** Finds the highest job number in the folders of DATA_DIR, independent of the store. */
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

/** Maximum job number. A higher number belongs to foreign files. */
const MOST_JOBS = 999_999_999_999;
/** Number of names that are read at a time. */
const NAMES_AT_ONCE = 1_024;

/** The job number of a run's folder, or of a run's file. 0 if its name contains none. */
export const numberOfRun = (name: string): number => jobNumber(jobOfRun(runOfMedia(name))) ?? 0;

const numberOfRequest = (name: string): number => jobNumber(jobOfRequestFile(name) ?? '') ?? 0;

/** The highest number of a job with a file or a folder in DATA_DIR; 0 if there is none. */
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

/** Names in a folder, which may have millions. None if the folder does not exist. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder, { bufferSize: NAMES_AT_ONCE })) yield name;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
