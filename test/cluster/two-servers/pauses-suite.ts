/** A pause at one server applies to the other server, too. */
import { expect } from 'chai';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { sampleUri, type Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import type { ServerPair } from './server-pair.ts';

const QUEUE = 'TROUPE.DETECTION_ABSENT_REQUEST';

export function pauses(pair: () => ServerPair): void {
  describe('a queue that is paused at the one', () => {
    const isPaused = async (at: Service) => {
      const { body } = await at.ask('GET', `/rest/queues/${QUEUE}`);
      return (body as { readonly paused?: object }).paused !== undefined;
    };
    const claim = (at: Service, waitMs: number) => new RawComponent(at).claim('ABSENT', { waitMs });

    it('hands out nothing at the other, until it is resumed there', async () => {
      const { one, two } = pair();
      await one.ask('POST', `/rest/queues/${QUEUE}/pause`);
      await until('the other knows', () => isPaused(two));
      const id = await one.submit({
        media: [sampleUri('hello-world.png')],
        pipelineName: 'ABSENT PIPELINE',
      });
      await until('its sub-job waits', async () => {
        const { body } = await two.ask('GET', `/rest/queues/${QUEUE}`);
        return (body as { readonly messagesInQueue: number }).messagesInQueue === 1;
      });
      expect(await claim(two, 0)).to.deep.equal([]);
      const waiting = claim(one, 20_000);
      await two.ask('POST', `/rest/queues/${QUEUE}/resume`);
      expect(await waiting).to.have.lengthOf(1);
      await one.cancel(id);
      await one.terminal(id);
    });

    it('is not the only thing: a server that drains takes no jobs, and the other does', async () => {
      const { one, two } = pair();
      await one.ask('POST', '/rest/servers/two/drain');
      const ready = async (at: Service) => (await at.ask('GET', '/readyz')).status;
      await until('it is not ready', async () => (await ready(two)) === 503);
      expect(await ready(one)).to.equal(200);
      await one.run({ media: [sampleUri('hello-world.png')], pipelineName: 'LIGHT PIPELINE' });
      await one.ask('POST', '/rest/servers/two/undrain');
      await until('it is ready again', async () => (await ready(two)) === 200);
    });
  });
}
