/** Who may delete pipelines, tasks and actions: specification 4.7. */
import { expect } from 'chai';
import { descriptorBody } from '../../actors/catalog/descriptors.ts';
import { ServiceWithRoles, type Client } from '../../support/roles.ts';

const BUILT_IN = [
  ['pipelines', 'LIGHT TWICE PIPELINE'],
  ['pipeline', 'LIGHT TWICE PIPELINE'],
  ['tasks', 'LIGHT TASK'],
  ['actions', 'LIGHT ACTION'],
] as const;

describe('Deletion of pipelines, tasks and actions (specification 4.7)', () => {
  let roles: ServiceWithRoles;
  before(async () => {
    roles = await ServiceWithRoles.here();
  });
  after(() => roles.close());

  const remove = (client: Client, path: string, name: string) =>
    roles.as(client, 'DELETE', `/rest/${path}/${encodeURIComponent(name)}`);
  const statusOf = async (path: string, name: string) =>
    (await roles.as('user', 'GET', `/rest/${path}/${encodeURIComponent(name)}`)).status;

  for (const [path, name] of BUILT_IN)
    it(`answers 403 when a USER deletes a built-in element under /rest/${path}`, async () => {
      const { status, headers, body } = await remove('user', path, ` ${name.toLowerCase()}`);
      expect(status).to.equal(403);
      expect(headers.get('www-authenticate')).to.equal('Bearer error="insufficient_scope"');
      expect((body as { message: string }).message).to.match(
        new RegExp(`^The component "\\w+" registered the \\w+ "${name}"\\. Only an ADMIN can delete it\\.$`),
      );
      expect(await statusOf(path === 'pipeline' ? 'pipelines' : path, name)).to.equal(200);
    });

  it('answers 403 when a USER deletes an element of a registered component', async () => {
    const { status } = await roles.as(
      'user',
      'POST',
      '/rest/components/registerUnmanaged',
      descriptorBody('ONE'),
    );
    expect(status).to.equal(201);
    const name = 'ONE ALGORITHM DETECTION PIPELINE';
    expect((await remove('user', 'pipelines', name)).status).to.equal(403);
    expect(await statusOf('pipelines', name)).to.equal(200);
    expect((await remove('admin', 'pipelines', name)).status).to.equal(200);
    expect(await statusOf('pipelines', name)).to.equal(404);
  });

  it('lets a USER delete own elements, and names that do not exist', async () => {
    for (const [path, body] of [
      ['pipelines', { tasks: ['LIGHT TASK'] }],
      ['tasks', { actions: ['LIGHT ACTION'] }],
      ['actions', { algorithm: 'LIGHT', properties: [] }],
    ] as const) {
      const created = await roles.as('user', 'POST', `/rest/${path}`, {
        name: 'OWN',
        description: 'd',
        ...body,
      });
      expect(created.status).to.equal(200);
      const foreign = await remove('colleague', path, 'OWN');
      expect([foreign.status, (foreign.body as { message: string }).message]).to.deep.equal([
        403,
        `The ${path.slice(0, -1)} "OWN" belongs to another user. Only its owner and an ADMIN can delete it.`,
      ]);
      for (let times = 0; times < 2; times++)
        expect((await remove('user', path, 'OWN')).status).to.equal(200);
      expect(await statusOf(path, 'OWN')).to.equal(404);
    }
  });

  it('lets an ADMIN delete built-in elements', async () => {
    const own = await ServiceWithRoles.here();
    try {
      for (const [path, name] of BUILT_IN) {
        const ask = (client: Client, method: string, folder: string) =>
          own.as(client, method, `/rest/${folder}/${encodeURIComponent(name)}`);
        expect((await ask('admin', 'DELETE', path)).status).to.equal(200);
        expect((await ask('user', 'GET', path === 'pipeline' ? 'pipelines' : path)).status).to.equal(404);
      }
    } finally {
      await own.close();
    }
  });
});
