/**
 * Fuzz test: whatever a client sends, the server answers as its OpenAPI document declares, and continues to
 * work. SEED= repeats a run; RUNS= sets the number of requests of each kind per operation.
 */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { OpenApiCheck, type OpenApiDocument } from '../support/openapi.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { Client, type Message } from './fuzz/client.ts';
import { Facts } from './fuzz/facts.ts';
import { objectionTo } from './fuzz/judge.ts';
import { manglings, ODD_REQUESTS, request } from './fuzz/odd-requests.ts';
import { operationsOf, Requests, type FuzzedOperation, type Plan } from './fuzz/requests.ts';
import { seed } from '../support/seed.ts';

const runs = Number(process.env['RUNS'] ?? 1);
const ENV = {
  METRICS_TOKEN: 'a-token-for-prometheus',
  MAX_EVENT_STREAMS: '5',
  MAX_LIVE_JOBS: '1000000',
  MAX_SYSTEM_MESSAGES: '1000000',
  MAX_CATALOG_ELEMENTS: '1000000',
  MAX_SERVICE_COUNT: '3',
  DELIVERY_GIVE_UP_MS: '100',
};
/** A job that does not depend on catalog elements, because requests of the run may delete them. */
const jobOf = (algorithm: string) => ({
  media: [sampleUri('astronaut.png')],
  pipelineDefinition: {
    pipeline: ['OWN TASK'],
    tasks: [{ name: 'OWN TASK', actions: ['OWN ACTION'] }],
    actions: [{ name: 'OWN ACTION', algorithm }],
  },
});
/** Limit for work that blocks the event loop. The goal is a tenth of it. */
const MOST_BLOCKED_MS = 500;
const HEAP = 'nodejs_heap_size_used_bytes';

