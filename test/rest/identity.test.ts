/** Ids of a server, a node and a job. Only the server id is new at each start. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import path from 'node:path';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, withoutRedis } from '../support/processes/service.ts';

describe('A server', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ JOB_ID_HOST: 'site', NODE_NAME: 'rack-7' });
  });
  after(() => service.close());

  const serverId = async () => (await service.ask('GET', '/rest/info')).headers.get('troupe-server') ?? '';
  const job = { media: [sampleUri('digital-clock.jpg')], pipelineName: 'ABSENT PIPELINE' };

  it('has a name of its own at each start, told with GET /rest/info and in the log', async () => {
    const first = await serverId();
    expect(first).to.match(/^[0-9a-f]{16}$/);
    expect(service.log('Troupe is up').at(-1)).to.include({ serverId: first, node: 'rack-7' });
    await service.stop();
    await service.startHere();
    const second = await serverId();
    expect(second).to.match(/^[0-9a-f]{16}$/);
    expect(second).to.not.equal(first);
  });

  it('writes that name into what it commits, and into the names of the answers that it takes in', async function () {
    withoutRedis.call(this);
    const component = new RawComponent(service);
    const id = await service.submit({
      ...job,
      media: [sampleUri('digital-clock.jpg'), sampleUri('hello-world.png')],
    });
    expect(id).to.match(/^site-/);
    const { token } = await component.claimOf(id, 'ABSENT');
    await component.result(token, [trackNamed('a')]);
    const answers = await service.files(path.join('spool', `${id}.1`));
    expect(answers.find((name) => name.includes(token))).to.include(`.${await serverId()}-`);
    await service.cancel(id);
    await service.terminal(id);
    const server = await serverId();
    await service.stop();
    const database = new Database(path.join(service.dataDir, 'troupe.db'), { readonly: true });
    const rows = database.prepare("select distinct server from actors where kind = 'batch-job'").all();
    database.close();
    expect(rows).to.deep.equal([{ server }]);
    await service.startHere();
  });

  it('runs the services of the node NODE_NAME, whatever job ids begin with', async () => {
    expect(Object.entries((await service.ask('GET', '/rest/nodes/hosts')).body as object)).to.deep.equal([
      ['rack-7', true],
    ]);
    const { nodeModels } = (await service.ask('GET', '/rest/nodes/info')).body as {
      nodeModels: readonly { readonly name: string }[];
    };
    expect(nodeModels.map(({ name }) => name.split(':')[0]))
      .to.include('rack-7')
      .and.not.include('site');
    await service.run({ ...job, pipelineName: 'LIGHT PIPELINE' });
    const workers = service.handedOut().flatMap(({ worker }) => (worker.startsWith('token') ? [] : [worker]));
    expect(workers).to.not.deep.equal([]);
    for (const worker of workers) expect(worker).to.match(/^rack-7:/);
  });
});
