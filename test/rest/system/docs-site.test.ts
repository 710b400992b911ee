/**
 * The documentation site at /docs: needs no login, has static files only, and sends no requests to other
 * hosts.
 */
import { expect } from 'chai';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Koa from 'koa';
import { docsPages } from '../../../http/pages/docs-pages.ts';

const FILES: Readonly<Record<string, string>> = {
  'index.html': '<h1>Documentation</h1>',
  'site.js': 'export {};',
  'guides/find-faces.html': '<h1>Find faces</h1>',
  'pictures/diagrams/a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><style>a{}</style></svg>',
};

async function serveSite(folder: string, base: string): Promise<{ server: Server; url: string }> {
  const app = new Koa().use(docsPages(base, folder).routes());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('The documentation site at /docs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-site-'));
  let server: Server;
  let url: string;
  before(async () => {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    writeFileSync(path.join(folder, 'secret.key'), 'key');
    ({ server, url } = await serveSite(folder, 'http://host.example/troupe'));
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const get = (place: string) => fetch(`${url}${place}`, { redirect: 'manual' });

  it('sends each file with its type', async () => {
    for (const [place, name, type] of [
      ['/docs/', 'index.html', 'text/html; charset=utf-8'],
      ['/docs/site.js', 'site.js', 'text/javascript; charset=utf-8'],
      ['/docs/guides/find-faces.html', 'guides/find-faces.html', 'text/html; charset=utf-8'],
      ['/docs/pictures/diagrams/a.svg', 'pictures/diagrams/a.svg', 'image/svg+xml'],
    ] as const) {
      const response = await get(place);
      expect([response.status, response.headers.get('content-type')], place).to.deep.equal([200, type]);
      expect(await response.text()).to.equal(FILES[name]);
    }
  });

  it('allows scripts and styles of this server only, and styles within pictures', async () => {
    const page = (await get('/docs/')).headers.get('content-security-policy');
    expect(page).to.include("default-src 'none'").and.include("script-src 'self';").and.not.include('unsafe');
    const picture = (await get('/docs/pictures/diagrams/a.svg')).headers.get('content-security-policy');
    expect(picture).to.equal("default-src 'none'; style-src 'unsafe-inline'");
  });

  it('redirects /docs to /docs/ below the path of the server', async () => {
    const response = await get('/docs');
    expect([response.status, response.headers.get('location')]).to.deep.equal([308, '/troupe/docs/']);
  });

  it('serves nothing but the files of the site', async () => {
    for (const place of ['secret.key', 'guides', 'guides/', 'nothing.html', '..%2fsecret.html', '__proto__'])
      expect((await get(`/docs/${place}`)).status, place).to.equal(404);
  });

  it('redirects to the API page when the site was not built', async () => {
    const { server: other, url: there } = await serveSite(
      path.join(folder, 'nothing'),
      'http://host.example',
    );
    try {
      const response = await fetch(`${there}/docs/`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).to.deep.equal([302, '/docs/api/']);
      expect((await fetch(`${there}/docs/api/page.js`)).status).to.equal(200);
    } finally {
      other.close();
    }
  });
});
