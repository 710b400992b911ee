/** A node on another host that talks to two servers through a balancer, which sends each of its messages to another one of them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import type { NodeInfo } from '../../actors/views/node-list.ts';
import { sample } from '../components/recorded.ts';
import { closeServers, rtsp } from '../media/live-watching.ts';
import { Nodes } from '../rest/nodes-support.ts';
import { Balancer } from '../support/balancer.ts';
import { accessUnits } from '../support/coded-media.ts';
import { NodeProcess } from '../support/node-process.ts';
import { sampleUri, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './server-pair.ts';

const FAR = 'rack-2';
const STREAMS = 'TroupeMotionDetectionStreams';
const WITHIN = { withinMs: 60_000 };
const SHOT = { media: [sampleUri('astronaut.png')] };

describe('A node on another host behind a balancer of two servers', function () {
  this.timeout(240_000);
  const pair = serverPair({
    NODE_SILENCE_MS: '2000',
    STREAM_RESTART_MS: '20',
    OIDC_NODE_CLAIM_NAME: 'groups',
    OIDC_NODE_CLAIM_VALUE: 'media-nodes',
  });
  let balancer: Balancer;
  let node: NodeProcess;
  let nodes: Nodes;
  before(async function () {
    const { one, two, provider } = pair();
    balancer = await Balancer.listening([one.url, two.url]);
    node = new NodeProcess(FAR, {
      TROUPE_URL: balancer.url,
      TROUPE_ISSUER_URI: provider.issuer,
      TROUPE_CLIENT_ID: 'rack',
      TROUPE_CLIENT_SECRET: 'secret of rack',
    });
    nodes = new Nodes(one);
    node.start();
    await node.connected();
    await configure();
  });
  after(async () => {
    await closeServers();
    await node?.close();
    await balancer?.close();
  });

  /** What the node is to run no server of the pair runs. */
  const configure = async () => {
    const [here] = (await nodes.config()) as [NodeManagerModel];
    const offeredAt = async (server: Service) =>
      (await server.ask('GET', '/rest/nodes/services')).body as Record<string, ServiceModel>;
    const [offered] = await until(
      'both servers offer what is installed on the node',
      () => Promise.all(both().map(offeredAt)),
      (seen) => seen.every((models) => STREAMS in models),
    );
    const onDemand = [{ name: 'TROUPE_START', value: 'ON_DEMAND' }];
    const far = ['TestLight', 'TestTrouble', STREAMS].map((name) => ({
      ...offered![name]!,
      serviceCount: 1,
      environmentVariables: onDemand,
    }));
    const near = here.services.filter((model) => !far.some((one) => one.serviceName === model.serviceName));
    const { status, text } = await nodes.save([
      { host: 'one', services: near },
      { host: 'two', services: near },
      { host: FAR, services: [...far, nodes.model('Steady')] },
    ]);
    expect(status, text).to.equal(201);
  };
  const both = () => [pair().one, pair().two];
  const stateAt = async (server: Service, name: string) =>
    (await new Nodes(server).state(name, FAR))?.lastKnownState;
  const becomes = (name: string, state: string | readonly string[], servers = both()) =>
    until(
      `all servers show ${name} of ${FAR} as ${String(state)}`,
      () => Promise.all(servers.map((server) => stateAt(server, name))),
      (seen) => seen.every((one) => one !== undefined && [state].flat().includes(one)),
      WITHIN,
    );
  const listedAt = async (server: Service) => {
    const all = (await server.ask('GET', '/rest/nodes')).body as readonly NodeInfo[];
    return all.filter(({ host }) => host === FAR).map(({ connected }) => connected);
  };
  const isListed = (connected: boolean, servers = both()) =>
    until(
      `all servers list ${FAR} once, ${connected ? '' : 'not '}connected`,
      () => Promise.all(servers.map(listedAt)),
      (seen) => seen.every((one) => one.length === 1 && one[0] === connected),
      WITHIN,
    );
  const order = async (at: Service, verb: 'start' | 'stop', name: string) =>
    (await at.ask('POST', `/rest/nodes/services/${FAR}:${name}/${verb}`)).body;
  const handedOut = (subJob: (id: string) => boolean) =>
    both()
      .flatMap((server) => server.handedOut())
      .filter((one) => subJob(one.subJob));
  const workOf = (job: string) =>
    handedOut((id) => id.startsWith(`${job}.`)).filter(({ worker }) => worker.startsWith(`${FAR}:`));
  const waitingJob = async (at: Service) => {
    const file = join(at.mediaDir, `go-${Math.random()}`);
    const job = await at.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
    await until('the node works on it', () => workOf(job).length > 0);
    return { job, go: () => writeFileSync(file, '') };
  };
  const watched = async (at: Service): Promise<number> => {
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 0.2, after: 'stall' }));
    const { status, text, body } = await at.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: camera.url, segmentSize: 10 },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const segmentsAt = async (server: Service, id: number) =>
    ((await server.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as { segments: number })
      .segments;
  const reaches = (servers: readonly Service[], id: number, least: number) =>
    until(
      `stream ${id} has ${least} segments`,
      () => Promise.all(servers.map((server) => segmentsAt(server, id))),
      (seen) => seen.every((segments) => segments >= least),
      WITHIN,
    );
  /** As the node tells it: a process may be stopped before it has said anything. */
  const processesOf = (service: string) =>
    node
      .log('component process started')
      .map(({ worker }) => String(worker))
      .filter((worker) => worker.startsWith(`${FAR}:${service}:`));
  const watchers = () =>
    both()
      .flatMap((server) => server.log('handed out a sub-job'))
      .filter(({ kind }) => kind === 'STREAM');

  it('is listed once by both, and starts what it is to run once', async () => {
    await isListed(true);
    await becomes('Steady:1', 'Running');
    await until('both have had its messages', () =>
      [...balancer.answers('/node/').values()].every((answers) => answers.length > 4),
    );
    expect(processesOf('Steady')).to.deep.equal([`${FAR}:Steady:1#1`]);
    for (const [, answers] of balancer.answers('/node/'))
      expect(new Set(answers), 'no message of it is refused').to.deep.equal(new Set([200]));
  });

  it('does the work of jobs that came in at either, and each job ends', async () => {
    const { one, two } = pair();
    const jobs = await Promise.all(
      [one, two, one, two, one, two].map((server) =>
        server.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' }),
      ),
    );
    for (const [n, job] of jobs.entries()) {
      expect((await [two, one][n % 2]!.terminal(job)).jobStatus).to.equal('COMPLETE');
      expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1]);
    }
    await becomes('TestLight:1', 'Running');
  });

  it('has its services started and stopped, and their lines read, at either', async () => {
    const { one, two } = pair();
    for (const at of [one, two]) {
      expect(await order(at, 'stop', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
      await becomes('Steady:1', 'InactiveNoStart');
      expect(await order(at, 'start', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
      await becomes('Steady:1', 'Running');
      expect(await order(at, 'stop', 'NoSuch:1')).to.have.property('responseCode', 1);
      const log = await at.ask('GET', `/rest/nodes/services/${FAR}:Steady:1/log`);
      expect(log.status, log.text).to.equal(200);
      expect((log.body as { lines: readonly unknown[] }).lines).to.have.length.above(0);
    }
    expect(processesOf('Steady')).to.deep.equal([1, 2, 3].map((n) => `${FAR}:Steady:1#${n}`));
  });

  it('has the lines of the own nodes of both read at either', async () => {
    const { one, two } = pair();
    for (const [at, host] of [
      [one, 'two'],
      [two, 'one'],
    ] as const) {
      const name = `${host}:TestNoting:1`;
      expect((await at.ask('GET', `/rest/nodes/services/${name}/log`)).status).to.equal(200);
      expect((await at.ask('GET', `/rest/nodes/services/${host}:NoSuch:1/log`)).status).to.equal(404);
    }
  });

  it('goes on with jobs and streams when one of them is killed, and no attempt is counted', async () => {
    const { one, two } = pair();
    const stream = await watched(one);
    const first = await waitingJob(one);
    await reaches([one, two], stream, 1);
    await one.kill9();
    const segments = await segmentsAt(two, stream);
    await reaches([two], stream, segments + 3);
    const second = await two.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' });
    expect((await two.terminal(second)).jobStatus).to.equal('COMPLETE');
    first.go();
    expect((await two.terminal(first.job)).jobStatus).to.equal('COMPLETE');
    expect(workOf(first.job).map(({ attempt }) => attempt)).to.deep.equal([1]);
    await isListed(true, [two]);
    expect(await order(two, 'stop', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
    await one.start();
    balancer.serve([one.url, two.url]);
    await isListed(true);
    await becomes('Steady:1', 'InactiveNoStart');
    const later = await segmentsAt(one, stream);
    await reaches([one, two], stream, later + 1);
    expect(watchers(), 'the same process watches it').to.have.length(1);
    expect((await one.ask('POST', `/rest/streaming/jobs/${stream}/cancel`)).status).to.equal(200);
    await becomes(`${STREAMS}:1`, ['Configured', 'Inactive']);
  });

  it('is Unknown at both when it stands still, while its processes work on, and comes back', async () => {
    const { one, two } = pair();
    const { job, go } = await waitingJob(two);
    node.signal('SIGSTOP');
    try {
      await becomes('TestTrouble:1', 'Unknown');
      await isListed(false);
      await two.stop();
      await two.start();
      balancer.serve([one.url, two.url]);
      expect(await listedAt(two), 'also at one that was started since').to.deep.equal([false]);
      go();
      expect((await one.terminal(job)).jobStatus).to.equal('COMPLETE');
      expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1]);
    } finally {
      node.signal('SIGCONT');
    }
    await becomes('TestTrouble:1', 'Running');
    await isListed(true);
  });

  it('that is killed and started again takes its place at once, and no attempt is counted', async () => {
    const { one, two } = pair();
    const { job, go } = await waitingJob(one);
    await node.kill9();
    node.start();
    await until('it is handed out again', () => workOf(job).length === 2);
    go();
    expect((await two.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
  });

  it('that cannot start a component has its work fail, when no server can either', async () => {
    const { one, two } = pair();
    const configuration = (await nodes.config()).map((one) => ({
      ...one,
      services: one.services.map((model) =>
        model.serviceName === 'TestLight' ? { ...model, cmd: '/no/such/command' } : model,
      ),
    }));
    expect((await nodes.save(configuration)).status).to.equal(201);
    const job = await one.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' });
    expect((await two.terminal(job)).jobStatus).to.equal('ERROR');
  });

  it('that is stopped is Unknown at both at once', async () => {
    expect(await node.stop()).to.equal(0);
    await becomes('Steady:1', 'Unknown');
    await isListed(false);
  });
});
