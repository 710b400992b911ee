/** Nodes and their services, with real processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../config/info.ts';
import type { ServiceModel } from '../../../actors/node-configuration/model.ts';
import { EventClient } from '../../support/events.ts';
import { isAlive } from '../../support/processes/processes.ts';
import { ServiceWithRoles } from '../../support/roles.ts';
import { sampleUri, Service, tracksOf } from '../../support/processes/service.ts';
import { until, within } from '../../support/until.ts';
import { HOST, Nodes } from './nodes-support.ts';

const PICTURE = sampleUri('digital-clock.jpg');
const SUCCESS = { responseCode: 0, message: null };
const ON_DEMAND = { name: 'TROUPE_START', value: 'ON_DEMAND' };

describe('Nodes and services (specification 4.4)', () => {
  let service: Service;
  let nodes: Nodes;
  before(async () => {
    service = await Service.here({
      SERVICE_STOP_MS: '300',
      SERVICE_LOG_LINES: '40',
      CANCEL_GRACE_MS: '200',
    });
    nodes = new Nodes(service);
  });
  after(() => service.close());

  describe('Until a configuration is posted', () => {
    let fresh: Service;
    let nodesOfFresh: Nodes;
    before(async () => {
      fresh = await Service.here();
      nodesOfFresh = new Nodes(fresh);
    });
    after(() => fresh.close());

    it('GET /rest/nodes/config lists every installed component of this host as started on demand', async () => {
      const [node, ...others] = await nodesOfFresh.config();
      expect([node?.host, others]).to.deep.equal([HOST, []]);
      expect(node?.services.map(({ serviceName }) => serviceName)).to.include.members([
        'TestLight',
        'TestAbsent',
      ]);
      expect(node?.services.map(({ serviceName }) => serviceName)).to.not.include('TroupeMedia');
      for (const model of node!.services) {
        expect(model).to.include({
          serviceCount: 1,
          cmd: '${TROUPE_NODE}',
          workingDirectory: '${TROUPE_HOME}',
        });
        expect(model.args.at(-1)).to.match(/^\$\{TROUPE_HOME\}\/.*components\/host\/main\.js$/);
        expect(model.environmentVariables).to.deep.include(ON_DEMAND);
        expect(JSON.stringify(model)).to.not.include(packageRoot);
      }
    });

    it('GET /rest/nodes/hosts lists this host, and GET /rest/nodes/info its services as Configured', async () => {
      expect((await fresh.ask('GET', '/rest/nodes/hosts')).body).to.deep.equal({ [HOST]: true });
      expect(await nodesOfFresh.state('TestAbsent:1')).to.deep.equal({
        name: `${HOST}:TestAbsent:1`,
        kind: 'generic',
        rank: 1,
        serviceCount: 1,
        lastKnownState: 'Configured',
        restartCount: 0,
        unlaunchable: false,
      });
    });

    it('GET /rest/nodes/services maps the name of each installed component to its service', async () => {
      const availableServices = (await fresh.ask('GET', '/rest/nodes/services')).body as Record<
        string,
        object
      >;
      expect(availableServices['TestLight']).to.include({ serviceName: 'TestLight', serviceCount: 1 });
      expect(availableServices).to.not.have.property('TroupeMedia');
    });
  });

  describe('The last lines of a service', () => {
    const logOf = (name: string) =>
      service.ask('GET', `/rest/nodes/services/${encodeURIComponent(name)}/log`);
    interface Log {
      readonly name: string;
      readonly lines: readonly {
        readonly process: string;
        readonly source: string;
        readonly text: string;
        readonly at: string;
      }[];
    }

    it('are what its processes wrote, when they began and why they ended', async () => {
      const args = ['-c', "echo 'first words'; echo 'a worry' >&2; exit 3"];
      const talking = nodes.model('Talks', 'run', { cmd: 'sh', args });
      await nodes.configure(talking);
      const { name, lines } = await until(
        'it has ended twice',
        async () => (await logOf(`${HOST}:Talks:1`)).body as Log,
        (log) => log.lines.filter(({ text }) => text.includes('exited with code 3')).length >= 2,
      );
      expect(name).to.equal(`${HOST}:Talks:1`);
      const first = lines.filter(({ process }) => process === lines[0]!.process);
      expect(first.map(({ source, text }) => [source, text.replace(/\d+\.$/, 'N.')])).to.have.deep.members([
        ['process', 'The process was started, with pid N.'],
        ['stdout', 'first words'],
        ['stderr', 'a worry'],
        ['process', 'The process has ended: the process exited with code N.'],
      ]);
      expect(Date.parse(first[0]!.at)).to.be.closeTo(Date.now(), 60_000);
    });

    it('are bounded, and 404 for what is no service of this host', async () => {
      const args = ['-c', 'n=0; while [ $n -lt 45 ]; do echo "line $n"; n=$((n + 1)); done; exit 3'];
      await nodes.configure(nodes.model('Chatters', 'run', { cmd: 'sh', args }));
      const log = await until(
        'only the newest are kept',
        async () => (await logOf(`${HOST}:Chatters:1`)).body as Log,
        ({ lines }) => lines.some(({ text }) => text === 'line 44'),
      );
      expect(log.lines.some(({ text }) => text === 'line 0')).to.equal(false);
      expect(log.lines.length).to.equal(40);
      for (const name of [`${HOST}:Chatters:2`, 'elsewhere:Talks:1', 'x'.repeat(1_000)]) {
        const { status, body } = await logOf(name);
        expect([name.slice(0, 20), status]).to.deep.equal([name.slice(0, 20), 404]);
        expect((body as { message: string }).message).to.match(
          /^There is no service ".{1,200}" on test-host or on another node/,
        );
      }
    });
  });

  describe('A service of a posted configuration', () => {
    it('configured with count 2 runs twice, each with its name, token, environment and folder', async () => {
      const model = nodes.model('Twice', 'run', {
        serviceCount: 2,
        workingDirectory: '${TROUPE_HOME}/samples',
        environmentVariables: [
          { name: 'PATH', value: '/opt/twice', sep: ':' },
          { name: 'HOME', value: '${PATH}|${TROUPE_HOME}|${NO_SUCH}' },
        ],
      });
      await nodes.configure({ ...model, args: [...model.args, '${SERVICE_NAME}'] });
      const both = [await nodes.becomes('Twice:1', 'Running'), await nodes.becomes('Twice:2', 'Running')];
      expect(both.map(({ rank, serviceCount, kind }) => [rank, serviceCount, kind])).to.deep.equal([
        [1, 2, 'simple'],
        [2, 2, 'simple'],
      ]);
      const processes = await nodes.startedTimes('Twice', 2);
      expect(new Set(processes.map(({ pid }) => pid)).size).to.equal(2);
      expect(new Set(processes.map(({ env }) => env['TROUPE_WORKER_TOKEN'])).size).to.equal(2);
      for (const { env, args, cwd, bootstrap } of processes) {
        expect(args).to.deep.equal([env['SERVICE_NAME']]);
        expect(env['SERVICE_NAME']).to.be.oneOf([`${HOST}:Twice:1`, `${HOST}:Twice:2`]);
        expect(env).to.include({ COMPONENT_NAME: 'Twice', TROUPE_SERVER_URL: service.url });
        expect(env['PATH']).to.equal(`${process.env['PATH']}:/opt/twice`);
        expect(env['HOME']).to.equal(`${env['PATH']}|${packageRoot}|`);
        expect(env, 'what the server keeps for itself').to.not.have.any.keys('DATA_DIR', 'TROUPE_START');
        expect(cwd).to.equal(join(packageRoot, 'samples'));
        expect(bootstrap).to.include({ serverUrl: service.url, token: env['TROUPE_WORKER_TOKEN'] });
        const headers = { authorization: `Bearer ${env['TROUPE_WORKER_TOKEN']}` };
        const claim = await service.ask('POST', '/worker/v1/claim', { algorithms: ['LIGHT'] }, headers);
        expect(claim.status, 'a claim of a service that is no component').to.equal(403);
      }
    });

    it('comes back when its process was killed, and restartCount grows', async () => {
      await nodes.configure(nodes.model('Killed'));
      const [first] = await nodes.startedTimes('Killed', 1);
      process.kill(first!.pid, 'SIGKILL');
      const [, second] = await nodes.startedTimes('Killed', 2);
      expect(second!.pid).to.not.equal(first!.pid);
      expect(await nodes.becomes('Killed:1', 'Running')).to.include({ restartCount: 1, unlaunchable: false });
    });

    it('that crashes again and again is unlaunchable and InactiveNoStart, until an ADMIN starts it', async () => {
      await nodes.configure(nodes.model('Crashing', 'crash'));
      const state = await nodes.becomes('Crashing:1', 'InactiveNoStart');
      expect(state).to.include({ unlaunchable: true, restartCount: 4 });
      expect(nodes.findProcesses('Crashing')).to.have.lengthOf(5);
      await nodes.configure(nodes.model('Crashing', 'crash'));
      expect((await nodes.state('Crashing:1'))?.lastKnownState, 'saved again').to.equal('InactiveNoStart');
      expect(await nodes.change('start', 'Crashing:1')).to.deep.equal(SUCCESS);
      await nodes.startedTimes('Crashing', 6);
    });

    for (const [what, wrong] of [
      ['command is missing', { cmd: '/no/such/command' }],
      ['command is not executable', { cmd: join(packageRoot, 'package.json') }],
      ['working directory is missing', { workingDirectory: '/no/such/folder' }],
      ['command needs a variable that is not there', { cmd: '${NO_SUCH_VARIABLE}/bin/run' }],
    ] as const)
      it(`is Inactive and unlaunchable at once when its ${what}`, async () => {
        await nodes.configure(nodes.model('Wrong', 'run', wrong));
        const state = await nodes.becomes('Wrong:1', 'Inactive');
        expect(state).to.include({ unlaunchable: true, restartCount: 0 });
        const { reason } = (await service.waitForLog('a service is unlaunchable', (line) =>
          String(line['reason']).includes(Object.values(wrong)[0]!.replace('${NO_SUCH_VARIABLE}', '')),
        )) as unknown as { reason: string };
        expect(reason).to.match(/must be an executable file|does not exist/);
        await nodes.configure(nodes.model('Wrong'));
        expect(await nodes.becomes('Wrong:1', 'Running')).to.include({ unlaunchable: false });
        await nodes.configure();
      });

    it('is stopped and started by REST; a later configuration does not start it', async () => {
      await nodes.configure(nodes.model('Stopped'));
      const [first] = await nodes.startedTimes('Stopped', 1);
      expect(await nodes.change('stop', 'Stopped:1')).to.deep.equal(SUCCESS);
      await nodes.becomes('Stopped:1', 'InactiveNoStart');
      expect(isAlive(first!)).to.equal(false);
      const model = nodes.model('Stopped');
      await nodes.configure({ ...model, args: [...model.args, 'other'] });
      await nodes.configure(nodes.model('Stopped'), nodes.model('Witness'));
      await nodes.becomes('Witness:1', 'Running');
      expect(await nodes.state('Stopped:1')).to.include({
        lastKnownState: 'InactiveNoStart',
        unlaunchable: false,
      });
      expect(await nodes.change('start', 'Stopped:1')).to.deep.equal(SUCCESS);
      await nodes.becomes('Stopped:1', 'Running');
      expect(await nodes.change('start', 'Stopped:1'), 'one that runs').to.deep.equal(SUCCESS);
      expect(await nodes.startedTimes('Stopped', 2)).to.have.lengthOf(2);
    });

    it('that ignores SIGTERM gets SIGKILL after SERVICE_STOP_MS', async () => {
      await nodes.configure(nodes.model('Stubborn', 'stubborn'));
      const [process] = await nodes.startedTimes('Stubborn', 1);
      await nodes.change('stop', 'Stubborn:1');
      expect((await nodes.state('Stubborn:1'))?.lastKnownState).to.equal('ShuttingDownNoRestart');
      await nodes.becomes('Stubborn:1', 'InactiveNoStart');
      const { reason } = await service.waitForLog('component process ended', ({ worker }) =>
        String(worker).includes('Stubborn'),
      );
      expect([reason, isAlive(process!)]).to.deep.equal(['the process was ended by SIGKILL', false]);
    });

    it('ends with everything that it has started itself', async () => {
      const file = join(service.mediaDir, 'inner.pid');
      const args = ['-c', 'sleep 600 & echo $! > "$0.part" && mv "$0.part" "$0"; wait', file];
      await nodes.configure(nodes.model('Shell', 'run', { cmd: 'sh', args }));
      const pid = Number(
        await until('the shell has started it', () => existsSync(file) && readFileSync(file, 'utf8')),
      );
      try {
        await nodes.change('stop', 'Shell:1');
        await until(`process ${pid} has ended`, () => !isAlive({ pid }));
      } finally {
        if (isAlive({ pid })) process.kill(pid, 'SIGKILL');
      }
    });

    it('of a lower count keeps its first ranks; one that is left out is removed', async () => {
      await nodes.configure(
        nodes.model('Fewer', 'run', { serviceCount: 3 }),
        nodes.model('Gone', 'stubborn'),
      );
      const [gone] = await nodes.startedTimes('Gone', 1);
      const three = await nodes.startedTimes('Fewer', 3);
      await nodes.configure(nodes.model('Fewer'));
      expect((await nodes.state('Gone:1'))?.lastKnownState).to.equal('Delete');
      await until(
        'only the first rank is left',
        () => nodes.info(),
        (all) => all.length === 1,
      );
      expect(await nodes.state('Fewer:1')).to.include({ lastKnownState: 'Running', restartCount: 0 });
      const alive = three.filter(isAlive).map(({ env }) => env['SERVICE_NAME']);
      expect([alive, isAlive(gone!)]).to.deep.equal([[`${HOST}:Fewer:1`], false]);
      await nodes.configure(nodes.model('Fewer'), nodes.model('Gone'));
      await nodes.becomes('Gone:1', 'Running');
    });

    it('of another definition replaces the one that runs', async () => {
      const model = nodes.model('Changed');
      await nodes.configure(model);
      const [first] = await nodes.startedTimes('Changed', 1);
      await nodes.configure({ ...model, serviceDescription: 'Described otherwise.' });
      await nodes.configure({ ...model, args: [...model.args, 'anew'] });
      const [, second, ...more] = await nodes.startedTimes('Changed', 2);
      expect([second!.args, more, isAlive(first!)]).to.deep.equal([['anew'], [], false]);
      expect(await nodes.becomes('Changed:1', 'Running')).to.include({ restartCount: 1 });
    });

    it('that was removed while it still ended, and is wanted again, is launched again', async () => {
      await nodes.configure(nodes.model('Back', 'stubborn'));
      const [first] = await nodes.startedTimes('Back', 1);
      await nodes.configure();
      await nodes.configure(nodes.model('Back', 'stubborn'));
      const [, second] = await nodes.startedTimes('Back', 2);
      expect([isAlive(first!), isAlive(second!)]).to.deep.equal([false, true]);
      await nodes.becomes('Back:1', 'Running');
    });
  });

  describe('POST /rest/nodes/config', () => {
    it('keeps hosts of others, whose services are shown as Configured', async () => {
      const elsewhere = { host: 'other-host', services: [nodes.model('Away', 'run', { serviceCount: 2 })] };
      const { status, body } = await nodes.save([elsewhere, { host: HOST, services: [] }]);
      expect([status, (body as { responseCode: number }).responseCode]).to.deep.equal([201, 2]);
      expect(await nodes.config()).to.deep.equal([elsewhere, { host: HOST, services: [] }]);
      expect((await service.ask('GET', '/rest/nodes/hosts')).body).to.deep.equal({
        'other-host': false,
        [HOST]: true,
      });
      await until(
        'only services of the other host are left',
        () => nodes.info(),
        (all) => all.length === 2,
      );
      expect((await nodes.info()).map(({ name, lastKnownState }) => [name, lastKnownState])).to.deep.equal([
        ['other-host:Away:1', 'Configured'],
        ['other-host:Away:2', 'Configured'],
      ]);
      expect(nodes.findProcesses('Away')).to.deep.equal([]);
    });

    for (const [verb, deed] of [
      ['start', 'starting'],
      ['stop', 'shutting down'],
    ] as const)
      it(`says that the node does not answer when a service on a host that is away is to ${verb}`, async () => {
        await nodes.save([
          { host: 'other-host', services: [nodes.model('Away')] },
          { host: HOST, services: [] },
        ]);
        const change = (name: string) => service.ask('POST', `/rest/nodes/services/${name}/${verb}`);
        const { status, body } = await change('other-host:Away:1');
        expect([status, body]).to.deep.equal([
          200,
          {
            responseCode: 1,
            message: `Error ${deed} the service with name 'other-host:Away:1'. The log of the server has more. The node other-host does not answer. Try again later.`,
          },
        ]);
        const unknown = (await change('no-host:Away:1')).body as { message: string };
        expect(unknown.message).to.include('No connected node has this service');
      });

    it('keeps the first of several entries of a host, and says so with responseCode 2', async () => {
      const first = { host: HOST, services: [nodes.model('First')] };
      const { status, body } = await nodes.save([first, { host: HOST, services: [nodes.model('Second')] }]);
      expect([status, (body as { responseCode: number }).responseCode]).to.deep.equal([201, 2]);
      expect((body as { message: string }).message).to.include(HOST);
      expect(await nodes.config()).to.deep.equal([first]);
    });

    const wrongs: Readonly<Record<string, (model: object) => unknown>> = {
      'no array': (model) => ({ host: HOST, services: [model] }),
      'no host': (model) => [{ services: [model] }],
      'a host with a colon': (model) => [{ host: 'a:b', services: [model] }],
      'no services': () => [{ host: HOST }],
      'a count below 0': (model) => [{ host: HOST, services: [{ ...model, serviceCount: -1 }] }],
      'too large a count': (model) => [{ host: HOST, services: [{ ...model, serviceCount: 1_025 }] }],
      'a launcher of its own': (model) => [
        { host: HOST, services: [{ ...model, serviceLauncher: 'rocket' }] },
      ],
      'a blank command': (model) => [{ host: HOST, services: [{ ...model, cmd: ' ' }] }],
      'a command with NUL': (model) => [{ host: HOST, services: [{ ...model, cmd: 'a\0b' }] }],
      'one service twice': (model) => [{ host: HOST, services: [model, model] }],
      'the service of the server itself': (model) => [
        { host: HOST, services: [{ ...model, serviceName: 'TroupeMedia' }] },
      ],
      'a value that stands for one that was hidden': (model) => [
        {
          host: HOST,
          services: [{ ...model, environmentVariables: [{ name: 'A', value: '<hidden>' }] }],
        },
      ],
      'a variable without a name': (model) => [
        { host: HOST, services: [{ ...model, environmentVariables: [{ name: '', value: 'x' }] }] },
      ],
    };
    for (const [what, body] of Object.entries(wrongs))
      it(`is refused with 400 and the reason for ${what}, and nothing changes`, async () => {
        const before = await nodes.config();
        const answer = await service.ask('POST', '/rest/nodes/config', body(nodes.model('Refused')));
        expect(answer.status).to.equal(400);
        expect((answer.body as { message: string }).message).to.not.equal('');
        expect(await nodes.config()).to.deep.equal(before);
        expect(nodes.findProcesses('Refused')).to.deep.equal([]);
      });

    it('takes fields that it does not know, `sep` null and services without optional fields', async () => {
      const {
        args: _,
        environmentVariables: __,
        ...least
      } = nodes.model('Least', 'run', { serviceCount: 0 });
      const variable = { name: 'A', value: 'b', sep: null };
      const full = { ...nodes.model('Full', 'run', { serviceCount: 0 }), environmentVariables: [variable] };
      const posted = [{ host: HOST, coreNode: true, online: false, services: [least, full] }];
      expect((await nodes.save(posted)).status).to.equal(201);
      const [node] = await nodes.config();
      expect(node).to.have.all.keys('host', 'services');
      expect(node!.services[0]).to.deep.equal({ ...least, args: [], environmentVariables: [] });
      expect(node!.services[1]?.environmentVariables).to.deep.equal([{ name: 'A', value: 'b' }]);
    });
  });

  for (const [verb, message] of [
    ['start', 'Error starting the service with name'],
    ['stop', 'Error shutting down the service with name'],
  ] as const)
    it(`answers 200 with responseCode 1 when a service that does not exist is to ${verb}`, async () => {
      for (const name of ['NoSuch:1', 'TroupeMedia:1', 'a%2Fb', '__proto__']) {
        const body = (await nodes.change(verb, name)) as { responseCode: number; message: string };
        expect(body.responseCode).to.equal(1);
        expect(body.message).to.include(`${message} '${HOST}:${name}'. The log of the server has more.`);
      }
    });
});

describe('Services and the work of jobs', () => {
  let service: Service;
  let nodes: Nodes;
  let installed: readonly ServiceModel[];
  before(async () => {
    service = await Service.here({ SERVICE_STOP_MS: '300', CANCEL_GRACE_MS: '200' });
    nodes = new Nodes(service);
    installed = (await nodes.config())[0]!.services;
  });
  // Resets the configuration: each test begins with two stopped services of every component.
  beforeEach(async () => {
    await nodes.configure();
    await until(
      'no service is left',
      () => nodes.info(),
      (all) => all.length === 0,
    );
    await nodes.configure(...installed.map((model) => ({ ...model, serviceCount: 2 })));
    await nodes.becomes('TestLight:2', 'Configured');
    await until('no message is left', messages, ({ length }) => length === 0);
  });
  after(() => service.close());

  const messages = async () =>
    (await service.ask('GET', '/rest/system-message/type/admin')).body as {
      msg: string;
      severity: string;
    }[];
  const light = { media: [PICTURE], pipelineName: 'LIGHT PIPELINE' };
  const waits = async (id: string) => {
    await until(
      'its sub-job is queued',
      async () => (await service.detailedJob(id))?.waitingFor?.queue,
      (queue) => queue === 'TROUPE.DETECTION_LIGHT_REQUEST',
    );
    expect((await service.job(id))?.terminal).to.equal(false);
    expect(service.handedOut().filter(({ subJob }) => subJob.startsWith(`${id}.1.0.0.0.`))).to.deep.equal([]);
  };

  it('starts a component, whose service is then Running, also with an edited configuration', async () => {
    expect((await service.run(light)).status).to.equal('COMPLETE');
    expect((await nodes.state('TestLight:1'))?.lastKnownState).to.equal('Running');
    for (const idle of ['TestLight:2', 'TestAbsent:1'])
      expect((await nodes.state(idle))?.lastKnownState).to.equal('Configured');
  });

  it('waits for a service that an ADMIN stopped, says so, and goes on when one is started', async () => {
    await service.run(light);
    for (const rank of [1, 2]) await nodes.change('stop', `TestLight:${rank}`);
    const id = await service.submit(light);
    await waits(id);
    await nodes.becomes('TestLight:1', 'InactiveNoStart');
    const expected = {
      kind: 'COMPONENT',
      reason: 'No component processes its sub-jobs now: stopped by an administrator.',
      queue: 'TROUPE.DETECTION_LIGHT_REQUEST',
      position: 1,
      service: 'TestLight',
    };
    await until(
      'it says why',
      async () => (await service.detailedJob(id))?.waitingFor,
      (seen) => seen?.reason === expected.reason,
    );
    expect((await service.detailedJob(id))?.waitingFor).to.deep.equal(expected);
    const events = await EventClient.open(service, `/rest/jobs/${id}/events`);
    await until(
      'the events say it, too',
      () => events.events[0]?.data.waitingFor?.reason === expected.reason,
    );
    await nodes.change('start', 'TestLight:2');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    await within(10_000, 'the events end', events.end);
    expect(events.events.at(-1)?.data.waitingFor).to.equal(null);
    expect((await nodes.state('TestLight:1'))?.lastKnownState).to.equal('InactiveNoStart');
    await nodes.change('start', 'TestLight:1');
  });

  it('waits while no service of its component is configured, and says so in every place', async () => {
    await service.run(light);
    const all = (await nodes.config())[0]!.services;
    const forgotten = all.filter(({ serviceName }) => serviceName !== 'TestLight');
    const { status, body } = await nodes.save([{ host: HOST, services: forgotten }]);
    const { responseCode, message } = body as { responseCode: number; message: string };
    expect([status, responseCode]).to.deep.equal([201, 2]);
    expect(message).to.match(
      /no service for components .* on test-host: TestLight\. Jobs that need them wait/,
    );
    const told = await until('the message is posted', messages, ({ length }) => length > 0);
    expect(told.map(({ msg, severity }) => [msg, severity])).to.deep.equal([[message, 'warning']]);
    await service.waitForLog(message, ({ level }) => level === 'warn');
    await until(
      'its processes are gone',
      () => nodes.info(),
      (left) => !left.some(({ name }) => name.includes('TestLight')),
    );
    const id = await service.submit(light);
    await waits(id);
    await until(
      'the job says why it waits',
      () => service.ask('GET', `/rest/jobs/${id}?details=true`),
      ({ text }) => text.includes('no service of LIGHT is configured on this node'),
    );

    await nodes.configure({ ...all[0]!, serviceName: 'Other' });
    const later = await until(
      'another message',
      messages,
      ([one]) => one?.msg.includes(' more. Jobs') === true,
    );
    expect(later, 'in place of the one before').to.have.length(1);
    expect((await nodes.save([{ host: HOST, services: all }])).body).to.deep.equal(SUCCESS);
    await until('the message is gone', messages, ({ length }) => length === 0);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('is given back uncounted by a service that is stopped in the middle of it', async () => {
    const once = { TROUBLE: 'hang', TROUBLE_RUNS: '1', TROUBLE_FILE: join(service.folder, 'hang') };
    const id = await service.submit({
      media: [PICTURE],
      pipelineName: 'TROUBLE PIPELINE',
      jobProperties: once,
    });
    const mine = ({ subJob }: { subJob: string }) => subJob === `${id}.1.0.0.0.0`;
    await until('it hangs', () => existsSync(once.TROUBLE_FILE));
    await nodes.change('stop', 'TestTrouble:1');
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    expect(
      service
        .handedOut()
        .filter(mine)
        .map(({ attempt }) => attempt),
    ).to.deep.equal([1, 1]);
  });

  it('is for the next rank when the one that was started for it is stopped before it was up', async () => {
    const [node] = await nodes.config();
    const model = node!.services.find(({ serviceName }) => serviceName === 'TestAbsent')!;
    await nodes.configure({ ...model, serviceCount: 2 });
    const id = await service.submit({ media: [PICTURE], pipelineName: 'ABSENT PIPELINE' });
    await nodes.becomes('TestAbsent:1', 'Running');
    expect((await nodes.state('TestAbsent:2'))?.lastKnownState).to.equal('Configured');
    await nodes.change('stop', 'TestAbsent:1');
    await nodes.becomes('TestAbsent:2', 'Running');
    await service.cancel(id);
    await nodes.configure();
    await until(
      'both are removed, and with them what an ADMIN had stopped',
      () => nodes.info(),
      (all) => all.length === 0,
    );
  });

  it('is done by any program that is configured under the name of its component', async () => {
    const script = join(service.mediaDir, 'absent.mjs');
    writeFileSync(script, COMPONENT);
    const model = nodes.model('TestAbsent', 'run', { args: [script], environmentVariables: [ON_DEMAND] });
    await nodes.configure(model);
    const document = await service.run({ media: [PICTURE], pipelineName: 'ABSENT PIPELINE' });
    expect(tracksOf(document.media[0], 'ABSENT').map(({ trackProperties }) => trackProperties)).to.deep.equal(
      [{ BY: `${HOST}:TestAbsent:1`, TOLD: 'nothing else' }],
    );
  });

  it('of a component that a client registered is done by the service that has its name', async () => {
    const absent = join(packageRoot, 'test', 'support', 'components', 'absent', 'descriptor.json');
    const descriptor = readFileSync(absent, 'utf8')
      .replaceAll('ABSENT', 'GUEST')
      .replace('TestAbsent', 'Guest');
    const script = join(service.mediaDir, 'guest.mjs');
    writeFileSync(script, COMPONENT.replace('ABSENT', 'GUEST'));
    const guest = nodes.model('Guest', 'run', { args: [script] });
    await nodes.configure(guest);
    await nodes.becomes('Guest:1', 'Running');
    const { status } = await service.ask('POST', '/rest/components/registerUnmanaged', descriptor);
    expect(status, 'registered while its service runs').to.equal(201);
    const document = await service.run({ media: [PICTURE], pipelineName: 'GUEST PIPELINE' });
    expect(tracksOf(document.media[0], 'GUEST')[0]?.trackProperties).to.include({ BY: `${HOST}:Guest:1` });
    expect((await service.ask('DELETE', '/rest/components/Guest')).status).to.equal(204);
  });

  it('that cannot be done, since the component cannot be started, fails', async () => {
    await nodes.configure(nodes.model('TestAbsent', 'run', { cmd: '/no/such/command' }));
    const id = await service.submit({ media: [PICTURE], pipelineName: 'ABSENT PIPELINE' });
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
  });
});

/** Claims and answers work with only the information from its environment. */
const COMPONENT = `
const { TROUPE_SERVER_URL, TROUPE_WORKER_TOKEN, SERVICE_NAME, TROUPE_START = 'nothing else' } = process.env;
const say = (path, body) =>
  fetch(TROUPE_SERVER_URL + '/worker/v1' + path, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + TROUPE_WORKER_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
process.stdin.resume().on('end', () => process.exit(0));
for (;;) {
  const { work = [] } = await (await say('/claim', { algorithms: ['ABSENT'], waitMs: 5000 })).json();
  if (work.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  for (const { token } of work) {
    const detection = { frame: 0, x: 1, y: 2, width: 3, height: 4, confidence: 0.5, properties: {} };
    const track = { startFrame: 0, stopFrame: 0, confidence: 0.5, properties: { BY: SERVICE_NAME, TOLD: TROUPE_START }, detections: [detection] };
    await say('/leases/' + token + '/result', track);
  }
}
`;

