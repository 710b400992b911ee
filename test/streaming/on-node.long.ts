/**
 * Live streams on a node on another host: real cameras, and processes that the server neither starts nor
 * sees.
 */
import { expect } from 'chai';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import { closeServers, rtsp } from '../media/live/live-watching.ts';
import { Nodes } from '../rest/system/nodes-support.ts';
import { NodeProcess } from '../support/processes/node-process.ts';
import { RawComponent } from '../support/processes/raw-component.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { CLIP, WAIT } from './cameras-support.ts';

const OTHER = 'rack-2';
const STREAMS = 'TroupeMotionDetectionStreams';
/** Its process does nothing. The test claims and answers with its token. */
const SCRIPTED = 'TroupeFaceDetectionStreams';

interface Info {
  readonly jobStatus: string;
  readonly segments: number;
}

describe('A streaming job on a node on another host', function () {
  this.timeout(240_000);
  let service: Service;
  let nodes: Nodes;
  let node: NodeProcess;
  before(async () => {
    service = await Service.start({ NODE_SILENCE_MS: '4000', STREAM_RESTART_MS: '20', MAX_STREAMS: '4' });
    nodes = new Nodes(service);
    node = await NodeProcess.of(service, OTHER);
    const [here] = (await nodes.config()) as [NodeManagerModel];
    const offered = (await service.ask('GET', '/rest/nodes/services')).body as Record<string, ServiceModel>;
    const onDemand = [{ name: 'TROUPE_START', value: 'ON_DEMAND' }];
    const model = { ...offered[STREAMS]!, serviceCount: 1, environmentVariables: onDemand };
    const scripted = nodes.model(SCRIPTED, 'run', { environmentVariables: onDemand });
    const { status, text } = await nodes.save([here, { host: OTHER, services: [model, scripted] }]);
    expect(status, text).to.equal(201);
    await becomes(`${STREAMS}:1`, 'Configured');
  });
  after(async () => {
    await closeServers();
    await node?.close();
    await service?.close();
  });

  const becomes = (name: string, ...states: readonly string[]) =>
    until(
      `${name} of ${OTHER} is ${states.join(' or ')}`,
      async () => (await nodes.state(name, OTHER))?.lastKnownState ?? 'none',
      (seen) => states.includes(seen),
      WAIT,
    );
  const camera = (speed: number) => rtsp(CLIP, () => ({ speed, after: 'stall' }));
  const watchStream = async (streamUri: string, pipeline = 'MOTION DETECTION PIPELINE'): Promise<number> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri, segmentSize: 20 },
      stallTimeout: -1,
      pipelineName: pipeline,
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const info = async (id: number) =>
    (await service.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as Info;
  const reaches = (id: number, least: number) =>
    until(
      `${id} has ${least} segments`,
      () => info(id),
      ({ segments }) => segments >= least,
      WAIT,
    );
  const cancel = async (id: number) =>
    expect((await service.ask('POST', `/rest/streaming/jobs/${id}/cancel`)).status).to.equal(200);
  const isCancelled = (id: number) =>
    until(
      `${id} has ended`,
      () => info(id),
      ({ jobStatus }) => jobStatus === 'CANCELLED',
      WAIT,
    );
  const onItsPort = () => ({ PORT: new URL(service.url).port });
  const workers = () =>
    service
      .log('handed out a sub-job')
      .filter(({ kind }) => kind === 'STREAM')
      .map(({ worker }) => String(worker).split(':')[0]);

  it('is watched there, over kill -9 of the server; its process ends with the stream', async () => {
    const far = await watchStream((await camera(0.2)).url);
    await reaches(far, 1);
    const near = await watchStream((await camera(1)).url);
    await reaches(near, 1);
    expect(workers()).to.deep.equal([OTHER, 'test-host']);
    await service.kill9();
    await service.start(onItsPort());
    const { segments } = await info(far);
    await reaches(far, segments + 1);
    expect(
      workers().filter((host) => host === OTHER),
      'it goes on with what it holds',
    ).to.have.length(1);
    for (const id of [far, near]) {
      await cancel(id);
      await isCancelled(id);
    }
    await becomes(`${STREAMS}:1`, 'Configured', 'Inactive');
  });

  it('that ends while its node is away: its process ends when it has waited in vain for another', async () => {
    const id = await watchStream('rtsp://camera.example/live', 'FACE DETECTION PIPELINE');
    const [process] = await nodes.startedTimes(SCRIPTED, 1);
    const component = new RawComponent(service, String(process!.bootstrap['token']));
    const [stream] = await component.claim('STREAM:FACE');
    await service.kill9();
    node.signal('SIGSTOP');
    try {
      await service.startHere(onItsPort());
      await cancel(id);
      expect((await component.end(stream!.token, { reason: 'cancelled', detail: '' })).status).to.equal(200);
      await isCancelled(id);
    } finally {
      node.signal('SIGCONT');
    }
    await until(
      'its process has ended',
      async () => {
        await component.say('/claim', { algorithms: ['STREAM:FACE'], max: 1, waitMs: 100 });
        return (await nodes.state(`${SCRIPTED}:1`, OTHER))?.lastKnownState ?? 'none';
      },
      (seen) => seen === 'Configured',
      WAIT,
    );
  });

  it('is watched by the server when that node is not there', async () => {
    const before = workers().length;
    await node.stop();
    await becomes(`${STREAMS}:1`, 'Unknown');
    const id = await watchStream((await camera(1)).url);
    await reaches(id, 1);
    expect(workers().slice(before)).to.deep.equal(['test-host']);
    await cancel(id);
  });
});
