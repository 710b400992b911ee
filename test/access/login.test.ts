/**
 * Browser login at an OpenID Connect provider (specification 5): the whole server, a real provider, and a
 * browser without scripts.
 */
import { expect } from 'chai';
import { Browser, locationOf, type Shown } from '../support/browser/browser.ts';
import type { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { LoginTestProvider } from './support/login-provider.ts';

const HOST = '127.0.0.1';
const CALLBACK = '/login/oauth2/code/provider';

describe('A browser that logs in at the provider (specification 5)', () => {
  let provider: LoginTestProvider;
  let service: Service;
  let browser: Browser;
  const page = (path: string) => `${service.url}${path}`;
  const cookieName = () => `troupe-session-${new URL(service.url).port}`;
  const secret = () => browser.cookie(HOST, cookieName())?.value ?? '';
  const asSession = (path = '/rest/session', asked = {}) =>
    browser.ask(page(path), { from: page('/'), mode: 'cors', ...asked });
  /** Follows redirects up to the provider's redirect back to the service. */
  const untilReturn = async (path = '/login'): Promise<string> => {
    let next: string | undefined = page(path);
    while (next !== undefined && !next.startsWith(page(CALLBACK))) next = locationOf(await browser.ask(next));
    return next ?? '';
  };
  const body = ({ text }: Shown) => JSON.parse(text) as Record<string, unknown>;

  before(async () => {
    provider = await LoginTestProvider.start();
    service = await provider.service();
    await provider.serve({ redirectUris: [page(CALLBACK)], afterLogout: [service.url] });
  });
  after(async () => {
    await service.close();
    await provider.close();
  });
  beforeEach(() => {
    browser = new Browser();
    provider.person = 'alice';
    provider.instead = () => false;
  });

  it('asks the provider nothing before somebody logs in', async () => {
    const other = await provider.service();
    try {
      const before = provider.asked.length;
      expect((await browser.ask(`${other.url}/rest/session`)).status).to.equal(401);
      expect(provider.asked.slice(before)).to.deep.equal([]);
    } finally {
      await other.close();
    }
  });

  it('comes back to the page that it wanted, as the user whom the claims name', async () => {
    const shown = await browser.go(page('/login?to=/docs/api/?x=1'));
    expect([shown.url, shown.status]).to.deep.equal([page('/docs/api/?x=1'), 200]);
    const who = await asSession();
    expect(body(who)).to.deep.include({ name: 'alice of the test', subject: 'alice', roles: ['ADMIN'] });
    const { expires, idleUntil } = body(who)['session'] as Record<string, string>;
    const hours = (text = '') => Math.round((Date.parse(text) - Date.now()) / 3_600_000);
    expect([hours(expires), hours(idleUntil)]).to.deep.equal([720, 720]);
    expect((await asSession('/rest/actors')).status).to.equal(200);
  });

  it('goes to the first page without a wish, and whatever it wishes for elsewhere', async () => {
    for (const wish of [
      '',
      '?to=//evil.example',
      '?to=https://evil.example/',
      '?to=/%5Cevil.example',
      '?to=a&to=b',
    ]) {
      await browser.go(page(`/login${wish}`));
      expect([wish, browser.visited.at(-1)]).to.deep.equal([wish, page('/')]);
    }
  });

  it('sends PKCE, state and nonce, and asks for the scopes of the settings', async () => {
    const location = locationOf(await browser.ask(page('/login'))) ?? '';
    const query = Object.fromEntries(new URL(location).searchParams);
    expect(query).to.include({
      client_id: 'web',
      response_type: 'code',
      scope: 'openid profile',
      redirect_uri: page(CALLBACK),
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(query[name], name).to.match(/^[\w-]{43}$/);
    expect(new Set(Object.values(query)).size).to.equal(Object.keys(query).length);
    const again = locationOf(await browser.ask(page('/login?prompt=login'))) ?? '';
    expect(new URL(again).searchParams.get('prompt')).to.equal('login');
  });

  it('has a cookie that no script reads, with a random id and nothing else', async () => {
    await browser.go(page('/login'));
    const cookie = browser.cookie(HOST, cookieName());
    expect(cookie?.value).to.match(/^[0-9a-f]{32}\.[\w-]{43}$/);
    const [expires, ...others] = cookie!.attributes.toSorted();
    expect(others).to.deep.equal(['httponly', 'path=/', 'samesite=lax']);
    const days = (Date.parse(expires!.replace('expires=', '')) - Date.now()) / 86_400_000;
    expect(days).to.be.closeTo(30, 0.1);
    expect(browser.names(HOST).filter((name) => name.startsWith('troupe'))).to.deep.equal([cookieName()]);
    const log = JSON.stringify(service.log());
    for (const hidden of [secret(), 'secret of web']) expect(log.includes(hidden)).to.equal(false);
  });

  it('gets a new session at each login, and does not accept one planted in the browser before', async () => {
    browser.plant(HOST, cookieName(), 'x'.repeat(43));
    await browser.go(page('/login'));
    const first = secret();
    expect(first).not.to.equal('x'.repeat(43));
    await browser.go(page('/login'));
    const second = secret();
    expect(second).not.to.equal(first);
    browser.plant(HOST, cookieName(), first);
    expect((await asSession()).status, 'the first has ended').to.equal(401);
  });

  it('is refused with another state, and without having begun', async () => {
    const back = new URL(await untilReturn());
    back.searchParams.set('state', 'x'.repeat(43));
    const refused = await browser.ask(back.href);
    expect([refused.status, refused.text]).to.deep.equal([400, refused.text]);
    expect(refused.text).to.include('did not start in this browser').and.to.include('href="/login"');
    expect(refused.text).not.to.include('<script');
    expect(refused.headers['content-security-policy']).to.match(/^default-src 'none'/);
    const stranger = new Browser();
    expect((await stranger.ask(await untilReturn())).status).to.equal(400);
    expect([secret(), stranger.names(HOST)]).to.deep.equal(['', []]);
  });

  it('is refused when the code was used before, also by whoever has stolen its ticket', async () => {
    const back = await untilReturn();
    const ticket = `troupe-login-${new URL(service.url).port}`;
    const thief = new Browser();
    thief.plant(HOST, ticket, browser.cookie(HOST, ticket)?.value ?? '');
    expect((await browser.ask(back)).status).to.equal(302);
    const refused = await thief.ask(back);
    expect([refused.status, thief.cookie(HOST, cookieName())]).to.deep.equal([400, undefined]);
    expect(refused.text).to.include('used already');
    // Loading the page again keeps the login.
    expect(locationOf(await browser.ask(back))).to.equal(page('/'));
  });

  it('is refused when the ID token was made for another login (nonce)', async () => {
    const there = new URL(locationOf(await browser.ask(page('/login'))) ?? '');
    there.searchParams.set('nonce', 'of-another-login');
    const refused = await browser.go(there.href);
    expect([refused.status, secret()]).to.deep.equal([400, '']);
    expect(refused.text).to.include('does not belong to this login');
  });

  it('is told what the provider refused, in no words but a code', async () => {
    const back = new URL(await untilReturn());
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', '<b>call 555</b>');
    const refused = await browser.ask(back.href);
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('did not log you in (access_denied)').and.not.include('555');
  });

  it('without a role sees which claim is missing', async () => {
    provider.person = 'carol';
    const refused = await browser.go(page('/login'));
    expect([refused.status, secret()]).to.deep.equal([403, '']);
    expect(refused.text)
      .to.include('claim did not contain &quot;media-admins&quot; or &quot;media-users&quot;')
      .and.to.include('href="/login?prompt=login"');
  });

  it('as a USER may do what needs no ADMIN', async () => {
    provider.person = 'bob';
    await browser.go(page('/login'));
    expect((await asSession('/rest/info')).status).to.equal(200);
    expect((await asSession('/rest/actors')).status).to.equal(403);
  });

  // For a crash of the server, see rest/after-kill.test.ts.
  it('stays logged in over a restart of the server', async () => {
    const port = new URL(service.url).port;
    await browser.go(page('/login'));
    await service.stop();
    await service.startHere({ PORT: port });
    expect((await asSession()).status).to.equal(200);
  });

  it('logs out here and there', async () => {
    await browser.go(page('/login'));
    const kept = secret();
    const asks = await browser.go(page('/logout'), { method: 'POST', from: page('/') });
    const [before] = browser.visited.slice(-2);
    expect(before, 'no redirection of the form, which form-action of a page would forbid').to.equal(
      page('/logout'),
    );
    expect(new URL(asks.url).origin).to.equal(provider.issuer);
    expect(new URL(asks.url).searchParams.get('id_token_hint')?.split('.')).to.have.length(3);
    expect(secret()).to.equal('');
    await browser.submit(asks, 'Yes');
    expect(browser.visited.at(-1)).to.equal(page('/'));
    browser.plant(HOST, cookieName(), kept);
    expect((await asSession()).status).to.equal(401);
    provider.person = 'bob';
    await browser.go(page('/login'));
    expect(body(await asSession())['subject'], 'nobody is known there any more').to.equal('bob');
  });

  it('tells a script where to log out at the provider', async () => {
    await browser.go(page('/login'));
    const headers = { accept: 'application/json' };
    const told = await browser.ask(page('/logout'), {
      method: 'POST',
      from: page('/'),
      mode: 'cors',
      headers,
    });
    expect(body(told)['location']).to.match(new RegExp(`^${provider.issuer}/session/end\\?`));
    expect((await asSession()).status).to.equal(401);
  });

  it('is not logged out by a page of another site', async () => {
    await browser.go(page('/login'));
    for (const from of ['https://evil.example/', 'http://127.0.0.1:9/']) {
      const refused = await browser.ask(page('/logout'), { method: 'POST', from });
      expect([refused.status, (await asSession()).status]).to.deep.equal([403, 200]);
    }
  });

  it('is told in a sentence when the provider is down, and gets in when it is back', async () => {
    const late = await LoginTestProvider.start();
    const waiting = await late.service();
    try {
      late.state = 'failing';
      const refused = await browser.go(`${waiting.url}/login`);
      expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '5']);
      expect(refused.text).to.include('The identity provider cannot be reached. Try again later.');
      await late.serve({ redirectUris: [`${waiting.url}${CALLBACK}`], afterLogout: [] });
      late.state = 'up';
      await until(
        'the provider is found',
        () => browser.go(`${waiting.url}/login`),
        ({ url }) => url === `${waiting.url}/`,
      );
      late.state = 'failing';
      const out = await browser.go(`${waiting.url}/logout`, { method: 'POST', from: `${waiting.url}/` });
      expect(new URL(out.url).origin, 'found already').to.equal(late.issuer);
    } finally {
      await waiting.close();
      await late.close();
    }
  });

  it('brings claims that only the userinfo endpoint tells', async () => {
    const telling = await LoginTestProvider.start();
    const other = await telling.service();
    try {
      await telling.serve({ redirectUris: [`${other.url}${CALLBACK}`], afterLogout: [], inUserinfo: true });
      const shown = await browser.go(`${other.url}/login`);
      expect([shown.url, telling.asked.includes('/me')]).to.deep.equal([`${other.url}/`, true]);
      const who = await browser.ask(`${other.url}/rest/session`);
      expect(body(who)).to.deep.include({ name: 'alice of the test', roles: ['ADMIN'] });
      const here = await asSession('/rest/session');
      expect(here.status, 'the cookie of another server').to.equal(401);
    } finally {
      await other.close();
      await telling.close();
    }
  });
});
