import { expect } from 'chai';
import { story } from '../../support/story.ts';
import { until } from '../../support/until.ts';
import { deployed, failed, hosts, nodeManagers, ok, services } from './resources.ts';
import type { Suite } from './suite.ts';

const FAR = {
  host: 'far-host',
  services: [
    {
      serviceName: 'Markup',
      serviceDescription: 'Draws boxes.',
      serviceLauncher: 'generic',
      cmd: '/usr/bin/true',
      serviceCount: 2,
      workingDirectory: '/tmp',
      args: ['-x', ''],
      environmentVariables: [
        { name: 'A', value: '1' },
        { name: 'PATH', value: '/opt/bin', sep: ':' },
      ],
    },
  ],
};

export function nodeRows(suite: Suite): void {
  story('4.4 Nodes and services', 'What is posted is listed, and what is stopped is started.', () => {
    configuration(suite);
    startAndStop(suite);
  });
}

function configuration(suite: Suite): void {
  const read = () => suite.gets(['GET', '/rest/nodes/config'], 200, nodeManagers);

  suite.proves('GET /rest/nodes/config', 200, 'array of NodeManagerModel', async () => {
    expect((await read()).map(({ host }) => host)).to.deep.equal(['test-host']);
  });

  suite.proves('POST /rest/nodes/config', 201, 'CoreResponse; what was posted is read again', async () => {
    const before = await read();
    await suite.gets(['POST', '/rest/nodes/config', [...before, FAR]], 201, ok);
    expect(await read()).to.deep.equal([...before, FAR]);
  });

  suite.proves('POST /rest/nodes/config', 201, 'args and environmentVariables are optional', async () => {
    const before = await read();
    const { args: _, environmentVariables: __, ...service } = FAR.services[0]!;
    for (const more of [{}, { args: null, environmentVariables: null }]) {
      const changed = [before[0], { ...FAR, services: [{ ...service, ...more }] }];
      await suite.gets(['POST', '/rest/nodes/config', changed], 201, ok);
      const [, far] = await read();
      expect(far?.services[0]).to.deep.equal({ ...service, args: [], environmentVariables: [] });
    }
    await suite.gets(['POST', '/rest/nodes/config', before], 201, ok);
  });

  suite.proves('GET /rest/nodes/hosts', 200, 'object from host name to boolean', async () => {
    const answer = await suite.gets(['GET', '/rest/nodes/hosts'], 200, hosts);
    expect(answer).to.deep.equal({ 'test-host': true, 'far-host': false });
  });

  suite.proves('GET /rest/nodes/info', 200, 'DeployedNodeManagerModel', async () => {
    const { nodeModels } = await suite.gets(['GET', '/rest/nodes/info'], 200, deployed);
    expect(nodeModels.find(({ name }) => name === 'far-host:Markup:2')).to.deep.equal({
      kind: 'generic',
      lastKnownState: 'Configured',
      name: 'far-host:Markup:2',
      rank: 2,
      restartCount: 0,
      serviceCount: 2,
      unlaunchable: false,
    });
  });

  suite.proves('GET /rest/nodes/services', 200, 'object from serviceName to ServiceModel', async () => {
    const availableServices = await suite.gets(['GET', '/rest/nodes/services'], 200, services);
    for (const [name, { serviceName }] of Object.entries(availableServices))
      expect(serviceName).to.equal(name);
    expect(availableServices).to.include.keys('TestLight');
  });
}

function startAndStop(suite: Suite): void {
  const path = (name: string, verb: string) => `/rest/nodes/services/${name}/${verb}`;
  const becomes = (wanted: string) =>
    until(`TestLight is ${wanted}`, async () => {
      const { nodeModels } = await suite.gets(['GET', '/rest/nodes/info'], 200, deployed);
      return nodeModels.find(({ name }) => name === 'test-host:TestLight:1')?.lastKnownState === wanted;
    });

  for (const [verb, then] of [
    ['stop', 'InactiveNoStart'],
    ['start', 'Running'],
  ] as const) {
    const row = `POST /rest/nodes/services/{serviceName}/${verb}` as const;
    suite.proves(row, 200, 'CoreResponse, by the name <host>:<service>:<n>', async () => {
      await suite.gets(['POST', path('test-host:TestLight:1', verb)], 200, ok);
      await becomes(then);
    });

    suite.proves(row, 200, 'CoreResponse with responseCode 1 when there is no such service', async () => {
      for (const name of ['test-host:TestLight:9', 'far-host:No:1', 'x', '%3A', 'a%20b', '%'])
        await suite.gets(['POST', path(name, verb)], 200, failed);
    });
  }

  suite.proves(
    'POST /rest/nodes/services/{serviceName}/start',
    200,
    'CoreResponse, when the colons of the name are encoded',
    () => suite.gets(['POST', path('test-host%3ATestLight%3A1', 'start')], 200, ok),
  );
}
