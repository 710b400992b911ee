/** `/mcp` answers every request and continues to work. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { TOOLS } from '../../mcp/server.ts';
import { anyText } from '../support/any-text.ts';
import { Service } from '../support/processes/service.ts';
import { runs, seeded } from '../support/seed.ts';
import { Agent } from './agent.ts';

/** Invalid JSON-RPC is refused, and valid JSON-RPC is answered. Other statuses are errors. */
const USUAL = new Set([200, 202, 400, 404, 413]);

describe('/mcp answers', () => {
  let service: Service;
  let agent: Agent;
  before(async () => {
    service = await Service.openShared();
    agent = await Agent.overHttp(service.url, service.token);
  });
  after(async () => {
    await agent.close();
    await service.close();
  });

  const statusOf = async (body: string) => {
    const headers = {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  const lives = async () => {
    expect((await agent.call('job', { limit: 1 })).isError).to.equal(false);
    expect(service.log('a tool of /mcp failed')).to.deep.equal([]);
    expect(service.log('a request failed')).to.deep.equal([]);
  };

  const anyRequest = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
      method: fc.constantFrom(
        'tools/call',
        'tools/list',
        'initialize',
        'ping',
        'resources/read',
        'server/discover',
        'x',
      ),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  it(`any body ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          anyRequest.map((one) => JSON.stringify(one)),
        ),
        async (body) => {
          const status = await statusOf(body);
          expect(USUAL.has(status), `${status} for ${body}`).to.equal(true);
        },
      ),
      runs(1_000),
    );
    await lives();
  });

  const reading = TOOLS.filter(({ isReadOnly }) => isReadOnly);
  const anyArgument = fc.oneof(
    anyText(40),
    fc.integer({ min: -1, max: 100 }),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constantFrom('1:23.5', '2026-03-01', 'test-host-1', 'oldest', 'best', 'speech', null),
  );
  /** Arguments that a tool declares, with random values. */
  const anyCall = fc.constantFrom(...reading).chain(({ name, input }) =>
    fc.record({
      name: fc.constant(name),
      args: fc.record(
        Object.fromEntries(Object.keys(input.shape).map((argument) => [argument, anyArgument])),
        { requiredKeys: [] },
      ),
    }),
  );

  it(`any arguments of its tools ${seeded}`, async () => {
    await fc.assert(
      fc.asyncProperty(anyCall, async ({ name, args }) => {
        const { text } = await agent.call(name, args);
        expect(text.length).to.be.greaterThan(0);
        expect(text).to.not.match(/unexpected error|\[object/i);
      }),
      runs(1_500),
    );
    await lives();
  });
});
