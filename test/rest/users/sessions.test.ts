/** Browser logins: lifetime, list and logout. */
import { expect } from 'chai';
import { loginLinkOf } from '../../support/browser/chromium.ts';
import { Browser } from '../../support/browser/browser.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const ROTATE_MS = 50;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Shown {
  readonly id: string;
  readonly user: { readonly name: string };
  readonly browser: string | null;
  readonly current: boolean;
}

describe('A login of a browser', () => {
  let service: Service;
  const cookieName = () => `troupe-session-${new URL(service.url).port}`;
  const cookieOf = (browser: Browser) => browser.cookie('127.0.0.1', cookieName())?.value ?? '';
  const logIn = async (role: 'ADMIN' | 'USER' = 'USER') => {
    const browser = new Browser();
    const headers = { 'user-agent': FIREFOX };
    const code = new URL(await loginLinkOf(service, role)).searchParams.get('code') ?? '';
    const body = new URLSearchParams({ code }).toString();
    const page = `${service.url}/login`;
    await browser.ask(page, { method: 'POST', body, from: page, headers });
    return browser;
  };
  const ask = (browser: Browser, path = '/rest/session', method = 'GET') =>
    browser.ask(`${service.url}${path}`, { from: `${service.url}/`, mode: 'cors', method });
  const listed = async (browser: Browser, path = '/rest/sessions') =>
    (JSON.parse((await ask(browser, path)).text) as { sessions: readonly Shown[] }).sessions;

  before(async () => {
    service = await Service.here({ SESSION_ROTATE_MS: String(ROTATE_MS) });
  });
  after(() => service.close());

  it('survives a restart of the server', async () => {
    const browser = await logIn();
    await service.stop();
    await service.startHere({ PORT: new URL(service.url).port });
    expect((await ask(browser)).status).to.equal(200);
  });

  it('changes its cookie, and ends when a former one is used once more', async () => {
    const browser = await logIn();
    const first = cookieOf(browser);
    const changed = async (before: string) =>
      until(
        'the cookie is another one',
        async () => ((await ask(browser)).status === 200 ? cookieOf(browser) : ''),
        (cookie) => cookie !== before && cookie !== '',
      );
    const second = await changed(first);
    const third = await changed(second);
    expect([first, second, third].map((cookie) => cookie.split('.')[0])).to.deep.equal(
      Array.from({ length: 3 }, () => first.split('.')[0]),
    );
    expect((await ask(browser)).status, 'the third is in use').to.equal(200);
    const thief = new Browser();
    thief.plant('127.0.0.1', cookieName(), first);
    expect((await ask(thief)).status).to.equal(401);
    expect((await ask(browser)).status, 'the session has ended for both').to.equal(401);
    await service.waitForLog(
      'a session ended because a former cookie of it was used: somebody may have copied it',
    );
  });

  it('is listed to its user, and ends when another browser of the user ends it', async () => {
    const [one, other] = [await logIn(), await logIn()];
    const mine = await listed(one);
    expect(mine.filter(({ current }) => current)).to.have.length(1);
    expect(
      mine.every(({ user, browser }) => user.name === 'user' && browser === 'Firefox on Linux'),
    ).to.equal(true);
    const [{ id }] = (await listed(other)).filter(({ current }) => current) as [Shown];
    expect((await ask(one, `/rest/sessions/${id}`, 'DELETE')).status).to.equal(204);
    expect((await ask(other)).status).to.equal(401);
    expect((await ask(one, `/rest/sessions/${id}`, 'DELETE')).status).to.equal(404);
  });

  it('of others is shown to and ended by an ADMIN alone', async () => {
    const [user, admin] = [await logIn('USER'), await logIn('ADMIN')];
    expect((await ask(user, '/rest/sessions?all=true')).status).to.equal(403);
    const all = await listed(admin, '/rest/sessions?all=true');
    const [own] = all.filter(({ current }) => current) as [Shown];
    expect((await ask(user, `/rest/sessions/${own.id}`, 'DELETE')).status).to.equal(404);
    const [{ id }] = (await listed(user)).filter(({ current }) => current) as [Shown];
    expect((await ask(admin, `/rest/sessions/${id}`, 'DELETE')).status).to.equal(204);
    expect((await ask(user)).status).to.equal(401);
  });
});
