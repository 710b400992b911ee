/** Service information (specification 4.1), health checks, and headers that every response has. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorMembers } from '../../../http/routing/errors.ts';
import { packageRoot } from '../../../config/info.ts';
import { sampleUri, Service, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

describe('The service (specification 4.1)', () => {
  let service: Service;
  /** Id of a completed job. */
  let ended: string;
  before(async () => {
    service = await Service.here();
    ended = await service.submit({ media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' });
    await service.terminal(ended);
  });
  after(() => service.close());

  it('tells its name and version on GET /rest/info', async () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    const { status, body, headers } = await service.ask('GET', '/rest/info');
    // The version of the REST interface (specification 9), in addition to that of the product.
    expect(headers.get('x-interface-version')).to.equal('9.0');
    const { app, appFamily, buildNum, gitBranch, gitHash, ...rest } = body as Record<string, string>;
    expect([status, app, appFamily, rest]).to.deep.equal([200, 'Troupe', 'Troupe', { version }]);
    expect(version).to.match(/^\d+\.\d+\.\d+$/);
    for (const value of [buildNum, gitBranch, gitHash]) expect(value).to.be.a('string').and.not.equal('');
  });

  it('says to anybody that it is up and ready, and nothing else', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const response = await fetch(`${service.url}${path}`);
      expect([path, response.status, await response.text()]).to.deep.equal([path, 200, '']);
    }
  });

  it('tells anybody why it is not ready, without paths and figures, and users by a message', async () => {
    const full = await Service.here({ MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
    try {
      const response = await fetch(`${full.url}/readyz`);
      expect([response.status, await response.json()]).to.deep.equal([
        503,
        errorMembers(
          'not-ready',
          'The disk is nearly full, so the server does not accept new jobs.',
          `${full.url}/docs`,
        ),
      ]);
      await full.waitForLog('the disk is nearly full: new jobs and uploads are refused');
      const messages = await until(
        'the message is posted',
        async () =>
          (await full.ask('GET', '/rest/system-message')).body as readonly { readonly msg: string }[],
        (found) => found.length > 0,
      );
      expect(messages).to.have.length(1);
      expect(messages[0]!.msg).to.match(/^The disk of the service is nearly full: /);
      const refused = await full.create({
        media: [sampleUri('hello-world.png')],
        pipelineName: 'LIGHT PIPELINE',
      });
      expect(refused.text).to.include('new jobs are not accepted until there is space');
      const scraped = await full.ask('GET', '/metrics');
      expect(scraped.text).to.match(/^troupe_disk_free_bytes \d+$/m);
    } finally {
      await full.close();
    }
  });

  it('gives every request an id, that of the client if it has a good one, and logs it', async () => {
    const own = await service.ask('GET', '/rest/info', undefined, { 'x-request-id': 'my-request.7' });
    expect(own.headers.get('x-request-id')).to.equal('my-request.7');
    await service.waitForLog(
      'request',
      ({ requestId, path, status }) =>
        requestId === 'my-request.7' && path === '/rest/info' && status === 200,
    );
    const forged = await service.ask('GET', '/rest/info', undefined, { 'x-request-id': 'a b\tc' });
    expect(forged.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('lets no cache keep an answer and no browser guess what it is, whatever the answer', async () => {
    for (const path of [
      '/rest/info',
      '/rest/jobs/none',
      '/rest/nothing',
      '/worker/v1/leases/x/input',
      '/metrics',
    ]) {
      const { headers } = await service.askUndeclared('GET', path);
      expect([headers.get('cache-control'), headers.get('x-content-type-options')], path).to.deep.equal([
        'no-store',
        'nosniff',
      ]);
    }
    const anonymous = await service.askUndeclared('GET', '/rest/info', undefined, { authorization: '' });
    expect([anonymous.status, anonymous.headers.get('cache-control')]).to.deep.equal([401, 'no-store']);
  });

  it('answers 404 for what is not there and 405 for a method that is not', async () => {
    const nothing = await service.ask('GET', '/rest/no/such/thing');
    expect([nothing.status, nothing.body]).to.deep.equal([
      404,
      errorMembers('path-not-found', 'The server has nothing at this path.', `${service.url}/docs`),
    ]);
    expect((await service.ask('DELETE', '/rest/info')).status).to.equal(405);
    const elsewhere = await fetch(`${service.url}/no-such-page`);
    expect([elsewhere.status, await elsewhere.json()]).to.deep.equal([
      404,
      errorMembers(
        'path-not-found',
        'The server has nothing at this path. The REST interface is below /rest, its description at /docs/api.',
        `${service.url}/docs`,
      ),
    ]);
  });

  it('keeps its secrets out of the log, in a folder that only its user reads', async () => {
    const secret = readFileSync(join(service.dataDir, 'secrets', 'troupe-cli.secret'), 'utf8').trim();
    const log = readFileSync(join(service.folder, 'log'), 'utf8');
    expect(log).to.not.include(secret).and.not.include(service.token);
    expect(statSync(join(service.dataDir, 'secrets')).mode & 0o777).to.equal(0o700);
  });

  it('does not start twice on one DATA_DIR', async function () {
    withoutRedis.call(this);
    const second = new Service({ DATA_DIR: service.dataDir });
    try {
      const error = await second.startHere().then(
        () => 'started',
        (refusal: unknown) => String(refusal),
      );
      expect(error).to.include('is in use by another process: one server holds a data folder');
    } finally {
      await second.close();
    }
    expect((await service.ask('GET', '/rest/info')).status, 'the first one goes on').to.equal(200);
  });

  it('removes files of ended jobs, at its start and later, and reports files of unknown jobs', async () => {
    await service.stop();
    for (const kind of ['spool', 'media']) {
      mkdirSync(join(service.dataDir, kind), { recursive: true });
      writeFileSync(join(service.dataDir, kind, `${ended}.9`), 'left over');
    }
    for (const name of [`${ended}.9.m0`, `${ended}.9.m1.part`, 'test-host-77777.1'])
      writeFileSync(join(service.dataDir, 'media', name), 'left over');
    await service.startHere({ CLEANING_MS: '100' });
    expect([await service.files('spool'), await service.files('media')]).to.deep.equal([
      [],
      ['test-host-77777.1'],
    ]);
    const told = /^files of unknown jobs are kept/;
    expect(service.log().filter(({ message }) => told.test(message))).to.have.length(1);

    // The cleanup repeats, because a server that has died may have left files.
    const left = join(service.dataDir, 'spool', `${ended}.9`);
    writeFileSync(left, 'left over');
    await until(
      'it is gone',
      () => existsSync(left),
      (there) => !there,
    );
  });
});
