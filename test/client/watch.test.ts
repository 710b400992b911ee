import type { JobProgress } from '../../client/answers.ts';
import { expect } from 'chai';
import { RestClient } from '../../client/rest-client.ts';
import { serverEvents } from '../../client/server-events.ts';
import { givenToken } from '../../client/token-source.ts';
import { watchJob } from '../../client/watch.ts';
import { until } from '../support/until.ts';
import { answer, withService, type Handler } from '../cli/support/scripted-service.ts';

const SHORT = { connectMs: 300, busyMs: 5_000 };
const running = { jobId: 'host-1', jobStatus: 'IN_PROGRESS', jobProgress: 10, terminal: false };
const complete = { ...running, jobStatus: 'COMPLETE', jobProgress: 100, terminal: true };

const event = (data: object) => `id: 1\nevent: job\ndata: ${JSON.stringify(data)}\n\n`;
/** Sends events, then ends the stream or keeps it open. */
const events =
  (texts: readonly string[], open = false): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) response.write(text);
    if (!open) response.end();
  };

const watcher = () => {
  const seen: JobProgress[] = [];
  const stop = new AbortController();
  return { seen, stop, parts: { onEvent: (job: JobProgress) => seen.push(job), signal: stop.signal } };
};
const clientOf = (url: string) => new RestClient(url, givenToken('t'), SHORT);
const messageOf = (promise: Promise<unknown>) => promise.then(() => 'no error', (error: Error) => error.message); // oxfmt-ignore

describe('The events of a job', () => {
  it('are read whole wherever the stream is cut, with comments, and with either line end', async () => {
    const text =
      ': beat\r\nretry: 5\r\n\r\nevent: job\r\ndata: ä\u2028b\r\ndata:c\r\n\r\ndata: plain\n\nevent: job\ndata: cut';
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)); // oxfmt-ignore
      const found: unknown[] = [];
      for await (const each of serverEvents(toStream(chunks))) found.push(each);
      expect(found, `in pieces of ${size}`).to.deep.equal([
        { event: 'job', data: 'ä\u2028b\nc' },
        { event: 'message', data: 'plain' },
      ]);
    }
  });

  it('are followed to the end of the job, which is then looked at once', async () => {
    await withService(
      [events([': \n\n', event(running), event(complete)], true), answer(200, complete)],
      async (url, asked) => {
        const { seen, parts } = watcher();
        expect(await watchJob(clientOf(url), 'host-1', parts)).to.include({ jobStatus: 'COMPLETE' });
        expect(seen.map(({ jobProgress }) => jobProgress)).to.deep.equal([10, 100, 100]);
        expect(asked).to.deep.equal([
          'GET /rest/jobs/host-1/events Bearer t',
          'GET /rest/jobs/host-1?details=true Bearer t',
        ]);
      },
    );
  });

  it('are done without where there are none: the job is looked at, and they are tried again', async () => {
    const busy = answer(503, { message: 'too many' }, { 'retry-after': '2' });
    await withService(
      [
        answer(404, undefined),
        answer(200, running),
        busy,
        answer(200, running),
        events([event(running)]),
        answer(200, complete),
      ],
      async (url, asked) => {
        const { seen, parts } = watcher();
        expect(await watchJob(clientOf(url), 'host-1', parts)).to.include({ terminal: true });
        expect(seen).to.have.length(4);
        expect(asked).to.have.length(6);
      },
    );
  });

  it('end with the watching, and the job goes on', async () => {
    await withService([events([event(running)], true)], async (url, asked) => {
      const { seen, stop, parts } = watcher();
      const watching = messageOf(watchJob(clientOf(url), 'host-1', parts));
      await until('the first event is seen', () => seen.length === 1);
      stop.abort();
      expect(await watching).to.equal('Job host-1 continues; this command has stopped watching it.');
      expect(asked, 'nothing is cancelled').to.have.length(1);
    });
  });

  it('of a job that is not there are none, and the watching says so', async () => {
    await withService([answer(400, undefined), answer(400, undefined)], async (url) => {
      const { parts } = watcher();
      expect(await messageOf(watchJob(clientOf(url), 'host-9', parts))).to.include('There is no job host-9');
    });
  });
});

async function* toStream(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
