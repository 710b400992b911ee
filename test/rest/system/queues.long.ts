/** Queues over a store that an earlier version has written. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { BATCH_JOB } from '../../../actors/batch-job/state/keys.ts';
import type { SubJobRow } from '../../../actors/batch-job/state/state.ts';
import { SqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { sampleUri, Service, withoutRedis } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const job = { media: [sampleUri('hello-world.png')], pipelineName: 'ABSENT PIPELINE' };

describe('Queues (specification 4.8)', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  it('take up work that an earlier version has stored for its one queue of media', async function () {
    withoutRedis.call(this);
    // Before it in the queue is one whose medium does not come: the media component is busy with that.
    let asked = 0;
    const web = createServer((_, response) => {
      if (++asked > 1) response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      await service.submit({ ...job, media: [`http://127.0.0.1:${(web.address() as AddressInfo).port}/a`] });
      await until('its medium is asked for', () => asked > 0);
      const id = await service.submit({ ...job, pipelineName: 'LIGHT PIPELINE' });
      await service.stop();
      expect(await asStoredEarlier(service)).to.equal(id.replace('test-host-', ''));
      await service.startHere();
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    } finally {
      web.closeAllConnections();
      web.close();
    }
  });
});

/** Makes of the newest job what an earlier version would have stored. Answers its number. */
async function asStoredEarlier({ dataDir }: Service): Promise<string> {
  const store = new SqliteStore(join(dataDir, 'troupe.db'));
  const [newest] = await store.list('batch-jobs', { limit: 1, descending: true });
  const actor = { kind: BATCH_JOB, id: newest!.id };
  const { version, owner, snapshot } = (await store.load(actor))!;
  const rows = await store.rows(actor, { prefix: '', limit: 10 });
  expect(rows.map(({ body }) => (body as SubJobRow).kind)).to.deep.equal(['PREPARE']);
  const putRows = rows.map(({ key, body }) => ({ key, body: { ...(body as SubJobRow), queue: 'MEDIA' } }));
  await store.commit({ actor, expected: version, owner, snapshot, putRows });
  await store.close();
  return actor.id;
}
