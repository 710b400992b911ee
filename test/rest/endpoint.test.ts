/**
 * Declared endpoints: how a request is parsed and a result is answered. Uses its own endpoints over real
 * HTTP.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import Koa from 'koa';
import Router from '@koa/router';
import { z } from 'zod';
import { answerWith, json, nothing, ok, withoutBody } from '../../http/routing/declaration.ts';
import { endpoint, type Endpoint } from '../../http/steps/endpoint.ts';
import { errorMembers, mapErrors } from '../../http/routing/errors.ts';
import { route } from '../../http/routes.ts';
import { wholeNumber } from '../../http/schemas/common.ts';

const LIMITS = { maxBytes: 1_000, maxDepth: 8, maxValues: 100, maxMs: 5_000 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const COMMON = { tag: 'T', caller: 'USER', summary: 'S' } as const;
const given = z.object({ names: z.array(z.string()) });

interface Deps {
  readonly most: number;
}

const ENDPOINTS: readonly Endpoint<Deps>[] = [
  endpoint({
    ...COMMON,
    id: 'variable',
    method: 'get',
    path: '/things/{id}',
    params: z.object({ id: z.string() }),
    answers: { 200: json('', z.object({ id: z.string() })) },
    handle: ({ params }) => ok(params),
  }),
  endpoint({
    ...COMMON,
    id: 'fixed',
    method: 'get',
    path: '/things/all',
    answers: { 200: { description: '', content: { schema: z.string(), type: 'text/csv' } } },
    handle: () => ok(Readable.from(['a,b'])),
  }),
  endpoint({
    ...COMMON,
    id: 'all',
    method: 'post',
    path: '/things/{id}',
    params: z.object({ id: wholeNumber(1) }),
    query: z.object({ limit: wholeNumber(1).optional() }),
    headers: z.object({ 'X-Key': z.string().regex(/^\w+$/).optional() }),
    body: { schema: given, tolerant: true },
    answers: { 201: json('', z.object({ told: z.string() })), 202: nothing(''), 400: json('', z.unknown()) },
    refusal: (reason, { params, query }) => ({ reason, params, query }),
    says: { body: (problems) => `Not so: ${problems}` },
    firstLook: (body, { most }: Deps) =>
      JSON.stringify(body).length > most ? 'That is more than anybody reads.' : undefined,
    handle: ({ params, query, headers, body }, _deps: Deps) =>
      body.names.length === 0
        ? withoutBody(202)
        : answerWith(
            201,
            { told: JSON.stringify([params.id, query.limit, headers['X-Key'], body.names]) },
            { A: 'b' },
          ),
  }),
];

describe('A declared endpoint', () => {
  let http: Server;
  let url: string;
  before(async () => {
    const app = new Koa();
    app.use(mapErrors(silent));
    app.use(route(new Router(), ENDPOINTS, { most: 60, bodyLimits: LIMITS }).routes());
    const handle = app.callback();
    http = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
    await once(http, 'listening');
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  after(() => http.close());

  async function post(path: string, body: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}${path}`, { method: 'POST', body, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : (JSON.parse(text) as unknown),
    };
  }

  it('hands each part of a request on as its schema makes it, and answers what it returns', async () => {
    const { status, headers, body } = await post('/things/7?limit=3', '{"names":["x",], /* y */ }', {
      'x-key': 'k',
    });
    expect([status, headers.get('a'), body]).to.deep.equal([201, 'b', { told: '[7,3,"k",["x"]]' }]);
  });

  it('answers without a body where it returns none', async () => {
    const { status, body } = await post('/things/7', '{"names":[]}');
    expect([status, body]).to.deep.equal([202, null]);
  });

  it('sends a stream as the content type that is declared', async () => {
    const response = await fetch(`${url}/things/all`);
    expect([response.headers.get('content-type'), await response.text()]).to.deep.equal([
      'text/csv; charset=utf-8',
      'a,b',
    ]);
  });

  for (const [what, path, body, key, expected] of [
    [
      'a wrong path before all else, and tells what could be read',
      '/things/x?limit=2',
      '{',
      '-',
      { reason: 'id: must be a whole number from 1 to 9007199254740991', query: { limit: 2 } },
    ],
    [
      'a wrong query',
      '/things/1?limit=x',
      '{',
      '-',
      { reason: 'limit: must be a whole number from 1 to 9007199254740991', params: { id: 1 } },
    ],
    ['a body that is no JSON', '/things/1', '{', '-', { reason: /^The body is not valid JSON: / }],
    [
      'a body that a first look refuses',
      '/things/1',
      `{"names":"${'x'.repeat(60)}"}`,
      '-',
      { reason: 'That is more than anybody reads.' },
    ],
    [
      'a body that does not fit, in words of its own',
      '/things/1',
      '{"names":1}',
      '-',
      { reason: 'Not so: names: must be a list; it is a number' },
    ],
    ['a wrong header last', '/things/1', '{"names":[]}', '-', { reason: /^X-Key: / }],
  ] as const)
    it(`refuses ${what}`, async () => {
      const refused = await post(path, body, { 'x-key': key });
      const { reason, ...seen } = refused.body as { reason: string };
      expect(refused.status).to.equal(400);
      if (expected.reason instanceof RegExp) expect(reason).to.match(expected.reason);
      else expect(reason).to.equal(expected.reason);
      if ('query' in expected || 'params' in expected) {
        const { reason: message, ...parts } = expected;
        expect(seen).to.deep.equal({ ...parts, ...errorMembers('invalid-parameter', message) });
      }
    });
});
