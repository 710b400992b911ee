/** A component with the credentials of a client, whose tokens last for a fraction of its work. */
import { expect } from 'chai';
import { Access } from '../../components/sdk/access.ts';
import { WorkerClient } from '../../components/sdk/client.ts';
import { runWorker } from '../../components/sdk/worker.ts';
import { descriptorBody } from '../actors/catalog/descriptors.ts';
import { trackNamed } from '../support/raw-component.ts';
import { ServiceWithRoles } from '../support/roles.ts';
import { sampleUri, tracksOf } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('The access of a component', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.started({ LEASE_MS: '3000' });
  });
  after(() => roles.close());

  const credentials = (client: string) => ({
    issuer: roles.provider.issuer,
    clientId: client,
    clientSecret: `secret of ${client}`,
  });

  it('is renewed before it expires, by its heartbeats as well: a sub-job may take longer than a token', async () => {
    const { service, provider } = roles;
    await roles.as('user', 'POST', '/rest/components/registerUnmanaged', descriptorBody('LASTING'));
    provider.tokenSeconds.set('user', 2);
    const client = new WorkerClient(service.url, credentials('user'));
    const stop = new AbortController();
    const log: string[] = [];
    async function* handle() {
      // Six lives of a token, of this thread or that of the heartbeats.
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
        media: [sampleUri('astronaut.png')],
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
    expect(access.refused(tokens[0])).to.equal(true);
    expect(await access.bearer()).to.not.equal(tokens[0]);
    expect(new Access('a token').refused('a token')).to.equal(false);
  });

  it('ends the component, with a sentence that has no secret, when the provider does not know the client', async () => {
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
