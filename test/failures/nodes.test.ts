/**
 * Nodes on other hosts, each in its own process and folder: what they run, and what happens to their work
 * after a crash.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { errorMembers } from '../../http/routing/errors.ts';
import type { NodeManagerModel, ServiceModel } from '../../actors/node-configuration/model.ts';
import type { SyncAnswer } from '../../actors/node-gateway/messages.ts';
import { hashToken, newToken } from '../../actors/node-manager/tokens.ts';
import type { NodeInfo } from '../../actors/views/node-list.ts';
import { readInfo } from '../../config/info.ts';
import { HOST, Nodes } from '../rest/system/nodes-support.ts';
import { NodeProcess, tokenFor } from '../support/processes/node-process.ts';
import { POLL_MS, RawComponent } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { until } from '../support/until.ts';

const SILENCE_MS = 1_500;
const OTHER = 'rack-2';

const HELLO = {
  ...{ instance: 'one', formerly: null, turn: 0, version: readInfo().version, server: '', done: 0 },
  ...{ configuration: '', services: [], processes: [], news: [], installed: [], leaving: false, waitMs: 0 },
};

describe('A node on another host', () => {
  let service: Service;
  let nodes: Nodes;
  let node: NodeProcess;
  let initial: NodeManagerModel;
  let files = 0;
  /** The list of nodes before any configuration for this node. */
  let unconfigured: Awaited<ReturnType<typeof listJobs>>;
  before(async () => {
    const env = { NODE_SILENCE_MS: String(SILENCE_MS), DRAIN_MS: '200', PORT: String(await freePort()) };
    service = await Service.start(env);
    nodes = new Nodes(service);
    [initial] = (await nodes.config()) as [NodeManagerModel];
    node = await NodeProcess.of(service, OTHER);
    unconfigured = await listJobs();
  });
  after(async () => {
    await node.close();
    await service.close();
  });

  const listJobs = async () => ({
    hosts: (await service.ask('GET', '/rest/nodes/hosts')).body,
    services: (await service.ask('GET', '/rest/nodes/services')).body,
    nodes: (await service.ask('GET', '/rest/nodes')).body as readonly NodeInfo[],
  });
  const connections = () => node.log('the node is connected to its server').length;
  /** Runs `start` and waits until the node and the server are connected again. */
  const reconnected = async (start: () => unknown) => {
    const before = connections();
    await start();
    await node.waitUntilConnected(before + 1);
  };
  /** A component on demand. A different definition starts a different process. */
  const component = (name: string, serviceCount = 1): ServiceModel => ({
    ...initial.services.find(({ serviceName }) => serviceName === name)!,
    serviceCount,
  });
  const configureNodes = async (here: readonly ServiceModel[], there: readonly ServiceModel[]) => {
    const { status, text } = await nodes.save([
      { host: HOST, services: here },
      { host: OTHER, services: there },
    ]);
    expect(status, text).to.equal(201);
  };
  const workersOf = (job: string) =>
    service
      .log('handed out a sub-job')
      .filter(({ subJob, kind }) => (subJob as string).startsWith(`${job}.`) && kind === 'DETECT')
      .map(({ attempt, worker }) => [attempt, (worker as string).replace(/#\d+$/, '')] as const);
  const stateThere = async (name: string) => (await nodes.state(name, OTHER))?.lastKnownState;
  const becomesThere = (name: string, state: string) =>
    until(
      `${name} of ${OTHER} is ${state}`,
      () => stateThere(name),
      (seen) => seen === state,
    );
  const goneThere = (name: string) =>
    until(
      `${name} is gone there`,
      () => stateThere(name),
      (seen) => seen === undefined,
    );
  const order = async (verb: 'start' | 'stop', name: string) =>
    (await service.ask('POST', `/rest/nodes/services/${OTHER}:${name}/${verb}`)).body;
  /** A job whose detector waits until `go` is called. */
  const waitingJob = async (media = 1) => {
    const file = path.join(service.mediaDir, `go-${++files}`);
    const job = await service.submit({
      media: Array.from({ length: media }, () => sampleUri('hello-world.png')),
      pipelineName: 'TROUBLE PIPELINE',
      algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
    });
    return { job, go: () => writeFileSync(file, '') };
  };
  const isHeld = (job: string, worker: string) =>
    until(
      `${worker} works on ${job}`,
      () => workersOf(job),
      (all) => all.some(([, name]) => name === worker),
    );

  it('is listed with its installed components before anything is configured for it', () => {
    expect(unconfigured.hosts).to.deep.equal({
      [HOST]: true,
      [OTHER]: true,
    });
    expect(unconfigured.services).to.have.property('TestTrouble');
    const [here, there, ...others] = unconfigured.nodes;
    expect(here).to.include({ host: HOST, own: true, connected: true, configured: true });
    expect(there).to.deep.include({
      ...{ host: OTHER, own: false, connected: true, configured: false, version: here!.version },
      ...{ services: 0, running: 0 },
    });
    expect(others).to.deep.equal([]);
  });

  it('starts its services on demand, and ends them when another node gets them during a job', async () => {
    await configureNodes([], []);
    await goneThere('TestTrouble:1');
    await configureNodes([], [component('TestTrouble')]);
    await becomesThere('TestTrouble:1', 'Configured');
    const { job, go } = await waitingJob(3);
    await isHeld(job, `${OTHER}:TestTrouble:1`);
    await becomesThere('TestTrouble:1', 'Running');
    await configureNodes([component('TestTrouble')], []);
    await isHeld(job, `${HOST}:TestTrouble:1`);
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(workersOf(job).map(([attempt]) => attempt)).to.satisfy((all: number[]) =>
      all.every((n) => n === 1),
    );
    await goneThere('TestTrouble:1');
  });

  it('tells an ADMIN the last lines of its services, over the server', async () => {
    const file = path.join(service.mediaDir, 'talks.mjs');
    writeFileSync(file, `console.error('a worry'); process.exitCode = 3;`);
    await configureNodes([], [nodes.model('Talks', 'run', { args: [file] })]);
    const logOf = (name: string) => service.ask('GET', `/rest/nodes/services/${OTHER}:${name}/log`);
    const { status, body } = await until(
      'it has ended twice',
      () => logOf('Talks:1'),
      (log) => JSON.stringify(log.body).split('exited with code 3').length > 2,
    );
    expect(status).to.equal(200);
    const { lines } = body as { lines: readonly { process: string; source: string; text: string }[] };
    const first = lines.filter(({ process }) => process === `${OTHER}:Talks:1#1`);
    expect(first.map(({ source }) => source)).to.have.members(['process', 'stderr', 'process']);
    expect(first.find(({ source }) => source === 'stderr')?.text).to.equal('a worry');
    expect((await logOf('Talks:2')).status).to.equal(404);
  });

  it('keeps its work over a restart of the server, with the first attempt of the same process', async () => {
    await configureNodes([], [component('TestTrouble')]);
    const { job, go } = await waitingJob();
    await isHeld(job, `${OTHER}:TestTrouble:1`);
    await service.kill9();
    await reconnected(() => service.start());
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(workersOf(job)).to.deep.equal([[1, `${OTHER}:TestTrouble:1`]]);
  });

  it('that is killed loses its processes; restarted, it rejoins at once and no attempt counts', async () => {
    await configureNodes([], [component('TestTrouble')]);
    const { job, go } = await waitingJob();
    await isHeld(job, `${OTHER}:TestTrouble:1`);
    await node.kill9();
    await reconnected(() => node.start());
    await until(
      'it is handed out again',
      () => workersOf(job),
      (all) => all.length === 2,
    );
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    expect(workersOf(job)).to.deep.equal([
      [1, `${OTHER}:TestTrouble:1`],
      [1, `${OTHER}:TestTrouble:1`],
    ]);
  });

  it('that stands still is Unknown, while its processes work on; it goes on where it was', async () => {
    await configureNodes([], [component('TestTrouble')]);
    const { job, go } = await waitingJob();
    await isHeld(job, `${OTHER}:TestTrouble:1`);
    node.signal('SIGSTOP');
    try {
      await becomesThere('TestTrouble:1', 'Unknown');
      expect((await service.ask('GET', '/rest/nodes/hosts')).body).to.deep.include({ [OTHER]: false });
      go();
      expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
      expect(workersOf(job)).to.deep.equal([[1, `${OTHER}:TestTrouble:1`]]);
    } finally {
      node.signal('SIGCONT');
    }
    await becomesThere('TestTrouble:1', 'Running');
  });

  it('whose component cannot be started has its work fail only when no other node can do it', async () => {
    await configureNodes(
      [component('TestTrouble')],
      [{ ...component('TestTrouble'), cmd: '/no/such/command' }],
    );
    const { job, go } = await waitingJob(2);
    go();
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    await configureNodes([], [{ ...component('TestTrouble'), cmd: '/no/such/command' }]);
    const lost = await waitingJob();
    expect((await service.terminal(lost.job)).jobStatus).to.equal('ERROR');
  });

  it('runs its last configuration without its server, except what an ADMIN stopped', async () => {
    await configureNodes([], [nodes.model('Alone'), nodes.model('Steady')]);
    await nodes.startedTimes('Alone', 1);
    await becomesThere('Steady:1', 'Running');
    expect(await order('stop', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
    await becomesThere('Steady:1', 'InactiveNoStart');
    await service.stop();
    await node.kill9();
    const before = connections();
    node.start();
    await nodes.startedTimes('Alone', 2);
    expect(connections()).to.equal(before);
    await reconnected(() => service.start());
    await becomesThere('Alone:1', 'Running');
    await becomesThere('Steady:1', 'InactiveNoStart');
    expect(await order('start', 'Steady:1')).to.deep.equal({ responseCode: 0, message: null });
    await becomesThere('Steady:1', 'Running');
    await configureNodes([], []);
    await until(
      'they end',
      () => Promise.all(['Alone:1', 'Steady:1'].map(stateThere)),
      (seen) => seen.every((state) => state === undefined),
    );
  });

  it('keeps what it was told for itself: passwords of services are in files of its user alone', async () => {
    const folder = path.join(node.dataDir, 'node');
    await configureNodes([], [nodes.model('Kept')]);
    await becomesThere('Kept:1', 'Running');
    const files = await until(
      'it has written its services',
      () => readdirSync(folder),
      (names) => names.includes('services.json'),
    );
    expect(files).to.have.members(['configuration.json', 'services.json', 'start.json', 'token.json']);
    const text = readFileSync(path.join(folder, 'token.json'), 'utf8');
    expect(text).to.not.include('join');
  });

  it('gets only the work of its configuration, and may finish what it holds when that changes', async () => {
    const name = 'rack-7';
    const token = newToken(name);
    const processes = [{ worker: `${name}:TestTrouble:1#1`, tokenHash: hashToken(token) }];
    const headers = { authorization: `Bearer ${await tokenFor(service, name)}` };
    let turn = 0;
    const readReport = async () => {
      const message = { ...HELLO, turn: turn++, processes };
      const { status } = await service.ask('POST', `/node/v1/${name}/sync`, message, headers);
      expect(status).to.equal(200);
    };
    await readReport();
    const raw = new RawComponent(service, token);
    const claim = { algorithms: ['TROUBLE'] };
    expect((await raw.say('/claim', claim)).status, 'nothing is configured for it').to.equal(403);
    await nodes.save([{ host: name, services: [component('TestTrouble')] }]);
    const job = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
    });
    // A node without recent reports gets no work.
    const claimWork = async () => {
      await readReport();
      return (await raw.claim('TROUBLE', { waitMs: 500 }))[0];
    };
    const work = await until('it gets the work', claimWork);
    await configureNodes([], []);
    expect((await raw.say('/claim', claim)).status, 'it was taken away').to.equal(403);
    const answer = await raw.post(`/leases/${work!.token}/result?claim=TROUBLE`, '');
    expect([answer.status, answer.body]).to.deep.equal([200, {}]);
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
  });

  it('that is cut off gets no work by a claim made before that, only by one made afterwards', async () => {
    const name = 'rack-8';
    const token = newToken(name);
    const processes = [{ worker: `${name}:TestTrouble:1#1`, tokenHash: hashToken(token) }];
    const headers = { authorization: `Bearer ${await tokenFor(service, name)}` };
    await nodes.save([{ host: name, services: [component('TestTrouble')] }]);
    const raw = new RawComponent(service, token);
    let turn = 0;
    const readReport = async () => {
      const message = { ...HELLO, turn: turn++, processes };
      const { status, body } = await service.ask('POST', `/node/v1/${name}/sync`, message, headers);
      expect(status).to.equal(200);
      return body as SyncAnswer;
    };
    await readReport();
    const waiting = raw.say('/claim', { algorithms: ['TROUBLE'], waitMs: POLL_MS });
    await until('the process has asked for work', readReport, ({ commands }) =>
      commands.some(({ type }) => type === 'cameUp'),
    );
    await readReport();
    const isConnected = async () =>
      ((await service.ask('GET', '/rest/nodes')).body as NodeInfo[]).find(({ host }) => host === name)
        ?.connected;
    await until('it is silent', isConnected, (connected) => connected === false);
    const job = await service.submit({
      media: [sampleUri('hello-world.png')],
      pipelineName: 'TROUBLE PIPELINE',
    });
    expect((await waiting).body).to.deep.equal({ work: [] });
    const [work] = await raw.claim('TROUBLE');
    expect(work?.attempt).to.equal(1);
    await raw.post(`/leases/${work!.token}/result?claim=TROUBLE`, '');
    expect((await service.terminal(job)).jobStatus).to.equal('COMPLETE');
    await configureNodes([], []);
  });

  // `cli/nodes` tests that the node process then ends with this message.
  describe('is refused with a sentence, and nothing is stored, when', () => {
    const refusedAs = async (name: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await service.ask('POST', `/node/v1/${name}/sync`, HELLO, headers);
      return [status, (body as { message: string }).message] as const;
    };
    const hosts = async () => Object.keys((await service.ask('GET', '/rest/nodes/hosts')).body as object);

    it('another node of its name is connected', async () => {
      expect(await refusedAs(OTHER, await tokenFor(service, OTHER))).to.deep.equal([
        409,
        `Another node is called ${OTHER} and is connected. Give each node its own NODE_NAME, or wait NODE_SILENCE_MS if you moved this node to another folder.`,
      ]);
    });

    it('its token is for another name, has expired, is of another server, or is none', async () => {
      const other = new Service();
      for (const [token, wanted, words] of [
        [await tokenFor(service, OTHER), 403, /^The token is for the node rack-2, not for rack-3/],
        [
          await tokenFor(service, 'rack-3', -1),
          401,
          /^The token for the node rack-3 has expired\. Run troupe token/,
        ],
        [await tokenFor(other, 'rack-3'), 401, /^The token for the node rack-3 was issued by another server/],
        [service.token, 401, /^This is not the token of a node/],
      ] as const) {
        const [status, message] = await refusedAs('rack-3', token);
        expect(message).to.match(words);
        expect(status).to.equal(wanted);
      }
      await other.close();
      expect(await hosts()).to.not.include('rack-3');
    });

    it('it calls itself as the server calls its own, or another one works in its folder', async () => {
      expect(await refusedAs(HOST, await tokenFor(service, HOST))).to.deep.equal([
        409,
        `${HOST} is the server's own node: give this one another NODE_NAME.`,
      ]);
      const beside = new NodeProcess('rack-4', {
        ...{ TROUPE_URL: service.url, DATA_DIR: node.dataDir, TROUPE_TOKEN: 'x' },
      });
      beside.start();
      const [code, held] = await beside.waitForRefusal();
      await beside.close();
      expect(code).to.equal(2);
      expect(held).to.match(/^Another node works in .* stop that one, or set DATA_DIR to another folder\.$/);
    });

    it('it comes with the token of a component process', async () => {
      await configureNodes([], [nodes.model('Token')]);
      const [started] = await nodes.startedTimes('Token', 1);
      const token = started!.env['TROUPE_WORKER_TOKEN']!;
      const answer = await service.askUndeclared(
        'POST',
        `/node/v1/${OTHER}/sync`,
        {},
        { authorization: `Bearer ${token}` },
      );
      expect([answer.status, answer.body]).to.deep.equal([
        403,
        errorMembers(
          'node-refused',
          'This is the token of a component process: only its node speaks for a node.',
          `${service.url}/docs`,
        ),
      ]);
      const claim = await new RawComponent(service, token).say('/claim', { algorithms: ['LIGHT'] });
      expect(claim.status, 'work of another algorithm').to.equal(403);
    });
  });

  describe('that is stopped', () => {
    it('ends in order, is Unknown, and takes no orders', async () => {
      await configureNodes([], [nodes.model('Last')]);
      await becomesThere('Last:1', 'Running');
      expect(await node.stop()).to.equal(0);
      await becomesThere('Last:1', 'Unknown');
      expect(await order('start', 'Last:1')).to.have.property('responseCode', 1);
      await reconnected(() => node.start());
    });
  });
});
