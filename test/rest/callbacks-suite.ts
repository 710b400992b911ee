/** What tests of callbacks share: a server that dies at the last commit of a job. */
import { expect } from 'chai';
import type { DeathWish } from '../support/server-main.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { sampleUri, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The server of `service` must run in a process of its own. */
export function callsOnce(when: DeathWish['when'], service: () => Service): void {
  it(`right ${when} the last commit of the job`, async () => {
    const receiver = await Receiver.start(answer(200));
    try {
      // accept, prepared, detected, finished, document
      await service().dieAt({ at: 5, when });
      const id = await service().submit({
        media: [sampleUri('astronaut.png')],
        pipelineName: 'LIGHT PIPELINE',
        callbackURL: `${receiver.url}/done`,
      });
      await service().ended();
      await service().startHere();
      const look = async () => (await service().job(id))?.callbackStatus;
      await until('the callback has been taken', look, (status) => status === 'COMPLETE');
      expect([...receiver.keys]).to.deep.equal([[`${id}.1.callback`, 1]]);
    } finally {
      await receiver.close();
    }
  });
}
