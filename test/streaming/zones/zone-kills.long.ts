import { registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { visitWithKill } from './zone-kills.ts';

const KILLS = 200;
/** VISITS=50-99 runs only some of them. */
const [FIRST = 0, LAST = KILLS - 1] = (process.env['VISITS'] ?? '').split('-').filter(Boolean).map(Number);

describe('A rule about the time in a zone', function () {
  this.timeout(3_600_000);

  it(`has its event once in each of ${KILLS} visits with a kill`, async () => {
    const service = await Service.start({ STREAM_RESTART_MS: '20' });
    const receiver = await Receiver.start();
    try {
      await registerLivePipeline(service);
      const component = new RawComponent(service);
      for (let kill = FIRST; kill <= LAST; kill++) {
        const who = (['server', 'component', 'both'] as const)[kill % 3]!;
        await visitWithKill({ service, component, receiver }, (kill * 7) % 99, who);
      }
    } finally {
      await receiver.close();
      await service.close();
    }
  });
});
