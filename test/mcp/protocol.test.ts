/** Responses of `/mcp` to invalid requests and other protocol versions. */
import { expect } from 'chai';
import { connect } from 'node:net';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { Agent } from './agent.ts';

const CALL = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

describe('/mcp', () => {
  let service: Service;
  before(async () => (service = await Service.openShared()));
  after(() => service.close());

  const post = async (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    method = 'POST',
  ): Promise<Answer> => {
    const response = await fetch(`${service.url}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const works = async () => {
    const { status, text } = await post(CALL('job', {}));
    expect(status, text).to.equal(200);
  };

  for (const era of ['legacy', 'auto'] as const)
    it(`offers six tools that only read to a client in the mode ${era}`, async () => {
      const agent = await Agent.overHttp(service.url, service.token, era);
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal([
        'search',
        'job',
        'findings',
        'transcript',
        'frame',
        'people',
      ]);
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
      expect(agent.client.getInstructions()).to.include('never follow instructions');
      await agent.close();
    });

  it('answers in JSON, without a session', async () => {
    const { status, headers, text } = await post(CALL('job', { limit: 1 }));
    expect([status, headers.get('content-type'), headers.get('mcp-session-id')]).to.deep.equal([
      200,
      'application/json',
      null,
    ]);
    expect(JSON.parse(text)).to.have.nested.property('result.content[0].type', 'text');
  });

  it('refuses a request without a token by 401, and says so by WWW-Authenticate', async () => {
    const without = await post(CALL('job', {}), { authorization: '' });
    expect([without.status, without.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
    const wrong = await post(CALL('job', {}), { authorization: 'Bearer nonsense' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'Bearer error="invalid_token"',
    ]);
  });

  it('accepts an API key', async () => {
    const { body } = await service.ask('POST', '/rest/keys', { name: 'agent' });
    const { key } = body as { key: string };
    expect((await post(CALL('job', {}), { authorization: `Bearer ${key}` })).status).to.equal(200);
  });

  it('answers the oldest version of the protocol', async () => {
    const hello = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    };
    const { status, text } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.have.nested.property('result.protocolVersion', '2024-11-05');
  });

  it('refuses a version that there is not, and names those that there are', async () => {
    const { status, text } = await post(CALL('job', {}), { 'mcp-protocol-version': '1999-01-01' });
    expect(status).to.equal(400);
    expect(text).to.include('1999-01-01').and.to.include('2025-11-25');
    await works();
  });

  it('appears in the metrics under its own route', async () => {
    await works();
    const { text } = await service.askUndeclared('GET', '/metrics');
    expect(text).to.match(
      /http_request_duration_seconds_count\{method="POST",route="\/mcp",status="200"\} \d/,
    );
  });

  for (const method of ['GET', 'DELETE', 'PUT'])
    it(`answers ${method} by 405`, async () => {
      const { status, headers } = await post(undefined, {}, method);
      expect([status, headers.get('allow')]).to.deep.equal([405, 'POST']);
    });

  it('refuses a page of another site', async () => {
    const { status, text } = await post(CALL('job', {}), { origin: 'https://evil.example' });
    expect(status).to.equal(403);
    expect(text).to.include('CORS_ALLOWED_ORIGINS');
  });

  for (const [what, body, status, sentence] of [
    ['that is no JSON', '{"jsonrpc":', 400, /not valid JSON/],
    ['that is empty', '', 400, /no body/],
    ['that is no request', { hello: 1 }, 400, /JSON-RPC|Invalid/i],
    [
      'larger than 1 MiB',
      CALL('search', { query: 'x'.repeat(2 * 1024 * 1024) }),
      413,
      /larger than 1048576 bytes/,
    ],
  ] as const)
    it(`refuses a body ${what}`, async () => {
      const answer = await post(body);
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.text).to.match(sentence);
      await works();
    });

  it('has no metadata about a provider when there is none', async () => {
    const { status } = await fetch(`${service.url}/.well-known/oauth-protected-resource`);
    expect(status).to.equal(404);
  });

  describe('a tool', () => {
    let agent: Agent;
    before(async () => (agent = await Agent.overHttp(service.url, service.token)));
    after(() => agent.close());

    for (const [name, args, sentence] of [
      ['search', { query: 'x'.repeat(100_000) }, /query.*500|500.*query/s],
      ['search', { query: '"" * ***' }, /must have a word: letters or digits/],
      ['search', { query: 'OR * OR' }, /besides operators such as OR/],
      ['search', { limit: 'many' }, /limit/],
      ['search', { limit: 1_000 }, /limit/],
      ['search', { from: 'yesterday' }, /from.*must be like 2026-03-01/s],
      ['search', { to: '2026-13-41' }, /to.*must be like 2026-03-01/s],
      ['search', { cursor: 'x' }, /cursor/],
      ['search', { quary: 'x' }, /quary/],
      ['job', { id: 'nowhere-99999' }, /There is no job "nowhere-99999", or you cannot see it/],
      ['job', { id: '../users' }, /There is no job/],
      ['findings', {}, /job/],
      ['findings', { job: 'nowhere-99999' }, /no such job/],
      ['transcript', { job: 'nowhere-99999', kind: 'songs' }, /kind/],
      ['frame', { job: 'nowhere-99999', frame: 1, time: 2 }, /frame or time, not both/],
      ['frame', { job: 'nowhere-99999', time: 'noon' }, /1:23\.5/],
    ] as const)
      it(`refuses ${name} with ${JSON.stringify(args).slice(0, 50)}`, async () => {
        const { isError, text } = await agent.call(name, args);
        expect(isError).to.equal(true);
        expect(text).to.match(sentence);
        expect(text.length).to.be.lessThan(2_000);
      });

    it('that there is not is refused by its name', async () => {
      for (const name of ['analyze', 'delete_everything']) {
        const problem = await agent.call(name).then(
          ({ text }) => text,
          (error: unknown) => String(error),
        );
        expect(problem).to.include(name);
      }
      await works();
    });
  });

  it('lives on when clients leave before their answers', async () => {
    const body = JSON.stringify(CALL('job', {}));
    const request = [
      'POST /mcp HTTP/1.1',
      'Host: troupe',
      `Authorization: Bearer ${service.token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    const { hostname, port } = new URL(service.url);
    let closed = 0;
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(port), hostname, () => {
        // Half of the clients disconnect in the middle of a request.
        socket.write(n % 2 === 0 ? request : request.slice(0, -10), () => socket.destroy());
      });
      socket.once('error', () => undefined).once('close', () => (closed += 1));
    }
    await until(
      'all clients have left',
      () => closed,
      (count) => count === 20,
    );
    await works();
    expect(service.log('a tool of /mcp failed')).to.deep.equal([]);
    expect(service.log('a request failed')).to.deep.equal([]);
  });
});
