/** Only the client that registered a component, and ADMIN users, may serve its algorithm. */
import { expect } from 'chai';
import { descriptorBody } from '../actors/catalog/descriptors.ts';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { ServiceWithRoles, type Client } from '../support/roles.ts';
import { sampleUri, tracksOf } from '../support/processes/service.ts';

describe('A component that a client registered', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here();
  });
  after(() => roles.close());

  const componentOf = async (client: Client) => new RawComponent(roles.service, await roles.token(client));
  const claim = async (client: Client, ...algorithms: string[]) =>
    (await componentOf(client)).say('/claim', { algorithms, max: 1, waitMs: 0 });
  const register = (client: Client, name: string, change: object = {}) =>
    roles.as(client, 'POST', '/rest/components/registerUnmanaged', descriptorBody(name, change));
  const run = (name: string) =>
    roles.service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: `${name} ALGORITHM DETECTION PIPELINE`,
    });

  it('may be registered by a USER, whose token then claims and answers the work of its algorithm', async () => {
    expect((await claim('user', 'MINE ALGORITHM')).status, 'before').to.equal(403);
    expect((await register('user', 'MINE')).status).to.equal(201);
    const id = await run('MINE');
    const component = await componentOf('user');
    const work = await component.claimOf(id, 'mine algorithm');
    expect((await component.heartbeat(work.token, 1, 2)).body).to.deep.equal({ go: 'on' });
    expect((await component.result(work.token, [trackNamed('mine')])).status).to.equal(200);
    expect((await roles.service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [medium] = (await roles.service.document(id)).media;
    expect(tracksOf(medium, 'THING')).to.have.lengthOf(1);
  });

  it('has all its versions that answered in the details of the document and in the log', async () => {
    await register('user', 'VERSIONED', { componentVersion: '1.5' });
    const picture = sampleUri('hello-world.png');
    const id = await roles.service.submit({
      media: [picture, picture],
      pipelineName: 'VERSIONED ALGORITHM DETECTION PIPELINE',
      jobProperties: { OUTPUT_DETAILS: 'TRUE' },
    });
    const component = await componentOf('user');
    for (const version of ['1.5', '2.0']) {
      await register('user', 'VERSIONED', { componentVersion: version });
      const work = await component.claimOf(id, 'VERSIONED ALGORITHM');
      expect((await component.result(work.token, [trackNamed('mine')])).status).to.equal(200);
    }
    await roles.service.terminal(id);
    const versions = ['1.5', '2.0'];
    expect((await roles.service.document(id))['componentVersions']).to.deep.equal([
      { action: 'VERSIONED ALGORITHM DETECTION ACTION', algorithm: 'VERSIONED ALGORITHM', versions },
    ]);
    const line = await roles.service.waitForLog('a job has ended', ({ jobId }) => jobId === id);
    expect(line['components']).to.deep.equal(['VERSIONED ALGORITHM 1.5, 2.0']);
  });

  it('is not served by another USER, nor may its client serve other algorithms; ADMIN may all', async () => {
    await register('user', 'GUARDED');
    for (const [client, algorithm] of [
      ['colleague', 'GUARDED ALGORITHM'],
      ['user', 'FACE'],
      ['user', 'NO SUCH'],
      ['user', 'MEDIA_INSPECTION'],
      ['user', 'OUTPUT_OBJECT'],
      ['nobody', 'GUARDED ALGORITHM'],
    ] as const) {
      const { status, body } = await claim(client, algorithm);
      expect([client, algorithm, status, typeof (body as { message: string }).message]).to.deep.equal([
        client,
        algorithm,
        403,
        'string',
      ]);
    }
    expect((await claim('admin', 'GUARDED ALGORITHM')).status).to.equal(200);
    expect((await claim('user', 'FACE', 'GUARDED ALGORITHM')).status, 'what it may').to.equal(200);
  });

  it('is answered only by who holds the lease', async () => {
    await register('user', 'HELD');
    await register('colleague', 'HELD');
    const id = await run('HELD');
    const [mine, theirs] = [await componentOf('user'), await componentOf('colleague')];
    const { token } = await mine.claimOf(id, 'HELD ALGORITHM');
    expect((await theirs.heartbeat(token)).status).to.equal(409);
    expect((await theirs.result(token, [])).status).to.equal(409);
    expect((await theirs.failure(token, 'DETECTION_FAILED', 'x')).status).to.equal(409);
    expect((await theirs.release(token)).status).to.equal(409);
    expect((await mine.result(token, [])).status).to.equal(200);
    await roles.service.terminal(id);
  });

  it('may be run by every client that registered the same, until it is replaced or removed', async () => {
    await register('user', 'SHARED');
    expect((await register('colleague', 'SHARED')).status).to.equal(200);
    for (const client of ['user', 'colleague'] as const)
      expect((await claim(client, 'SHARED ALGORITHM')).status).to.equal(200);
    const newer = { componentVersion: '2.0' };
    expect((await register('colleague', 'SHARED', newer)).status, 'only the first may replace').to.equal(403);
    expect((await register('user', 'SHARED', newer)).status).to.equal(200);
    expect((await claim('colleague', 'SHARED ALGORITHM')).status, 'replaced').to.equal(403);
    expect((await roles.as('colleague', 'DELETE', '/rest/components/SHARED')).status).to.equal(403);
    expect((await roles.as('user', 'DELETE', '/rest/components/SHARED')).status).to.equal(204);
    expect((await claim('user', 'SHARED ALGORITHM')).status, 'removed').to.equal(403);
  });

  it('that is removed while it works may still answer what it holds', async () => {
    await register('user', 'LEAVING');
    const id = await run('LEAVING');
    const component = await componentOf('user');
    const { token } = await component.claimOf(id, 'LEAVING ALGORITHM');
    await roles.as('user', 'DELETE', '/rest/components/LEAVING');
    expect((await component.result(token, [trackNamed('last')])).status).to.equal(200);
    expect((await roles.service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('is several owners of leases when its processes name themselves', async () => {
    await register('user', 'TWINS');
    const id = await run('TWINS');
    const token = await roles.token('user');
    const as = (instance: string) => ({ 'troupe-instance': instance });
    const component = new RawComponent(roles.service, token);
    const claim = { algorithms: ['TWINS ALGORITHM'], max: 1, waitMs: 20_000 };
    const { body } = await component.say('/claim', claim, undefined, as('host:1'));
    const [work] = (body as { work: { token: string }[] }).work;
    const beat = (instance: string) =>
      component.say(`/leases/${work!.token}/heartbeat`, { done: 1, total: 2 }, undefined, as(instance));
    expect([(await beat('host:1')).status, (await beat('host:2')).status]).to.deep.equal([200, 409]);
    expect((await component.heartbeat(work!.token)).status, 'without a name').to.equal(409);
    const nameless = await component.say('/claim', { ...claim, waitMs: 0 }, undefined, as('no blank'));
    expect([nameless.status, (nameless.body as { message: string }).message]).to.deep.equal([
      400,
      'The header troupe-instance must name the process with 1 to 100 letters, digits or ._:- characters.',
    ]);
    await component.say(
      `/leases/${work!.token}/failure`,
      { code: 'DETECTION_FAILED', message: 'x' },
      undefined,
      as('host:1'),
    );
    await roles.service.terminal(id);
  });

  it('stays with its client over a restart of the server and keeps its work; no attempt counts', async () => {
    const { service } = roles;
    await register('user', 'ENDURING');
    const id = await run('ENDURING');
    const component = await componentOf('user');
    const work = await component.claimOf(id, 'ENDURING ALGORITHM');
    await service.stop();
    await service.startHere();
    expect((await claim('colleague', 'ENDURING ALGORITHM')).status).to.equal(403);
    expect((await component.heartbeat(work.token, 1, 2)).body).to.deep.equal({ go: 'on' });
    expect(await component.claim('ENDURING ALGORITHM', { waitMs: 0 }), 'it is in one hand').to.deep.equal([]);
    expect((await component.result(work.token, [trackNamed('over')])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(tracksOf((await service.document(id)).media[0], 'THING')).to.have.lengthOf(1);
    const attempts = service.handedOut().filter(({ subJob }) => subJob === work.id);
    expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1]);
  });

  it('cannot be registered without a role', async () => {
    const { status, body } = await register('nobody', 'NONE');
    expect([status, typeof (body as { message: string }).message]).to.deep.equal([403, 'string']);
  });
});
