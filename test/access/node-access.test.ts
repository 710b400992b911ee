/**
 * Nodes of a server behind an OpenID Connect provider: their role applies to one node name and allows nothing
 * else.
 */
import { expect } from 'chai';
import { FIRST } from '../actors/node-gateway/rack.ts';
import { NodeProcess, tokenFor } from '../support/processes/node-process.ts';
import { settingsOf } from '../support/roles.ts';
import { Service } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { TestProvider } from './support/provider.ts';

const NODES = { OIDC_NODE_CLAIM_NAME: 'groups', OIDC_NODE_CLAIM_VALUE: 'media-nodes' };
const HELLO = { ...FIRST, version: '0.1.0' };

describe('A node of a server behind an OpenID Connect provider', () => {
  let provider: TestProvider;
  let service: Service;
  const closing: NodeProcess[] = [];
  before(async () => {
    provider = await TestProvider.start();
    const settings = { ...settingsOf(provider), ...NODES, NODE_SILENCE_MS: '1500' };
    service = await Service.here(settings, () => provider.token('admin'));
  });
  after(async () => {
    await Promise.all(closing.map((one) => one.close()));
    await service.close();
    await provider.close();
  });
  const nodeOf = (name: string, client: string) => {
    const node = new NodeProcess(name, {
      TROUPE_URL: service.url,
      TROUPE_ISSUER_URI: provider.issuer,
      TROUPE_CLIENT_ID: client,
      TROUPE_CLIENT_SECRET: `secret of ${client}`,
    });
    closing.push(node);
    node.start();
    return node;
  };
  const syncAs = async (token: string, name = 'rack-9') => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await service.ask('POST', `/node/v1/${name}/sync`, HELLO, headers);
    return [status, (body as { message?: string }).message];
  };

  it('is let in by the client credentials of a client with the role, and never shows the secret', async () => {
    const node = nodeOf('rack-2', 'rack');
    await node.waitUntilConnected();
    const hosts = async () => (await service.ask('GET', '/rest/nodes/hosts')).body as object;
    await until('it is connected', hosts, (seen) => 'rack-2' in seen);
    expect(JSON.stringify(service.log()) + JSON.stringify(node.log())).to.not.include('secret of rack');
  });

  it('is the only one that may speak for its name, also while it is down', async () => {
    const node = nodeOf('rack-3', 'rack');
    await node.waitUntilConnected();
    const configured = (await service.ask('GET', '/rest/nodes/config')).body as object[];
    await service.ask('POST', '/rest/nodes/config', [
      ...configured,
      { host: 'rack-3', services: [{ ...SLEEPER, serviceCount: 0 }] },
    ]);
    await node.kill9();
    const [status, sentence] = await syncAs(await provider.token('shelf'), 'rack-3');
    expect(status).to.equal(403);
    expect(sentence).to.match(/^The name rack-3 belongs to another client: give this node another NODE_NAME/);
  });

  it('opens nothing else: neither the interface of clients nor the work of components', async () => {
    const headers = { authorization: `Bearer ${await provider.token('rack')}` };
    for (const [method, path, body] of [
      ['GET', '/rest/info'],
      ['GET', '/rest/nodes'],
      ['POST', '/rest/nodes/config', []],
      ['POST', '/worker/v1/claim', { algorithms: ['LIGHT'] }],
    ] as const)
      expect([path, (await service.ask(method, path, body, headers)).status]).to.deep.equal([path, 403]);
  });

  it('needs that role: neither ADMIN nor a token of the development provider will do', async () => {
    expect(await syncAs(await provider.token('admin'))).to.deep.equal([
      403,
      'The token does not have the role of a node. The token\'s "groups" claim did not contain "media-nodes".',
    ]);
    expect(await syncAs(await tokenFor(service, 'rack-9'))).to.deep.equal([
      401,
      'This server accepts tokens of its OpenID Connect provider only. Set TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET on the node.',
    ]);
    const [status, message] = await syncAs('nonsense');
    expect([status, message]).to.satisfy(
      ([s, m]: [number, string]) => s === 401 && m.startsWith('The access token was refused: '),
    );
  });
});

const SLEEPER = {
  serviceName: 'Sleeper',
  serviceDescription: '',
  serviceLauncher: 'simple',
  cmd: 'sleep',
  args: ['60'],
  workingDirectory: '.',
  environmentVariables: [],
};
