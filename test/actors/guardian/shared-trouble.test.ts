import { expect } from 'chai';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { SharedTrouble } from '../../../actors/guardian/shared-trouble.ts';

describe('An actor that serves all jobs and fails too often', () => {
  it('makes the server not ready for a minute, and tells the administrators once', async () => {
    const clock = new VirtualClock();
    const trouble = new SharedTrouble(clock);
    expect(trouble.reason).to.equal(undefined);
    expect(trouble.escalated('dispatcher/dispatcher')).to.contain('(dispatcher): work is handed out late');
    expect(trouble.reason).to.contain('(dispatcher): work is handed out late');
    await clock.advance(59_000);
    expect(trouble.escalated('dispatcher/dispatcher'), 'they know').to.equal(undefined);
    await clock.advance(59_000);
    expect(trouble.reason).to.contain('dispatcher');
    await clock.advance(1_000);
    expect(trouble.reason).to.equal(undefined);
    expect(trouble.escalated('dispatcher/dispatcher')).to.contain('dispatcher');
  });

  it('is none of those that one job, or one service, has for itself', () => {
    const trouble = new SharedTrouble(new VirtualClock());
    for (const actor of ['batch-job/7', 'service/host:FACE:1'])
      expect([trouble.escalated(actor), trouble.reason]).to.deep.equal([undefined, undefined]);
  });
});
