import { registerLivePipeline } from '../../support/live-pipeline.ts';
import { RawComponent } from '../../support/processes/raw-component.ts';
import { Service } from '../../support/processes/service.ts';
import { Receiver } from '../../support/servers/receiver.ts';
import { visitWithKill } from './zone-kills.ts';

describe('A rule about the time in a zone', function () {
  this.timeout(240_000);
  let service: Service;
  let component: RawComponent;
  let receiver: Receiver;
  before(async () => {
    service = await Service.start({ STREAM_RESTART_MS: '20' });
    await registerLivePipeline(service);
    component = new RawComponent(service);
    receiver = await Receiver.start();
  });
  after(async () => {
    await receiver.close();
    await service.close();
  });

  it('has its event once when server or component die before, at and after it', async () => {
    for (const who of ['server', 'component', 'both'] as const)
      for (const frame of [1, 49, 50, 60]) await visitWithKill({ service, component, receiver }, frame, who);
  });
});
