import { expect } from 'chai';
import { sampleUri, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { serverPair } from './server-pair.ts';

interface Deployed {
  readonly name: string;
  readonly lastKnownState: string;
}

describe('A service of the node of another server', () => {
  const pair = serverPair({}, { oneHere: true });
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
    await one.run({ media: [sampleUri('astronaut.png')], pipelineName: 'LIGHT PIPELINE' });
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
