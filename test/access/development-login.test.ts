/**
 * Browser login without an identity provider: a link that works once, for users who can read the secrets
 * folder.
 */
import { expect } from 'chai';
import { loginLink } from '../../cli/service/login.ts';
import { findHolder } from '../../cli/service/holder.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import { Codes, makeCode } from '../../http/login/development-codes.ts';
import { Browser, type Asked } from '../support/browser/browser.ts';
import { Service } from '../support/processes/service.ts';
import { LoginTestProvider } from './support/login-provider.ts';

const MINUTE = 60_000;

describe('A browser at a server for development', () => {
  let service: Service;
  let browser: Browser;
  const page = (path = '/') => `${service.url}${path}`;
  const link = async (role?: 'ADMIN' | 'USER') => {
    const holder = await findHolder(service.dataDir);
    if (holder === undefined) throw new Error('no server holds the data folder');
    return loginLink(holder, service.dataDir, role);
  };
  const whoami = async (who = browser) => {
    const { status, text } = await who.ask(page('/rest/session'), { from: page(), mode: 'cors' });
    return status === 200 ? (JSON.parse(text) as { roles: readonly string[] }).roles : status;
  };
  const post = async (asked: Asked & { readonly code?: string }) => {
    const code = asked.code ?? new URL(await link()).searchParams.get('code') ?? '';
    const body = new URLSearchParams({ code }).toString();
    return browser.ask(page('/login'), { method: 'POST', body, from: page('/login'), ...asked });
  };
  before(async () => (service = await Service.here()));
  after(() => service.close());
  beforeEach(() => (browser = new Browser()));

  it('is let in by one click on the page of a link', async () => {
    const shown = await browser.go(await link());
    expect(shown.text.match(/<button/g)).to.have.length(1);
    expect(shown.text).not.to.include('<script');
    expect(shown.headers['content-security-policy'])
      .to.match(/^default-src 'none'/)
      .and.not.include('unsafe');
    const done = await browser.submit(shown, 'Log in');
    expect([done.url, await whoami()]).to.deep.equal([page(), ['ADMIN']]);
    await browser.submit(await browser.go(await link('USER')), 'Log in');
    expect(await whoami()).to.deep.equal(['USER']);
    await browser.go(page('/logout'), { method: 'POST', from: page() });
    expect([browser.visited.at(-1), await whoami()]).to.deep.equal([page(), 401]);
  });

  it('comes to the page that it wanted, and to no other server', async () => {
    for (const [to, there] of [
      ['/docs/api/', '/docs/api/'],
      ['//evil.example', '/'],
    ] as const) {
      const shown = await browser.go(`${await link()}&to=${encodeURIComponent(to)}`);
      expect((await browser.submit(shown, 'Log in')).url).to.equal(page(there));
    }
  });

  it('without a link is told how to get one, and that is all', async () => {
    const shown = await browser.go(page('/login'));
    expect(shown.text).to.include('<code>npx troupe login</code>').and.not.include('<form');
    expect([(await post({ code: '' })).status, await whoami()]).to.deep.equal([403, 401]);
  });

  it('is let in once by a link: it is not used up by being looked at, but by the click', async () => {
    const used = await link();
    await browser.go(used);
    const shown = await browser.go(used);
    await browser.submit(shown, 'Log in');
    const thief = new Browser();
    expect((await thief.go(used)).text).to.include('was used already');
    expect((await thief.submit(shown, 'Log in')).status).to.equal(403);
    expect(await whoami(thief)).to.equal(401);
  });

  it('is not let in by a link that was made up, is too old, or of another server or start', async () => {
    const { clientSecret: secret } = await loadOrCreateDevelopmentSecrets(service.dataDir);
    const { server = '' } = (await findHolder(service.dataDir)) ?? {};
    const now = Date.now();
    for (const [what, code] of [
      ['nothing', 'x'],
      ['made up', makeCode({ secret: 'a guess', server }, now)],
      ['of another role', makeCode({ secret, server }, now, 'USER').replace('USER', 'ADMIN')],
      ['too old', makeCode({ secret, server }, now - 10 * MINUTE)],
      ['of the future', makeCode({ secret, server }, now + 5 * MINUTE)],
      ['of another start', makeCode({ secret, server: 'before' }, now)],
    ] as const)
      expect([what, (await post({ code })).status]).to.deep.equal([what, 403]);
    expect(await whoami()).to.equal(401);
    expect((await post({ code: makeCode({ secret, server }, now) })).status, 'a good one').to.equal(303);
  });

  for (const [what, asked] of [
    ['a page of another site', { from: 'https://evil.example/' }],
    ['a page of another server on this machine', { from: 'http://127.0.0.1:9/' }],
    ['a page that has given its own name our address', { headers: { host: 'evil.example:8080' } }],
    ['somebody behind a reverse proxy', { headers: { 'x-forwarded-for': '203.0.113.7' } }],
    ['somebody behind a proxy that says Forwarded', { headers: { forwarded: 'for=203.0.113.7' } }],
  ] as const)
    it(`does not let in ${what}, even with a link`, async () => {
      expect([(await post(asked)).status, await whoami()]).to.deep.equal([403, 401]);
    });

  it('has no session for a page that has given its own name our address', async () => {
    await browser.submit(await browser.go(await link()), 'Log in');
    const refused = await browser.ask(page('/rest/session'), { headers: { host: 'evil.example' } });
    expect(refused.status).to.equal(403);
    const asLocalhost = { host: `localhost:${new URL(service.url).port}` };
    expect((await browser.ask(page('/rest/session'), { headers: asLocalhost })).status).to.equal(200);
  });

  it('is logged out when the server gets a provider', async () => {
    await browser.submit(await browser.go(await link()), 'Log in');
    const provider = await LoginTestProvider.start();
    const port = new URL(service.url).port;
    try {
      await service.stop();
      expect(await findHolder(service.dataDir)).to.equal(undefined);
      const later = new Service({ ...provider.settings, PORT: port, DATA_DIR: service.dataDir }, () =>
        provider.tokens.token('admin'),
      );
      await later.startHere();
      expect(await whoami()).to.equal(401);
      expect(await link()).to.equal(page('/login'));
      await later.stop();
      await later.close();
    } finally {
      await provider.close();
      await service.startHere({ PORT: port });
    }
  });

  it('finds no link in the log', () => {
    expect(JSON.stringify(service.log())).not.to.include('code=');
  });
});

describe('The codes of links', () => {
  const place = { secret: 'secret', server: 'one' };

  it('are good for ten minutes, once', () => {
    let now = 1_000_000;
    const codes = new Codes(place, () => now);
    const [code, other] = [makeCode(place, now), makeCode(place, now)];
    expect([codes.isGood(code), codes.use(code), codes.use(code), codes.isGood(code)]).to.deep.equal([
      true,
      'ADMIN',
      undefined,
      false,
    ]);
    now += 10 * MINUTE;
    expect([codes.use(other), codes.use(makeCode(place, now, 'USER'))]).to.deep.equal([undefined, 'USER']);
  });
});
