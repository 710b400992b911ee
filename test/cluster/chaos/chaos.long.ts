/** A short run of faults. Use `npm run chaos` for longer runs. */
import { expect } from 'chai';
import { hasRedis } from '../../support/redis/redis.ts';
import { chaos } from './chaos.ts';
import { USUAL_FAULTS } from './chaos-plan.ts';

const SEED = 1;

describe('Servers on one Redis, while servers, components, a node and Redis are killed and frozen', function () {
  this.timeout(600_000);
  before(function () {
    if (!hasRedis()) this.skip();
  });

  it(`end everything as if nothing had been [SEED=${SEED}]`, async () => {
    const size = { seed: SEED, seconds: 20, servers: 2, kinds: USUAL_FAULTS };
    const { violations, lines } = await chaos({ ...size, say: () => undefined });
    expect(violations, lines.join('\n')).to.deep.equal([]);
  });
});
