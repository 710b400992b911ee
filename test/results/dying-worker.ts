/** A thread as `check-worker.ts` that dies of one file, and of an answer that says so. */
import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { checkAnswers } from '../../results/check-file.ts';
import type { CheckRequest } from '../../results/check.ts';

parentPort?.on('message', (request: CheckRequest) => {
  if ('segment' in request) throw new Error('No test sends a segment here.');
  const { path, answers } = request;
  const file = readFileSync(path);
  const kills = answers.some(({ place: { offset, bytes } = { offset: 0, bytes: 0 } }) =>
    file.toString('utf8', offset, offset + bytes).includes('killer'),
  );
  if (path.endsWith('killer') || kills) process.exit(9);
  void checkAnswers(request).then((results) => parentPort?.postMessage({ results }));
});
