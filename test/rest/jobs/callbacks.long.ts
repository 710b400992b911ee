/**
 * Completion callbacks after the server died right before or after the last commit of a job, and detailed
 * tests of their delivery.
 */
import { expect } from 'chai';
import { answer, hang, Receiver } from '../../support/servers/receiver.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { CallbackSuite, lastOfItsServer, LIGHT } from './callbacks-suite.ts';

describe('Completion callbacks survive kill -9', function () {
  this.timeout(240_000);
  let service: Service;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start(answer(200));
    service = await Service.start({ DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200' });
  });
  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  for (const when of ['before', 'after'] as const)
    it(`right ${when} the last commit of the job`, async () => {
      const id = await lastOfItsServer(service, when, {
        media: [sampleUri('astronaut.png')],
        pipelineName: 'LIGHT PIPELINE',
        callbackURL: `${receiver.url}/done`,
      });
      const look = async () => (await service.job(id))?.callbackStatus;
      await until('the callback has been taken', look, (status) => status === 'COMPLETE');
      expect([...receiver.keys]).to.deep.equal([[`${id}.1.callback`, 1]]);
    });
});

describe('Completion callbacks (specification 6.1), in depth', () => {
  const suite = new CallbackSuite();
  /** More callbacks than the server sends to one receiver at a time. */
  const MANY = 9;

  it('a query that is there already is kept, and externalid is left out when none was given', async () => {
    const id = await suite.submit('/done?token=a%20b&x');
    await suite.status(id, 'COMPLETE');
    expect(suite.receiver.requests[0]?.path).to.equal(
      `/done?token=a%20b&x&jobid=${id}&outputobjecturi=${encodeURIComponent(suite.documentUri(id))}`,
    );
  });

  it('a dead receiver never delays another, and does not change jobStatus', async () => {
    suite.receiver.manner = hang;
    const waiting = await Promise.all(Array.from({ length: MANY }, (_, n) => suite.submit(`/hangs/${n}`)));
    const well = await suite.another();
    const id = await suite.service.submit({ ...LIGHT, callbackURL: `${well.url}/well` });
    await suite.status(id, 'COMPLETE');
    for (const each of waiting) expect((await suite.service.terminal(each)).jobStatus).to.equal('COMPLETE');
    expect((await suite.service.job(waiting[0]!))?.callbackStatus).to.equal('IN PROGRESS');
  });

  describe('that keep failing', () => {
    it('are told as failed also where their receiver fails so often that most are not tried', async () => {
      suite.receiver.manner = answer(503);
      const made = await Promise.all(Array.from({ length: MANY }, () => suite.submit('/done')));
      for (const id of made) await suite.status(id, /^ERROR: .*status 503$/);
      suite.receiver.manner = answer(200);
      for (const id of made) await suite.status(id, 'COMPLETE');
    });

    for (const refusal of [410, 403])
      it(`end at once when the receiver answers ${refusal}`, async () => {
        suite.receiver.manner = answer(refusal);
        const id = await suite.submit('/done');
        await suite.status(id, new RegExp(`^ERROR: .*status ${refusal}$`));
        const { callbackAttempts } = (await suite.service.detailedJob(id))!;
        expect(callbackAttempts).to.include({ attempts: 1, nextAttempt: null });
        expect(suite.receiver.requests).to.have.lengthOf(1);
      });

    it('are given up after the configured age, and say why', async () => {
      await suite.service.stop();
      await suite.service.startHere({ DELIVERY_GIVE_UP_MS: '300' });
      const { url } = suite.receiver;
      await suite.receiver.close();
      const id = await suite.service.submit({
        ...LIGHT,
        callbackURL: `${url}/nobody`,
        callbackMethod: 'POST',
      });
      const job = await suite.status(
        id,
        /^ERROR: Sending HTTP POST callback to ".*\/nobody" failed due to: /,
      );
      expect(job.jobStatus).to.equal('COMPLETE');
    });
  });
});
