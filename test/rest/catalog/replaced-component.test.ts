/** A registered component that replaces an installed one with the same algorithm (specification 3.5 and 4.6). */
import { expect } from 'chai';
import { action, descriptorBody, pipeline, task } from '../../actors/catalog/descriptors.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, type Service, tracksOf } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const HELLO = sampleUri('hello-world.png');
const LIGHT = { media: [HELLO], pipelineName: 'LIGHT PIPELINE' };
const NAME = 'OtherLight';
/**
 * Has the algorithm of the installed component TestLight and one of its pipelines. The other elements are
 * new.
 */
const OTHER = descriptorBody(
  NAME,
  {
    actions: [action('OTHER LIGHT ACTION', 'LIGHT')],
    tasks: [task('OTHER LIGHT TASK', 'OTHER LIGHT ACTION')],
    pipelines: [
      pipeline('OTHER LIGHT PIPELINE', 'OTHER LIGHT TASK'),
      pipeline('LIGHT PIPELINE', 'OTHER LIGHT TASK'),
    ],
  },
  { name: 'LIGHT' },
);

interface Component {
  readonly componentName: string;
  readonly managed: boolean;
  readonly algorithm: string;
  readonly replacedBy: string | null;
}

describe('A registered component with the algorithm of an installed one', function () {
  let roles: ServiceWithRoles;
  let service: Service;
  before(async () => {
    roles = await ServiceWithRoles.here();
    service = roles.service;
    // From here on, a process of the installed component waits for work.
    expect((await service.terminal(await service.submit(LIGHT))).jobStatus).to.equal('COMPLETE');
  });
  after(() => roles.close());
  afterEach(() => remove());

  const register = (change: object = {}) =>
    roles.as('admin', 'POST', '/rest/components/registerUnmanaged', { ...OTHER, ...change });
  const remove = () => service.ask('DELETE', `/rest/components/${NAME}`);
  const registerComponent = async () => new RawComponent(service, await roles.token('admin'));
  const statusOf = async (path: string, name: string) =>
    (await service.ask('GET', `/rest/${path}/${encodeURIComponent(name)}`)).status;
  const component = async (name: string) =>
    ((await service.ask('GET', '/rest/components')).body as readonly Component[]).find(
      ({ componentName }) => componentName === name,
    );
  const answerClaim = async (id: string, label: string) => {
    const client = await registerComponent();
    const { token } = await client.claimOf(id, 'LIGHT');
    expect((await client.result(token, [trackNamed(label)])).status).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  };
  const workersOf = (id: string) =>
    service
      .handedOut()
      .filter(({ subJob }) => subJob.startsWith(`${id}.`))
      .map(({ worker }) => worker);

  it('is registered with 201, and hides the pipelines of the installed one until it is removed', async () => {
    expect((await register()).status).to.equal(201);
    expect(await component(NAME)).to.include({ managed: false, algorithm: 'LIGHT', replacedBy: null });
    expect(await component('TestLight')).to.include({ managed: true, replacedBy: NAME });
    expect(await statusOf('pipelines', 'LABELLED LIGHT PIPELINE')).to.equal(404);
    expect(await statusOf('pipelines', 'OTHER LIGHT PIPELINE')).to.equal(200);
    expect((await register()).status, 'again').to.equal(200);
    expect((await remove()).status).to.equal(204);
    expect(await component('TestLight')).to.include({ managed: true, replacedBy: null });
    expect(await statusOf('pipelines', 'LABELLED LIGHT PIPELINE')).to.equal(200);
    expect(await statusOf('pipelines', 'OTHER LIGHT PIPELINE')).to.equal(404);
    expect((await service.terminal(await service.submit(LIGHT))).jobStatus).to.equal('COMPLETE');
  });

  it('is refused with 403 when a USER registers it', async () => {
    const { status, body } = await roles.as('user', 'POST', '/rest/components/registerUnmanaged', OTHER);
    expect([status, (body as { message: string }).message]).to.deep.equal([
      403,
      'Cannot register component: "OtherLight": The installed component "TestLight" has the algorithm "LIGHT". Only an ADMIN can replace it.',
    ]);
    expect(await component('TestLight')).to.include({ replacedBy: null });
  });

  it('is refused with 409 under the name of the installed component', async () => {
    const { status, body } = await register({ componentName: 'TestLight' });
    expect([status, (body as { message: string }).message]).to.deep.equal([
      409,
      'Cannot register component: "TestLight": Unable to register TestLight because there is an existing managed component with the same name.',
    ]);
  });

  it('gets all work of the algorithm, although a process of the installed one waits for it', async () => {
    await register();
    for (const pipelineName of ['OTHER LIGHT PIPELINE', 'LIGHT PIPELINE']) {
      const id = await service.submit({ media: [HELLO], pipelineName });
      await answerClaim(id, 'other');
      const [medium] = (await service.document(id)).media;
      expect(tracksOf(medium, 'THING')).to.have.lengthOf(1);
      expect(workersOf(id).filter((worker) => worker.includes('TestLight'))).to.deep.equal([]);
    }
  });

  it('leaves a running job its plan, and takes its remaining work', async () => {
    const id = await service.submit({ media: [HELLO], pipelineName: 'LIGHT TWICE PIPELINE' });
    await register();
    await until(
      'the job has ended',
      async () => {
        const client = await registerComponent();
        for (const { token } of await client.claim('LIGHT', { waitMs: 100 }))
          await client.result(token, [trackNamed('other')]);
        return service.job(id);
      },
      (job) => job?.terminal === true,
    );
    expect((await service.job(id))?.jobStatus).to.equal('COMPLETE');
    const [{ tasks }] = [(await service.document(id))['pipeline'] as { tasks: { name: string }[] }];
    expect(tasks.map(({ name }) => name)).to.deep.equal(['LIGHT TASK', 'LABELLED LIGHT TASK']);
  });

  it('hands its waiting work to the installed one when it is removed', async () => {
    await register();
    const id = await service.submit({ media: [HELLO], pipelineName: 'OTHER LIGHT PIPELINE' });
    await until(
      'its work waits',
      async () =>
        (await service.ask('GET', '/rest/queues')).body as { name: string; messagesInQueue: number }[],
      (queues) => queues.some(({ name, messagesInQueue }) => name.includes('_LIGHT_') && messagesInQueue > 0),
    );
    await remove();
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(workersOf(id).filter((worker) => worker.includes('TestLight'))).to.have.lengthOf(1);
  });

  it('keeps its place over a restart of the server', async () => {
    await register();
    await service.stop();
    await service.startHere();
    expect(await component('TestLight')).to.include({ replacedBy: NAME });
    const id = await service.submit({ media: [HELLO], pipelineName: 'OTHER LIGHT PIPELINE' });
    await answerClaim(id, 'other');
    expect((await remove()).status).to.equal(204);
    expect((await service.terminal(await service.submit(LIGHT))).jobStatus).to.equal('COMPLETE');
  });
});