describe('After kill -9 of the server', () => {
  let service: Service;
  afterEach(() => service.close());

  it("keeps the configuration, runs its services, keeps an ADMIN's stop, and counts restarts", async () => {
    service = await Service.start({ SERVICE_STOP_MS: '300' });
    const nodes = new Nodes(service);
    const models = [
      nodes.model('Kept', 'run', { serviceCount: 2 }),
      nodes.model('Quiet'),
      nodes.model('Careless', 'run', { cmd: 'sleep', args: ['300'] }),
    ];
    await nodes.configure(...models);
    const before = await nodes.startedTimes('Kept', 2);
    await nodes.startedTimes('Quiet', 1);
    await nodes.becomes('Careless:1', 'Running');
    const careless = () =>
      service.log('component process started').findLast(({ worker }) => String(worker).includes('Careless'))!;
    const { pid: left } = careless();
    process.kill(before.find(({ env }) => env['SERVICE_NAME'] === `${HOST}:Kept:1`)!.pid, 'SIGKILL');
    await nodes.startedTimes('Kept', 3);
    await nodes.change('stop', 'Quiet:1');
    await nodes.becomes('Quiet:1', 'InactiveNoStart');

    await service.kill9();
    expect(isAlive({ pid: left }), 'it does not care about its pipe, and nobody could end it').to.equal(true);
    await service.startHere();
    expect(await nodes.config()).to.deep.equal([{ host: HOST, services: models }]);
    await nodes.startedTimes('Kept', 5);
    expect(await nodes.becomes('Kept:1', 'Running')).to.include({ restartCount: 1 });
    expect(await nodes.becomes('Kept:2', 'Running')).to.include({ restartCount: 0 });
    expect((await nodes.state('Quiet:1'))?.lastKnownState).to.equal('InactiveNoStart');
    expect(nodes.findProcesses('Quiet')).to.have.lengthOf(1);
    await nodes.change('start', 'Quiet:1');
    await nodes.startedTimes('Quiet', 2);

    await until('no process of before goes on', () => !isAlive({ pid: left }));
    await nodes.becomes('Careless:1', 'Running');
    const { pid: again } = careless();
    expect([again !== left, isAlive({ pid: again })]).to.deep.equal([true, true]);
    expect(await service.stop()).to.equal(0);
    expect(isAlive({ pid: again })).to.equal(false);
    expect(await service.files('processes')).to.deep.equal([]);
  });

  it('and an orderly stop ends every service, also one that ignores SIGTERM', async () => {
    service = await Service.here({ DRAIN_MS: '100' });
    const nodes = new Nodes(service);
    await nodes.configure(nodes.model('Stubborn', 'stubborn'), nodes.model('Ending', 'stubborn'));
    const processes = [
      ...(await nodes.startedTimes('Stubborn', 1)),
      ...(await nodes.startedTimes('Ending', 1)),
    ];
    await nodes.change('stop', 'Ending:1');
    expect(await service.stop()).to.equal(0);
    expect(processes.filter(isAlive)).to.deep.equal([]);
  });
});

