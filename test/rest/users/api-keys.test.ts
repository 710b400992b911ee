import { expect } from 'chai';
import { sampleUri } from '../../support/processes/service.ts';
import { ServiceWithRoles, type Client } from '../../support/roles.ts';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly role: string;
  readonly expires: string;
  readonly lastUsed: string | null;
}

describe('API keys over REST', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here({ JOB_VISIBILITY: 'own' });
  });
  after(() => roles.close());

  const create = async (client: Client, more: object = {}): Promise<Key> => {
    const { status, body } = await roles.as(client, 'POST', '/rest/keys', { name: 'import', ...more });
    expect(status).to.equal(201);
    return body as Key;
  };
  const by = ({ key }: Key, method: string, path: string, body?: unknown) =>
    roles.service.ask(method, path, body, { authorization: `Bearer ${key}` });
  const messageOf = (body: unknown) => (body as { message: string }).message;
  const job = { media: [{ mediaUri: sampleUri('hello-world.png') }], pipelineName: 'LIGHT PIPELINE' };

  it('act as the user who created them, with the jobs of the user', async () => {
    const key = await create('user');
    const who = await by(key, 'GET', '/rest/session');
    expect(who.body).to.include({ name: 'user', subject: 'user' });
    expect(who.body).to.deep.include({ roles: ['USER'], session: null });
    const { body } = await by(key, 'POST', '/rest/jobs', job);
    const { jobId } = body as { jobId: string };
    expect((await roles.as('user', 'GET', `/rest/jobs/${jobId}`)).status).to.equal(200);
    const other = await create('colleague');
    expect((await by(other, 'GET', `/rest/jobs/${jobId}`)).status).to.equal(400);
    await roles.service.terminal(jobId);
    expect((await by(key, 'DELETE', `/rest/jobs/${jobId}`)).status).to.equal(204);
  });

  it('have at most the role of the user', async () => {
    const refused = await roles.as('user', 'POST', '/rest/keys', { name: 'x', role: 'ADMIN' });
    expect([refused.status, messageOf(refused.body)]).to.deep.equal([
      403,
      'You do not have the role ADMIN, so your API keys cannot have it.',
    ]);
    const plain = await create('admin');
    expect((await by(plain, 'GET', '/rest/actors')).status).to.equal(403);
    const whole = await create('admin', { role: 'ADMIN', days: 366 });
    expect((await by(whole, 'GET', '/rest/actors')).status).to.equal(200);
    const again = await by(whole, 'POST', '/rest/keys', { name: 'x' });
    expect([again.status, messageOf(again.body)]).to.deep.equal([
      403,
      'An API key cannot create API keys. Log in, or use a token of the provider.',
    ]);
  });

  it('are listed without the key, and revoked by their user or an ADMIN', async () => {
    const [key, other] = [await create('user'), await create('user')];
    await by(key, 'GET', '/rest/info');
    const { body, text } = await roles.as('user', 'GET', '/rest/keys');
    const { keys } = body as { keys: readonly Key[] };
    expect(keys.find(({ id }) => id === key.id)?.lastUsed).to.be.a('string');
    expect(keys.find(({ id }) => id === other.id)?.lastUsed).to.equal(null);
    for (const { key: secret } of [key, other]) expect(text).to.not.include(secret.slice(-43));
    expect((await roles.as('colleague', 'GET', '/rest/keys')).text).to.not.include(key.id);
    expect((await roles.as('colleague', 'GET', '/rest/keys?all=true')).status).to.equal(403);
    expect((await roles.as('admin', 'GET', '/rest/keys?all=true')).text).to.include(key.id);
    expect((await roles.as('colleague', 'DELETE', `/rest/keys/${key.id}`)).status).to.equal(404);
    expect((await roles.as('user', 'DELETE', `/rest/keys/${key.id}`)).status).to.equal(204);
    expect((await by(key, 'GET', '/rest/info')).status).to.equal(401);
    expect((await roles.as('admin', 'DELETE', `/rest/keys/${other.id}`)).status).to.equal(204);
    expect((await by(other, 'GET', '/rest/info')).status).to.equal(401);
    expect((await roles.as('user', 'DELETE', `/rest/keys/${other.id}`)).status).to.equal(404);
  });

  it('are refused with a reason when the request is wrong', async () => {
    for (const [wrong, says] of [
      [{}, 'name'],
      [{ name: '' }, 'name: must have 1 to 64 characters'],
      [{ name: 'x', days: 367 }, 'days'],
      [{ name: 'x', role: 'ROOT' }, 'role: must be USER or ADMIN'],
    ] as const) {
      const { status, body } = await roles.as('user', 'POST', '/rest/keys', wrong);
      expect([status, messageOf(body)]).to.satisfy(
        ([code, message]: [number, string]) => code === 400 && message.includes(says),
      );
    }
  });

  it('survive a restart, and stand in the log by their id alone', async () => {
    const key = await create('user', { days: 1 });
    await by(key, 'POST', '/rest/jobs', job);
    await roles.service.stop();
    await roles.service.startHere();
    expect((await by(key, 'GET', '/rest/session')).status).to.equal(200);
    const lines = JSON.stringify([
      ...roles.service.log('audit'),
      ...roles.service.log('request'),
      ...roles.service.log('an API key was created'),
    ]);
    expect(lines).to.include(key.id);
    expect(lines).to.not.include(key.key.slice(-43));
    expect(lines).to.not.include('troupe_');
  });
});
