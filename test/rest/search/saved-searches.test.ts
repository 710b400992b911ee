/** Searches that users save on the server. */
import { expect } from 'chai';
import { Service } from '../../support/processes/service.ts';

describe('Saved searches', () => {
  let service: Service;
  before(async () => (service = await Service.here()));
  after(() => service.close());

  const list = async () =>
    (
      (await service.ask('GET', '/rest/searches')).body as {
        searches: readonly { id: string; name: string }[];
      }
    ).searches;

  it('survive a restart of the server, and are deleted', async () => {
    const query = { class: 'car', colour: 'red', sort: 'oldest', days: '7' };
    const made = await service.ask('POST', '/rest/searches', { name: ' Red cars ', query });
    expect(made.status).to.equal(201);
    await service.stop();
    await service.startHere({ PORT: new URL(service.url).port });
    const [saved] = await list();
    expect(saved).to.deep.include({ name: 'Red cars', query });
    expect((await service.ask('DELETE', `/rest/searches/${saved!.id}`)).status).to.equal(204);
    expect((await service.ask('DELETE', `/rest/searches/${saved!.id}`)).status).to.equal(404);
    expect(await list()).to.deep.equal([]);
  });

  for (const [what, body] of [
    ['without a name', { name: ' ', query: {} }],
    ['with a parameter that there is not', { name: 'x', query: { shape: 'round' } }],
    ['with a colour that there is not', { name: 'x', query: { colour: 'zeppelin' } }],
    ['with an order that there is not', { name: 'x', query: { sort: 'zeppelin' } }],
    ['with a place in the list', { name: 'x', query: { cursor: '812' } }],
    ['with days that are no number', { name: 'x', query: { days: 'all' } }],
  ] as const)
    it(`are refused ${what}`, async () => {
      expect((await service.ask('POST', '/rest/searches', body)).status).to.equal(400);
    });

  it('are at most 100 of a user', async () => {
    for (let n = 0; n < 100; n++)
      expect((await service.ask('POST', '/rest/searches', { name: `${n}`, query: {} })).status).to.equal(201);
    expect((await service.ask('POST', '/rest/searches', { name: 'x', query: {} })).status).to.equal(409);
    for (const { id } of await list()) await service.ask('DELETE', `/rest/searches/${id}`);
  });
});
