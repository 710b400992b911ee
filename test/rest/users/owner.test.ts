import { expect } from 'chai';
import { AUDIENCE, TestProvider } from '../../access/support/provider.ts';
import { settingsOf } from '../../support/roles.ts';
import { descriptorBody } from '../../actors/catalog/descriptors.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';

const HELLO = sampleUri('hello-world.png');

describe('The owner of a job', () => {
  let provider: TestProvider;
  let service: Service;
  before(async () => {
    provider = await TestProvider.start();
    service = await Service.here({ ...settingsOf(provider), OIDC_GROUP_CLAIM_NAME: 'team' }, () =>
      provider.token('admin'),
    );
  });
  after(async () => {
    await service.close();
    await provider.close();
  });

  const as = async (claims: Readonly<Record<string, unknown>>) => ({
    authorization: `Bearer ${await provider.forge({ claims: { aud: AUDIENCE, ...claims } })}`,
  });
  const ownerOfJob = async (id: string) => {
    const { body } = await service.ask('GET', `/rest/jobs/${id}?details=true`);
    return (body as { owner?: unknown }).owner;
  };

  it('is its creator with the group of the claim, in the details and in the list', async () => {
    const job = { media: [{ mediaUri: HELLO }], pipelineName: 'ABSENT PIPELINE' };
    const ids: string[] = [];
    for (const team of ['red', ['blue', 'green'], undefined, 7])
      ids.push(
        (
          (await service.ask('POST', '/rest/jobs', job, await as({ sub: 'alice', team }))).body as {
            jobId: string;
          }
        ).jobId,
      );
    const owners = [
      { user: 'alice', group: 'red' },
      { user: 'alice', group: 'blue' },
      { user: 'alice' },
      { user: 'alice' },
    ];
    expect(await Promise.all(ids.map(ownerOfJob))).to.deep.equal(owners);
    const { jobs } = (await service.ask('GET', '/rest/jobs')).body as {
      jobs: readonly { jobId: string; owner: unknown }[];
    };
    expect(ids.map((id) => jobs.find(({ jobId }) => jobId === id)?.owner)).to.deep.equal(owners);
    const plain = await service.ask('GET', `/rest/jobs/${ids[0]}`);
    expect(plain.body).to.not.have.property('owner');
  });

  it('and an ADMIN alone may delete an upload and remove a component', async () => {
    const groups = ['media-users'];
    const [alice, bob] = [await as({ sub: 'alice', groups }), await as({ sub: 'bob', groups })];
    const upload = async () => {
      const sent = await fetch(`${service.url}/rest/media`, { method: 'POST', headers: alice, body: 'a' });
      return `/rest/media/${((await sent.json()) as { id: string }).id}`;
    };
    const register = async (componentName: string) => {
      await service.ask('POST', '/rest/components/registerUnmanaged', descriptorBody(componentName), alice);
      return `/rest/components/${componentName}`;
    };
    const remove = async (path: string, headers?: Readonly<Record<string, string>>) =>
      (await service.ask('DELETE', path, undefined, headers)).status;
    for (const path of [await upload(), await register('Mine')])
      expect([await remove(path, bob), await remove(path, alice)]).to.deep.equal([403, 204]);
    for (const path of [await upload(), await register('Theirs')]) expect(await remove(path)).to.equal(204);
  });

  it('of a pipeline and an ADMIN see in the details that they may remove it', async () => {
    const groups = ['media-users'];
    const [alice, bob] = [await as({ sub: 'alice', groups }), await as({ sub: 'bob', groups })];
    const own = { name: 'OF ALICE', description: 'Own.', tasks: ['LIGHT TASK'] };
    await service.ask('POST', '/rest/pipelines', own, alice);
    const seenBy = async (path: string, headers?: Readonly<Record<string, string>>) =>
      (
        (await service.ask('GET', `/rest/pipelines${path}?details=true`, undefined, headers)).body as {
          removable: boolean;
        }
      ).removable;
    const seen = (path: string) => Promise.all([seenBy(path, alice), seenBy(path, bob), seenBy(path)]);
    expect(await seen('/OF%20ALICE')).to.deep.equal([true, false, true]);
    expect(await seen('/LIGHT%20PIPELINE')).to.deep.equal([false, false, true]);
    const plain = await service.ask('GET', '/rest/pipelines/OF%20ALICE', undefined, alice);
    expect(plain.body).to.not.have.property('removable');
    expect(plain.body).to.not.have.property('component');
    const light = await service.ask('GET', '/rest/pipelines/LIGHT%20PIPELINE?details=true');
    expect(light.body).to.have.property('component', 'TestLight');
  });

  it('is told of streaming jobs, too', async () => {
    const request = {
      enableOutputToDisk: false,
      stream: { streamUri: 'rtsp://127.0.0.1:9/none', segmentSize: 100 },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    };
    const headers = await as({ sub: 'bob', team: 'red' });
    const created = await service.ask('POST', '/rest/streaming/jobs', request, headers);
    const { jobId } = created.body as { jobId: number };
    const told = await service.ask('GET', `/rest/streaming/jobs/${jobId}?details=true`);
    expect(told.body).to.deep.include({ owner: { user: 'bob', group: 'red' } });
    await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel?doCleanup=true`);
  });
});
