import { expect } from 'chai';
import { WorkerRegistry } from '../../../actors/node-manager/workers.ts';

describe('Queues that components from outside ask about', () => {
  it('are forgotten a minute after nobody has asked any more', () => {
    const registry = new WorkerRegistry({ add() {}, remove() {} });
    registry.askedFromOutside(['A', 'B'], 0);
    registry.askedFromOutside(['B'], 59_000);
    expect([registry.serves('A', 59_999), registry.serves('B', 60_001)]).to.deep.equal([true, true]);
    registry.askedFromOutside(['C'], 60_000);
    expect([registry.askedFor, registry.serves('A', 60_001), registry.serves('B', 60_001)]).to.deep.equal([
      2,
      false,
      true,
    ]);
  });
});
