/** How the viewer waits after the connection of a video breaks, and for how long. */
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusalOf } from '../../../../page/kit/answer.ts';
import { Silence } from '../../../../page/viewer/playback/silence.ts';
import { until } from '../../../support/until.ts';

/** Shorter than any timeout of the page. */
const SHORT_MS = 50;
/** Longer than a test may take. */
const LONG_MS = 600_000;

describe('A question whether a video can be had again', () => {
  let server: Server;
  const answerRequests = async (answer: (response: ServerResponse) => void): Promise<string> => {
    server = createServer((_, response) => answer(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/video`;
  };
  const { signal } = new AbortController();
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('ends after a while when the service takes it and never answers', async () => {
    const url = await answerRequests(() => undefined);
    expect((await refusalOf(url, signal, SHORT_MS))?.status).to.equal(0);
  });

  it('ends when the viewer is left', async () => {
    const left = new AbortController();
    const url = await answerRequests(() => left.abort());
    expect((await refusalOf(url, left.signal, LONG_MS))?.status).to.equal(0);
  });

  it('does not wait for a file that comes whole and never ends', async () => {
    let isClosed = false;
    const url = await answerRequests((response) => {
      response.once('close', () => (isClosed = true));
      response.writeHead(200).write('the first bytes');
    });
    expect(await refusalOf(url, signal, LONG_MS)).to.equal(undefined);
    await until('the rest is given up', () => isClosed);
  });

  it('has the sentence of a service that refuses', async () => {
    const url = await answerRequests((response) =>
      response.writeHead(404).end('{"message":"It was removed."}'),
    );
    const refusal = await refusalOf(url, signal, LONG_MS);
    expect([refusal?.status, refusal?.message]).to.deep.equal([404, 'It was removed.']);
  });
});

describe('A silence', () => {
  it('is told once when nothing comes', async () => {
    let told = 0;
    const silence = new Silence(SHORT_MS, () => told++);
    silence.begin();
    await until('it is told', () => told > 0);
    silence.restart();
    await new Promise((resolve) => new Silence(2 * SHORT_MS, () => resolve(undefined)).begin());
    expect(told).to.equal(1);
  });

  it('is not told when what was waited for has come', async () => {
    let told = 0;
    const silence = new Silence(SHORT_MS, () => told++);
    silence.begin();
    silence.end();
    await new Promise((resolve) => new Silence(2 * SHORT_MS, () => resolve(undefined)).begin());
    expect(told).to.equal(0);
  });
});
