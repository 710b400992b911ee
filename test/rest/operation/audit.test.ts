/** GET /rest/audit (an extension): who changed what, and from which address. */
import { expect } from 'chai';
import type { AuditPage } from '../../../client/answers.ts';
import { Place } from '../../cli/support/support.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

describe('GET /rest/audit', () => {
  let roles: ServiceWithRoles;
  let service: Service;
  let place: Place;
  before(async () => {
    roles = await ServiceWithRoles.here();
    service = roles.service;
    place = new Place();
  });
  after(async () => {
    await roles.close();
    await place.leave();
  });

  const page = async (query = '') => {
    const { status, body, text } = await service.ask('GET', `/rest/audit${query}`);
    expect(status, text).to.equal(200);
    return body as AuditPage;
  };
  const newest = (query: string, count: number) =>
    until(
      `${count} entries for ${query}`,
      async () => (await page(query)).entries,
      (entries) => entries.length === count,
    );

  it('has each change with user, outcome, job and address, and no read', async () => {
    const id = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'LIGHT PIPELINE',
    });
    await service.terminal(id);
    await roles.as('user', 'POST', '/rest/system-message', 'secret words');
    await service.ask('DELETE', `/rest/jobs/${id}?really=yes`);
    const [removal, creation] = await newest(`?job=${id}`, 2);
    expect(creation).to.include({
      method: 'POST',
      path: '/rest/jobs',
      status: 201,
      outcome: 'done',
      jobId: id,
    });
    expect(creation).to.include({ user: 'admin', client: 'admin' });
    expect(creation?.ip).to.match(/127\.0\.0\.1$/);
    expect(removal).to.include({ method: 'DELETE', path: `/rest/jobs/${id}`, outcome: 'done' });
    const [forbidden] = await newest('?user=user&path=system-message', 1);
    expect(forbidden).to.include({ path: '/rest/system-message', status: 403, outcome: 'forbidden' });
    const { text } = await service.ask('GET', '/rest/audit');
    expect(text).not.to.include('secret words').and.not.to.include('really');
    expect((await page()).entries.every(({ method }) => method !== 'GET')).to.equal(true);
  });

  it('goes on after a restart, and is read page by page', async () => {
    await service.ask('POST', '/rest/jobs/earlier/cancel');
    await newest('?path=earlier', 1);
    const before = (await page()).entries;
    await service.stop();
    await service.startHere();
    await service.ask('POST', '/rest/jobs/none/cancel');
    await newest('?path=none', 1);
    const first = await page('?limit=1');
    expect(first.entries[0]).to.include({ path: '/rest/jobs/none/cancel', outcome: 'refused' });
    const rest = await page(`?before=${first.next}`);
    expect(rest.entries).to.deep.equal(before);
  });

  it('is for administrators, and refuses wrong queries with a sentence', async () => {
    expect((await roles.as('user', 'GET', '/rest/audit')).status).to.equal(403);
    for (const query of ['limit=0', 'before=x', 'from=yesterday', 'user=', 'nothing=1']) {
      const { status, body } = await service.ask('GET', `/rest/audit?${query}`);
      expect([query, status]).to.deep.equal([query, 400]);
      expect((body as { message: string }).message).to.include(query.split('=')[0]!);
    }
  });

  it('is shown by the tool', async () => {
    await roles.as('user', 'POST', '/rest/nodes/config', []);
    await newest('?user=user&path=nodes', 1);
    const env = { TROUPE_TOKEN: await roles.provider.token('admin') };
    const { code, stdout } = await place.troupe(
      ['audit', '--url', service.url, '--user', 'user', '--limit', '5'],
      env,
    );
    expect(code).to.equal(0);
    expect(stdout).to.match(/forbidden 403 +POST \/rest\/nodes\/config/);
  });
});

describe('With AUDIT_READS=true GET /rest/audit', () => {
  it('has reads as well', async () => {
    const roles = await ServiceWithRoles.here({ AUDIT_READS: 'true' });
    try {
      await roles.as('user', 'GET', '/rest/pipelines?secret=1');
      const found = await until('the read is there', async () => {
        const { body } = await roles.service.ask('GET', '/rest/audit?user=user');
        return (body as AuditPage).entries[0];
      });
      expect(found).to.include({ method: 'GET', path: '/rest/pipelines', outcome: 'done' });
      expect(roles.service.log('audit').some((line) => line['path'] === '/rest/pipelines')).to.equal(true);
    } finally {
      await roles.close();
    }
  });
});
