/** The requests of component processes and of the tool, to a real server. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { agentFor, exchange, type Message } from '../../components/sdk/exchange.ts';
import { until } from '../support/until.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');

describe('A request of a component', () => {
  let server: Server;
  let handler: RequestListener;
  let url: string;
  const agent = agentFor('http://127.0.0.1');
  before(async () => {
    server = createServer((request, response) => handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const post = (message: Partial<Message>) =>
    exchange(agent, url, { method: 'POST', headers: {}, ...message });
  const reasonOf = (sent: Promise<unknown>) => sent.then(() => 'none', (error: Error) => error.message); // prettier-ignore
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

  it('fails with the error of its stream', async () => {
    handler = (request, response) => void text(request).then(() => response.end(), () => undefined); // prettier-ignore
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
