/**
 * Restarts two servers behind a load balancer one after the other. Clients continue: the other server answers
 * what one refuses with 503.
 */
import { expect } from 'chai';
import { Balancer } from '../support/servers/balancer.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './two-servers/server-pair.ts';

const JOB = { media: [{ mediaUri: sampleUri('astronaut.png') }], pipelineName: 'LIGHT PIPELINE' };
const READS = [
  '/rest/jobs?limit=5',
  '/rest/jobs/stats',
  '/rest/nodes/info',
  '/rest/nodes',
  '/rest/queues',
  '/rest/pipelines',
  '/rest/system-message',
  '/rest/search?limit=1',
];

describe('A rolling restart of two servers behind a balancer', function () {
  this.timeout(240_000);
  const pair = serverPair();
  let balancer: Balancer;
  before(async () => {
    const { one, two } = pair();
    balancer = await Balancer.listen([one.url, two.url], { retries503: true });
  });
  after(() => balancer?.close());

  it('fails no request, loses no job, and counts no attempt', async () => {
    const { one, two } = pair();
    const failed: string[] = [];
    const jobs: string[] = [];
    const cancelled = new Set<string>();
    let isOver = false;
    const ask = async (method: string, path: string, body?: unknown, also?: number) => {
      const answer = await fetch(`${balancer.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 300 && answer.status !== also)
        failed.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
      return text;
    };
    /**
     * A client that repeats a request with pauses, so that requests are always pending but do not overload
     * the machine.
     */
    const again = (ask: () => Promise<boolean>) =>
      until('it is over', async () => (await ask()) || isOver, Boolean, { withinMs: 200_000, everyMs: 40 });
    const submits = async () => {
      while (!isOver) {
        const { jobId } = JSON.parse(await ask('POST', '/rest/jobs', JOB)) as { jobId?: string };
        if (jobId === undefined) continue;
        jobs.push(jobId);
        await again(async () => (await ask('GET', `/rest/jobs/${jobId}`)).includes('"terminal":true'));
      }
    };
    const reads = async () => {
      let n = 0;
      await again(async () => {
        await ask('GET', READS[n++ % READS.length]!);
        return false;
      });
    };
    const cancels = async () => {
      for (let known = 0; !isOver; known = jobs.length) {
        await until('there is another job', () => isOver || jobs.length > known + 2);
        const id = jobs.at(-1);
        if (isOver || id === undefined) continue;
        cancelled.add(id);
        // The job may have ended already.
        await ask('POST', `/rest/jobs/${id}/cancel`, undefined, 400);
      }
    };
    const clients = [submits(), submits(), reads(), reads(), cancels()];
    const more = (what: string) => {
      const before = jobs.length;
      return until(`jobs are accepted ${what}`, () => jobs.length > before + 3);
    };
    const restart = async (server: Service) => {
      await server.stop();
      await more('by the other alone');
      await server.start({ PORT: new URL(server.url).port });
      await more('by both');
    };
    await more('at first');
    for (const server of [two, one, two]) await restart(server);
    isOver = true;
    await Promise.all(clients);
    expect([...new Set(failed)].slice(0, 5)).to.deep.equal([]);
    for (const id of jobs) {
      const { jobStatus } = await two.terminal(id);
      expect(jobStatus === 'COMPLETE' || (cancelled.has(id) && jobStatus === 'CANCELLED'), id).to.equal(true);
    }
    const attempts = [one, two].flatMap((server) => server.handedOut()).filter(({ attempt }) => attempt > 1);
    expect(attempts).to.deep.equal([]);
    const refused = balancer.refusedAnswers();
    expect(refused.filter(({ retryAfter }) => retryAfter === undefined)).to.deep.equal([]);
  });
});
