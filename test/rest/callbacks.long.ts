/** Completion callbacks survive the death of the server on both sides of the last commit of their job. */
import { expect } from 'chai';
import { answer, Receiver } from '../support/receiver.ts';
import { sampleUri, Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { lastOfItsServer } from './callbacks-suite.ts';

describe('Completion callbacks survive kill -9', function () {
  this.timeout(240_000);
  let service: Service;
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await Receiver.start(answer(200));
    service = await Service.started({ DELIVERY_FIRST_DELAY_MS: '50', DELIVERY_MAX_DELAY_MS: '200' });
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
