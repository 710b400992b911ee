/** A short run of faults; `npm run chaos` goes on for as long as one likes. */
import { expect } from 'chai';
import { hasRedis } from '../../support/redis/redis.ts';
import { chaos } from './chaos.ts';

const SEED = 1;

describe('Servers on one Redis, while servers, components, a node and Redis are killed and frozen', function () {
  this.timeout(600_000);
  before(function () {
    if (!hasRedis()) this.skip();
  });

  it(`end everything as if nothing had been [SEED=${SEED}]`, async () => {
    const { violations, lines } = await chaos({ seed: SEED, seconds: 20, servers: 2, say: () => undefined });
    expect(violations, lines.join('\n')).to.deep.equal([]);
  });
});
