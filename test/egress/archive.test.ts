import { expect } from 'chai';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { REACH_SETTINGS } from '../../egress/http/addresses.ts';
import { findPastJob, type ArchiveDeps } from '../../egress/archive.ts';
import { HttpClient } from '../../egress/http/http-client.ts';
import { assertion } from '../../domain/job/archive.ts';
import type { ArchiveFinding, ArchiveQuestion } from '../../domain/types.ts';
import { ArchiveServer } from '../support/servers/archive-server.ts';
import { until } from '../support/until.ts';

const HASH = 'c0ffee';

/** An archive entry as this service posts it. */
const entry = (
  more: { jobId?: string; jobStatus?: string; processDate?: string; jobConfigHash?: string } = {},
) =>
  assertion({
    objectId: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    noticeId: 'n',
    pipeline: 'FACE DETECTION',
    found: { FACE: 1 },
    jobId: 'host-1',
    outputUri: 'file:///past.json',
    outputHash: 'ee',
    processDate: '2026-01-01T00:00:00.000Z',
    jobStatus: 'COMPLETE',
    system: { version: '1', host: 'host' },
    jobConfigHash: HASH,
    ...more,
  });
const byText = (a: string, b: string) => (a < b ? -1 : 1);
const others = (count: number) => Array.from({ length: count }, () => entry({ jobConfigHash: 'other' }));

