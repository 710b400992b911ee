/** The thread that looks at results, one after the other; see `check.ts`. */
import { parentPort } from 'node:worker_threads';
import { checkAnswers } from './check-file.ts';
import type { CheckReply, CheckRequest } from './check.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

port.on('message', (request: CheckRequest) => {
  checkAnswers(request).then(
    (results) => port.postMessage({ results } satisfies CheckReply),
    (error: unknown) => port.postMessage({ failure: String(error) } satisfies CheckReply),
  );
});
