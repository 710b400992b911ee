/**
 * Nodes whose network is cut. Each node has its own network namespace and a virtual cable that is pulled and
 * plugged in again.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { Namespace, noNamespaces } from '../support/servers/network-namespaces.ts';
import { NodeProcess, tokenFor } from '../support/processes/node-process.ts';
import { ReverseProxy } from '../support/servers/reverse-proxy.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const NAMES = ['rack-1', 'rack-2'] as const;
type Name = (typeof NAMES)[number];
const ID = 'TestTrouble:1';

const objection = noNamespaces();
const leftOut = objection === undefined ? '' : ` (left out: ${objection})`;

describe(`A node whose network is cut${leftOut}`, function () {
  this.timeout(180_000);
  let service: Service;
  let nodes: Nodes;
  let proxy: ReverseProxy;
  const hosts = new Map<Name, { readonly namespace: Namespace; readonly node: NodeProcess }>();
  let files = 0;

  before(async function () {
    if (objection !== undefined) return this.skip();
    service = await Service.start({ NODE_SILENCE_MS: '1500', LEASE_MS: '4000', SUB_JOB_ATTEMPTS: '5' });
    nodes = new Nodes(service);
    // A server with its own login provider listens on loopback only. This proxy replaces the usual tunnel to
    // it.
    proxy = await ReverseProxy.listen('', false, '0.0.0.0');
    proxy.serve(service.url);
    for (const [index, name] of NAMES.entries()) {
      const namespace = new Namespace(index + 1);
      const node = new NodeProcess(name, {
        TROUPE_URL: proxy.originAt(namespace.address),
        TROUPE_TOKEN: await tokenFor(service, name),
      });
      hosts.set(name, { namespace, node });
      node.moveTo(namespace.name);
      node.start();
      await node.waitUntilConnected();
    }
    const [here] = await nodes.config();
    const trouble = here!.services.find(({ serviceName }) => serviceName === 'TestTrouble')!;
    await nodes.save([{ host: HOST, services: [] }, ...NAMES.map((host) => ({ host, services: [trouble] }))]);
    for (const name of NAMES) await becomes(name, 'Configured');
  });
  after(async () => {
    for (const { namespace, node } of hosts.values()) {
      await node.close();
      namespace.close();
    }
    await proxy?.close();
    await service?.close();
  });

  const becomes = (host: Name, state: string) =>
    until(
      `${ID} of ${host} is ${state}`,
      () => nodes.state(ID, host),
      (seen) => seen?.lastKnownState === state,
      { withinMs: 60_000 },
    );
  const claims = (job: string) =>
    service
      .log('handed out a sub-job')
      .filter(({ subJob, kind }) => (subJob as string).startsWith(`${job}.`) && kind === 'DETECT')
      .map(({ attempt, worker }) => ({ attempt, host: (worker as string).split(':')[0] as Name }));
  const isHeldBy = (name: Name, job: string) =>
    until(
      `${name} works on ${job}`,
      () => claims(job),
      (all) => all.some(({ host }) => host === name),
      { withinMs: 60_000 },
    );
  /** A job whose detector waits until `go` is called. `holder`: the host that runs it. */
  const heldJob = async () => {
    const file = path.join(service.mediaDir, `go-${++files}`);
    const job = await service.submit({
      media: [sampleUri('astronaut.png')],
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
    const [first] = await until(
      'somebody works on it',
      () => claims(job),
      (all) => all.length > 0,
    );
    return { job, holder: first!.host, go: () => writeFileSync(file, '') };
  };

  it('is Unknown, loses what it held to another node, and works again once it is back', async () => {
    const { job, holder, go } = await heldJob();
    const { namespace } = hosts.get(holder)!;
    const [other] = NAMES.filter((name) => name !== holder) as [Name];
    namespace.unplug();
    await becomes(holder, 'Unknown');
    await isHeldBy(other, job);
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(claims(job)).to.deep.equal([
      { attempt: 1, host: holder },
      { attempt: 2, host: other },
    ]);
    namespace.plug();
    await becomes(holder, 'Running');
    hosts.get(other)!.namespace.unplug();
    await becomes(other, 'Unknown');
    const again = await heldJob();
    expect(
      again.holder,
      'a process of the other one still waits for work, as far as the server can see',
    ).to.equal(holder);
    again.go();
    expect((await service.terminal(again.job)).jobStatus).to.equal('COMPLETE');
    hosts.get(other)!.namespace.plug();
    await becomes(other, 'Running');
  });
});
