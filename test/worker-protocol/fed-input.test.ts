/** What a component is fed, asked for by one that does not read it. */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'chai';
import { RawComponent, trackNamed } from '../support/raw-component.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('The tracks that a component is fed', () => {
  let service: Service;
  let component: RawComponent;

  before(async function () {
    // Open files are looked up where Linux lists them.
    if (process.platform !== 'linux') this.skip();
    service = await Service.started();
    component = new RawComponent(service);
  });
  after(() => service?.close());

  const action = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    name,
    algorithm: 'ABSENT',
    properties: Object.entries({ ARTIFACT_EXTRACTION_POLICY: 'NONE', ...more }).map(([key, value]) => ({
      name: key,
      value,
    })),
  });
  const openResults = () =>
    readdirSync(`/proc/${service.pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${service.pid}/fd/${fd}`).endsWith('.ndjson');
      } catch {
        return false;
      }
    }).length;

  it('are no open file any more once the answer has gone, also when only its head was asked for', async () => {
    const actions = [action('FINDS'), action('IS FED', { FEED_FORWARD_TYPE: 'REGION' })];
    const tasks = actions.map(({ name }) => ({ name: `${name} TASK`, actions: [name] }));
    const id = await service.submit({
      media: [sampleUri('astronaut.png')],
      pipelineDefinition: { pipeline: tasks.map(({ name }) => name), tasks, actions },
    });
    const first = await component.claimOf(id, 'ABSENT');
    await component.result(first.token, [trackNamed('a')]);
    const { token, work } = await component.claimOf(id, 'ABSENT');
    const input = `${service.url}${work.feedForward!.input}`;
    const headers = { authorization: `Bearer ${service.token}` };
    for (let n = 0; n < 5; n++)
      expect((await fetch(input, { method: 'HEAD', headers })).status).to.equal(200);
    expect(await (await fetch(input, { headers })).text()).to.include('"LABEL":"a"');
    await until('no result is open', openResults, (count) => count === 0);
    await component.result(token, []);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });
});
