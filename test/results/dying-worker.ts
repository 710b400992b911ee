/** A thread as `check-worker.ts` that dies of one file. */
import { parentPort } from 'node:worker_threads';
import { checkFile } from '../../results/check-file.ts';
import type { CheckRequest } from '../../results/check.ts';

parentPort?.on('message', ({ path, kind, expectations }: CheckRequest) => {
  if (path.endsWith('killer')) process.exit(9);
  void checkFile(path, kind, expectations).then((result) => parentPort?.postMessage({ result }));
});
