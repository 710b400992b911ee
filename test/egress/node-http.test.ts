/** HTTP requests of component processes and of the tool to a real server. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { agentFor, exchange, type Message } from '../../egress/node-http.ts';
import { temporaryFolder } from '../store/folder.ts';
import { until } from '../support/until.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');

describe('A request of a component', () => {
  let server: Server;
  let handler: RequestListener;
  let url: string;
  const agent = agentFor('http://127.0.0.1');
  const path = temporaryFolder();
  before(async () => {
    server = createServer((request, response) => handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await writeFile(path('large'), Buffer.alloc(32 * 1024 * 1024));
  });
  after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const post = (message: Partial<Message>) =>
    exchange(agent, url, { method: 'POST', headers: {}, ...message });
  const reasonOf = (sent: Promise<unknown>) => sent.then(() => 'none', (error: Error) => error.message); // oxfmt-ignore
  /** Ends only when it is destroyed. */
  const endless = () => new Readable({ read: (): void => void body.push(CHUNK) });
  let body: Readable;

  it('brings a body that is a stream, whole', async () => {
    handler = (request, response) => void text(request).then((got) => response.end(String(got.length)));
    const answer = await post({ body: Readable.from(Array.from({ length: 200 }, () => CHUNK)) });
    expect(await text(answer)).to.equal(String(200 * CHUNK.length));
  });

  it('gets the answer of a server that has enough of a stream, and then lets go of the stream', async () => {
    handler = (_, response) => response.writeHead(413, { connection: 'close' }).end('too much');
    body = endless();
    const answer = await post({ body });
    expect([answer.statusCode, await text(answer)]).to.deep.equal([413, 'too much']);
    await until('the stream is destroyed', () => body.destroyed);
  });

  it('gets the answer of a server that hangs up during the stream, as some proxies do', async () => {
    const rude = createTcpServer((socket) => {
      let size = 0;
      socket.on('error', () => undefined);
      socket.on('data', (part) => {
        const before = size;
        size += part.length;
        if (before < CHUNK.length && size >= CHUNK.length)
          socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 8\r\n\r\ntoo much', () =>
            socket.resetAndDestroy(),
          );
      });
    });
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const { port } = rude.address() as AddressInfo;
    const said: string[] = [];
    for (let n = 0; n < 50; n++) {
      const file = createReadStream(path('large'));
      const message = { method: 'POST', headers: {}, body: file } as const;
      said.push(
        await exchange(agent, `http://127.0.0.1:${port}/`, message).then(
          async (answer) => `${answer.statusCode} ${await text(answer)}`,
          (error: Error) => error.message,
        ),
      );
    }
    rude.close();
    expect([...new Set(said)]).to.deep.equal(['413 too much']);
  });

  it('fails with the error of its stream', async () => {
    handler = (request, response) => void text(request).then(() => response.end(), () => undefined); // oxfmt-ignore
    body = endless();
    const sent = reasonOf(post({ body }));
    body.destroy(new Error('no more to be had'));
    expect(await sent).to.equal('no more to be had');
  });

  it('fails when nothing comes for silenceMs, and waits for ever without', async () => {
    handler = () => undefined;
    expect(await reasonOf(post({ silenceMs: 50 }))).to.equal('nothing came for 50 ms');
    const stop = new AbortController();
    const waiting = reasonOf(post({ signal: stop.signal }));
    stop.abort();
    expect(await waiting).to.match(/aborted/);
  });
});
