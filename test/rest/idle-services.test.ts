/** Components that were started for work end when there is none, and work starts them again. */
import { expect } from 'chai';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { Nodes } from './nodes-support.ts';

const JOB = { media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' };

describe('Components without work', () => {
  let service: Service;
  let nodes: Nodes;
  before(async () => {
    service = await Service.here({ IDLE_SERVICE_MS: '300' });
    nodes = new Nodes(service);
  });
  after(() => service.close());

  it('end after IDLE_SERVICE_MS, the media component as well, and are started again by work', async () => {
    for (let round = 0; round < 2; round++) {
      await service.run(JOB);
      const processes = await until(
        'all processes have ended',
        async () => (await service.ask('GET', '/metrics')).text,
        (text) => !/^troupe_component_processes\{.*\} [1-9]/m.test(text),
      );
      expect(processes).to.not.equal('');
      await nodes.becomes('TestLight:1', 'Configured');
    }
    expect((await nodes.state('TestLight:1'))?.restartCount, 'no restart is counted').to.equal(0);
  });
});
