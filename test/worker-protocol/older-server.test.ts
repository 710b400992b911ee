/** Components of this version at a server of an older one, which hands out and takes sub-jobs one by one. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { WorkerClient } from '../../components/sdk/client.ts';
import { runWorker } from '../../components/sdk/worker.ts';
import type { ClaimRequest } from '../../protocol/worker-messages.ts';
import { trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';

const IMAGES = 12;

/** This server without what older ones do not know; `claims`: how many sub-jobs were asked for at a time. */
async function olderServer(
  service: Service,
  claims: number[],
): Promise<{ readonly url: string; close(): void }> {
  const pass = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const body = await buffer(from);
    const { method, url = '', headers } = from;
    if (url === '/worker/v1/answers')
      return void to.writeHead(404).end('{"message":"There is no such path."}');
    if (url === '/worker/v1/claim') claims.push((JSON.parse(body.toString()) as ClaimRequest).max ?? 1);
    const options = { method, headers: { ...headers, 'content-length': String(body.length) } };
    delete (options.headers as Record<string, unknown>)['transfer-encoding'];
    const call = request(`${service.url}${url}`, options, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    to.once('close', () => call.destroy());
    call.once('error', () => to.destroy());
    call.end(body);
  };
  const server: Server = createServer((from, to) => void pass(from, to));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('A component at an older server', () => {
  let service: Service;
  before(async () => {
    service = await Service.shared();
  });
  after(() => service.close());

  it('answers its sub-jobs one by one, fails one of them, and claims one at a time', async () => {
    const claims: number[] = [];
    const log: string[] = [];
    const server = await olderServer(service, claims);
    const client = new WorkerClient(server.url, service.token);
    const stop = new AbortController();
    let handled = 0;
    const working = runWorker({
      client,
      algorithms: ['ABSENT'],
      signal: stop.signal,
      async *handle() {
        if (++handled === 3) throw new Error('This one is broken.');
        yield `${JSON.stringify(trackNamed(`picture ${handled}`))}\n`;
      },
      log: (message) => log.push(message),
    });
    try {
      const media = Array.from({ length: IMAGES }, () => sampleUri('hello-world.png'));
      const id = await service.submit({ media, pipelineName: 'ABSENT PIPELINE' });
      expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
      const document = await service.document(id);
      const labels = document.media.flatMap((medium) => tracksOf(medium, 'ABSENT'));
      expect(labels).to.have.length(IMAGES - 1);
      expect([handled, new Set(claims)]).to.deep.equal([IMAGES, new Set([1])]);
      expect(log).to.have.length(1);
      expect(log[0]).to.match(/^\S+: Error: This one is broken\.\n +at .*older-server/);
    } finally {
      stop.abort();
      await working;
      client.close();
      server.close();
    }
  });
});
