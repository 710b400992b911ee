/** A replacement of `check-worker.ts` that exits at one file, and at an answer that asks for it. */
import { parentPort } from 'node:worker_threads';
import { checkAnswers } from '../../../results/check/check-file.ts';
import type { CheckRequest } from '../../../results/check/check.ts';

parentPort?.on('message', (request: CheckRequest) => {
  if ('segment' in request) throw new Error('No test sends a segment here.');
  const kills = request.answers.some((answer) =>
    'text' in answer ? answer.text.includes('killer') : answer.path.endsWith('killer'),
  );
  if (kills) process.exit(9);
  void checkAnswers(request).then((results) => parentPort?.postMessage({ results }));
});
