/**
 * Many clients at once, and clients that are slow on purpose: other clients still get answers, and no
 * resources remain in use.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { sampleUri, type Service } from '../support/processes/service.ts';

const ASTRONAUT = { mediaUri: sampleUri('astronaut.png') };
/** Limit for work that blocks the event loop, in processor time. */
const MOST_BLOCKED_MS = 500;
const MIB = 1024 * 1024;

/** Tests for a server in its own process. */
export function floods(serviceOf: () => Service): void {
  let service: Service;
  const open = new Set<Socket>();
  before(() => {
    service = serviceOf();
  });
  afterEach(() => {
    for (const socket of open) socket.destroy();
    open.clear();
  });

  /**
   * Runs `work` and checks that other clients are answered and that the event loop was never blocked for
   * long.
   */
  async function beside<T>(work: () => Promise<T>): Promise<T> {
    await service.longestBlockMs();
    const done = await work();
    expect((await service.ask('GET', '/rest/info')).status).to.equal(200);
    const longest = await service.longestBlockMs();
    expect(longest, `the event loop was held for ${longest.toFixed(0)} ms of processor time`).to.be.below(
      MOST_BLOCKED_MS,
    );
    return done;
  }

  const head = (line: string, headers: string) =>
    `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n${headers}\r\n`;

  /**
   * Sends a text over a new connection and returns the first line of the response. The connection is closed
   * after the test.
   */
  async function sendText(text: string): Promise<{ readonly line: Promise<string> }> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    open.add(socket);
    const line = new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(String(data).split('\r\n', 1)[0] ?? ''));
      socket.once('close', () => resolve('closed'));
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return { line };
  }
  const many = (count: number, text: string) =>
    Promise.all(Array.from({ length: count }, () => sendText(text)));

  it('of pieces of a byte takes no more memory than the body', async () => {
    const inPieces = (count: number) =>
      sendText(
        `${head('POST /rest/jobs', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')}${'1\r\n1\r\n'.repeat(count)}0\r\n\r\n`,
      );
    // The first request is slower than all later ones, so it is not measured.
    await (
      await inPieces(20_000)
    ).line;
    const before = peakMemory();
    const { line } = await beside(() => inPieces(300_000));
    expect(await line).to.equal('HTTP/1.1 400 Bad Request');
    expect((peakMemory() - before) / MIB, 'MiB more than before').to.be.below(50);
  });

  /** Peak memory of the server in bytes. */
  const peakMemory = () =>
    1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);

  it('of bodies that never end, of uploads and of requests, holds up nobody', () =>
    beside(async () => {
      await many(
        100,
        head('POST /rest/jobs', 'Content-Type: application/json\r\nContent-Length: 1000\r\n') + '{',
      );
      await many(100, head('POST /rest/media', 'Content-Length: 100000\r\n') + 'abc');
      await many(100, 'GET /rest/info HTTP/1.1\r\nHost: localhost\r\n');
    }));

  it('of headers is cut off', async () => {
    const { line } = await beside(() => sendText(head('GET /rest/info', `X-Long: ${'a'.repeat(MIB)}\r\n`)));
    expect(await line).to.equal('HTTP/1.1 431 Request Header Fields Too Large');
  });

  it('of watchers is answered up to a limit, whatever they say they have seen', async () => {
    const id = await service.submit({ media: [ASTRONAUT], pipelineName: 'LIGHT PIPELINE' });
    const text = head(`GET /rest/jobs/${id}/events`, `Last-Event-ID: ${'9'.repeat(8_000)}\r\n`);
    const lines = await beside(async () => Promise.all((await many(150, text)).map(({ line }) => line)));
    expect(new Set(lines)).to.deep.equal(new Set(['HTTP/1.1 200 OK']));
  });

  it('of cancellations and resubmissions of one job leaves it in one state', async () => {
    const id = await service.submit({ media: [ASTRONAUT], pipelineName: 'LIGHT PIPELINE' });
    await beside(() =>
      Promise.all(
        Array.from({ length: 80 }, (_, n) => (n % 2 === 0 ? service.cancel(id) : service.resubmit(id))),
      ),
    );
    expect((await service.terminal(id)).terminal).to.equal(true);
  });

  it('of large bodies at the same time is read one by one', async () => {
    const body = JSON.stringify({
      media: Array.from({ length: 1_000 }, () => ({ mediaUri: `http://x/${'a'.repeat(8_000)}` })),
    });
    const answers = await beside(() =>
      Promise.all(Array.from({ length: 5 }, () => service.ask('POST', '/rest/jobs', body))),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([400]));
  });

  it('of fields in a form is refused', async () => {
    const form = Array.from({ length: 50_000 }, (_, n) => `${n}=`).join('&');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await beside(() => service.ask('POST', '/rest/jobs/1/resubmit', form, type));
    expect(status).to.equal(413);
  });

  it('of names in a claim is refused', async () => {
    const algorithms = Array.from({ length: 64 }, (_, n) => `${n}${'Q'.repeat(100_000)}`);
    const { status, text } = await beside(() => service.ask('POST', '/worker/v1/claim', { algorithms }));
    expect(status).to.equal(400);
    expect(text).to.contain('at most 256 characters');
  });
}
