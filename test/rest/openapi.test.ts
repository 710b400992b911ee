/** The OpenAPI document, GET /rest/openapi.json: complete, valid, and consistent with real answers. */
import { expect } from 'chai';
import { routersOf, type AppDeps } from '../../http/app.ts';
import { Metrics } from '../../http/metrics/metrics.ts';
import { endpoints, tags } from '../../http/endpoints/index.ts';
import { OpenApiCheck, type OpenApiDocument, type OperationObject } from '../support/openapi.ts';
import { Service } from '../support/processes/service.ts';

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The endpoints of chapter 4 of the specification with their statuses. */
const CHAPTER_4 = `
  4.1 GET /rest/info 200 401
  4.1 GET /rest/jobs/stats 200 401
  4.2 POST /rest/jobs 201 400 401
  4.2 GET /rest/jobs/{id} 200 400 401
  4.2 POST /rest/jobs/{id}/cancel 200 400 401
  4.2 GET /rest/jobs/{id}/output/detection 200 400 401
  4.2 POST /rest/jobs/{id}/resubmit 200 400 401
  4.2 POST /rest/jobs/archiverepost 200 401 500
  4.3 GET /rest/streaming/jobs 200 401
  4.3 POST /rest/streaming/jobs 201 400 401
  4.3 GET /rest/streaming/jobs/{id} 200 400 401
  4.3 POST /rest/streaming/jobs/{id}/cancel 200 400 401
  4.4 GET /rest/nodes/config 200 401
  4.4 POST /rest/nodes/config 201 401
  4.4 GET /rest/nodes/hosts 200 401
  4.4 GET /rest/nodes/info 200 401
  4.4 GET /rest/nodes/services 200 401
  4.4 POST /rest/nodes/services/{serviceName}/start 200 401
  4.4 POST /rest/nodes/services/{serviceName}/stop 200 401
  4.5 GET /rest/system-message 200 401
  4.5 POST /rest/system-message 201 401
  4.5 GET /rest/system-message/type/{typeFilter} 200 401
  4.5 DELETE /rest/system-message/{id} 200 401
  4.6 POST /rest/components/registerUnmanaged 200 201 400 401 409
  4.6 DELETE /rest/components/{componentName} 204 401 404
  4.7 GET /rest/pipelines 200 401
  4.7 GET /rest/pipelines/{name} 200 401 404
  4.7 POST /rest/pipelines 200 400 401
  4.7 DELETE /rest/pipelines/{name} 200 401
  4.7 DELETE /rest/pipeline/{name} 200 401
  4.7 GET /rest/tasks 200 401
  4.7 GET /rest/tasks/{name} 200 401 404
  4.7 POST /rest/tasks 200 400 401
  4.7 DELETE /rest/tasks/{name} 200 401
  4.7 GET /rest/actions 200 401
  4.7 GET /rest/actions/{name} 200 401 404
  4.7 POST /rest/actions 200 400 401
  4.7 DELETE /rest/actions/{name} 200 401
  4.7 GET /rest/algorithms 200 401
  4.7 GET /rest/algorithms/{name} 200 401 404
  4.8 GET /rest/queues 200 401
  4.8 GET /rest/queues/{name} 200 401 404
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(' '))
  .map(([chapter = '', method = '', path = '', ...statuses]) => ({ chapter, method, path, statuses }));

describe('The OpenAPI document', () => {
  let service: Service;
  let document: OpenApiDocument;
  let declared: readonly Declared[];
  before(async () => {
    service = await Service.here();
    document = (await service.ask('GET', '/rest/openapi.json')).body as OpenApiDocument;
    declared = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
    );
  });
  after(() => service.close());

  it('has only patterns that every dialect of regular expressions reads', () => {
    expect(JSON.stringify(document)).not.to.include(String.raw`\\p{`);
  });

  it('tells the units of what a detection says', () => {
    const { Detection, Track } = document.components.schemas as Readonly<
      Record<string, { properties: Readonly<Record<string, { description?: string }>> }>
    >;
    for (const name of ['offsetTime', 'x', 'y', 'width', 'height'])
      expect(Detection?.properties[name]?.description, name).to.match(/Pixels|Milliseconds/);
    for (const name of ['startOffsetTime', 'stopOffsetTime'])
      expect(Track?.properties[name]?.description, name).to.include('Milliseconds');
  });

  it('is given to whoever has a token, and to nobody else', async () => {
    const response = await fetch(`${service.url}/rest/openapi.json`);
    expect(response.status).to.equal(401);
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
  });

  it('declares every route of the server, and no other', () => {
    const routes = Object.values(routersOf(unusedDeps(), new Metrics(unusedDeps()))).flatMap((router) =>
      router.stack.flatMap(({ path, methods }) =>
        methods
          .filter((method) => method !== 'HEAD')
          .map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
      ),
    );
    const names = declared.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(names).to.have.members(routes);
    expect(endpoints).to.have.lengthOf(declared.length);
  });

  for (const { chapter, method, path, statuses } of CHAPTER_4)
    it(`declares ${method} ${path} with the statuses of specification ${chapter}`, () => {
      const operation = document.paths[path]?.[method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {})).to.include.members(statuses);
    });

  it('is made of declarations that stand in the order of chapter 4', () => {
    const inChapter = CHAPTER_4.map(({ method, path }) => `${method} ${path}`);
    const told = endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(told.filter((one) => inChapter.includes(one))).to.deep.equal(inChapter);
  });

  it('says where the server is and which version it is', async () => {
    const { version } = (await service.ask('GET', '/rest/info')).body as { version: string };
    expect([document['servers'], document['info']]).to.deep.equal([
      [{ url: service.url }],
      { ...(document['info'] as object), title: 'Troupe', version },
    ]);
  });

  it('has only references that lead to something, and only components that are referred to', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference));
    const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...references]).to.have.members(components);
  });

  it('has a unique id, a summary, a known tag and a way in for every operation', () => {
    const ids = declared.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    const known = tags.map(({ name }) => name as string);
    const schemes = Object.keys(
      (document.components as unknown as { securitySchemes: object }).securitySchemes,
    );
    for (const { path, operation } of declared) {
      expect(operation.summary, path).to.match(/^[A-Z][^\n]{3,119}[^.\n]$/);
      expect(known, path).to.include.members(operation.tags);
      expect(schemes, path).to.include.members(operation.security.flatMap((one) => Object.keys(one)));
      expect(operation.security.length > 0, path).to.equal(/^\/(rest|worker|node|metrics)/.test(path));
    }
  });

  it('describes exactly the parameters that stand in each path', () => {
    for (const { method, path, operation } of declared) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(
        described.map(({ name, required }) => [name, required]),
        `${method} ${path}`,
      ).to.deep.equal(inPath.map((name) => [name, true]));
    }
  });

  it('has answers of success and, below /rest, all that a caller has to expect', () => {
    for (const { method, path, operation } of declared) {
      const statuses = Object.keys(operation.responses);
      const where = `${method} ${path}`;
      expect(
        statuses.some((status) => status.startsWith('2')),
        where,
      ).to.equal(true);
      for (const [status, { description }] of Object.entries(operation.responses))
        expect([status, description], where).to.satisfy(
          ([code, text]: [string, string]) => /^[1-5]\d\d$/.test(code) && text.trim().length > 3,
        );
      if (path.startsWith('/rest')) expect(statuses, where).to.include.members(['401', '403', '500', '503']);
    }
  });

  it('answers a missing token with 401 as it declares it, on every operation that needs one', async () => {
    const check = new OpenApiCheck(document);
    for (const { method, path, operation } of declared.filter(
      ({ operation }) => operation.security.length > 0,
    )) {
      const concrete = path.replaceAll(/\{\w+\}/g, '1');
      const response = await fetch(`${service.url}${concrete}`, { method: method.toUpperCase() });
      const text = await response.text();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const seen = { status: response.status, headers: response.headers, text, body };
      expect([operation.operationId, response.status]).to.deep.equal([operation.operationId, 401]);
      expect(check.objection(method.toUpperCase(), concrete, seen)).to.equal(undefined);
    }
  });

  it('has examples that fit their schemas', () => {
    const check = new OpenApiCheck(document);
    let examples = 0;
    for (const { method, path, operation } of declared) {
      const bodies = [
        { at: ['requestBody'], content: operation.requestBody?.content },
        ...Object.entries(operation.responses).map(([status, { content }]) => ({
          at: ['responses', status],
          content,
        })),
      ];
      for (const { at, content } of bodies)
        for (const [type, { example }] of Object.entries(content ?? {})) {
          if (example === undefined) continue;
          examples++;
          const misfit = check.misfit(['paths', path, method, ...at, 'content', type, 'schema'], example);
          expect(misfit, `${method} ${path} ${at.join(' ')}`).to.equal(undefined);
        }
    }
    expect(examples).to.be.greaterThan(10);
  });

  it('has schemas that are valid JSON Schema', () => {
    const check = new OpenApiCheck(document);
    for (const name of Object.keys(document.components.schemas))
      expect(() => check.misfit(['components', 'schemas', name], null), name).not.to.throw();
  });

  describe('is held against every answer that a test gets, so that', () => {
    const objection = (method: string, path: string, status: number, text = '', type = 'application/json') =>
      new OpenApiCheck(document).objection(method, path, {
        status,
        text,
        headers: new Headers({
          'content-type': type,
          'www-authenticate': 'Bearer',
          'x-interface-version': '9.0',
          'troupe-server': '0123456789abcdef',
        }),
        body: type === 'application/json' && text !== '' ? JSON.parse(text) : undefined,
      });
    const info = { app: 'a', appFamily: 'f', buildNum: '0', gitBranch: 'b', gitHash: 'h', version: '1.2.3' };

    it('what is declared passes', () => {
      expect(objection('GET', '/rest/info?x=1', 200, JSON.stringify(info))).to.equal(undefined);
      expect(objection('GET', '/rest/jobs/x-1', 400)).to.equal(undefined);
      expect(
        objection(
          'GET',
          '/rest/jobs/x-1',
          401,
          '{"message":"no token","code":"unauthorized","help":"/docs"}',
        ),
      ).to.equal(undefined);
      expect(objection('GET', '/rest/no/such/thing', 404)).to.equal(undefined);
      expect(objection('DELETE', '/rest/info', 405)).to.equal(undefined);
    });

    for (const [what, ...seen] of [
      ['a field too many', 'GET', '/rest/info', 200, JSON.stringify({ ...info, more: 1 })],
      ['a field too few', 'GET', '/rest/info', 200, JSON.stringify({ ...info, app: undefined })],
      ['a field of the wrong kind', 'GET', '/rest/info', 200, JSON.stringify({ ...info, buildNum: 0 })],
      ['a body that should be empty', 'GET', '/rest/jobs/x-1', 400, '{"message":"no"}'],
      ['no body where one is declared', 'GET', '/rest/info', 200, ''],
      ['another content type', 'GET', '/rest/info', 200, 'OK', 'text/plain'],
      ['a status that is not declared', 'GET', '/rest/info', 418, ''],
      ['a missing header', 'GET', '/rest/info', 503, '{"message":"busy"}'],
      ['an operation that is not declared', 'GET', '/rest/no/such/thing', 200, '{}'],
    ] as const)
      it(`${what} does not`, () => {
        expect(objection(...(seen as Parameters<typeof objection>))).to.be.a('string');
      });
  });
});

/** Dependencies for routes that are declared but never run: any property of it exists. */
function unusedDeps(): AppDeps {
  const anything: object = new Proxy(() => undefined, {
    get: (_, name) => {
      if (name === 'metricsToken') return undefined;
      return name === 'info' ? { version: '0.0.0', gitHash: 'none' } : anything;
    },
    apply: () => anything,
  });
  return anything as AppDeps;
}
