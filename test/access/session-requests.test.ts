/**
 * Requests that the session of a browser allows, and those that it does not (in addition to specification 5).
 */
import { expect } from 'chai';
import { Browser, type Asked } from '../support/browser/browser.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { within } from '../support/until.ts';
import { LoginTestProvider } from './support/login-provider.ts';

const JOB = JSON.stringify({
  media: [{ mediaUri: sampleUri('astronaut.png') }],
  pipelineName: 'LIGHT PIPELINE',
});
const UI = 'https://ui.example';

describe('A request with the session of a browser', () => {
  let provider: LoginTestProvider;
  let service: Service;
  let browser: Browser;
  const page = (path = '/') => `${service.url}${path}`;
  const cookieName = () => `troupe-session-${new URL(service.url).port}`;
  const ask = (path: string, asked: Asked = {}) =>
    browser.ask(page(path), { from: page(), mode: 'cors', ...asked });
  const postJob = (asked: Asked = {}) => {
    const headers = { 'content-type': 'application/json', ...asked.headers };
    return ask('/rest/jobs', { method: 'POST', body: JOB, ...asked, headers });
  };

  /** Ids of jobs, which continue to run during the test. */
  const jobs = async () => {
    const { jobs: all } = JSON.parse((await ask('/rest/jobs')).text) as {
      readonly jobs: readonly { readonly jobId: string }[];
    };
    return all.map(({ jobId }) => jobId);
  };

  before(async () => {
    provider = await LoginTestProvider.start();
    service = await provider.service({ CORS_ALLOWED_ORIGINS: UI, SESSION_IDLE_MS: '900000' });
    const redirectUris = [page('/login/oauth2/code/provider')];
    await provider.serve({ redirectUris, afterLogout: [service.url] });
    browser = new Browser();
    await browser.go(page('/login'));
  });
  after(async () => {
    await service.close();
    await provider.close();
  });

  it('creates a job from a page of the server, told by Sec-Fetch-Site, or else by Origin', async () => {
    expect((await postJob()).status).to.equal(201);
    const old = { 'sec-fetch-site': '', 'sec-fetch-mode': '' };
    expect((await postJob({ headers: old })).status, 'by Origin').to.equal(201);
  });

  for (const [what, asked] of [
    ['another site', { from: 'https://evil.example/' }],
    ['another port of this host', { from: 'http://127.0.0.1:9/' }],
    ['an origin that CORS lets in with tokens', { from: `${UI}/` }],
    [
      'another origin, told by an old browser',
      { headers: { 'sec-fetch-site': '', origin: 'https://evil.example' } },
    ],
    ['a page without an origin', { headers: { 'sec-fetch-site': '', origin: 'null' } }],
    ['nobody knows where', { headers: { 'sec-fetch-site': '', origin: '' } }],
    ['an address that somebody typed', { headers: { 'sec-fetch-site': 'none', origin: '' } }],
    ['a same-site page that claims our origin', { headers: { 'sec-fetch-site': 'same-site' } }],
  ] as const)
    it(`that comes from ${what} changes nothing`, async () => {
      const before = await jobs();
      const refused = await postJob(asked);
      expect(refused.status).to.equal(403);
      expect(refused.text).to.include('only pages of this server may change anything');
      expect(refused.headers['access-control-allow-credentials']).to.equal(undefined);
      expect(await jobs()).to.deep.equal(before);
    });

  it('is not for pages of others to read either; a link may be followed', async () => {
    const statusOf = async (asked: Asked) => (await ask('/rest/jobs', asked)).status;
    expect(await statusOf({ from: 'http://127.0.0.1:9/', mode: 'no-cors' })).to.equal(403);
    expect(await statusOf({ from: 'https://evil.example/', mode: 'cors' })).to.equal(403);
    expect(await statusOf({ from: 'https://evil.example/', mode: 'navigate' })).to.equal(200);
  });

  it('is judged by its token when it brings one: good or not, the session does not count', async () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const user = await ask('/rest/session', { headers: bearer(await provider.tokens.token('user')) });
    expect(JSON.parse(user.text)).to.deep.include({ name: 'user', session: null });
    expect((await ask('/rest/session', { headers: bearer('garbage') })).status).to.equal(401);
  });

  it('opens nothing outside /rest', async () => {
    expect((await ask('/metrics')).status).to.equal(401);
    expect((await ask('/worker/v1/claim', { method: 'POST', body: '{}' })).status).to.equal(401);
  });

  it('without a session is answered as one without a token', async () => {
    const stranger = new Browser();
    const refused = await stranger.ask(page('/rest/session'));
    expect([refused.status, refused.headers['www-authenticate']]).to.deep.equal([401, 'Bearer']);
    expect(refused.headers['set-cookie']).to.equal(undefined);
  });

  it('is in the audit log with its user, and that it was a session', async () => {
    await postJob();
    const { message: _, ...line } = await service.waitForLog('audit', (one) => one['session'] !== undefined);
    expect(line).to.include({
      user: 'alice of the test',
      subject: 'alice',
      method: 'POST',
      path: '/rest/jobs',
    });
    const begun = await service.waitForLog('a user has logged in');
    expect([line['session'], begun['session']]).to.deep.equal([begun['session'], line['session']]);
    expect(line['session']).to.match(/^[0-9a-f]{8}$/);
  });

  it('watches a job by an event stream, until its user logs out', async () => {
    const other = new Browser();
    await other.go(page('/login'));
    const media = [{ mediaUri: sampleUri('astronaut.png') }];
    const made = await postJob({ body: JSON.stringify({ media, pipelineName: 'ABSENT PIPELINE' }) });
    const { jobId } = JSON.parse(made.text) as { jobId: string };
    const cookie = `${cookieName()}=${other.cookie('127.0.0.1', cookieName())?.value}`;
    const stream = await fetch(page(`/rest/jobs/${jobId}/events`), { headers: { cookie } });
    expect([stream.status, stream.headers.get('content-type')]).to.deep.equal([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const end = stream.text().then(
      () => 'ended',
      () => 'cut',
    );
    await other.go(page('/logout'), { method: 'POST', from: page() });
    expect(await within(20_000, 'the stream is cut', end)).to.equal('cut');
    expect((await other.ask(page('/rest/session'))).status).to.equal(401);
  });
});