describe('Asking archives for a past job', () => {
  let archive: ArchiveServer;
  let client: HttpClient;
  const opened: { close(): Promise<void> | void }[] = [];

  const dropped: string[] = [];
  const deps = (more: Partial<ArchiveDeps> = {}): ArchiveDeps => ({
    client,
    token: { get: () => Promise.resolve('secret-token'), drop: (token) => dropped.push(token) },
    timeoutMs: 10_000,
    version: '1.2.3',
    ...more,
  });
  const question = (
    url = archive.url,
    more: Partial<ArchiveQuestion['archives'][number]> = {},
  ): ArchiveQuestion => ({
    archives: [{ url, sha256s: ['aa'], addToken: false, ...more }],
    jobConfigHash: HASH,
  });
  const ask = (asked = question(), more: Partial<ArchiveDeps> = {}) => findPastJob(asked, deps(more));
  const matchedJob = (finding: ArchiveFinding) => (finding.kind === 'match' ? finding.match.jobId : finding);
  const failedBecause = (finding: ArchiveFinding): string => {
    if (finding.kind !== 'failed') throw new Error(`Not failed: ${JSON.stringify(finding)}`);
    return finding.reason;
  };

  beforeEach(async () => {
    archive = await ArchiveServer.start();
    client = new HttpClient({ allowPrivate: true, allowedHosts: [], settings: REACH_SETTINGS });
    opened.push(archive, client);
    dropped.length = 0;
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  it('finds none when the archive knows nothing of the medium, or only of other jobs', async () => {
    expect(await ask()).to.deep.equal({ kind: 'none' });
    archive.keep('aa', entry({ jobConfigHash: 'other' }));
    archive.keep('bb', entry());
    expect(await ask()).to.deep.equal({ kind: 'none' });
  });

  it('finds the past job whose configuration is the same', async () => {
    archive.keep('aa', entry());
    expect(await ask()).to.deep.equal({
      kind: 'match',
      match: {
        jobId: 'host-1',
        jobStatus: 'COMPLETE',
        outputUri: 'file:///past.json',
        processedAt: Date.UTC(2026, 0, 1),
      },
    });
  });

  it('asks for entries of this system in pages of 100 until one is not full', async () => {
    for (const each of others(200)) archive.keep('aa', each);
    archive.keep('aa', { ...entry(), system: 'Other' });
    archive.keep('aa', entry());
    expect(matchedJob(await ask())).to.equal('host-1');
    expect(
      archive.questions.map(({ method, path, query }) => `${method} ${path}?${query.toString()}`),
    ).to.deep.equal(
      [0, 100, 200].map(
        (offset) => `GET /api/db/supplementals?sha256Hash=aa&system=Troupe&offset=${offset}&limit=100`,
      ),
    );
    expect(archive.questions[0]?.headers['user-agent']).to.equal('Troupe/1.2.3');
    expect(archive.questions[0]?.headers).not.to.have.property('authorization');
  });

  it('takes the best match of all pages, media and archives', async () => {
    const second = await ArchiveServer.start();
    opened.push(second);
    archive.keep('aa', entry({ jobId: 'failed', jobStatus: 'ERROR', processDate: '2026-03-01T00:00:00Z' }));
    archive.keep('bb', entry({ jobId: 'early' }));
    second.keep('cc', entry({ jobId: 'late', processDate: '2026-02-01T00:00:00Z' }));
    const finding = await ask({
      archives: [
        { url: archive.url, sha256s: ['aa', 'bb', 'aa'], addToken: false },
        { url: second.url, sha256s: ['cc'], addToken: false },
      ],
      jobConfigHash: HASH,
    });
    expect(matchedJob(finding)).to.equal('late');
    expect(
      archive.questions.map(({ query }) => query.get('sha256Hash') ?? '').toSorted(byText),
    ).to.deep.equal(['aa', 'bb']);
  });

  it('asks about many media, a few at a time', async () => {
    let goOn: () => void = () => undefined;
    archive.manners.until = new Promise((resolve) => (goOn = resolve));
    const sha256s = Array.from({ length: 30 }, (_, i) => `hash-${i}`);
    archive.keep('hash-29', entry());
    const asked = ask(question(archive.url, { sha256s }));
    await until('four questions are waiting', () => archive.questions.length === 4);
    goOn();
    expect(matchedJob(await asked)).to.equal('host-1');
    expect(
      archive.questions.map(({ query }) => query.get('sha256Hash') ?? '').toSorted(byText),
    ).to.deep.equal(sha256s.toSorted(byText));
  });

  it('sends a token only to an archive that is to get one', async () => {
    const other = await ArchiveServer.start();
    opened.push(other);
    archive.manners.token = 'secret-token';
    archive.keep('aa', entry());
    const archives = [...question(archive.url, { addToken: true }).archives, ...question(other.url).archives];
    expect(matchedJob(await ask({ archives, jobConfigHash: HASH }))).to.equal('host-1');
    expect(other.questions[0]?.headers).not.to.have.property('authorization');
  });

  it('drops a token that was refused, and says nothing of it', async () => {
    archive.manners.token = 'another';
    const reason = failedBecause(await ask(question(archive.url, { addToken: true })));
    expect(reason).to.contain('it answered with status 401');
    expect(reason).not.to.contain('secret-token');
    expect(dropped).to.deep.equal(['secret-token']);
  });

  it('fails when there is no token to be had, or none in time', async () => {
    const withToken = question(archive.url, { addToken: true });
    const none = { get: () => Promise.reject(new Error('the provider is down')), drop: () => undefined };
    expect(failedBecause(await ask(withToken, { token: none }))).to.contain('the provider is down');
    const never = { get: () => new Promise<string>(() => undefined), drop: () => undefined };
    const reason = failedBecause(await ask(withToken, { token: never, timeoutMs: 50 }));
    expect(reason).to.contain('no complete answer within 50 ms');
    expect(archive.requests).to.have.lengthOf(0);
  });

  it('fails with a sentence that names the archive, without credentials, and the reason', async () => {
    archive.manners.status = 503;
    const url = archive.url.replace('//', '//user:pass@');
    expect(failedBecause(await ask(question(`${url}?token=hidden`)))).to.equal(
      `Sending HTTP GET to the archive (${archive.url.replace('//', '//***@')}?token=***) failed due to: it answered with status 503`,
    );
  });

  it('fails when nobody listens, the connection breaks, it redirects or the address is wrong', async () => {
    archive.manners.hangsUp = true;
    expect(failedBecause(await ask())).to.contain('the connection was closed');
    archive.manners.hangsUp = false;
    archive.manners.status = 302;
    expect(failedBecause(await ask())).to.contain('status 302');
    const { url } = archive;
    await archive.close();
    expect(failedBecause(await ask(question(url)))).to.contain('the connection was refused');
    for (const none of ['nothing', 'http://', ''])
      expect(failedBecause(await ask(question(none))), none).to.contain('not a valid address');
    expect(failedBecause(await ask(question('ftp://127.0.0.1/x')))).to.be.a('string');
  });

  it('fails when the answer is no JSON, no list or too long', async () => {
    const answers = { '<html>': 'no JSON', '{"entries":[]}': 'no list', '': 'no JSON' };
    for (const [text, complaint] of Object.entries(answers)) {
      archive.manners.answer = () => text;
      expect(failedBecause(await ask())).to.contain(complaint);
    }
    archive.manners.answer = () => [{ ...entry(), filler: 'x'.repeat(3_000_000) }];
    expect(failedBecause(await ask())).to.contain('longer than 2097152 bytes');
  });

  it('asks again when a connection that was kept open is closed', async () => {
    archive.keep('aa', entry());
    expect(matchedJob(await ask())).to.equal('host-1');
    const port = Number(new URL(archive.url).port);
    await archive.close();
    const again = await ArchiveServer.start(port);
    opened.push(again);
    again.keep('aa', entry({ jobId: 'host-2' }));
    expect(matchedJob(await ask(question(again.url)))).to.equal('host-2');
  });

  it('takes a match though another archive cannot be asked', async () => {
    archive.keep('aa', entry());
    const dead = 'http://127.0.0.1:1';
    const archives = [...question(dead).archives, ...question().archives];
    expect(matchedJob(await ask({ archives, jobConfigHash: HASH }))).to.equal('host-1');
  });

  it('comes to an end with an archive whose every page is full', async () => {
    archive.manners.answer = () => others(100);
    expect(failedBecause(await ask())).to.contain('more than 10000 entries about one medium');
    expect(archive.questions).to.have.lengthOf(100);
  });

  it('passes over entries that are none', async () => {
    archive.manners.answer = () => [
      null,
      1,
      'x',
      [],
      { dataObject: null },
      { dataObject: { jobConfigHash: HASH } },
      entry(),
    ];
    expect(matchedJob(await ask())).to.equal('host-1');
  });

  it('waits for a slow archive no longer than it may, and for all archives together', async () => {
    archive.manners.until = new Promise(() => undefined);
    const started = performance.now();
    const sha256s = Array.from({ length: 50 }, (_, i) => `hash-${i}`);
    const reason = failedBecause(await ask(question(archive.url, { sha256s }), { timeoutMs: 200 }));
    expect(reason).to.contain('no complete answer within 200 ms');
    expect(performance.now() - started, 'ms; one after the other they would take 10,000').to.be.lessThan(
      6_000,
    );
  });

  it('is not kept busy by an archive that never ends its answer', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n',
      );
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    opened.push({ close: () => void endless.close() });
    const { port } = endless.address() as AddressInfo;
    const reason = failedBecause(await ask(question(`http://127.0.0.1:${port}`), { timeoutMs: 200 }));
    expect(reason).to.contain('no complete answer within 200 ms');
  });

  it('does not reach into private networks unless it may', async () => {
    archive.keep('aa', entry());
    const guarded = new HttpClient({ allowPrivate: false, allowedHosts: [], settings: REACH_SETTINGS });
    const allowed = new HttpClient({
      allowPrivate: false,
      allowedHosts: ['127.0.0.1'],
      settings: REACH_SETTINGS,
    });
    opened.push(guarded, allowed);
    const local = archive.url.replace('127.0.0.1', 'localhost');
    for (const url of [archive.url, local])
      expect(failedBecause(await ask(question(url), { client: guarded })), url).to.contain('private network');
    expect(matchedJob(await ask(question(), { client: allowed }))).to.equal('host-1');
    const metadata = question('http://169.254.169.254/latest');
    expect(failedBecause(await ask(metadata))).to.contain('never connected to');
    expect(archive.questions).to.have.lengthOf(1);
  });
});
