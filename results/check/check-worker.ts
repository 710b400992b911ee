/** The thread that checks results one after the other; see `check.ts`. */
import { parentPort } from 'node:worker_threads';
import { checkAnswers } from './check-file.ts';
import { segmentReport } from './segment-report.ts';
import type { CheckReply, CheckRequest } from './check.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

port.on('message', (request: CheckRequest) => {
  const looked: Promise<CheckReply> =
    'segment' in request
      ? segmentReport(request.segment).then((segment) => ({ segment }))
      : checkAnswers(request).then((results) => ({ results }));
  looked.then(
    (reply) => port.postMessage(reply),
    (error: unknown) => port.postMessage({ failure: String(error) } satisfies CheckReply),
  );
});
