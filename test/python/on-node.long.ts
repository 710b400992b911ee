/**
 * A Python component on a node on another host. It is installed only there, and configured and shown like any
 * other service.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { ServiceModel } from '../../actors/node-configuration/model.ts';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { NodeProcess } from '../support/processes/node-process.ts';
import { sampleUri, Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { exampleFolder, needsPython } from './support.ts';

const OTHER = 'rack-2';

describe('A Python component on another node', function () {
  this.timeout(90_000);
  let service: Service;
  let node: NodeProcess | undefined;

  before(async function () {
    needsPython(this);
    service = await Service.here();
    node = await NodeProcess.of(service, OTHER, { COMPONENT_FOLDERS: path.dirname(exampleFolder) });
  });
  after(async () => {
    await node?.close();
    await service?.close();
  });

  it('is started there for work by the configuration, and its service stands beside all others', async () => {
    const descriptor = readFileSync(path.join(exampleFolder, 'descriptor.json'), 'utf8');
    const { componentName } = JSON.parse(descriptor) as { componentName: string };
    expect((await service.ask('POST', '/rest/components/registerUnmanaged', descriptor)).status).to.equal(
      201,
    );
    const nodes = new Nodes(service);
    const installed = (await service.ask('GET', '/rest/nodes/services')).body as Record<string, ServiceModel>;
    const onDemand = { name: 'TROUPE_START', value: 'ON_DEMAND' };
    const model = { ...installed[componentName]!, environmentVariables: [onDemand] };
    const { status, text } = await nodes.save([
      { host: HOST, services: [] },
      { host: OTHER, services: [model] },
    ]);
    expect(status, text).to.equal(201);
    const id = `${componentName}:1`;
    await until(
      'it is configured there',
      () => nodes.state(id, OTHER),
      (seen) => seen?.lastKnownState === 'Configured',
    );
    const media = [sampleUri('vad_groundtruth.wav')];
    const document = await service.run({ media, pipelineName: 'SILENCE DETECTION PIPELINE' });
    expect(document.status).to.equal('COMPLETE');
    expect(tracksOf(document.media[0], 'SILENCE')).to.have.length.of.at.least(2);
    const workers = service.handedOut().map(({ worker }) => worker);
    expect(workers).to.include(`${OTHER}:${id}#1`);
    expect(await nodes.state(id, OTHER)).to.include({ lastKnownState: 'Running', unlaunchable: false });
    const log = await service.ask('GET', `/rest/nodes/services/${OTHER}:${id}/log`);
    expect(JSON.stringify(log.body)).to.include('serving SILENCE');
  });
});
