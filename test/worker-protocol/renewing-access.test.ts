/** A component with client credentials, whose tokens expire several times during its work. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Access } from '../../components/sdk/connection/access.ts';
import { WorkerClient } from '../../components/sdk/connection/client.ts';
import { AccessError, ProtocolError } from '../../components/sdk/failure.ts';
import { requestAccess } from '../../components/sdk/connection/token-request.ts';
import { runWorker } from '../../components/sdk/work/worker.ts';
import { descriptorBody } from '../actors/catalog/descriptors.ts';
import { trackNamed } from '../support/processes/raw-component.ts';
import { ServiceWithRoles } from '../support/roles.ts';
import { sampleUri, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

describe('The access of a component', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here({ LEASE_MS: '3000' });
  });
  after(() => roles.close());

  const credentials = (client: string) => ({
    issuer: roles.provider.issuer,
    clientId: client,
    clientSecret: `secret of ${client}`,
  });

  it('is renewed before it expires, also by heartbeats: a sub-job may outlive a token', async () => {
    const { service, provider } = roles;
    await roles.as('user', 'POST', '/rest/components/registerUnmanaged', descriptorBody('LASTING'));
    provider.tokenSeconds.set('user', 2);
    const client = new WorkerClient(service.url, credentials('user'));
    const stop = new AbortController();
    const log: string[] = [];
    async function* handle() {
      // Six token lifetimes, counted over the main thread and the heartbeat thread.
      const before = provider.tokenRequests;
      await until(
        'tokens were renewed',
        () => provider.tokenRequests,
        (count) => count >= before + 6,
        {
          withinMs: 60_000,
        },
      );
      yield `${JSON.stringify(trackNamed('at last'))}\n`;
    }
    const options = { client, algorithms: ['LASTING ALGORITHM'], signal: stop.signal, handle };
    const working = runWorker({ ...options, log: (message) => log.push(message) });
    try {
      const id = await service.submit({
        media: [sampleUri('hello-world.png')],
        pipelineName: 'LASTING ALGORITHM DETECTION PIPELINE',
      });
      expect((await service.terminal(id)).jobStatus, log.join('\n')).to.equal('COMPLETE');
      expect(tracksOf((await service.document(id)).media[0], 'THING')).to.have.length(1);
      const attempts = service.handedOut().filter(({ subJob }) => subJob === `${id}.1.0.0.0.0`);
      expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1]);
    } finally {
      stop.abort();
      await working;
      client.close();
    }
  });

  it('serves on while the provider is away, for as long as the token is good', async () => {
    let now = 0;
    roles.provider.tokenSeconds.set('colleague', 100);
    const access = new Access(credentials('colleague'), () => now);
    const first = await access.bearer();
    now = 70_000;
    expect(await access.bearer()).to.equal(first);
    roles.provider.state = 'failing';
    try {
      now = 80_000;
      expect(await access.bearer(), 'it is time to renew it').to.equal(first);
      now = 100_000;
      expect(await access.bearer().catch(String), 'it has expired').to.include(
        'does not say where tokens are issued',
      );
    } finally {
      roles.provider.state = 'up';
    }
    expect(await access.bearer()).to.not.equal(first);
  });

  it('is asked for again when the server refuses a token, once; who has a token alone cannot', async () => {
    const access = new Access(credentials('colleague'));
    const tokens = await Promise.all([access.bearer(), access.bearer()]);
    expect(tokens[0], 'one request for both').to.equal(tokens[1]);
    expect(access.renewAfterRefusal(tokens[0])).to.equal(true);
    expect(await access.bearer()).to.not.equal(tokens[0]);
    expect(new Access('a token').renewAfterRefusal('a token')).to.equal(false);
  });

  /** A login provider that first answers discovery and token requests with these statuses, then normally. */
  async function answerProvider(statuses: { readonly address?: number[]; readonly token?: number[] }) {
    const { address = [], token = [] } = statuses;
    const server = createServer(({ url }, response) => {
      const isToken = url === '/token';
      const status = (isToken ? token : address).shift() ?? 200;
      const said = isToken ? { access_token: 'a token' } : { token_endpoint: `${issuer}/token` };
      response.writeHead(status).end(JSON.stringify(status === 200 ? said : { error: 'not_now' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const askForAccess = () => requestAccess({ ...credentials('user'), issuer });
    return { askForAccess, issuer, close: () => server.close() };
  }

  it('waits for a provider that is busy, starting or limits requests, but not after a refusal', async () => {
    const { askForAccess, close } = await answerProvider({
      address: [404, 503],
      token: [408, 425, 429, 500, 400, 401],
    });
    const errors: unknown[] = [];
    for (let n = 0; n < 8; n++) errors.push(await askForAccess().catch((error: unknown) => error));
    expect(errors.map((error) => (error as Error).name)).to.deep.equal([
      ...Array.from({ length: 6 }, () => 'AccessError'),
      ...['ProtocolError', 'ProtocolError'],
    ]);
    expect((errors[7] as ProtocolError).status).to.equal(401);
    expect((await askForAccess()).token).to.equal('a token');
    close();
  });

  it('ends the component with a reason if no provider answers; one that gave a token is awaited', async () => {
    const provider = await answerProvider({ address: [404, 200, 404] });
    const wrong = { ...credentials('user'), issuer: provider.issuer };
    const client = new WorkerClient(roles.service.url, wrong);
    const ended = runWorker({
      client,
      algorithms: ['LASTING ALGORITHM'],
      signal: new AbortController().signal,
      handle: () => (async function* () {})(),
      log: () => undefined,
    });
    expect(await ended.catch(String)).to.include('(status 404). Check the issuer.');
    client.close();
    let now = 0;
    const access = new Access(wrong, () => now);
    expect(await access.bearer()).to.equal('a token');
    now = 3_600_000;
    expect(await access.bearer().catch((error: unknown) => error)).to.be.instanceOf(AccessError);
    expect(await access.bearer()).to.equal('a token');
    provider.close();
  });

  it('is not the fault of the work: a sub-job for which there is none just now is given back', async () => {
    await roles.as('user', 'POST', '/rest/components/registerUnmanaged', descriptorBody('WAITING'));
    const provider = await answerProvider({ address: [404], token: [429, 401] });
    const client = new WorkerClient(roles.service.url, credentials('user'));
    const stop = new AbortController();
    let begun = 0;
    async function* handle() {
      begun++;
      await provider.askForAccess();
      yield `${JSON.stringify(trackNamed('at last'))}\n`;
    }
    const options = { client, algorithms: ['WAITING ALGORITHM'], signal: stop.signal, handle };
    const working = runWorker({ ...options, log: () => undefined });
    try {
      const media = [sampleUri('hello-world.png')];
      const pipelineName = 'WAITING ALGORITHM DETECTION PIPELINE';
      const id = await roles.service.submit({ media, pipelineName });
      expect((await roles.service.terminal(id)).jobStatus).to.equal('COMPLETE');
      expect(begun).to.equal(4);
    } finally {
      stop.abort();
      await working;
      client.close();
      provider.close();
    }
  });

  it('ends the component, with a reason but no secret, if the provider does not know the client', async () => {
    const client = new WorkerClient(roles.service.url, {
      ...credentials('user'),
      clientSecret: 'not the secret',
    });
    const worker = runWorker({
      client,
      algorithms: ['LASTING ALGORITHM'],
      signal: new AbortController().signal,
      handle: () => (async function* () {})(),
      log: () => undefined,
    });
    const why = await worker.catch(String);
    client.close();
    expect(why).to.include('gave no token to client "user"').and.not.include('not the secret');
  });
});
