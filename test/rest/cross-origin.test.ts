/**
 * Web pages of other origins and reverse proxies: CORS_ALLOWED_ORIGINS, BASE_URL with a path, TRUST_PROXY.
 */
import { expect } from 'chai';
import { readSettings } from '../../config/settings.ts';
import { freePort, ReverseProxy } from '../support/servers/reverse-proxy.ts';
import { Service } from '../support/processes/service.ts';

const UI = 'https://ui.example';
const OTHER = 'https://evil.example';

describe('Web pages of other origins', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ CORS_ALLOWED_ORIGINS: `${UI}, http://localhost:3000/` });
  });
  after(() => service.close());

  const preflight = (origin: string, path = '/rest/jobs') =>
    fetch(`${service.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it('may ask when they are listed, without a token for the question whether they may', async () => {
    for (const origin of [UI, 'http://localhost:3000']) {
      const { status, headers } = await preflight(origin);
      expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([204, origin]);
      expect(headers.get('access-control-allow-methods')).to.include('POST').and.include('DELETE');
      expect(headers.get('access-control-allow-headers'))
        .to.include('Authorization')
        .and.include('Idempotency-Key');
    }
  });

  it('get answers, refusals among them, that their scripts may read, with the headers they need', async () => {
    const ask = (path: string, token: string) =>
      service.ask('GET', path, undefined, { origin: UI, authorization: token });
    for (const [path, token, status] of [
      ['/rest/info', `Bearer ${service.token}`, 200],
      ['/rest/info', '', 401],
      ['/rest/no/such/thing', `Bearer ${service.token}`, 404],
    ] as const) {
      const answer = await ask(path, token);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([status, UI]);
      expect(answer.headers.get('access-control-expose-headers'))
        .to.include('X-Request-Id')
        .and.include('Retry-After');
      expect(answer.headers.get('vary')).to.include('Origin');
    }
  });

  it('get nothing when they are not listed', async () => {
    for (const origin of [OTHER, 'null', `${UI}.evil.example`, UI.toUpperCase()]) {
      expect([origin, (await preflight(origin)).headers.get('access-control-allow-origin')]).to.deep.equal([
        origin,
        null,
      ]);
      const { headers } = await service.ask('GET', '/rest/info', undefined, { origin });
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    }
  });

  it('are never let in with cookies', async () => {
    for (const { headers } of [
      await preflight(UI),
      await service.ask('GET', '/rest/info', undefined, { origin: UI }),
    ])
      expect(headers.get('access-control-allow-credentials')).to.equal(null);
  });

  it('get nothing of what is not the REST interface', async () => {
    for (const path of ['/metrics', '/worker/v1/claim', '/healthz'])
      expect((await preflight(UI, path)).headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('may all ask when CORS_ALLOWED_ORIGINS is *, still without cookies', async () => {
    const open = await Service.here({ CORS_ALLOWED_ORIGINS: '*' });
    try {
      const { headers } = await open.ask('GET', '/rest/info', undefined, { origin: OTHER });
      expect([
        headers.get('access-control-allow-origin'),
        headers.get('access-control-allow-credentials'),
      ]).to.deep.equal(['*', null]);
    } finally {
      await open.close();
    }
  });

  it('may not ask when nothing is set', async () => {
    expect(readSettings({}).CORS_ALLOWED_ORIGINS).to.deep.equal([]);
  });

  for (const wrong of [
    'ui.example',
    'https://ui.example/path',
    '*,https://ui.example',
    'https://*.example',
    'javascript:x',
  ])
    it(`must be named by their origin, so that ${wrong} is refused at the start`, () => {
      expect(() => readSettings({ CORS_ALLOWED_ORIGINS: wrong })).to.throw(/CORS_ALLOWED_ORIGINS must be/);
    });
});

for (const strips of [true, false])
  describe(`Behind a reverse proxy that ${strips ? 'takes its path off' : 'leaves its path on'}`, () => {
    let proxy: ReverseProxy;
    let service: Service;
    before(async () => {
      proxy = await ReverseProxy.listen('/troupe', strips);
      const port = await freePort();
      proxy.serve(`http://127.0.0.1:${port}`);
      service = await Service.here({
        PORT: String(port),
        BASE_URL: `${proxy.origin}/troupe/`,
        TRUST_PROXY: 'true',
      });
    });
    after(async () => {
      await service.close();
      await proxy.close();
    });

    it('the interface is used by BASE_URL, with a token of the provider below it', async () => {
      expect(service.url).to.equal(`${proxy.origin}/troupe`);
      expect((await service.ask('GET', '/rest/info')).status).to.equal(200);
      const { status, text } = await service.ask('GET', '/rest/jobs/none');
      expect([status, text]).to.deep.equal([400, '']);
    });

    it('the web page finds its files', async () => {
      const html = await (await fetch(`${service.url}/`)).text();
      const [, main] = /<script type="module" src="([^"]+)"/.exec(html)!;
      expect((await fetch(new URL(main!, `${service.url}/`))).status).to.equal(200);
    });

    it('the OpenAPI document says where the interface is', async () => {
      const { body } = await service.ask('GET', '/rest/openapi.json');
      expect((body as { servers: object }).servers).to.deep.equal([{ url: `${proxy.origin}/troupe` }]);
    });

    it('the log says whose request it was, not that it came from the proxy', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-request-id': `from-outside-${strips}` };
      await service.ask('GET', '/rest/info', undefined, headers);
      const line = await service.waitForLog(
        'request',
        ({ requestId }) => requestId === `from-outside-${strips}`,
      );
      expect(line['ip']).to.equal('203.0.113.7');
    });

    it('the page is found below the path', async () => {
      const response = await fetch(`${proxy.origin}/troupe/docs/api`);
      expect([response.status, response.url]).to.deep.equal([200, `${proxy.origin}/troupe/docs/api/`]);
      expect((await fetch(`${proxy.origin}/troupe/docs/api/page.js`)).status).to.equal(200);
    });
  });
