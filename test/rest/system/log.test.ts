/** Log lines about jobs, refused tokens, and actions of users. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { TestProvider } from '../../access/support/provider.ts';
import { settingsOf, ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const JOB = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };

describe('The log', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  before(async () => {
    roles = await ServiceWithRoles.here({ LOG_LEVEL: 'info', LOG_REFUSALS_A_MINUTE: '1000' });
    service = roles.service;
  });
  after(() => roles.close());

  const createJob = async (body: object = JOB): Promise<string> =>
    ((await roles.as('user', 'POST', '/rest/jobs', body)).body as { jobId: string }).jobId;

  it('has a line for each job that is accepted, that has ended, and that is deleted', async () => {
    const jobId = await createJob({ ...JOB, externalId: 'night-7' });
    await service.terminal(jobId);
    const facts = { jobId, user: 'user', pipeline: 'LIGHT PIPELINE', media: 1 };
    const about = (line: { readonly [fact: string]: unknown }) => line['jobId'] === jobId;
    expect(await service.waitForLog('a job was accepted', about)).to.include({
      ...facts,
      externalId: 'night-7',
    });
    const ended = await service.waitForLog('a job has ended', about);
    expect(ended)
      .to.include({ ...facts, status: 'COMPLETE', mediaSucceeded: 1 })
      .and.not.have.property('error');
    expect(ended['ms']).to.be.a('number').that.is.at.least(0);
    expect((await service.ask('DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
    expect(await service.waitForLog('a job was deleted', about)).to.include({ ...facts, by: 'admin' });
    for (const message of ['a job was accepted', 'a job has ended', 'a job was deleted'])
      expect(service.log(message).filter(about), message).to.have.length(1);
  });

  it('says what went wrong first in a job', async () => {
    const jobId = await createJob({
      ...JOB,
      media: [...JOB.media, { mediaUri: sampleUri('video_01_invalid.mp4') }],
    });
    await service.terminal(jobId);
    const line = await service.waitForLog('a job has ended', (one) => one['jobId'] === jobId);
    expect(line['error']).to.match(/^MEDIA_INSPECTION: .+/);
    expect([line['media'], line['mediaSucceeded']]).to.deep.equal([2, 1]);
  });

  it('says why a token was refused, without the token, and which role is missing', async () => {
    const forged = `${(await roles.token('user')).split('.').slice(0, 2).join('.')}.c2lnbmF0dXJl`;
    for (const [token, reason] of [
      [forged, 'invalid signature'],
      ['abc.def', 'Invalid token'],
      ['', 'There is no bearer token.'],
    ] as const) {
      const authorization = token === '' ? '' : `Bearer ${token}`;
      const requestId = `refused-${reason.replaceAll(/\W/g, '')}`;
      const headers = { authorization, 'x-request-id': requestId };
      expect((await service.ask('GET', '/rest/info', undefined, headers)).status).to.equal(401);
      const line = await service.waitForLog('a token was refused', (one) => one['requestId'] === requestId);
      expect(line).to.include({ status: 401, reason, method: 'GET', path: '/rest/info' });
    }
    expect((await roles.as('nobody', 'GET', '/rest/info')).status).to.equal(403);
    expect((await roles.as('user', 'POST', '/rest/system-message', 'x')).status).to.equal(403);
    expect(await service.waitForLog('a role is missing', (one) => one['user'] === 'nobody')).to.include({ status: 403, path: '/rest/info' }); // oxfmt-ignore
    expect(await service.waitForLog('a role is missing', (one) => one['user'] === 'user')).to.include({ status: 403, reason: 'This needs the role ADMIN.' }); // oxfmt-ignore
    const log = readFileSync(path.join(service.folder, 'log'), 'utf8');
    for (const secret of [forged, forged.split('.')[1]!, 'abc.def']) expect(log).to.not.include(secret);
  });

  it('has a line "audit" for each request that changes something, by whom, and with its outcome', async () => {
    const jobId = await createJob();
    await service.terminal(jobId);
    const message = { 'x-request-id': 'posted' };
    await service.ask('POST', '/rest/system-message', '"Maintenance at noon"', message);
    await roles.as('user', 'POST', '/rest/system-message', 'x');
    await roles.as('user', 'POST', `/rest/jobs/none/cancel`);
    await roles.as('user', 'POST', '/rest/media/check', { mediaUris: ['x:'] });
    await roles.as('user', 'GET', '/rest/jobs');
    const line = await service.waitForLog('audit', (one) => one['path'] === '/rest/jobs/none/cancel');
    expect(line).to.include({
      user: 'user',
      subject: 'user',
      method: 'POST',
      status: 400,
      outcome: 'refused',
    });
    const lines = service
      .log('audit')
      .map((one) => [one['user'], one['method'], one['path'], one['outcome']]);
    expect(lines).to.deep.include(['admin', 'POST', '/rest/system-message', 'done']);
    expect(lines).to.deep.include(['user', 'POST', '/rest/system-message', 'forbidden']);
    expect(lines.flat()).to.not.include('GET').and.not.include('/rest/media/check');
    expect(service.log('audit').find((one) => one['jobId'] === jobId)).to.include({ path: '/rest/jobs', status: 201 }); // oxfmt-ignore
    expect(JSON.stringify(service.log('audit'))).to.not.include('Maintenance');
  });

  it('has the line whatever a request calls itself: only a job can be tried without effect', async () => {
    const jobId = await createJob();
    await service.terminal(jobId);
    await service.ask('DELETE', `/rest/jobs/${jobId}?dryRun=true`);
    const line = await service.waitForLog('audit', (one) => one['path'] === `/rest/jobs/${jobId}`);
    expect(line).to.include({ method: 'DELETE', status: 204, outcome: 'done' });
  });

  it('is not filled by whoever sends many bad tokens', async () => {
    const provider = await TestProvider.start();
    const bounded = await Service.here({ ...settingsOf(provider), LOG_REFUSALS_A_MINUTE: '3' }, () =>
      provider.token('admin'),
    );
    try {
      for (let n = 0; n < 10; n++)
        await bounded.ask('GET', '/rest/info', undefined, { authorization: 'Bearer x' });
      expect(bounded.log('a token was refused')).to.have.length(3);
    } finally {
      await bounded.close();
      await provider.close();
    }
  });
});