describe('A user without the role ADMIN', () => {
  let behind: ServiceWithRoles;
  before(async () => {
    behind = await ServiceWithRoles.here();
  });
  after(() => behind.close());

  it('may look at nodes and services', async () => {
    for (const path of ['config', 'hosts', 'info', 'services'])
      expect((await behind.as('user', 'GET', `/rest/nodes/${path}`)).status).to.equal(200);
  });

  it('sees no value of an environment variable, which may be a password', async () => {
    const variables = [{ name: 'DB_PASSWORD', value: 'open sesame' }, ON_DEMAND];
    const service = {
      serviceName: 'Secretive',
      serviceDescription: '',
      serviceLauncher: 'simple',
      cmd: 'run',
      serviceCount: 1,
      workingDirectory: '/',
      args: [],
      environmentVariables: variables,
    };
    const posted = [{ host: HOST, services: [service] }];
    expect((await behind.as('admin', 'POST', '/rest/nodes/config', posted)).status).to.equal(201);
    expect((await behind.as('admin', 'GET', '/rest/nodes/config')).body).to.deep.equal(posted);
    const seen = await behind.as('user', 'GET', '/rest/nodes/config');
    expect(seen.text).to.not.include('sesame');
    const [node] = seen.body as typeof posted;
    expect(node?.services[0]?.environmentVariables).to.deep.equal([
      { name: 'DB_PASSWORD', value: '<hidden>' },
      ON_DEMAND,
    ]);
  });

  for (const [path, what] of [
    ['config', 'The node configuration was not saved.'],
    [`services/${HOST}:TestLight:1/start`, 'The service was not changed.'],
    [`services/${HOST}:TestLight:1/stop`, 'The service was not changed.'],
  ] as const)
    it(`is refused POST /rest/nodes/${path} with 403 and a CoreResponse with responseCode 1`, async () => {
      const { status, body } = await behind.as('user', 'POST', `/rest/nodes/${path}`, []);
      expect(status).to.equal(403);
      expect(body).to.include({
        responseCode: 1,
        code: 'role-required',
        message: `${what} This change needs the role ADMIN.`,
      });
      const admin = await behind.as('admin', 'POST', `/rest/nodes/${path}`, []);
      expect(admin.status).to.be.oneOf([200, 201]);
    });
});
