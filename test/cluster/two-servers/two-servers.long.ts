/** Two servers of one store: cases that unit tests also cover, and variations of other tests. */
import { expect } from 'chai';
import { sampleUri } from '../../support/processes/service.ts';
import { serverPair } from './server-pair.ts';

const SHOT = { media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' };

describe('Two servers that share a Redis and a data folder', () => {
  const pair = serverPair({}, { oneHere: true });

  it('refuse a third one whose node has the name of another', async () => {
    const refused = await pair()
      .third('two')
      .catch((error: unknown) => error);
    expect(String(refused)).to.contain('Another server of this cluster has a node that is called two');
  });

  it('take the one that was killed back under its name', async () => {
    const { two } = pair();
    await two.kill9();
    await two.start();
    expect((await two.run(SHOT)).status).to.equal('COMPLETE');
  });

  it('fail work that the only host that is configured for it cannot start', async () => {
    const { one, two } = pair();
    const config = (await one.ask('GET', '/rest/nodes/config')).body as readonly {
      readonly host: string;
      readonly services: readonly { readonly serviceName: string }[];
    }[];
    const nodes = config.map((node) =>
      node.host === 'one'
        ? { ...node, services: node.services.filter(({ serviceName }) => serviceName !== 'TestBroken') }
        : node,
    );
    expect((await one.ask('POST', '/rest/nodes/config', nodes)).status).to.equal(201);
    const id = await one.submit({ ...SHOT, pipelineName: 'BROKEN PIPELINE' });
    expect((await two.terminal(id)).jobStatus).to.equal('ERROR');
  });
});
