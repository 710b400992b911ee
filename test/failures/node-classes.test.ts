/**
 * Nodes of a class, which get their configuration from it, each in its own process: what they run and how
 * they drain.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import type { NodeInfo } from '../../actors/views/node-list.ts';
import { drainNode } from '../../cli/commands/node.ts';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { NodeProcess, tokenFor } from '../support/processes/node-process.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const RACK = 'rack-5';
const CLASS = 'workers';

describe('A node of a class', () => {
  let service: Service;
  let nodes: Nodes;
  let node: NodeProcess;
  let worker: ServiceModel;
  let initialClasses: unknown;
  let files = 0;
  before(async () => {
    service = await Service.here({ NODE_SILENCE_MS: '2000' });
    nodes = new Nodes(service);
    initialClasses = (await service.ask('GET', '/rest/nodes/classes')).body;
    const [initial] = (await nodes.config()) as [NodeManagerModel];
    worker = initial.services.find(({ serviceName }) => serviceName === 'TestTrouble')!;
    // Only hosts of the class run it.
    const rest = initial.services.filter((one) => one !== worker);
    expect((await nodes.save([{ host: HOST, services: rest }])).status).to.equal(201);
  });
  after(() => service.close());
  afterEach(async () => {
    await node?.close();
    // While a killed node counts as connected, another node of this name is refused.
    await until('no node of a class is left', async () => (await listed()).length === 1);
    expect((await saveClasses(initialClasses)).status).to.equal(201);
  });

  const saveClasses = (classes: unknown) => service.ask('POST', '/rest/nodes/classes', classes);
  const workers = () => [{ name: CLASS, services: [worker] }];
  const startNode = async (name = RACK, nodeClass = CLASS) => {
    node = new NodeProcess(name, { TROUPE_URL: service.url, TROUPE_TOKEN: await tokenFor(service, name) });
    node.nodeClass = nodeClass;
    node.start();
  };
  const hosts = async () => (await nodes.config()).map(({ host }) => host);
  const listed = async () =>
    ((await service.ask('GET', '/rest/nodes')).body as readonly NodeInfo[]).map(({ host }) => host);
  const waitingJob = async () => {
    const file = path.join(service.mediaDir, `class-${++files}`);
    const job = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
    return { job, go: () => writeFileSync(file, '') };
  };
  const attempts = (job: string) =>
    service
      .log('handed out a sub-job')
      .filter(({ subJob, kind }) => (subJob as string).startsWith(`${job}.`) && kind === 'DETECT')
      .map(({ attempt, worker: by }) => [attempt, (by as string).split(':')[0]]);
  const isHeld = (job: string) => until('its sub-job is held', () => attempts(job).length > 0);
  const drainHere = async (withinSeconds: number) => {
    const before = process.env['DATA_DIR'];
    process.env['DATA_DIR'] = node.dataDir;
    const printed: string[] = [];
    await drainNode(withinSeconds, { print: (line: string) => void printed.push(line) } as never).finally(
      () => {
        if (before === undefined) delete process.env['DATA_DIR'];
        else process.env['DATA_DIR'] = before;
      },
    );
    return printed;
  };

  it('is refused with the names of all classes when its own is unknown', async () => {
    await startNode();
    expect(await node.waitForRefusal()).to.deep.equal([
      2,
      `There is no node class ${CLASS}. There are: cpu. Start the node with one of them, or define ${CLASS} with troupe nodes apply-classes.`,
    ]);
  });

  it('is not defined without services, twice, or by another name than [A-Za-z0-9_.-]', async () => {
    for (const [classes, sentence] of [
      [[{ name: CLASS, services: [] }], `The node class ${CLASS} has no services`],
      [[...workers(), ...workers()], `The node class ${CLASS} is given more than once`],
      [[{ name: 'a b', services: [worker] }], 'must have 1 to 64 letters'],
    ] as const) {
      const { status, text } = await saveClasses(classes);
      expect([status, text]).to.satisfy(() => status === 400 && text.includes(sentence));
    }
  });

  it('runs the services of its class without a posted configuration, and leaves nothing behind', async () => {
    expect((await saveClasses(workers())).status).to.equal(201);
    const { job, go } = await waitingJob();
    await until('its job waits for a node of the class', async () => {
      const reason = (await service.detailedJob(job))?.waitingFor?.reason;
      return reason?.includes(`no node of the class ${CLASS} is connected`) === true;
    });
    await startNode();
    await isHeld(job);
    expect(await hosts()).to.deep.equal([HOST, RACK]);
    const [, there] = (await service.ask('GET', '/rest/nodes')).body as readonly NodeInfo[];
    expect(there).to.deep.include({ host: RACK, connected: true, configured: true, nodeClass: CLASS });
    // Storing a configuration exactly as it was read does not detach the node from its class.
    expect((await nodes.save(await nodes.config())).status).to.equal(201);
    const left = await saveClasses([{ name: 'others', services: [worker] }]);
    expect([left.status, left.text]).to.satisfy(
      () => left.status === 400 && left.text.includes(`The node class ${CLASS} still has nodes: ${RACK}.`),
    );
    const drained = drainHere(60);
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(await drained).to.deep.equal([
      'The node has ended. Work that it had not finished is queued again.',
    ]);
    expect(attempts(job)).to.deep.equal([[1, RACK]]);
    expect(await hosts()).to.deep.equal([HOST]);
    expect(await listed()).to.deep.equal([HOST]);
  });

  it('is refused when a node of its name is connected, which stays as it is', async () => {
    await saveClasses(workers());
    await startNode();
    await until('it is configured', async () => (await hosts()).includes(RACK));
    const first = node;
    await startNode();
    expect(await node.waitForRefusal()).to.deep.equal([
      2,
      `Another node is called ${RACK} and is connected. Give each node its own NODE_NAME, or wait NODE_SILENCE_MS if you moved this node to another folder.`,
    ]);
    expect(await hosts()).to.deep.equal([HOST, RACK]);
    await node.close();
    node = first;
  });

  it('gets no new work while it drains, and hands back at the deadline what it has', async () => {
    await saveClasses(workers());
    await startNode();
    const first = await waitingJob();
    await isHeld(first.job);
    const drained = drainHere(2);
    const second = await waitingJob();
    second.go();
    await drained;
    expect(attempts(second.job)).to.deep.equal([]);
    await startNode('rack-6');
    first.go();
    for (const { job } of [first, second])
      expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(attempts(first.job)).to.deep.equal([
      [1, RACK],
      [1, 'rack-6'],
    ]);
  });

  it('ends when an operator drains it, and its name can be used again', async () => {
    await saveClasses(workers());
    await startNode();
    await until('it is listed', async () => (await listed()).includes(RACK));
    expect((await service.ask('POST', `/rest/nodes/${RACK}/drain`)).status).to.equal(200);
    expect(await node.waitForExit()).to.equal(0);
    expect(await listed()).to.deep.equal([HOST]);
    await node.close();
    await startNode();
    const { job, go } = await waitingJob();
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
  });

  it('disappears when it is killed, as an instance that is taken away', async () => {
    await saveClasses(workers());
    await startNode();
    await until('it is configured', async () => (await hosts()).includes(RACK));
    await node.kill9();
    await until(
      'it is gone',
      async () => !(await hosts()).includes(RACK) && !(await listed()).includes(RACK),
    );
  });
});
