/** Simulations with more seeds than `npm test` uses, and with new random seeds. */
import { seed } from '../support/seed.ts';
import { FEW, keepPromises, seedsOfSuite } from './suite-of-seeds.ts';

const LAST = 1_000;
const NEW = 500;

describe('Servers that share a store, in simulated time', function () {
  this.timeout(900_000);
  const seeds = seedsOfSuite();
  keepPromises(seeds, FEW + 1, LAST);
  const drawn = LAST + (seed % 1_000_000_000);
  keepPromises(seeds, drawn + 1, drawn + NEW);
});
