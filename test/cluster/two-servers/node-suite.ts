/**
 * A node on another host that connects to two servers through a load balancer, which alternates between them.
 */
import { expect } from 'chai';
import type { Service } from '../../support/processes/service.ts';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';
import { FAR, remoteNode, SHOT, STREAMS } from '../remote-node-support.ts';
import type { ServerPair } from './server-pair.ts';

/** The suite ends with the death of the second server, so it needs its own pair. */
export function nodeBehindBalancer(pair: () => ServerPair): void {
  story('A node on another host behind a balancer of two servers', 'They follow one node.', function () {
    this.timeout(240_000);
    const { balancer, becomes, isListed, order, workOf, waitingJob, processesOf, ...streams } =
      remoteNode(pair);
    const { watchStream, segmentsAt, reaches, watchers } = streams;
    let stream: number;
    /** The answer with the last lines of a service. A node of a busy machine answers late, and the server then says 503. */
    const linesOf = (at: Service, name: string) =>
      until(
        `the lines of ${name} are answered`,
        () => at.ask('GET', `/rest/nodes/services/${name}/log`),
        ({ status }) => status !== 503,
      );
    const watchersThere = () => watchers().filter(({ worker }) => String(worker).startsWith(`${FAR}:`));

    it('is listed once by both, and starts what it is to run once', async () => {
      await isListed(true);
      await becomes('Steady:1', 'Running');
      await until('both have had its messages', () =>
        [...balancer().answers('/node/').values()].every((answers) => answers.length > 4),
      );
      expect(processesOf('Steady')).to.deep.equal([`${FAR}:Steady:1#1`]);
      for (const [, answers] of balancer().answers('/node/'))
        expect(new Set(answers), 'no message of it is refused').to.deep.equal(new Set([200]));
    });

    it('does the work of jobs that came in at either, and each job ends', async () => {
      const { one, two } = pair();
      const jobs = await Promise.all(
        [one, two].map((server) => server.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' })),
      );
      for (const [n, job] of jobs.entries()) {
        expect((await [two, one][n % 2]!.terminal(job)).jobStatus).to.equal('COMPLETE');
        expect(workOf(job).map(({ attempt }) => attempt)).to.deep.equal([1]);
      }
      await becomes('TestLight:1', 'Running');
    });

    it('watches a stream that came in at either', async () => {
      const { one, two } = pair();
      stream = await watchStream(two);
      await reaches([one, two], stream, 1);
      expect(watchersThere()).to.have.length(1);
    });

    it('has its services started and stopped, and their lines read, at either', async () => {
      const { one, two } = pair();
      for (const at of [one, two]) {
        expect(await order(at, 'stop', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
        await becomes('Steady:1', 'InactiveNoStart');
        expect(await order(at, 'start', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
        await becomes('Steady:1', 'Running');
        expect(await order(at, 'stop', 'NoSuch:1')).to.have.property('responseCode', 1);
        const log = await linesOf(at, `${FAR}:Steady:1`);
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
        expect((await linesOf(at, `${host}:TestNoting:1`)).status).to.equal(200);
        expect((await linesOf(at, `${host}:NoSuch:1`)).status).to.equal(404);
      }
    });

    it('goes on with jobs and streams when one of them is killed, and no attempt is counted', async () => {
      const { one, two } = pair();
      const first = await waitingJob(two);
      await two.kill9();
      const segments = await segmentsAt(one, stream);
      const second = await one.submit({ ...SHOT, pipelineName: 'LIGHT PIPELINE' });
      expect((await one.terminal(second)).jobStatus).to.equal('COMPLETE');
      first.go();
      expect((await one.terminal(first.job)).jobStatus).to.equal('COMPLETE');
      expect(workOf(first.job).map(({ attempt }) => attempt)).to.deep.equal([1]);
      await reaches([one], stream, segments + 2);
      expect(watchersThere(), 'the same process watches it').to.have.length(1);
      await isListed(true, [one]);
      expect(await order(one, 'stop', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
      await becomes('Steady:1', 'InactiveNoStart', [one]);
      expect((await one.ask('POST', `/rest/streaming/jobs/${stream}/cancel`)).status).to.equal(200);
      await becomes(`${STREAMS}:1`, ['Configured', 'Inactive'], [one]);
    });
  });
}
