import { parentPort, type MessagePort } from 'node:worker_threads';
import type { Answer, Numbered } from './messages.ts';
import { isBroken } from './schema.ts';

/** Answers the requests to a thread. The first request calls `open`, so that a failure to open becomes its reply. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what is asked of a thread follows from `answer`
export function serveThread<Request, Reply, Served extends { close(): void | Promise<void> }>(
  open: () => Served,
  answer: (served: Served, request: Request) => Reply | Promise<Reply>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('This module runs as a worker thread only.');
  let served: Served | undefined;
  port.on('message', (message: Numbered<Request>) => {
    if (message === 'close') void end(port, served);
    else
      void answerCall(port, message.n, async () => {
        served ??= open();
        return answer(served, message.request);
      });
  });
}

async function answerCall<Reply>(port: MessagePort, n: number, work: () => Promise<Reply>): Promise<void> {
  try {
    port.postMessage({ n, reply: await work() } satisfies Answer<Reply>);
  } catch (error) {
    const failure = { n, failure: String(error), broken: isBroken(error) };
    port.postMessage(failure satisfies Answer<Reply>);
  }
}

async function end(port: MessagePort, served: { close(): void | Promise<void> } | undefined): Promise<void> {
  await served?.close();
  port.close();
}