describe(`Whatever a client sends [SEED=${seed} RUNS=${runs}]`, function () {
  this.timeout(60_000 + runs * 20_000);
  let service: Service;
  let client: Client;
  let facts: Facts;
  let document: OpenApiDocument;
  let check: OpenApiCheck;
  let requests: Requests;
  let nodes: unknown;
  let heapAtFirst: number;
  let pid: number;

  before(async () => {
    service = await Service.start(ENV);
    pid = service.pid;
    client = new Client(service.url);
    facts = new Facts(service);
    document = (await service.ask('GET', '/rest/openapi.json')).body as OpenApiDocument;
    check = new OpenApiCheck(document);
    requests = new Requests(document);
    nodes = await lightNodes();
    await service.ask('POST', '/rest/nodes/config', nodes);
    await service.run({ media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' });
  });
  after(async () => {
    client.close();
    await service.close();
  });

  const authorize = (message: Message): Message => ({
    ...message,
    headers: { authorization: `Bearer ${service.token}`, ...message.headers },
  });

  /** Sends requests of one kind to every operation. Reports the first wrong answer in its smallest form. */
  async function everyOperation(
    kind: 'planFitting' | 'withBrokenBody' | 'withBrokenAddress',
    isWanted: (of: FuzzedOperation) => boolean = () => true,
  ): Promise<void> {
    // With Redis, backup answers 501 by design.
    const isThere = ({ path }: FuzzedOperation) =>
      path !== '/rest/backup' || process.env['TEST_REDIS_URL'] === undefined;
    for (const of of operationsOf(document).filter((one) => isWanted(one) && isThere(one))) {
      const answered = fc.asyncProperty(requests[kind](of), async (plan: Plan) => {
        const message = authorize(await plan.message(facts));
        const objection = objectionTo(of, message, await client.send(message), check);
        if (objection !== undefined) throw new Error(objection);
      });
      await fc.assert(answered, { seed, numRuns: runs, interruptAfterTimeLimit: 120_000 });
      if (of.path.startsWith('/rest/nodes/') && of.method !== 'GET') await startEverything();
    }
  }

  /**
   * A configuration with only the component of the jobs here. Requests restart services often, and starts are
   * slow.
   */
  async function lightNodes(): Promise<unknown> {
    const { body } = await service.ask('GET', '/rest/nodes/config');
    return (body as readonly { readonly services: readonly { readonly serviceName: string }[] }[]).map(
      (node) => ({
        ...node,
        services: node.services.filter(({ serviceName }) => serviceName === 'TestLight'),
      }),
    );
  }

  /** Starts all services again, because requests of administrators may stop them. */
  async function startEverything(): Promise<void> {
    await service.ask('POST', '/rest/nodes/config', nodes);
    const { body } = await service.ask('GET', '/rest/nodes/info');
    for (const { name } of (body as { nodeModels: readonly { name: string }[] }).nodeModels)
      await service.ask('POST', `/rest/nodes/services/${encodeURIComponent(name)}/start`);
  }

  /** The smallest of several readings, because garbage adds to each of them. */
  async function heapUsed(): Promise<number> {
    const looks: number[] = [];
    for (let n = 0; n < 15; n++) {
      const { text } = await service.ask('GET', '/metrics');
      looks.push(Number(new RegExp(`^${HEAP} (\\S+)$`, 'm').exec(text)?.[1]));
    }
    return Math.min(...looks);
  }

  it('if it fits the OpenAPI document, it is answered as declared', async () => {
    await everyOperation('planFitting');
    heapAtFirst = await heapUsed();
  });

  it('in its body, it is answered as declared', async () => {
    await everyOperation('withBrokenBody', ({ operation }) => operation.requestBody !== undefined);
  });

  it('in its path, query and headers, it is answered as declared', async () => {
    await everyOperation('withBrokenAddress');
  });

  it('with undeclared methods is refused, and HEAD is answered as GET without the body', async () => {
    const undeclared = ['OPTIONS', 'TRACE', 'PATCH', 'PUT', 'PROPFIND'];
    for (const [n, path] of Object.keys(document.paths).entries()) {
      // With one run per operation, each path gets one of the undeclared methods in turn.
      const methods = runs > 1 ? undeclared : [undeclared[n % undeclared.length]!];
      const target = path.replaceAll(/\{\w+\}/g, '1');
      for (const method of [...methods, 'HEAD']) {
        const { status, text } = await client.send(authorize({ method, target, headers: {} }));
        expect(status < 500 || status === 501, `${method} ${target} answered ${status}`).to.equal(true);
        if (method !== 'HEAD') continue;
        expect(text).to.equal('');
        if (document.paths[path]?.['get'] === undefined) continue;
        expect(status, `HEAD ${target}`).to.equal(
          (await client.send(authorize({ method: 'GET', target, headers: {} }))).status,
        );
      }
    }
  });

  it('with HEAD for event streams keeps none of them open', async () => {
    const id = await service.submit(jobOf('ABSENT'));
    const target = `/rest/jobs/${id}/events`;
    for (let n = 0; n < 20; n++)
      for (const method of ['HEAD', 'GET'])
        await until(
          `${method} of an event stream is answered 200`,
          async () => (await client.send(authorize({ method, target, headers: {} }))).status,
          (status) => status === 200,
        );
    await service.cancel(id);
  });

  describe('on a connection of its own', () => {
    /**
     * Expects an answer that is not a server error, or a closed connection, and that the server still answers
     * others.
     */
    async function bears(bytes: string | Buffer, options?: { readonly open: boolean }): Promise<void> {
      const got = await client.raw(bytes, options);
      for (const [, status] of got.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
        expect(Number(status) < 500 || status === '501', got.slice(0, 500)).to.equal(true);
      expect((await client.send({ method: 'GET', target: '/healthz', headers: {} })).status).to.equal(200);
    }

    for (const [what, bytes] of ODD_REQUESTS)
      it(`${what}: it does not hurt`, () => bears(bytes(service.token), { open: true }));

    it('bytes that were mangled on the way do not hurt', async () => {
      const whole = request(
        'POST',
        '/rest/jobs',
        service.token,
        '{"media":[],"pipelineName":"LIGHT PIPELINE"}',
      );
      const mangled = fc.asyncProperty(manglings(whole), (bytes) => bears(bytes));
      await fc.assert(mangled, { seed, numRuns: runs * 20, interruptAfterTimeLimit: 120_000 });
    });

    it('without a token, a body that never comes is not waited for', () =>
      bears(request('POST', '/rest/jobs', 'none', '', 'Content-Length: 1000'), { open: true }));
  });

  it('slowly, it holds up nobody else', async () => {
    const head = request('POST', '/rest/jobs', service.token, '', 'Content-Length: 40');
    const slow = Array.from({ length: 100 }, () => client.raw(`${head}{"media":[]`));
    // Must be answered while the slow requests are still open.
    const slowest = Promise.all(slow).then(() => 'the slow ones');
    const other = service.create({ media: [], pipelineName: 'LIGHT PIPELINE' });
    expect(await Promise.race([other.then(({ status }) => status), slowest])).to.equal(400);
    for (const got of await Promise.all(slow)) expect(got).to.match(/^(HTTP\/1\.1 400 |$)/);
  });

  describe('afterwards', () => {
    it('a job runs to COMPLETE in the same process', async () => {
      await startEverything();
      const id = await service.submit({ ...jobOf('LIGHT'), priority: 9 });
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(service.pid).to.equal(pid);
    });

    it('no request has held the event loop for long', async () => {
      const longest = await service.longestBlockMs();
      expect(longest, `the longest block had ${longest.toFixed(0)} ms`).to.be.below(MOST_BLOCKED_MS);
    });

    it('the memory of the server has not doubled', async () => {
      await until('the heap is smaller than twice what it was', heapUsed, (heap) => heap < 2 * heapAtFirst, {
        withinMs: 60_000,
      });
    });

    it('the log tells of no failure of the server', () => {
      const failures = ['a request failed', 'a response failed', 'an actor failed and is started again'];
      const found = service
        .log()
        .filter(({ level, message }) => level === 'error' || failures.includes(message))
        .map(({ message, err }) => JSON.stringify([message, err]).slice(0, 1_000));
      expect([...new Set(found)].slice(0, 5).join('\n')).to.equal('');
    });

    it('the log has no token', () => {
      const log = JSON.stringify(service.log());
      for (const secret of [service.token, service.token.split('.')[2]!, ENV.METRICS_TOKEN])
        expect(log.includes(secret)).to.equal(false);
    });
  });
});
