/** Browser login through a reverse proxy, with a path prefix and with TLS that ends at the proxy. */
import { expect } from 'chai';
import { Browser, locationOf } from '../support/browser/browser.ts';
import { freePort, ReverseProxy } from '../support/servers/reverse-proxy.ts';
import { LoginTestProvider } from './support/login-provider.ts';

const HOST = '127.0.0.1';
const CALLBACK = '/login/oauth2/code/provider';
const PUBLIC = 'https://media.example';

describe('A browser that logs in over a reverse proxy', () => {
  let provider: LoginTestProvider;
  before(async () => (provider = await LoginTestProvider.start()));
  after(() => provider.close());

  for (const strips of [true, false])
    it(`below a path, which the proxy ${strips ? 'takes off' : 'leaves'}`, async () => {
      const proxy = await ReverseProxy.listen('/troupe', strips);
      const base = `${proxy.origin}/troupe`;
      const port = await freePort();
      proxy.serve(`http://127.0.0.1:${port}`);
      const service = await provider.service({ BASE_URL: base, PORT: String(port) });
      try {
        await provider.serve({ redirectUris: [`${base}${CALLBACK}`], afterLogout: [base] });
        const browser = new Browser();
        for (const to of ['/docs/api/', '/troupe/docs/api/']) {
          const shown = await browser.go(`${base}/login?to=${to}`);
          expect([shown.url, shown.status]).to.deep.equal([`${base}/docs/api/`, 200]);
        }
        const name = `troupe-session-${new URL(base).port}`;
        expect(browser.cookie(HOST, name)?.attributes).to.include('path=/troupe');
        const ask = (from: string) =>
          browser.ask(`${base}/rest/media/check`, {
            ...{ method: 'POST', body: '{"mediaUris":["file:///x"]}', from, mode: 'cors' },
            headers: { 'content-type': 'application/json', 'sec-fetch-site': '' },
          });
        expect([(await ask(`${base}/`)).status, (await ask('http://127.0.0.1:9/')).status]).to.deep.equal([
          200, 403,
        ]);
        const asks = await browser.go(`${base}/logout`, { method: 'POST', from: `${base}/` });
        await browser.submit(asks, 'Yes');
        expect(browser.visited.at(-1)).to.equal(base);
        expect((await browser.ask(`${base}/rest/session`)).status).to.equal(401);
      } finally {
        await service.close();
        await proxy.close();
      }
    });

  for (const [path, prefix] of [
    ['', '__Host-'],
    ['/troupe', '__Secure-'],
  ] as const)
    it(`with TLS gets cookies that are named ${prefix}... and sent over TLS alone`, async () => {
      const redirectUri = `${PUBLIC}${path}${CALLBACK}`;
      const service = await provider.service({ OIDC_REDIRECT_URI: redirectUri });
      const proxy = await ReverseProxy.listen(path, true);
      proxy.serve(service.url);
      try {
        await provider.serve({ redirectUris: [redirectUri], afterLogout: [] });
        const browser = new Browser();
        let next: string | undefined = `${PUBLIC}${path}/login`;
        // Replaces the TLS address by that of the proxy.
        while (next !== undefined && !next.endsWith(`${path}/`))
          next = locationOf(await browser.ask(next.replace(PUBLIC, proxy.origin)))?.replace(
            proxy.origin,
            PUBLIC,
          );
        const cookie = browser.cookie(HOST, `${prefix}troupe-session`);
        const isExpiry = (attribute: string) => attribute.startsWith('expires=');
        expect(cookie?.attributes.filter(isExpiry)).to.have.length(1);
        expect(cookie?.attributes.filter((attribute) => !isExpiry(attribute))).to.have.members([
          `path=${path === '' ? '/' : path}`,
          'samesite=lax',
          'secure',
          'httponly',
        ]);
        const from = `${PUBLIC}/`;
        const out = await browser.ask(`${proxy.origin}${path}/logout`, {
          ...{ method: 'POST', from },
          headers: { 'sec-fetch-site': '' },
        });
        // OIDC_REDIRECT_URI names another host. The provider knows the base URL for redirects after logout.
        expect(new URL(locationOf(out) ?? '').searchParams.get('post_logout_redirect_uri')).to.equal(
          service.url,
        );
        expect(browser.names(HOST).filter((name) => name.includes('troupe'))).to.deep.equal([]);
      } finally {
        await service.close();
        await proxy.close();
      }
    });

  for (const template of [
    '{baseUrl}/login/oauth2/code/provider',
    '{baseUrl}/{action}/oauth2/code/{registrationId}',
    '{baseScheme}://{baseHost}{basePort}{basePath}/login/oauth2/code/provider',
  ])
    it(`comes back to ${template}`, async () => {
      const proxy = await ReverseProxy.listen('/troupe', true);
      const base = `${proxy.origin}/troupe`;
      const port = await freePort();
      proxy.serve(`http://127.0.0.1:${port}`);
      const env = { BASE_URL: base, PORT: String(port), OIDC_REDIRECT_URI: template };
      const service = await provider.service(env);
      try {
        await provider.serve({ redirectUris: [`${base}${CALLBACK}`], afterLogout: [base] });
        const browser = new Browser();
        await browser.go(`${base}/login`);
        expect(browser.visited.at(-1)).to.equal(`${base}/`);
        const asks = await browser.go(`${base}/logout`, { method: 'POST', from: `${base}/` });
        await browser.submit(asks, 'Yes');
        expect(browser.visited.at(-1)).to.equal(base);
      } finally {
        await service.close();
        await proxy.close();
      }
    });

  it('by OIDC_REDIRECT_URI, which says where browsers find the server', async () => {
    const proxy = await ReverseProxy.listen('/public', true);
    const service = await provider.service({ OIDC_REDIRECT_URI: `${proxy.origin}/public${CALLBACK}` });
    proxy.serve(service.url);
    try {
      await provider.serve({ redirectUris: [`${proxy.origin}/public${CALLBACK}`], afterLogout: [] });
      const browser = new Browser();
      await browser.go(`${proxy.origin}/public/login`);
      expect(browser.visited.at(-1)).to.equal(`${proxy.origin}/public/`);
      expect((await browser.ask(`${proxy.origin}/public/rest/session`)).status).to.equal(200);
    } finally {
      await service.close();
      await proxy.close();
    }
  });
});
