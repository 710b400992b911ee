/**
 * The page at /docs/api: needs no login, has no scripts from other sites, and sends no requests to other
 * hosts.
 */
import { expect } from 'chai';
import { request } from 'undici';
import { Service } from '../support/processes/service.ts';

const TYPES: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  'index.html': 'text/html; charset=utf-8',
  'tokens.css': 'text/css; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

describe('The page at /docs/api', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const get = (path: string) => fetch(`${service.url}/docs/api${path}`, { redirect: 'manual' });

  it('is given to anybody, each file with its type and a strict policy', async () => {
    for (const [name, type] of Object.entries(TYPES)) {
      const response = await get(`/${name}`);
      expect([name, response.status, response.headers.get('content-type')]).to.deep.equal([name, 200, type]);
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      const policy = response.headers.get('content-security-policy');
      expect(policy)
        .to.include("default-src 'none'")
        .and.include("script-src 'self';")
        .and.include("connect-src 'self'");
      expect(policy).to.not.include('unsafe');
      expect((await response.arrayBuffer()).byteLength).to.equal(
        Number(response.headers.get('content-length')),
      );
    }
  });

  it('redirects /docs/api to /docs/api/', async () => {
    const response = await get('');
    expect([response.status, response.headers.get('location')]).to.deep.equal([308, '/docs/api/']);
  });

  it('has no script, style or address of anybody else in it', async () => {
    const html = await (await get('/')).text();
    expect(html).to.not.match(/https?:|<style|\son\w+=|style=/);
    expect([...html.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, , inline]) => inline)).to.deep.equal([
      '',
      '',
    ]);
    for (const name of ['page.js', 'page.css', 'tokens.css'])
      expect(await (await get(`/${name}`)).text()).to.not.match(/https?:/);
  });

  it('is sent once: a browser that has a file is told so', async () => {
    for (const name of ['swagger-ui-bundle.js', 'page.js']) {
      const first = await get(`/${name}`);
      await first.arrayBuffer();
      // `fetch` is not used: with this header it also sends `Cache-Control: no-cache`.
      const again = await request(`${service.url}/docs/api/${name}`, {
        headers: { 'if-none-match': first.headers.get('etag') ?? '' },
      });
      expect([again.statusCode, await again.body.text()]).to.deep.equal([304, '']);
    }
    expect((await get('/swagger-ui-bundle.js')).headers.get('cache-control')).to.equal(
      'public, max-age=86400',
    );
    expect((await get('/')).headers.get('cache-control')).to.equal('no-cache');
  });

  it('gives nothing but its own files', async () => {
    for (const name of [
      '/package.json',
      '/swagger-ui-bundle.js.map',
      '/..%2fpackage.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/package.json',
      '/__proto__',
      '/constructor',
      '/page.js/',
      '/index.html%00',
    ]) {
      const response = await get(name);
      expect([name, response.status]).to.deep.equal([name, 404]);
      expect(await response.text(), name).to.match(/^$|^\{"message":"The server has nothing at this path/);
    }
  });
});
