import { expect } from 'chai';
import { Redis } from 'ioredis';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHolder } from '../../../cli/service/holder.ts';
import { descriptorBody, pipeline } from '../../actors/catalog/descriptors.ts';
import { RawComponent, trackNamed } from '../../support/processes/raw-component.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';
import { serverPair } from './server-pair.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

/** Longer than any test waits. */
const DRAIN_MS = 600_000;

story('Two servers that share a Redis and a data folder', 'Its tests change one pair of servers.', () => {
  const pair = serverPair({ DRAIN_MS: String(DRAIN_MS), CANCEL_GRACE_MS: '300' }, { oneHere: true });
  const redis = () => pair().redis;
  let one: Service;
  let two: Service;
  before(() => ({ one, two } = pair()));

  /** A component of either server has started the job's detection. */
  const isInHand = (id: string) =>
    until('it is in hand', () =>
      [...one.handedOut(), ...two.handedOut()].some(
        ({ subJob, worker }) => subJob.startsWith(`${id}.`) && worker.includes('TestTrouble'),
      ),
    );

  /** The URL of a server as the command line tools find it. */
  const findUrl = async () => (await findHolder(one.dataDir))?.url;
  const locks = async () => (await one.files('.')).filter((name) => name.startsWith('lock'));

  it('show each the jobs of the other, and give each job a number of its own', async () => {
    const ids = await Promise.all([one.submit(SHOT), two.submit(SHOT), one.submit(SHOT), two.submit(SHOT)]);
    expect(new Set(ids).size).to.equal(4);
    for (const id of ids) {
      const job = await (id === ids[0] ? two : one).terminal(id);
      expect(job.jobStatus).to.equal('COMPLETE');
    }
    expect((await two.document(ids[0])).media[0]!.status).to.equal('COMPLETE');
    const handedOut = [...one.handedOut(), ...two.handedOut()].filter(({ subJob }) =>
      ids.includes(subJob.split('.')[0]!),
    );
    expect(handedOut.every(({ attempt }) => attempt === 1)).to.equal(true);
    expect(new Set(handedOut.map(({ subJob }) => subJob)).size, 'nothing is done twice').to.equal(
      handedOut.length,
    );
  });

  it('let a job that was created at one be cancelled at the other', async () => {
    const file = join(one.folder, 'never');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await isInHand(id);
    expect((await two.cancel(id)).status).to.equal(200);
    expect((await one.terminal(id)).jobStatus).to.equal('CANCELLED');
  });

  it('plan a job with a pipeline that was registered at the other just now', async () => {
    const pipeline = { name: 'NEW PIPELINE', description: 'New.', tasks: ['LIGHT TASK'] };
    expect((await one.ask('POST', '/rest/pipelines', pipeline)).status).to.equal(200);
    const id = await two.submit({ ...SHOT, pipelineName: 'NEW PIPELINE' });
    expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
    await until(
      'the other lists it',
      async () => (await two.ask('GET', '/rest/pipelines/NEW%20PIPELINE')).status === 200,
    );
    await one.ask('DELETE', '/rest/pipelines/NEW%20PIPELINE');
    expect((await two.create({ ...SHOT, pipelineName: 'NEW PIPELINE' })).status).to.equal(400);
  });

  it('give the work of an algorithm only to the component that replaces the installed one', async () => {
    const other = descriptorBody(
      'OtherLight',
      { pipelines: [pipeline('OTHER LIGHT PIPELINE', 'LIGHT DETECTION TASK')] },
      { name: 'LIGHT' },
    );
    expect((await one.ask('POST', '/rest/components/registerUnmanaged', other)).status).to.equal(201);
    await until('the other knows it', async () => {
      const { body } = await two.ask('GET', '/rest/components');
      const components = body as readonly {
        readonly componentName: string;
        readonly replacedBy: string | null;
      }[];
      return components.some(
        ({ componentName, replacedBy }) => componentName === 'TestLight' && replacedBy === 'OtherLight',
      );
    });
    const id = await two.submit({ ...SHOT, pipelineName: 'OTHER LIGHT PIPELINE' });
    const component = new RawComponent(two);
    const { token } = await component.claimOf(id, 'LIGHT');
    expect((await component.result(token, [trackNamed('other')])).status).to.equal(200);
    expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect((await two.ask('DELETE', '/rest/components/OtherLight')).status).to.equal(204);
    const again = await two.submit(SHOT);
    expect((await one.terminal(again)).jobStatus).to.equal('COMPLETE');
    const ofInstalled = [...one.handedOut(), ...two.handedOut()].filter(({ worker }) =>
      /TestLight/.test(worker),
    );
    expect(ofInstalled.filter(({ subJob }) => subJob.startsWith(`${id}.`))).to.deep.equal([]);
    expect(ofInstalled.filter(({ subJob }) => subJob.startsWith(`${again}.`))).to.have.lengthOf(1);
  });

  it('list the nodes and services of both, also those that no configuration names', async () => {
    const hostsAt = async (server: Service) => {
      const { body } = await server.ask('GET', '/rest/nodes');
      return (body as readonly { readonly host: string; readonly connected: boolean }[]).filter(
        ({ connected }) => connected,
      );
    };
    for (const server of [one, two]) {
      const hosts = await until(
        'both are listed',
        () => hostsAt(server),
        (seen) => seen.length === 2,
      );
      expect(hosts.map(({ host }) => host)).to.have.members(['one', 'two']);
      const { body } = await server.ask('GET', '/rest/nodes/info');
      const { nodeModels } = body as { nodeModels: readonly { readonly name: string }[] };
      expect(nodeModels.filter(({ name }) => name.includes(':TestLight:'))).to.have.length(2);
      expect((await server.ask('GET', '/rest/nodes/hosts')).body).to.deep.equal({ one: true, two: true });
    }
  });

  it('run what a configuration says that was posted at the other', async () => {
    const services = async (server: Service, of: string) => {
      const { body } = await server.ask('GET', '/rest/nodes/info');
      const { nodeModels } = body as { nodeModels: readonly { readonly name: string }[] };
      return nodeModels.map(({ name }) => name).filter((name) => name.startsWith(`${of}:TestLight`));
    };
    const before = (await one.ask('GET', '/rest/nodes/config')).body as readonly {
      readonly host: string;
      readonly services: readonly { readonly serviceName: string; readonly serviceCount: number }[];
    }[];
    const nodes = ['one', 'two'].map((host) => ({
      ...before[0]!,
      host,
      services: before[0]!.services.map((service) =>
        service.serviceName === 'TestLight' && host === 'two' ? { ...service, serviceCount: 2 } : service,
      ),
    }));
    const posted = await one.ask('POST', '/rest/nodes/config', nodes);
    expect(posted.status, posted.text).to.equal(201);
    await until(
      'both servers show both services of the second',
      async () => Promise.all([one, two].map((server) => services(server, 'two'))),
      (seen) => seen.every((names) => names.length === 2),
    );
    expect((await one.ask('POST', '/rest/nodes/config', before)).status).to.equal(201);
    await until(
      'both servers show one service of the second',
      async () => Promise.all([one, two].map((server) => services(server, 'two'))),
      (seen) => seen.every((names) => names.length === 1),
    );
  });

  it('are waited for by none that stops, whatever they have in hand, and are found instead of it', async () => {
    const file = join(one.folder, 'goes-on');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await isInHand(id);
    const third = await pair().third('three');
    await third.close();
    expect((await two.job(id))?.terminal).to.equal(false);
    expect([one.url, two.url]).to.include(await findUrl());
    writeFileSync(file, '');
    expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    const handedOut = [...one.handedOut(), ...two.handedOut()];
    expect(handedOut.filter(({ attempt }) => attempt !== 1)).to.deep.equal([]);
  });

  it('answer 503 while Redis is away, and go on with everything when it is back', async () => {
    const file = join(one.folder, 'redis-is-back');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await isInHand(id);
    await redis().kill();
    const refused = await until('a request is refused', async () => {
      const answer = await two.create(SHOT);
      return answer.status === 503 ? answer : undefined;
    });
    expect(Number(refused?.headers.get('retry-after'))).to.be.greaterThan(0);
    expect((await two.ask('GET', `/rest/jobs/${id}`)).status).to.equal(503);
    writeFileSync(file, '');
    await redis().start();
    for (const server of [one, two])
      await until(
        'it is answered again',
        async () => (await server.ask('GET', `/rest/jobs/${id}`)).status === 200,
      );
    expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    const attempts = [...one.handedOut(), ...two.handedOut()].filter(({ subJob }) =>
      subJob.startsWith(`${id}.`),
    );
    expect(attempts.every(({ attempt }) => attempt === 1)).to.equal(true);
    for (const server of [one, two])
      expect(server.log('an actor failed too often'), 'nobody is to blame').to.deep.equal([]);
  });

  it('refuse one more while Redis is set to throw away what it holds', async () => {
    await redis().set('maxmemory-policy', 'allkeys-lru');
    const refused = await pair()
      .third('three')
      .catch((error: unknown) => error);
    await redis().set('maxmemory-policy', 'noeviction');
    expect(String(refused))
      .to.contain('maxmemory-policy allkeys-lru')
      .and.contain('Set maxmemory-policy to noeviction');
  });

  it('keep their work when Redis refuses writes for a while; no server dies, no attempt counts', async () => {
    const file = join(one.folder, 'there-is-room');
    const id = await one.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await isInHand(id);
    const deaths = () => [one, two].flatMap((service) => service.log('servers are gone'));
    const before = deaths().length;
    await redis().set('min-replicas-to-write', '1');
    writeFileSync(file, '');
    const client = new Redis(redis().url);
    await until('no server could say in time that it is there', async () => {
      const names = await client.keys('*:w:server:*');
      return names.length === 0;
    });
    client.disconnect();
    expect((await two.cancel(id)).status, 'nothing is written').to.equal(503);
    expect((await two.ask('GET', `/rest/jobs/${id}`)).status, 'what is there is read').to.equal(200);
    await redis().set('min-replicas-to-write', '0');
    expect((await two.terminal(id)).jobStatus).to.equal('COMPLETE');
    const attempts = [...one.handedOut(), ...two.handedOut()].filter(({ subJob }) =>
      subJob.startsWith(`${id}.`),
    );
    const lost = [one, two].flatMap((service) =>
      service.log('a sub-job was lost').concat(service.log('took a sub-job back')),
    );
    expect(
      attempts.every(({ attempt }) => attempt === 1),
      JSON.stringify([attempts, lost]),
    ).to.equal(true);
    expect(deaths()).to.have.length(before);
    for (const server of [one, two]) expect(server.log('an actor failed too often')).to.deep.equal([]);
  });

  it('accept no new jobs when the memory of Redis is nearly full, and complete the others', async () => {
    const file = join(one.folder, 'nearly-full');
    const id = await two.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
    });
    await isInHand(id);
    await redis().set('maxmemory', '1mb');
    const answer = await until('a job is refused', async () => {
      const created = await one.create(SHOT);
      return created.status === 503 ? created : undefined;
    });
    expect(answer?.text).to.contain('The memory of Redis is nearly full');
    writeFileSync(file, '');
    expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
    await redis().set('maxmemory', '0');
    await until('jobs are taken again', async () => (await one.create(SHOT)).status === 201);
  });

  // Runs after the other tests, whatever their order, because no server is left afterwards.
  story('of which one is killed', 'The other goes on alone, until it stops.', () => {
    it('take over the jobs of the one that was killed, count no attempt, and serve its clients', async () => {
      const file = join(one.folder, 'go-on');
      const jobs = await Promise.all(
        [two, two, one].map((service) =>
          service.submit({
            ...SHOT,
            pipelineName: 'TROUBLE PIPELINE',
            jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: file },
          }),
        ),
      );
      await until('both have some in hand', () =>
        [one, two].every((service) =>
          service
            .handedOut()
            .some(({ subJob, worker }) => worker.includes('Trouble') && jobs.includes(subJob.split('.')[0]!)),
        ),
      );
      await two.kill9();
      writeFileSync(file, '');
      for (const id of jobs) expect((await one.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(one.handedOut().every(({ attempt }) => attempt === 1)).to.equal(true);
      expect(await findUrl()).to.equal(one.url);
      await until('the other has removed what it left', async () => (await locks()).length === 1);
    });

    it('do not wait for DRAIN_MS when they stop while Redis is away', async () => {
      const id = await one.submit({
        ...SHOT,
        pipelineName: 'TROUBLE PIPELINE',
        jobProperties: { TROUBLE: 'wait', TROUBLE_FILE: join(one.folder, 'never-either') },
      });
      await isInHand(id);
      await redis().kill();
      expect(await one.stop()).to.equal(0);
      expect(one.log('the server could not be drained in order')).to.deep.equal([]);
    });
  });
});
