/** File uploads of components to a server with an almost full disk. */
import { expect } from 'chai';
import { RawComponent } from '../support/processes/raw-component.ts';
import { sampleUri, Service } from '../support/processes/service.ts';

describe('Files that a component sends', () => {
  let service: Service;
  before(async () => {
    service = await Service.here({ CANCEL_GRACE_MS: '100' });
  });
  after(() => service.close());

  it('are not taken when the disk is nearly full', async () => {
    const component = new RawComponent(service);
    const id = await service.submit({
      media: [sampleUri('sections.docx')],
      pipelineName: 'ABSENT PIPELINE',
    });
    const held = await component.claimOf(id, 'ABSENT');
    // A server that stops releases work whose assignment was not confirmed, so confirm it with a heartbeat.
    expect((await component.heartbeat(held.token, 1, 2)).body).to.deep.equal({ go: 'on' });
    await service.stop();
    await service.startHere({ MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
    const full = await fetch(`${service.url}/worker/v1/leases/${held.token}/files/a`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.token}` },
      body: 'a',
    });
    expect([full.status, await full.text()].join(' ')).to.match(/^507 .*nearly full/);
  });
});
