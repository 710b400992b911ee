/** GET /rest/deliveries and redelivery, with a running service and real receivers. */
import { expect } from 'chai';
import type { Delivery, DeliveryPage } from '../../../client/answers.ts';
import { answer, drop, inTurn, Receiver, type Manner } from '../../support/servers/receiver.ts';
import { Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { LIGHT } from '../jobs/callbacks-suite.ts';

describe('The deliveries of callbacks', () => {
  let service: Service;
  let receiver: Receiver;
  before(async () => {
    service = await Service.start({ DELIVERY_FIRST_DELAY_MS: '50' });
  });
  after(() => service.close());
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.close());

  const list = async (query = '') => {
    const { status, body } = await service.ask('GET', `/rest/deliveries${query}`);
    expect(status).to.equal(200);
    return body as DeliveryPage;
  };
  const ofJob = async (id: string) => (await list(`?job=${id}`)).deliveries[0];
  const inState = (id: string, state: Delivery['state']) =>
    until(
      `the callback of ${id} is ${state}`,
      () => ofJob(id),
      (found) => found?.state === state,
    );
  const submit = (manner: Manner = answer(204)) => {
    receiver.manner = manner;
    return service.submit({
      ...LIGHT,
      callbackURL: `${receiver.url}/done?token=abc`,
      callbackMethod: 'POST',
    });
  };
  const redeliver = (id: string) => service.ask('POST', `/rest/deliveries/${id}/redeliver`);
  const statuses = ({ attempts }: Delivery) => attempts.map(({ status }) => status);

  it('list each attempt with the status of its answer or the reason of its failure', async () => {
    const id = await submit(inTurn(answer(500, 'not today'), drop, answer(204)));
    const found = (await inState(id, 'DELIVERED'))!;
    expect(found).to.include({
      ...{ id: `${id}_1_callback`, jobId: id, method: 'POST', jobStatus: 'COMPLETE', nextAttempt: null },
      url: `${receiver.url}/done?token=***`,
    });
    expect(statuses(found)).to.deep.equal([500, null, 204]);
    expect(found.attempts[0]?.error).to.equal('the receiver answered with status 500: not today');
    expect(found.attempts[1]?.error).to.contain('the connection was closed');
    const single = await service.ask('GET', `/rest/deliveries/${id}_1_callback`);
    expect(single.body).to.deep.equal(found);
  });

  it('are found by state and receiver, page by page', async () => {
    const ids = [await submit(), await submit(), await submit()];
    for (const id of ids) await inState(id, 'DELIVERED');
    const other = await Receiver.start(answer(404));
    const failed = await service.submit({ ...LIGHT, callbackURL: other.url });
    await inState(failed, 'FAILED');
    await other.close();
    const receiverHost = `receiver=127.0.0.1:${receiver.port}`;
    const first = await list(`?${receiverHost}&limit=2`);
    const second = await list(`?${receiverHost}&limit=2&before=${first.next}`);
    const found = [...first.deliveries, ...second.deliveries].map(({ jobId }) => jobId);
    expect(found.toSorted()).to.deep.equal(ids.toSorted());
    const states = (page: DeliveryPage) => page.deliveries.map(({ jobId, state }) => [jobId, state]);
    expect(states(await list(`?state=failed&receiver=${other.url}`))).to.deep.equal([[failed, 'FAILED']]);
    expect(states(await list(`?state=PENDING&${receiverHost}`))).to.deep.equal([]);
    const wrong = await service.ask('GET', '/rest/deliveries?state=lost');
    expect(wrong.status).to.equal(400);
  });

  it('are repeated under the same id, also after they were given up', async () => {
    const id = await submit(inTurn(answer(404), answer(204)));
    await inState(id, 'FAILED');
    const { status, body } = await redeliver(`${id}_1_callback`);
    expect([status, (body as Delivery).state]).to.deep.equal([202, 'PENDING']);
    expect(statuses((await inState(id, 'DELIVERED'))!)).to.deep.equal([404, 204]);
    await redeliver(`${id}_1_callback`);
    await until('it has come three times', () => receiver.requests.length === 3);
    expect([...receiver.keys]).to.deep.equal([[`${id}.1.callback`, 3]]);
    expect((await inState(id, 'DELIVERED'))!.attempts).to.have.length(3);
    expect((await service.job(id))?.callbackStatus).to.equal('COMPLETE');
  });

  it('are repeated after the server was killed right behind the request', async () => {
    const id = await submit(answer(404));
    await inState(id, 'FAILED');
    receiver.manner = answer(204);
    await service.dieAt({ at: 1, when: 'after' });
    await redeliver(`${id}_1_callback`).catch(() => undefined);
    await service.waitForExit();
    await service.start();
    expect(statuses((await inState(id, 'DELIVERED'))!)).to.deep.equal([404, 204]);
  });

  it('belong to the last run of a job: one that runs again answers 409, and an earlier one 404', async () => {
    const id = await submit();
    await inState(id, 'DELIVERED');
    const other = await service.submit({
      ...LIGHT,
      pipelineName: 'ABSENT PIPELINE',
      callbackURL: receiver.url,
    });
    expect((await redeliver(`${other}_1_callback`)).status).to.equal(409);
    await service.cancel(other);
    await service.resubmit(id);
    await until(
      'the second run has called back',
      () => ofJob(id),
      (found) => found?.state === 'DELIVERED',
    );
    for (const unknown of [`${id}_1_callback`, 'no-such-1_1_callback', 'x']) {
      expect((await service.ask('GET', `/rest/deliveries/${unknown}`)).status, unknown).to.equal(404);
      expect((await redeliver(unknown)).status, unknown).to.equal(404);
    }
    expect((await ofJob(id))?.id).to.equal(`${id}_2_callback`);
  });
});
