import { expect } from 'chai';
import { queue, problem } from './resources.ts';
import type { Suite } from './suite.ts';

export function queueRows(suite: Suite): void {
  describe('4.8 Queues', () => {
    suite.proves('GET /rest/queues', 200, 'array of QueueInfo', async () => {
      const names = (await suite.gets(['GET', '/rest/queues'], 200, queue.array())).map(({ name }) => name);
      expect(new Set(names).size).to.equal(names.length);
      expect(names).to.include.members(['TROUPE.DETECTION_LIGHT_REQUEST', 'TROUPE.MEDIA_INSPECTION']);
    });

    suite.proves('GET /rest/queues/{name}', 200, 'QueueInfo of every one that the list has', async () => {
      for (const { name } of await suite.gets(['GET', '/rest/queues'], 200, queue.array()))
        for (const written of [encodeURIComponent(name), name.replaceAll('.', '%2E').replaceAll(' ', '%20')])
          expect((await suite.gets(['GET', `/rest/queues/${written}`], 200, queue)).name).to.equal(name);
    });

    suite.proves('GET /rest/queues/{name}', 404, 'no such queue', async () => {
      for (const name of ['NO.SUCH', 'troupe.detection_light_request', '%', '%00', '__proto__'])
        await suite.gets(['GET', `/rest/queues/${name}`], 404, problem);
    });
  });
}
