/**
 * Processes and services of a node that belongs to another server: what every server does for them and shows
 * about them.
 */
import path from 'node:path';
import { expect } from 'chai';
import { NodeReport } from '../../actors/node-manager/node-report.ts';
import type { DeployedServiceModel } from '../../actors/node-manager/node-state.ts';
import { hashToken, newToken } from '../../actors/node-manager/tokens.ts';
import { systemClock } from '../../actors/basics/clock.ts';
import { SqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { sampleUri, Service, withoutRedis } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const OTHER = 'rack-2';
/** Longer than the tests take. */
const LONG_MS = 600_000;
const SHORT_MS = 4_000;
const SERVICE: DeployedServiceModel = {
  name: `${OTHER}:TestAbsent:1`,
  kind: 'generic',
  rank: 1,
  serviceCount: 1,
  lastKnownState: 'Running',
  restartCount: 3,
  unlaunchable: false,
};

describe('A node of another server', () => {
  let service: Service;
  let nodes: Nodes;
  let token: string;
  let stranger: string;
  // The test writes the other server's data into the SQLite file. Servers that share a Redis have their own
  // tests.
  before(withoutRedis);
  before(async () => {
    service = await Service.here({ NODE_SILENCE_MS: String(LONG_MS) });
    nodes = new Nodes(service);
    const [here] = await nodes.config();
    const model = here!.services.find(({ serviceName }) => serviceName === 'TestAbsent')!;
    const { status } = await service.ask('POST', '/rest/nodes/config', [
      here,
      { host: OTHER, services: [model] },
    ]);
    expect(status).to.equal(201);
    expect(await nodes.state('TestAbsent:1', OTHER)).to.include({ lastKnownState: 'Configured' });
    await service.stop();
    await asOther();
    await service.startHere();
  });
  after(() => (service as Service | undefined)?.close());

  /** Writes what the other server would store: a heartbeat and a started process. */
  async function asOther(): Promise<void> {
    const store = new SqliteStore(path.join(service.dataDir, 'troupe.db'));
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const report = new NodeReport({
      ...{ store, logger, clock: systemClock, node: OTHER, alone: false, silenceMs: LONG_MS },
      owner: { server: 'other', epoch: 1 },
      services: () => [SERVICE],
    });
    [token, stranger] = [newToken(OTHER), newToken(OTHER)];
    report.add(hashToken(token), () => ({ worker: `${OTHER}:TestAbsent:1#1`, queues: ['ABSENT'] }));
    await report.beat();
    await report.close();
    await store.close();
  }
  const hosts = async () => (await service.ask('GET', '/rest/nodes/hosts')).body;

  it('is shown as it was heard of last; as Unknown, when that was long ago', async () => {
    expect(await nodes.state('TestAbsent:1', OTHER)).to.deep.equal(SERVICE);
    expect(await hosts()).to.deep.equal({ [HOST]: true, [OTHER]: true });
    await service.stop();
    await service.startHere({ NODE_SILENCE_MS: String(SHORT_MS) });
    await until(
      'it is silent',
      () => nodes.state('TestAbsent:1', OTHER),
      (seen) => seen?.lastKnownState === 'Unknown',
    );
    expect(await nodes.state('TestAbsent:1', OTHER)).to.deep.equal({ ...SERVICE, lastKnownState: 'Unknown' });
    expect(await hosts()).to.deep.equal({ [HOST]: true, [OTHER]: false });
  });

  it('has its processes work for any server, only in their own queues, and over a restart', async () => {
    const component = new RawComponent(service, token);
    const job = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'ABSENT PIPELINE',
    });
    expect((await component.say('/claim', { algorithms: ['LIGHT'] })).status).to.equal(403);
    const work = await component.claimOf(job, 'ABSENT');
    await service.stop();
    await service.startHere();
    expect((await component.heartbeat(work.token, 1, 2)).body).to.deep.equal({ go: 'on' });
    expect((await component.result(work.token, [trackNamed('a')])).status).to.equal(200);
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    const claims = service.handedOut().filter(({ subJob }) => subJob === work.id);
    expect(claims.map(({ attempt, worker }) => [attempt, worker])).to.deep.equal([
      [1, `${OTHER}:TestAbsent:1#1`],
    ]);
  });

  it('gives nobody in who has another token', async () => {
    const { status } = await new RawComponent(service, stranger).say('/claim', { algorithms: ['ABSENT'] });
    expect(status).to.equal(401);
  });
});
