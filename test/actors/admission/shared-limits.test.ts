import { expect } from 'chai';
import * as fc from 'fast-check';
import { sharedEntry, sharedRoom } from '../../../actors/admission/shared-limits.ts';
import { runs, seeded } from '../../support/seed.ts';

const LIMITS = { maxLive: 10, maxWaiting: 3, servers: 2 };

describe('Admission by servers that share a store', () => {
  it('admits at once while each server has a share of the places, then queues, then refuses', () => {
    const of = (unended: number, waiting: number, coming: number) =>
      sharedEntry({ unended, waiting }, coming, LIMITS);
    expect([of(0, 0, 0), of(0, 0, 4), of(0, 0, 5)]).to.deep.equal(['live', 'live', 'waiting']);
    expect([of(8, 0, 0), of(9, 0, 0), of(10, 0, 0)]).to.deep.equal(['live', 'waiting', 'waiting']);
    // Jobs that already wait are admitted first.
    expect([of(3, 1, 0), of(13, 3, 0)]).to.deep.equal(['waiting', 'FULL']);
  });

  it(`never admits more than there are places, however many each server admits at once ${seeded}`, () => {
    const servers = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 20 }), servers, (live, maxLive, tries) => {
        const limits = { maxLive, maxWaiting: 100, servers: tries.length };
        const letIn = tries.map((wanted) => {
          let coming = 0;
          for (let n = 0; n < wanted; n++)
            if (sharedEntry({ unended: live, waiting: 0 }, coming, limits) === 'live') coming++;
          return coming;
        });
        const together = letIn.reduce((sum, n) => sum + n, 0);
        expect(together).to.be.at.most(Math.max(0, maxLive - live));
        expect(sharedRoom({ unended: live + together, waiting: 0 }, 0, maxLive)).to.equal(
          Math.max(0, maxLive - live - together),
        );
      }),
      runs(300),
    );
  });
});
