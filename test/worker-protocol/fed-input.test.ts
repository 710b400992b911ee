/** Fed tracks that a component requests but does not read. */
import { readdirSync, readlinkSync } from 'node:fs';
import { expect } from 'chai';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

describe('The tracks that a component is fed', () => {
  let service: Service;
  let component: RawComponent;

  before(async function () {
    // The list of open files exists only on Linux.
    if (process.platform !== 'linux') this.skip();
    service = await Service.openShared();
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

  /** Claims the sub-job that follows a first task with these tracks. */
  async function fedOn(found: Parameters<RawComponent['result']>[1]) {
    const actions = [action('FINDS'), action('IS FED', { FEED_FORWARD_TYPE: 'REGION' })];
    const tasks = actions.map(({ name }) => ({ name: `${name} TASK`, actions: [name] }));
    const id = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineDefinition: { pipeline: tasks.map(({ name }) => name), tasks, actions },
    });
    const first = await component.claimOf(id, 'ABSENT');
    await component.result(first.token, found);
    const { token, work } = await component.claimOf(id, 'ABSENT');
    return { id, token, work };
  }

  const headers = () => ({ authorization: `Bearer ${service.token}` });
  const textAt = async (input: string) =>
    (await fetch(`${service.url}${input}`, { headers: headers() })).text();

  it('are no open file any more once the answer has gone, also when only its head was asked for', async () => {
    const { id, token, work } = await fedOn([trackNamed('a')]);
    const { input } = work.feedForward!;
    for (let n = 0; n < 5; n++)
      expect((await fetch(`${service.url}${input}`, { method: 'HEAD', headers: headers() })).status).to.equal(
        200,
      );
    expect(await textAt(input)).to.include('"LABEL":"a"');
    await until('no result is open', openResults, (count) => count === 0);
    await component.result(token, []);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('come with the claim when they are few', async () => {
    const { token, work } = await fedOn([trackNamed('short')]);
    const { input, lines, bytes } = work.feedForward!;
    expect(lines).to.include('"LABEL":"short"');
    expect([bytes, await textAt(input)]).to.deep.equal([Buffer.byteLength(lines!), lines]);
    await component.result(token, []);
  });

  it('are only told where to be read when they are many', async () => {
    const { token, work } = await fedOn([trackNamed('x'.repeat(40_000))]);
    const { input, lines, bytes } = work.feedForward!;
    expect(lines).to.equal(undefined);
    expect(await textAt(input))
      .to.have.length(bytes)
      .and.to.include('xxxx');
    await component.result(token, []);
  });
});
