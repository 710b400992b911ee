import { expect } from 'chai';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { EscalationMonitor } from '../../../actors/guardian/escalation-monitor.ts';

describe('An actor that serves all jobs and fails too often', () => {
  it('makes the server not ready for a minute, and tells the administrators once', async () => {
    const clock = new VirtualClock();
    const escalations = new EscalationMonitor(clock);
    expect(escalations.reason).to.equal(undefined);
    expect(escalations.onEscalation('dispatcher/dispatcher')).to.contain(
      '(dispatcher): work is handed out late',
    );
    expect(escalations.reason).to.contain('(dispatcher): work is handed out late');
    await clock.advance(59_000);
    expect(escalations.onEscalation('dispatcher/dispatcher'), 'they know').to.equal(undefined);
    await clock.advance(59_000);
    expect(escalations.reason).to.contain('dispatcher');
    await clock.advance(1_000);
    expect(escalations.reason).to.equal(undefined);
    expect(escalations.onEscalation('dispatcher/dispatcher')).to.contain('dispatcher');
  });

  it('is none of those that one job, or one service, has for itself', () => {
    const escalations = new EscalationMonitor(new VirtualClock());
    for (const actor of ['batch-job/7', 'service/host:FACE:1'])
      expect([escalations.onEscalation(actor), escalations.reason]).to.deep.equal([undefined, undefined]);
  });
});
