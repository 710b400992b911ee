/** Servers in simulated time: hundreds of hours with faults in seconds. A seed repeats a run. */
import { expect } from 'chai';
import type { LeftOut } from './shared-redis.ts';
import { FEW, keepPromises, ONE, seedsOfSuite } from './suite-of-seeds.ts';

const SEEDS = Number(process.env['SIMULATIONS'] ?? FEW);
/** Seeds that have found bugs. */
const BROKEN_ONCE = [3_451, 3_805, 5_607];
/** Number of seeds to try until the simulation detects a missing rule. */
const TRIES = 60;

/** Each missing rule, with the guarantee that it breaks and a seed that shows this. */
const MISSED: readonly (readonly [LeftOut, string, number])[] = [
  ['commits look at the version', 'no commit but on the last version', 2],
  ['what is withdrawn is not handed out', 'a cancelled job hands out no work', 14],
  ['what dead servers held goes back uncounted', 'only components cost attempts', 5],
  ['what is owed stays until it has arrived', 'who waits for a job hears of its end', 3],
];

describe('Servers that share a store, in simulated time', function () {
  this.timeout(900_000);
  const seeds = seedsOfSuite();

  if (ONE !== undefined) it(`keep their promises [SIMULATION=${ONE}]`, () => seeds.keeps(Number(ONE)));
  else keepPromises(seeds, 1, SEEDS);

  it(`keep the promises that they have broken once [seeds ${BROKEN_ONCE.join(', ')}]`, async () => {
    for (const seed of BROKEN_ONCE) await seeds.keeps(seed);
  });

  it('do the same again for the same seed', async () => {
    const [one, other] = [await seeds.runSimulated(7), await seeds.runSimulated(7)];
    expect(other.story).to.deep.equal(one.story);
    expect(one.jobs * one.faults).to.be.greaterThan(0);
  });

  for (const [leftOut, missed, first] of MISSED)
    it(`are found out when they do not keep to it that ${leftOut}`, async () => {
      const broken = new Set<string>();
      for (let seed = first; seed < first + TRIES && !broken.has(missed); seed++)
        broken.add((await seeds.runSimulated(seed, leftOut)).broken?.split(':')[0] ?? '');
      expect([...broken]).to.include(missed);
    });
});
