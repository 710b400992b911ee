/** The load balancer of the compose file, when servers stop, die or are slow. */
import { expect } from 'chai';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { until } from '../support/until.ts';
import { has, textOf } from './files.ts';
import { Backend, Haproxy, type Handle } from './haproxy.ts';

const busy: Handle = async (request, response) => {
  await text(request);
  response.writeHead(503, { 'Retry-After': '2' }).end('busy');
};
const hangUp: Handle = async (request) => {
  await text(request);
  request.socket.destroy();
};
const ready: Handle = (_, response) => void response.end();
/** A frozen server. */
const silent: Handle = () => undefined;
const echo: Handle = async (request, response) => {
  response.writeHead(201).end(await text(request));
};
const KEY = { 'idempotency-key': 'a' };
/** The largest request that is retried at the other server. */
const BODY = 'x'.repeat(60_000);

describe('The balancer of the compose file', function () {
  let one: Backend;
  let two: Backend;
  let balancer: Haproxy;
  before(async function () {
    if (!has('haproxy')) return this.skip();
    [one, two] = [await new Backend().listen(), await new Backend().listen()];
    const lines = textOf('compose/balancer.cfg')
      .replaceAll('10.213.7.11:8080', one.address)
      .replaceAll('10.213.7.12:8080', two.address)
      .replaceAll('timeout server 60s', 'timeout server 1s');
    expect(lines).to.not.include('10.213.7.11');
    balancer = await Haproxy.start(lines);
  });
  after(async () => {
    await balancer?.close();
    await one?.close();
    await two?.close();
  });
  /** Waits until both servers get requests. */
  const bothServe = () =>
    until('both get requests', async () => {
      for (const backend of [one, two]) backend.asked.length = 0;
      for (let n = 0; n < 2; n++) await (await fetch(`${balancer.url}/rest/info`)).text();
      const all = [one, two].every(({ asked }) => asked.length === 1);
      for (const backend of [one, two]) backend.asked.length = 0;
      return all;
    });
  /**
   * Resolves when a new health check arrives. An earlier check that the previous test left unanswered has
   * ended by then.
   */
  const isChecked = (backend: Backend) =>
    new Promise<void>((resolve) => {
      backend.ready = (request, response) => {
        resolve();
        return ready(request, response);
      };
    });
  beforeEach(async () => {
    for (const backend of [one, two]) backend.handle = echo;
    await Promise.all([one, two].map(isChecked));
    for (const backend of [one, two]) backend.ready = ready;
    return bothServe();
  });

  const post = (path: string, headers: Record<string, string> = {}, body = BODY) =>
    fetch(`${balancer.url}${path}`, { method: 'POST', headers, body });
  /** Runs it twice, so that each server gets the first attempt once. */
  const twice = async (ask: () => Promise<Response>) => {
    const answers = [await ask(), await ask()];
    return Promise.all(answers.map(async (answer) => [answer.status, (await answer.text()).length]));
  };

  for (const [what, headers] of [
    ['with an Idempotency-Key', KEY],
    ['without an Idempotency-Key', {}],
  ] as const) {
    it(`sends a POST ${what} to the other server when one answers 503`, async () => {
      one.handle = busy;
      expect(await twice(() => post('/rest/jobs', headers))).to.deep.equal([
        [201, BODY.length],
        [201, BODY.length],
      ]);
      expect(two.asked).to.have.lengthOf(2);
    });

    it(`passes the 503 of both servers to a POST ${what}, with Retry-After`, async () => {
      [one.handle, two.handle] = [busy, busy];
      for (let times = 0; times < 6; times++) {
        const answer = await post('/rest/jobs', headers);
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '2']);
      }
      expect([one.asked.length, two.asked.length]).to.deep.equal([6, 6]);
    });
  }

  it('sends a POST with an Idempotency-Key to the other server when one dies', async () => {
    one.handle = hangUp;
    expect(await twice(() => post('/rest/jobs', KEY))).to.deep.equal([
      [201, BODY.length],
      [201, BODY.length],
    ]);
  });

  it('asks the other server for an event stream when one answers 503', async () => {
    one.handle = busy;
    for (const path of ['/rest/jobs/events', '/rest/jobs/1/events', '/rest/streaming/jobs/1/events'])
      expect((await twice(() => fetch(`${balancer.url}${path}`))).map(([status]) => status)).to.deep.equal([
        201, 201,
      ]);
  });

  it('sends no POST without an Idempotency-Key twice when a server dies', async () => {
    [one.handle, two.handle] = [hangUp, hangUp];
    expect((await post('/rest/jobs')).status).to.equal(502);
    expect([...one.asked, ...two.asked]).to.deep.equal(['POST /rest/jobs']);
  });

  it('sends requests to the other server when one takes no connection', async () => {
    await one.close();
    try {
      for (const headers of [KEY, {}])
        expect((await twice(() => post('/rest/jobs', headers))).map(([status]) => status)).to.deep.equal([
          201, 201,
        ]);
      for (let times = 0; times < 2; times++)
        expect((await fetch(`${balancer.url}/rest/jobs/1`)).status).to.equal(201);
    } finally {
      await one.listen();
    }
  });

  it('asks the other server when one does not answer in time, but waits for event streams', async () => {
    one.handle = (request, response) => {
      if (request.url?.endsWith('/events') === true) response.writeHead(200).write('first\n');
    };
    two.handle = one.handle;
    const stream = await fetch(`${balancer.url}/rest/jobs/1/events`);
    const reader = stream.body!.getReader();
    expect(Buffer.from((await reader.read()).value ?? '').toString()).to.equal('first\n');
    // The stream is silent for as long as another request needs to time out at both servers.
    expect((await fetch(`${balancer.url}/rest/jobs/1`)).status).to.equal(504);
    expect([...one.asked, ...two.asked].filter((asked) => asked === 'GET /rest/jobs/1')).to.have.lengthOf(2);
    for (const backend of [one, two]) backend.more('second\n');
    expect(Buffer.from((await reader.read()).value ?? '').toString()).to.equal('second\n');
    await reader.cancel();
  });

  for (const [what, answer] of [
    ['hangs', silent],
    ['is not ready', busy],
  ] as const)
    it(`asks only the other server when one ${what}`, async () => {
      one.ready = answer;
      if (answer === silent) one.handle = silent;
      await until('only the other one is asked', async () => {
        one.asked.length = 0;
        // Connections to a server are closed when it is marked down.
        for (let n = 0; n < 4; n++) await post('/rest/jobs', {}, 'x').catch(() => undefined);
        return one.asked.length === 0;
      });
      [one.handle, one.ready] = [echo, ready];
      await bothServe();
    });

  it('lets a server end what it has begun when it is not ready any more', async () => {
    one.handle = (_, response) => void response.writeHead(200).write('first\n');
    two.handle = one.handle;
    const begun = await fetch(`${balancer.url}/rest/jobs/1/events`);
    const server = [one, two].find(({ asked }) => asked.length === 1)!;
    server.ready = busy;
    [one.handle, two.handle] = [echo, echo];
    await until('only the other one is asked', async () => {
      server.asked.length = 0;
      for (let n = 0; n < 4; n++) await (await fetch(`${balancer.url}/rest/info`)).text();
      return server.asked.length === 0;
    });
    server.more('second\n');
    server.end();
    expect(await begun.text()).to.equal('first\nsecond\n');
  });

  it('passes what a server says when none is ready', async () => {
    for (const backend of [one, two]) [backend.ready, backend.handle] = [busy, busy];
    // Responses of HAProxy itself have no Retry-After header.
    await until('both are out', async () => {
      const asked = one.asked.length + two.asked.length;
      // HAProxy may close the idle connection of an earlier request at this moment.
      const answer = await post('/rest/jobs', KEY, 'x').catch(() => undefined);
      if (answer === undefined) return false;
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '2']);
      return one.asked.length + two.asked.length - asked === 1;
    });
  });

  it('lets an upload through as it comes', async () => {
    let seen = '';
    const take: Handle = async (request, response) => {
      for await (const piece of request as AsyncIterable<Buffer>) seen += piece.toString();
      response.writeHead(201).end();
    };
    [one.handle, two.handle] = [take, take];
    const upload = httpRequest(`${balancer.url}/rest/media`, {
      method: 'POST',
      headers: { host: 'troupe.localhost' },
    });
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
    upload.write('first');
    await until('the first half has come', () => seen === 'first');
    upload.end('second');
    expect((await answered)[0].statusCode).to.equal(201);
    expect(seen).to.equal('firstsecond');
  });

  it('shows no figures of a server', async () => {
    expect((await fetch(`${balancer.url}/metrics`)).status).to.equal(404);
    expect([...one.asked, ...two.asked]).to.deep.equal([]);
  });
});
