/** Two servers of one store, one of them in its own process. One pair runs all tests that kill no server. */
import { expect } from 'chai';
import { registerLivePipeline } from '../support/live-pipeline.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { dataUris } from './two-servers/data-uris-suite.ts';
import { frames } from './two-servers/frames-suite.ts';
import { liveStreams } from './two-servers/live-streams-suite.ts';
import { nodeBehindBalancer } from './two-servers/node-suite.ts';
import { WITH_NODES } from './remote-node-support.ts';
import { pauses } from './two-servers/pauses-suite.ts';
import { sameAnswers } from './two-servers/same-answers-suite.ts';
import { search } from './two-servers/search-suite.ts';
import { serverPair } from './two-servers/server-pair.ts';
import { uploads } from './two-servers/uploads-suite.ts';

interface Deployed {
  readonly name: string;
  readonly lastKnownState: string;
}

describe('Of two servers of one store', () => {
  const pair = serverPair(
    {
      ...{ FRAME_WAIT_MS: '20000', MAX_FRAME_REQUESTS: '64' },
      ...{ CALLBACK_PRIVATE: 'true', HEALTH_REPORT_MS: '500', REPORT_TIMEOUT_MS: '60000' },
      ...WITH_NODES,
    },
    { oneHere: true },
  );
  before(() => registerLivePipeline(pair().one));

  describe('a service of the node of the one', () => {
    const stateOf = async (service: Service, name: string) => {
      const { body } = await service.ask('GET', '/rest/nodes/info');
      const found = (body as { nodeModels: readonly Deployed[] }).nodeModels.find((one) => one.name === name);
      return found?.lastKnownState;
    };
    const isStopped = (state = '') => state === 'InactiveNoStart' || state === 'ShuttingDownNoRestart';
    const order = async (verb: 'start' | 'stop', at: Service, name: string) => {
      const { body } = await at.ask('POST', `/rest/nodes/services/${name}/${verb}`);
      return (body as { responseCode: number }).responseCode;
    };

    it('is stopped and started by whichever server is asked', async () => {
      const { one, two } = pair();
      await one.run({ media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' });
      const { body } = await two.ask('GET', '/rest/nodes/info');
      const light = (body as { nodeModels: readonly Deployed[] }).nodeModels.find(
        ({ name }) => name.startsWith('two:') && name.includes('Light'),
      );
      const name = light!.name;
      expect(await order('stop', one, name)).to.equal(0);
      await until('it is stopped', async () => isStopped(await stateOf(two, name)));
      expect(await order('start', one, name)).to.equal(0);
      await until('it is started', async () => !isStopped(await stateOf(two, name)));
      expect(await order('stop', one, 'two:NoSuch:1')).to.equal(1);
      expect(await order('stop', one, 'nobody:Light:1')).to.equal(1);
    });
  });

  // `npm run test:long` runs more tests of most of these suites.
  for (const suite of [dataUris, frames, uploads, liveStreams, search, sameAnswers])
    suite(pair, { isLong: false });

  describe('their user of Redis', () => {
    it('was refused nothing, and may do no more than the page about operations says', async () => {
      const { one, two, redis } = pair();
      const { text } = await one.ask('GET', '/metrics');
      expect(text).to.contain('troupe_redis_memory_used_bytes');
      expect(await redis.refusals()).to.deep.equal([]);
      for (const server of [one, two])
        expect(server.log('the settings of Redis cannot be read')).to.deep.equal([]);
    });
  });

  pauses(pair);
});

describe('Of two servers of one store that have a node', () => {
  nodeBehindBalancer(serverPair(WITH_NODES, { oneHere: true }));
});
