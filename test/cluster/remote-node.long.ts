/**
 * A node on another host and its work, when it or one of the two servers behind its load balancer freezes,
 * dies or stops.
 */
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { remoteNode, SHOT, STREAMS, WITH_NODES } from './remote-node-support.ts';
import { serverPair } from './two-servers/server-pair.ts';

describe('A node on another host behind a balancer of two servers', function () {
  this.timeout(240_000);
  const pair = serverPair(WITH_NODES);
  const {
    balancer,
    node,
    nodes,
    becomes,
    listedAt,
    isListed,
    order,
    workOf,
    waitingJob,
    watchStream,
    segmentsAt,
    reaches,
    watchers,
  } = remoteNode(pair);

  before(async () => {
    await isListed(true);
    await becomes('Steady:1', 'Running');
  });

  it('goes on with jobs and streams when one of them is killed, and no attempt is counted', async () => {
    const { one, two } = pair();
    const stream = await watchStream(one);
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
    balancer().serve([one.url, two.url]);
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
    node().signal('SIGSTOP');
    try {
      await becomes('TestTrouble:1', 'Unknown');
      await isListed(false);
      await two.stop();
      await two.start();
      balancer().serve([one.url, two.url]);
      expect(await listedAt(two), 'also at one that was started since').to.deep.equal([false]);
      go();
      expect((await one.terminal(job)).jobStatus).to.equal('COMPLETE');
      expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1]);
    } finally {
      node().signal('SIGCONT');
    }
    await becomes('TestTrouble:1', 'Running');
    await isListed(true);
  });

  it('that is killed and started again takes its place at once, and no attempt is counted', async () => {
    const { one, two } = pair();
    const { job, go } = await waitingJob(one);
    await node().kill9();
    node().start();
    await until('it is handed out again', () => workOf(job).length === 2);
    go();
    expect((await two.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
  });

  it('that cannot start a component has its work fail, when no server can either', async () => {
    const { one, two } = pair();
    const configuration = (await nodes().config()).map((one) => ({
      ...one,
      services: one.services.map((model) =>
        model.serviceName === 'TestLight' ? { ...model, cmd: '/no/such/command' } : model,
      ),
    }));
    expect((await nodes().save(configuration)).status).to.equal(201);
    const job = await one.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' });
    expect((await two.terminal(job)).jobStatus).to.equal('ERROR');
  });

  it('that is stopped is Unknown at both at once', async () => {
    expect(await node().stop()).to.equal(0);
    await becomes('Steady:1', 'Unknown');
    await isListed(false);
  });
});
