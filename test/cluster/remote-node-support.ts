/**
 * A node on another host, `rack-2`, that connects to two servers through a load balancer. The balancer
 * alternates between the servers for each request.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import type { NodeInfo } from '../../actors/views/node-list.ts';
import { sample } from '../components/models/recorded-media.ts';
import { closeServers, rtsp } from '../media/live/live-watching.ts';
import { Nodes } from '../rest/system/nodes-support.ts';
import { Balancer } from '../support/servers/balancer.ts';
import { accessUnits } from '../support/media/coded-media.ts';
import { NodeProcess } from '../support/processes/node-process.ts';
import { sampleUri, type Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import type { ServerPair } from './two-servers/server-pair.ts';

export const FAR = 'rack-2';
export const STREAMS = 'TroupeMotionDetectionStreams';
const WITHIN = { withinMs: 60_000 };
export const SHOT = { media: [sampleUri('hello-world.png')] };

/** Settings of the servers. */
export const WITH_NODES = {
  NODE_SILENCE_MS: '2000',
  STREAM_RESTART_MS: '20',
  OIDC_NODE_CLAIM_NAME: 'groups',
  OIDC_NODE_CLAIM_VALUE: 'media-nodes',
};

/** A node of these servers, started before the tests of a suite and closed after them. */
export function remoteNode(pair: () => ServerPair) {
  let balancer: Balancer;
  let node: NodeProcess;
  let nodes: Nodes;
  before(async function () {
    const { one, two, provider } = pair();
    balancer = await Balancer.listen([one.url, two.url]);
    node = new NodeProcess(FAR, {
      TROUPE_URL: balancer.url,
      TROUPE_ISSUER_URI: provider.issuer,
      TROUPE_CLIENT_ID: 'rack',
      TROUPE_CLIENT_SECRET: 'secret of rack',
    });
    nodes = new Nodes(one);
    node.start();
    await node.waitUntilConnected();
    await configure();
  });
  after(async () => {
    await closeServers();
    await node?.close();
    await balancer?.close();
  });

  /** The services that the node runs; no server of the pair runs them. */
  const configure = async () => {
    const [here] = (await nodes.config()) as [NodeManagerModel];
    const offeredAt = async (server: Service) =>
      (await server.ask('GET', '/rest/nodes/services')).body as Record<string, ServiceModel>;
    const [offered] = await until(
      'both servers offer what is installed on the node',
      () => Promise.all(both().map(offeredAt)),
      (seen) => seen.every((models) => STREAMS in models),
    );
    const onDemand = [{ name: 'TROUPE_START', value: 'ON_DEMAND' }];
    const far = ['TestLight', 'TestTrouble', STREAMS].map((name) => ({
      ...offered![name]!,
      serviceCount: 1,
      environmentVariables: onDemand,
    }));
    const near = here.services.filter((model) => !far.some((one) => one.serviceName === model.serviceName));
    const { status, text } = await nodes.save([
      { host: 'one', services: near },
      { host: 'two', services: near },
      { host: FAR, services: [...far, nodes.model('Steady')] },
    ]);
    expect(status, text).to.equal(201);
    const names = far.map(({ serviceName }) => `${serviceName}:1`);
    await until(
      'no server of the pair runs what the node is to run',
      () =>
        Promise.all(
          both().flatMap((server) =>
            ['one', 'two'].flatMap((host) => names.map((name) => new Nodes(server).state(name, host))),
          ),
        ),
      (seen) => seen.every((state) => state === undefined),
    );
  };
  const both = () => [pair().one, pair().two];
  const stateAt = async (server: Service, name: string) =>
    (await new Nodes(server).state(name, FAR))?.lastKnownState;
  const becomes = (name: string, state: string | readonly string[], servers = both()) =>
    until(
      `all servers show ${name} of ${FAR} as ${String(state)}`,
      () => Promise.all(servers.map((server) => stateAt(server, name))),
      (seen) => seen.every((one) => one !== undefined && [state].flat().includes(one)),
      WITHIN,
    );
  const listedAt = async (server: Service) => {
    const all = (await server.ask('GET', '/rest/nodes')).body as readonly NodeInfo[];
    return all.filter(({ host }) => host === FAR).map(({ connected }) => connected);
  };
  const isListed = (connected: boolean, servers = both()) =>
    until(
      `all servers list ${FAR} once, ${connected ? '' : 'not '}connected`,
      () => Promise.all(servers.map(listedAt)),
      (seen) => seen.every((one) => one.length === 1 && one[0] === connected),
      WITHIN,
    );
  const order = async (at: Service, verb: 'start' | 'stop', name: string) =>
    (await at.ask('POST', `/rest/nodes/services/${FAR}:${name}/${verb}`)).body;
  const handedOut = (subJob: (id: string) => boolean) =>
    both()
      .flatMap((server) => server.handedOut())
      .filter((one) => subJob(one.subJob));
  const workOf = (job: string) =>
    handedOut((id) => id.startsWith(`${job}.`)).filter(({ worker }) => worker.startsWith(`${FAR}:`));
  const hasBegun = ({ token }: { readonly token: string }) =>
    both()
      .flatMap((server) => server.log('request'))
      .some(({ path, status }) => path === `/worker/v1/leases/${token}/heartbeat` && status === 200);
  const waitingJob = async (at: Service) => {
    const file = join(at.mediaDir, `go-${Math.random()}`);
    const job = await at.submit({
      ...SHOT,
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
    // The lease of a component that has not sent a heartbeat yet ends with the server that handed it out.
    await until('a component of the node has sent a heartbeat for it', () => workOf(job).some(hasBegun));
    return { job, go: () => writeFileSync(file, '') };
  };
  const watchStream = async (at: Service): Promise<number> => {
    const camera = await rtsp(accessUnits(sample('face_move.mp4')), () => ({ speed: 0.2, after: 'stall' }));
    const { status, text, body } = await at.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri: camera.url, segmentSize: 10 },
      stallTimeout: -1,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    expect(status, text).to.equal(201);
    return (body as { jobId: number }).jobId;
  };
  const segmentsAt = async (server: Service, id: number) =>
    ((await server.ask('GET', `/rest/streaming/jobs/${id}?details=true`)).body as { segments: number })
      .segments;
  const reaches = (servers: readonly Service[], id: number, least: number) =>
    until(
      `stream ${id} has ${least} segments`,
      () => Promise.all(servers.map((server) => segmentsAt(server, id))),
      (seen) => seen.every((segments) => segments >= least),
      WITHIN,
    );
  /** Process ids as reported by the node. A process may be stopped before it reports anything. */
  const processesOf = (service: string) =>
    node
      .log('component process started')
      .map(({ worker }) => String(worker))
      .filter((worker) => worker.startsWith(`${FAR}:${service}:`));
  const watchers = () =>
    both()
      .flatMap((server) => server.log('handed out a sub-job'))
      .filter(({ kind }) => kind === 'STREAM');

  return {
    ...{ balancer: () => balancer, node: () => node, nodes: () => nodes },
    ...{ becomes, listedAt, isListed, order, workOf, waitingJob, watchStream, segmentsAt, reaches },
    ...{ processesOf, watchers },
  };
}
